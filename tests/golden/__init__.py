"""Golden transcripts: whole matches that must be played again to the letter."""

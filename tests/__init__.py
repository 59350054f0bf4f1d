"""Tests: a mirror of the tree, laws on random play, golden transcripts, and checks of the house itself."""

"""The doors: PettingZoo (`aec`) and batches of games (`vector`)."""

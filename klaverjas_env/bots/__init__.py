"""Players: baselines and exported nets, all behind the one interface of `bot.Bot`."""

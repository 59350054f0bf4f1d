"""Players: baselines and exported nets, all behind the one interface of `bot.Bot`."""

import difflib
from collections.abc import Callable
from typing import Final

from klaverjas_env.bots.baselines import GreedyBot, RandomBot
from klaverjas_env.bots.bot import Bot
from klaverjas_env.bots.lennard import LennardBot
from klaverjas_env.bots.network import BotError, NetworkBot
from klaverjas_env.bots.rule_based import RuleBot

BASELINES: Final[dict[str, Callable[[int], Bot]]] = {
    "random": RandomBot,
    "greedy": lambda seed: GreedyBot(),
    "greedy:low_is_come": lambda seed: GreedyBot("low_is_come"),
    "greedy:high_is_come": lambda seed: GreedyBot("high_is_come"),
    "lennard": lambda seed: LennardBot(),
    "rule": lambda seed: RuleBot(),
}
"""Bots that need no file, by name; each is made from a seed."""

__all__ = ["BASELINES", "Bot", "BotError", "GreedyBot", "LennardBot", "NetworkBot", "RandomBot", "RuleBot", "make_bot"]


def make_bot(name: str, seed: int = 0) -> Bot:
    """The bot with this name, or the exported bot in this `.onnx` file. Raises BotError."""
    if name in BASELINES:
        return BASELINES[name](seed)
    if name.endswith(".onnx"):
        return NetworkBot(name)
    nearest = difflib.get_close_matches(name, BASELINES, n=1, cutoff=0.0)[0]
    known = ", ".join(BASELINES)
    known += ", and the path of an exported .onnx or of a checkpoint"
    raise BotError(f"no bot {name!r}; did you mean {nearest!r}? Known: {known}")

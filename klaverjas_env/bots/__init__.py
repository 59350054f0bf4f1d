"""Players: baselines and exported nets, all behind the one interface of `bot.Bot`."""

import difflib
from collections.abc import Callable
from typing import Final

from klaverjas_env.bots.baselines import GreedyBot, RandomBot
from klaverjas_env.bots.bot import Bot
from klaverjas_env.bots.lennard import LennardBot
from klaverjas_env.bots.network import BotError, NetworkBot
from klaverjas_env.bots.rule_based import RuleBot
from klaverjas_env.bots.search import MOST_SIMULATIONS, IsmctsBot
from klaverjas_env.bots.solving import MOST_WORLDS, CheatBot, PimcBot

BASELINES: Final[dict[str, Callable[[int], Bot]]] = {
    "random": RandomBot,
    "greedy": lambda seed: GreedyBot(),
    "greedy:low_is_come": lambda seed: GreedyBot("low_is_come"),
    "greedy:high_is_come": lambda seed: GreedyBot("high_is_come"),
    "lennard": lambda seed: LennardBot(),
    "rule": lambda seed: RuleBot(),
}
"""Bots that need no file, by name; each is made from a seed."""

YARDSTICKS: Final[dict[str, Callable[[], Bot]]] = {"cheat": CheatBot}
"""Bots that see all, by name: they are given games instead of views."""

SEARCHERS: Final[dict[str, tuple[Callable[[int, int], Bot], str, int]]] = {
    "ismcts": (IsmctsBot, "simulations", MOST_SIMULATIONS),
    "pimc": (PimcBot, "worlds", MOST_WORLDS),
}
"""Bots named with a number, as in `ismcts-200`: how each is made from number and seed, what it counts, and the most."""

__all__ = [
    "BASELINES",
    "SEARCHERS",
    "YARDSTICKS",
    "Bot",
    "BotError",
    "CheatBot",
    "GreedyBot",
    "IsmctsBot",
    "LennardBot",
    "NetworkBot",
    "PimcBot",
    "RandomBot",
    "RuleBot",
    "make_bot",
]


def make_bot(name: str, seed: int = 0) -> Bot:
    """The bot with this name, or the exported bot in this `.onnx` file. Raises BotError."""
    if name in BASELINES:
        return BASELINES[name](seed)
    if name in YARDSTICKS:
        return YARDSTICKS[name]()
    kind, dash, number = name.partition("-")
    if kind in SEARCHERS and not name.endswith(".onnx"):
        return _searcher(kind, dash + number, seed)
    if name.endswith(".onnx"):
        return NetworkBot(name)
    nearest = difflib.get_close_matches(name, [*BASELINES, *YARDSTICKS], n=1, cutoff=0.0)[0]
    known = ", ".join([*BASELINES, *YARDSTICKS])
    known += "".join(f", {kind}-N" for kind in SEARCHERS)
    known += ", and the path of an exported .onnx or of a checkpoint"
    raise BotError(f"no bot {name!r}; did you mean {nearest!r}? Known: {known}")


def _searcher(kind: str, rest: str, seed: int) -> Bot:
    """The search bot `kind` with the number in `rest`, which is a dash and the number."""
    make, what, most = SEARCHERS[kind]
    number = rest[1:]
    if not (number.isascii() and number.isdigit()) or not 1 <= int(number) <= most:
        raise BotError(
            f"bot {kind + rest!r}: name it {kind}-N with N {what} a decision, 1 to {most:,}, as in {kind}-20"
        )
    return make(int(number), seed)

"""What has been published, and the same measured here: `python -m benchmarks.papers [--pairs N] [--deals N]`.

Play: points a deal of search players against the rule player of a thesis (Aaldering 2023), Rotterdams with forced
undertrump, declarer and trump drawn; ours with the 95 % interval over seat-swapped pairs and milliseconds a decision.
Exact solution: full deals with open hands, roem off, the value alone, one core; published as "typically minutes".
"""

import argparse
import sys
import time
from typing import Final

import numpy as np

from klaverjas_env.bots import Bot, make_bot
from klaverjas_env.game import PLAYING
from klaverjas_env.rules.variant import Variant
from klaverjas_env.solver import OBJECTIVES, VALUE, new_workspace, solve_many
from klaverjas_env.solver.values import NO_BUDGET
from training.contracts import deals
from training.evaluate import evaluate

HOUSE: Final = "online-rotterdams"
NO_ROEM: Final = f"{HOUSE}, run3=0, run4=0, stuk=0, four_jacks=0, four_others=0"
PUBLISHED: Final = {
    "random": "-29.6",
    "ismcts-10": "+4.0, 3 ms",
    "ismcts-50": "+29.1, 13 ms",
    "ismcts-200": "+45.6, 54 ms",
    "ismcts-800": "+55.0, 310 ms",
    "pimc-20": "",
    "cheat": "",
}
"""Points a deal against `lennard`, and the time of a move; `random` was measured by us on the thesis' own program."""
SLOW: Final = 10
"""`pimc` plays this many times fewer pairs than the others."""


class Timed(Bot):
    """A bot, and how long it took."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.name = bot.name
        self.seconds = 0.0
        self.decisions = 0

    def act_many(self, views: np.ndarray) -> np.ndarray:
        begun = time.perf_counter()
        actions = self.bot.act_many(views)
        self.seconds += time.perf_counter() - begun
        self.decisions += len(views)
        return actions


class TimedCheat(Timed):
    """As `Timed`, for a bot that sees all."""

    sees_all = True


def warmed(name: str, seed: int) -> Timed:
    """The bot, timed from when its code has been compiled."""
    bot = make_bot(name, seed)
    timed = TimedCheat(bot) if bot.sees_all else Timed(bot)
    evaluate(timed, "lennard", pairs=2, seed=seed + 1, variant=HOUSE, contract="random")
    timed.seconds = 0.0
    timed.decisions = 0
    return timed


def play(names: list[str], pairs: int, seed: int) -> None:
    """Print the table of players."""
    print(f"points a deal against lennard, {HOUSE}, contract random, seed {seed}")
    print(f"{'player':12}{'published':18}{'ours':18}{'ms a decision':>14}{'pairs':>8}")
    for name in names:
        n = max(2, pairs // SLOW) if name.startswith("pimc") else pairs
        bot = warmed(name, seed)
        result = evaluate(bot, "lennard", pairs=n, seed=seed, variant=HOUSE, contract="random")
        ours = f"{result.points_per_deal:+.1f} ± {result.ci95:.1f}"
        speed = 1000 * bot.seconds / max(bot.decisions, 1)
        print(f"{name:12}{PUBLISHED.get(name, ''):18}{ours:18}{speed:14.3f}{n:8}", flush=True)


def solve(n: int, seed: int) -> None:
    """Print the distribution of nodes and time over the exact solutions of `n` random deals."""
    for house, what in ((NO_ROEM, "roem off"), (HOUSE, "with roem")):
        games = deals(Variant.parse(house), 0, n + 1, seed, "random")
        games = games[games["phase"] == PLAYING]
        work = new_workspace()
        seconds = np.empty(len(games))
        nodes = np.empty(len(games), dtype=np.int64)
        value = np.empty((1, 2), dtype=np.int64)
        none = np.empty((1, 0), dtype=np.int64)
        for i in range(len(games)):
            begun = time.perf_counter()
            one = games[i : i + 1]
            solve_many(one, OBJECTIVES.index("difference"), VALUE, work, NO_BUDGET, value, none, none, nodes[i : i + 1])
            seconds[i] = time.perf_counter() - begun
        print(f"\nexact solution of {len(games) - 1} full deals, open hands, {what}; published: minutes, some days")
        for label, row in (("ms", 1000 * seconds[1:]), ("nodes", nodes[1:].astype(float))):
            low, median, high, most = np.percentile(row, [5, 50, 95, 100])
            print(f"{label:6}5 %{low:12,.1f}  median{median:12,.1f}  mean{row.mean():12,.1f}", end="")
            print(f"  95 %{high:12,.1f}  most{most:14,.1f}", flush=True)


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers")
    parser.add_argument("--pairs", type=int, default=1000, help=f"deals in both seatings (pimc: 1/{SLOW} of them)")
    parser.add_argument("--deals", type=int, default=2000, help="full deals that are solved; 0 for none")
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals (default 0)")
    parser.add_argument("--bots", nargs="*", default=list(PUBLISHED), help="players to measure")
    chosen = parser.parse_args()
    if chosen.pairs < 2 or chosen.deals < 0:
        parser.error("--pairs: an interval needs at least 2; --deals: a whole number from 0")
    play(chosen.bots, chosen.pairs, chosen.seed)
    if chosen.deals > 0:
        solve(chosen.deals, chosen.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())

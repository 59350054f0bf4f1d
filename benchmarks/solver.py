"""How fast the exact solver is: `python -m benchmarks.solver [--deals 200] [--variant amsterdams] [--cpu]`.

Full deals, eight cards each, with a random contract, on one core: the value alone, and the value of every card that may
be led. If the package `colver` is installed (`pip install colver`: a Rust engine of Belote contrée with a solver), the
same cards and trump are given to it too. It solves its own game then (no roem within tricks, and its own points), so
this compares solvers, not values.
"""

import argparse
import importlib
import importlib.util
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from klaverjas_env.game import N_ACTIONS, new, set_contract
from klaverjas_env.solver import CARDS, OBJECTIVES, VALUE, new_workspace, solve_many

UNLIMITED: Final = 1 << 60
BELOTE_RANK: Final = (0, 1, 2, 6, 3, 4, 5, 7)
"""colver's rank (7 8 9 J Q K 10 A) of each of ours (7 8 9 10 J Q K A)."""


def deals(variant: str, n: int, seed: int) -> np.ndarray:
    """Deals [n] with a random declarer and trump."""
    draw = np.random.default_rng(seed)
    games = np.concatenate([new(variant, seed=seed, deal_number=i) for i in range(n)])
    for game in games:
        set_contract(game, int(draw.integers(4)), int(draw.integers(4)))
    return games


def line(what: str, seconds: list[float], nodes: list[int]) -> str:
    """One row of the table."""
    ms = 1000 * np.array(seconds)
    text = f"{what:22}{np.median(ms):9.2f}{ms.mean():9.2f}{ms.max():9.1f}{ms.mean() / np.median(ms):9.2f}"
    if nodes:
        count = np.array(nodes) / 1000
        text += f"{np.median(count):9.0f}{count.mean():9.0f}{count.max():9.0f}{count.sum() / ms.sum():9.1f}"
    return text


def timed(call: Callable[[Any], object], games: Any, clock: Callable[[], float]) -> list[float]:
    """Seconds that the call takes for each game."""
    seconds = []
    for game in games:
        start = clock()
        call(game)
        seconds.append(clock() - start)
    return seconds


def ours(games: np.ndarray, objective: int, wanted: int, clock: Callable[[], float]) -> tuple[list[float], list[int]]:
    """(seconds, nodes) of every deal, with one workspace."""
    work = new_workspace()
    bounds = np.zeros((1, 2), dtype=np.int64)
    lower, upper = np.zeros((2, 1, N_ACTIONS), dtype=np.int64)
    nodes = np.zeros(1, dtype=np.int64)
    used: list[int] = []

    def solve_one(game: np.ndarray) -> None:
        solve_many(game, objective, wanted, work, UNLIMITED, bounds, lower, upper, nodes)
        used.append(int(nodes[0]))

    solve_many(games[:1], objective, wanted, work, 1, bounds, lower, upper, nodes)
    return timed(solve_one, np.split(games, len(games)), clock), used


def colvers(games: np.ndarray) -> list[Any]:
    """The same deals as positions of colver, about to be played."""
    colver = importlib.import_module("colver")
    positions = []
    for game in games:
        hands = [
            [8 * (card >> 3) + BELOTE_RANK[card & 7] for card in range(32) if int(game.hands[seat]) >> card & 1]
            for seat in range(4)
        ]
        env = colver.Env.deal_with_hands(dealer=int(game.dealer), hands=hands)
        env.set_contract(trump=int(game.trump), value=80, team=int(game.declarer) & 1, coinche=0)
        env.set_phase_playing()
        positions.append(env)
    return positions


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solver")
    parser.add_argument("--deals", type=int, default=200, help="how many (default 200)")
    parser.add_argument("--variant", default="amsterdams", help="house rules (default amsterdams)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals (default 0)")
    parser.add_argument("--cpu", action="store_true", help="measure processor time, for a machine that is busy")
    chosen = parser.parse_args()
    clock = time.thread_time if chosen.cpu else time.perf_counter
    games = deals(chosen.variant, chosen.deals, chosen.seed)
    print(f"{chosen.deals} full deals, {chosen.variant}, seed {chosen.seed}, one core; ms a deal, thousands of nodes")
    print(f"{'':22}{'median':>9}{'mean':>9}{'max':>9}{'mean/med':>9}{'median':>9}{'mean':>9}{'max':>9}{'M/s':>9}")
    for objective, name in enumerate(OBJECTIVES):
        for wanted, what in ((VALUE, "value"), (CARDS, "all cards")):
            print(line(f"{name}, {what}", *ours(games, objective, wanted, clock)), flush=True)
    if importlib.util.find_spec("colver") is None:
        print("colver is not installed; for its solver beside ours: pip install colver")
        return 0
    print(line("colver, all cards", timed(lambda env: env.solve_scores(), colvers(games), clock), []))
    suits = timed(lambda env: env.solve_all_suits(), colvers(games), clock)
    print(line("colver, value", [seconds / 4 for seconds in suits], []) + "  (a quarter of its four trumps)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

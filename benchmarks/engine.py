"""How fast the engine and the batched door are: `python -m benchmarks.engine [--repeat 5] [--json]`.

Everything runs on one core and with uniformly random legal actions. Every figure is the median of the repeats, with the
lowest and the highest beside it. Seconds of the engine and the batched door are processor time of the one thread that
they use, so that neighbours on a shared machine count for less. The PettingZoo doors are measured by `doors.py`.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

from klaverjas_env.envs.vector import VectorGames, sample_mask
from klaverjas_env.game import DEAL_OVER, PLAYING, apply, legal, new, next_deal
from klaverjas_env.jit import ENABLED, jit
from klaverjas_env.rules.cards import count, member

ROOT: Final = Path(__file__).parents[1]
HOUSE: Final = "amsterdams/utrechts"
TABLES: Final = 1024
SCALE: Final = 1 if ENABLED else 200
"""By how much less is measured in plain Python."""
FIRST_DEAL: Final = """
from klaverjas_env import klaverjas_v0
env = klaverjas_v0.raw_env(deals=1)
env.reset(seed=1)
while not env.terminations[env.agent_selection]:
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
"""
"""What a newcomer waits for."""


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    unit: str
    values: list[float]
    note: str = ""

    @property
    def median(self) -> float:
        """The figure itself."""
        return statistics.median(self.values)


# --- the bare engine -------------------------------------------------------------------------------------------------


@jit
def play_random(games: np.ndarray, deals: int, state: int) -> tuple[int, int]:
    """Play `deals` random deals in each of `games` [N]; returns (decisions, cards played)."""
    decisions = 0
    plays = 0
    for i in range(len(games)):
        game = games[i]
        for _ in range(deals):
            while game.phase != DEAL_OVER:
                actions = legal(game)
                # xorshift (Marsaglia 2003) on 32 bits; its upper half scaled to the number of legal actions
                state ^= (state << 13) & 0xFFFFFFFF
                state ^= state >> 17
                state ^= (state << 5) & 0xFFFFFFFF
                decisions += 1
                plays += int(game.phase == PLAYING)
                apply(game, member(actions, (state * count(actions)) >> 32))
            next_deal(game)
    return decisions, plays


def engine(repeat: int) -> list[Figure]:
    """Random deals, decisions and plays a second with nothing but the law."""
    games = np.concatenate([new(HOUSE, seed=table) for table in range(TABLES // SCALE)])
    deals = 100 if ENABLED else 1
    play_random(games, 1, 1)
    per_second: dict[str, list[float]] = {"deals": [], "decisions": [], "plays": []}
    for turn in range(repeat):
        start = time.thread_time()
        decisions, plays = play_random(games, deals, turn + 1)
        seconds = time.thread_time() - start
        for name, number in (("deals", len(games) * deals), ("decisions", decisions), ("plays", plays)):
            per_second[name].append(number / seconds)
    return [Figure(f"engine, {name}", f"{name}/s", values) for name, values in per_second.items()]


# --- the batched door ------------------------------------------------------------------------------------------------


def vector(repeat: int, **options: bool) -> list[Figure]:
    """Decisions a second of a batch in random play: the step alone, which writes observations and masks, and the loop
    with the sampling of the actions."""
    batch = VectorGames(TABLES // SCALE, HOUSE, seed=1, **options)
    rng = np.random.default_rng(1)
    steps = 400 if ENABLED else 5
    batch.step(sample_mask(batch.action_mask, rng.random(batch.n)))
    alone, loop = [], []
    for _ in range(repeat):
        in_step = 0.0
        start = time.thread_time()
        for _ in range(steps):
            actions = sample_mask(batch.action_mask, rng.random(batch.n))
            before = time.thread_time()
            batch.step(actions)
            in_step += time.thread_time() - before
        alone.append(batch.n * steps / in_step)
        loop.append(batch.n * steps / (time.thread_time() - start))
    kind = "".join(f", {name}={value}" for name, value in options.items())
    return [
        Figure(f"vector of {batch.n}, step{kind}", "decisions/s", alone, "observation and mask"),
        Figure(f"vector of {batch.n}, step and sampling{kind}", "decisions/s", loop),
    ]


# --- start-up --------------------------------------------------------------------------------------------------------


def first_deal_seconds(cache: str) -> float:
    """Seconds that a fresh Python takes to import the package and play one deal, with compiled code kept in `cache`."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", FIRST_DEAL],
        cwd=ROOT,
        env={**os.environ, "KLAVERJAS_CACHE_DIR": cache},
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return time.perf_counter() - start


def start_up(repeat: int) -> list[Figure]:
    """The first start on a machine, which compiles, and those after it."""
    with tempfile.TemporaryDirectory() as cache:
        cold = first_deal_seconds(cache)
        warm = [first_deal_seconds(cache) for _ in range(repeat)]
    return [
        Figure("start and first deal, cold", "s", [cold], "once; it compiles"),
        Figure("start and first deal, warm", "s", warm),
    ]


# --- the table -------------------------------------------------------------------------------------------------------


def written(value: float) -> str:
    """A figure with three or four digits that mean something."""
    if value >= 1e6:
        return f"{value / 1e6:.2f} M"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def table(figures: list[Figure]) -> str:
    """The figures as text."""
    lines = [f"{'what':<66} {'median':>10} {'lowest':>10} {'highest':>10}  unit"]
    for figure in figures:
        spread = [written(value) for value in (figure.median, min(figure.values), max(figure.values))]
        note = f"  ({figure.note})" if figure.note else ""
        lines.append(f"{figure.what:<66} {spread[0]:>10} {spread[1]:>10} {spread[2]:>10}  {figure.unit}{note}")
    return "\n".join(lines)


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description="How fast the engine and the batched door are, on one core.")
    parser.add_argument("--repeat", type=int, default=5, help="how often each figure is measured (5)")
    parser.add_argument("--json", action="store_true", help="print JSON in place of a table")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error(f"--repeat {options.repeat}: at least one")
    machine = f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}, compiled: {ENABLED}"
    figures = engine(options.repeat)
    figures += vector(options.repeat, with_hidden_hands=False)
    figures += vector(options.repeat)
    figures += vector(options.repeat, skip_forced=True, canonical=True)
    figures += start_up(options.repeat)
    if options.json:
        rows = [asdict(figure) | {"median": figure.median} for figure in figures]
        print(json.dumps({"machine": machine, "house": HOUSE, "figures": rows}, indent=1))
    else:
        print("\n".join([f"{machine}; {HOUSE}, {options.repeat} repeats", "", table(figures)]))


if __name__ == "__main__":
    main()

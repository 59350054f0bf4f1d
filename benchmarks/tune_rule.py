"""How the prices of the rule player's card play were found: `python -m benchmarks.tune_rule [--steps N] [--seed N]`.

An evolution strategy: every step plays the same fresh deals with pairs of mirrored changes to all prices and beliefs at
once, against `greedy` and against the rule player that the climb began with, under Amsterdams and Rotterdams in turn,
and goes a little up the slope that they show. It prints what came of it; nothing is written.
"""

import argparse
import sys

import numpy as np

from benchmarks.signals import results
from klaverjas_env.bots import Bot, GreedyBot, RuleBot
from klaverjas_env.bots.rule_tables import Tables
from training.figures import estimate

VARIANTS = ("amsterdams", "rotterdams")
MIRRORED = 12
"""Pairs of changes a step."""
CHANGE = 0.35
"""Size of a change, in units of `unit`."""
RATE = 0.3
"""Length of the first steps, in the same units; it falls to a tenth."""
PAIRS = 1000
"""Deals for one change, in both seatings."""


def unit(tables: Tables) -> np.ndarray:
    """One unit of each price and belief: three tenths of a price and at least a point, 0.15 of a belief."""
    prices = np.maximum(np.abs(tables.prices).ravel() * 0.3, 1.0)
    return np.concatenate([prices, np.full(len(tables.beliefs), 0.15)])


def moved(tables: Tables, by: np.ndarray) -> Tables:
    """The tables with all prices and beliefs moved."""
    n = tables.prices.size
    return tables._replace(
        prices=tables.prices + by[:n].reshape(tables.prices.shape),
        beliefs=np.maximum(tables.beliefs + by[n:], 0.0),
    )


def climb(tables: Tables, steps: int, seed: int, opponents: tuple[Bot, ...]) -> Tables:
    """The tables after so many steps uphill (Adam on the slope; the last places are averaged)."""
    rng = np.random.default_rng(seed)
    units = unit(tables)
    place, first, second = np.zeros_like(units), np.zeros_like(units), np.zeros_like(units)
    average = place
    for step in range(1, steps + 1):
        opponent = opponents[step // 2 % len(opponents)]
        variant = VARIANTS[step % 2]
        slope = np.zeros_like(units)
        for _ in range(MIRRORED):
            change = rng.standard_normal(len(units))
            up, down = (
                results(
                    RuleBot(moved(tables, units * (place + sign * CHANGE * change))),
                    opponent,
                    variant,
                    PAIRS,
                    seed + step,
                )
                for sign in (1, -1)
            )
            slope += (up - down).mean() * change / (2 * CHANGE * MIRRORED)
        first = 0.8 * first + 0.2 * slope
        second = 0.95 * second + 0.05 * slope**2
        rate = RATE * max(0.1, 1 - step / steps)
        place = place + rate * first / (1 - 0.8**step) / (np.sqrt(second / (1 - 0.95**step)) + 1e-3)
        average = 0.9 * average + 0.1 * place
    return moved(tables, units * average)


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tune_rule")
    parser.add_argument("--steps", type=int, default=100, help="steps uphill (default 100; some 10 s each)")
    parser.add_argument("--seed", type=int, default=777_000, help="seed of changes and deals (default 777000)")
    chosen = parser.parse_args()
    opponents = (GreedyBot(), RuleBot())
    tables = climb(Tables(), chosen.steps, chosen.seed, opponents)
    np.set_printoptions(precision=1, suppress=True, linewidth=120)
    print(repr(tables.prices), np.round(tables.beliefs, 2), sep="\n")
    for variant in VARIANTS:
        for opponent in opponents:
            # Deals that the climb has not seen.
            gains = results(RuleBot(tables), opponent, variant, 5000, chosen.seed - 1)
            print(f"{variant:14}{opponent.name:10}{estimate(gains)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What signals are worth to `greedy`: `python -m benchmarks.signals [--pairs N]`.

A side that signals and a side that does not play the same deals, in both seatings, against the same opponents. The
figure is the gain of signalling in points a deal, (own - theirs with signals) - (own - theirs without), with its 95 %
interval over pairs of seatings.
"""

import argparse
import sys

import numpy as np

from klaverjas_env.bots import Bot, GreedyBot, make_bot
from klaverjas_env.bots.signals import NO_SIGNALS, SIGNALS
from klaverjas_env.rules.variant import Variant
from training.duels import play_duel
from training.evaluate import BATCH
from training.figures import estimate, pair_margins

VARIANTS = ("amsterdams", "rotterdams")
OPPONENTS = ("greedy", "lennard")
"""Neither of them signals or reads signals."""


def results(bot: Bot, opponent: Bot, variant: str, pairs: int, seed: int) -> np.ndarray:
    """Points of `bot` minus those of `opponent` a deal, the mean of both seatings: float64 [pairs]."""
    rows = [
        play_duel((bot, opponent), Variant.of(variant), first, min(BATCH, pairs - first), seed, "bid").rows
        for first in range(0, pairs, BATCH)
    ]
    return pair_margins(np.concatenate(rows))


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.signals")
    parser.add_argument("--pairs", type=int, default=20_000, help="deals, each in both seatings (default 20000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals (default 0)")
    chosen = parser.parse_args()
    if chosen.pairs < 2:
        parser.error("--pairs: an interval needs at least 2")
    print(f"gain of signals for greedy, points a deal; {chosen.pairs} pairs, seed {chosen.seed}")
    print(f"{'variant':14}{'against':12}{'signals':16}gain")
    for variant in VARIANTS:
        for name in OPPONENTS:
            opponent = make_bot(name)
            without = results(GreedyBot(), opponent, variant, chosen.pairs, chosen.seed)
            for signals in SIGNALS[NO_SIGNALS + 1 :]:
                gains = results(GreedyBot(signals), opponent, variant, chosen.pairs, chosen.seed) - without
                print(f"{variant:14}{name:12}{signals:16}{estimate(gains)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

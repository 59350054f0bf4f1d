"""What the examples share: their arguments, the clock, and points a deal against `random` before and after training.

A library's policy becomes a `Bot` by `PolicyBot`; `training.evaluate` then plays it on deals that nobody trained on,
each in both seatings, so that luck of the cards cancels.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from klaverjas_env.bots import Bot
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.observation import N_OBSERVATION, PHYSICAL, write_mask, write_observation
from training.evaluate import Result, evaluate

Policy: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Observation float32 [N, OBS] and action mask int8 [N, 45], as the doors deliver them, to legal actions [N]."""

HOUSE = "amsterdams/utrechts, deals=1"
"""The house rules of the examples; an episode is one deal, so that a return is the result of that deal."""
EVALUATION_SEED = 2**62
"""Seed of the deals on which the examples are measured; far from the seeds with which they train."""


class PolicyBot(Bot):
    """A library's policy as a player."""

    def __init__(self, name: str, policy: Policy) -> None:
        self.name = name
        self.policy = policy

    def act_many(self, views: np.ndarray) -> np.ndarray:
        observation = np.empty((len(views), N_OBSERVATION), dtype=np.float32)
        action_mask = np.empty((len(views), N_ACTIONS), dtype=np.int8)
        for i, view in enumerate(views):
            write_observation(view, view["to_act"], PHYSICAL, observation[i])
            write_mask(view, view["to_act"], PHYSICAL, action_mask[i])
        return self.policy(observation, action_mask)


@dataclass(frozen=True)
class Arguments:
    """What every example can be told."""

    seconds: float
    """How long to train, in seconds of processor time: on a busy machine a minute of it takes longer."""
    seed: int
    """Seed of the deals, the net and the sampling."""
    pairs: int
    """Deals of a measurement, each played in both seatings."""


def arguments(description: str | None) -> Arguments:
    """The command line of an example."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to train, in processor time (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="of deals, net and sampling (default 1)")
    parser.add_argument("--pairs", type=int, default=1000, help="deals to measure on, in both seatings (default 1000)")
    return Arguments(**vars(parser.parse_args()))


class Clock:
    """Whether there is training time left: processor time of this process, so that other work counts for nothing."""

    def __init__(self, seconds: float) -> None:
        self.begun = time.process_time()
        self.seconds = seconds

    @property
    def spent(self) -> float:
        """Processor seconds since the clock was made."""
        return time.process_time() - self.begun

    @property
    def running(self) -> bool:
        """False when the time is over."""
        return self.spent < self.seconds


def measure(when: str, name: str, policy: Policy, pairs: int) -> Result:
    """Print and return what a policy takes from `random` now: points a deal with a 95 % interval.

    Args:
        when: the first word of the line, "before" or "after".
        name: how the policy is named.
        policy: what to measure; it should be deterministic or have its seed fixed.
        pairs: deals, each played in both seatings.
    """
    result = evaluate(PolicyBot(name, policy), "random", pairs, EVALUATION_SEED, HOUSE)
    print(f"{when}: {name} {result.points_per_deal:+.1f} ± {result.ci95:.1f} points a deal against random", flush=True)
    return result

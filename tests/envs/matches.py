"""Matches for the tests of the AEC door: presets, random play, and the bare environment in PettingZoo's wrappers."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils import wrappers

from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.illegal import ILLEGAL_POINTS

PRESETS = (
    "amsterdams/utrechts",
    "rotterdams/utrechts",
    "amsterdams/stock-zoeker",
    "rotterdams/stock-verplicht",
    "nku",
    "bga",
)

presets = pytest.mark.parametrize("preset", PRESETS)


def make_env(**arguments: Any) -> Any:
    """The wrapped environment; its attributes are those of the environment within, which no type tells."""
    return klaverjas_v0.env(**arguments)


def make_usual(**arguments: Any) -> Any:
    """The bare environment in PettingZoo's own three wrappers."""
    wrapped: Any = klaverjas_v0.raw_env(**arguments)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=ILLEGAL_POINTS)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


def partners(one: str, other: str) -> bool:
    """Whether two agents are on the same side."""
    return (int(one[-1]) ^ int(other[-1])) & 1 == 0


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    """A random member of a mask int8 [A]."""
    return int(rng.choice(np.flatnonzero(mask)))


def illegal_action(env: Any) -> int:
    """An action that the agent that is asked may not take."""
    return int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[0])


def play(env: Any, rng: np.random.Generator) -> Iterator[str]:
    """Play a match at random from where it stands; yields each agent about to decide, before its action is taken."""
    while env.agents:
        agent = env.agent_selection
        if env.terminations[agent]:
            env.step(None)
            continue
        yield agent
        env.step(choose(env.infos[agent]["action_mask"], rng))


def advance(env: Any, rng: np.random.Generator, decisions: int) -> None:
    """Take `decisions` random actions."""
    for _ in range(decisions):
        env.step(choose(env.infos[env.agent_selection]["action_mask"], rng))


def trace(env: Any, rng: np.random.Generator) -> list[Any]:
    """All that a random match shows to its agents, and its states."""
    return [(agent, *copy.deepcopy(env.last()), env.state()) for agent in play(env, rng)]


def exchange_unseen(game: np.ndarray, seat: int, rng: np.random.Generator) -> np.ndarray:
    """A copy of `game` [1] in which the cards that `seat` has not seen are dealt anew among the others, and so is the
    pile; the seed is another one."""
    changed = game.copy()
    others = [other for other in range(4) if other != seat]
    hands = [int(game["hands"][0, other]) for other in others]
    cards = rng.permutation([card for card in range(32) if any(hand >> card & 1 for hand in hands)])
    ends = np.cumsum([hand.bit_count() for hand in hands])
    for other, held in zip(others, np.split(cards, ends[:-1]), strict=True):
        changed["hands"][0, other] = sum(1 << int(card) for card in held)
    drawn = int(game["drawn"][0])
    changed["stock"][0, drawn:] = rng.permutation(game["stock"][0, drawn:])
    changed["seed"] = rng.integers(1 << 62)
    return changed

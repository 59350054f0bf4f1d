"""Tests of the parallel view: the match is that of the AEC door, and no mask is ever empty."""

from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.aec import PASS_ALONE
from tests.envs.matches import choose, make_env, presets


@presets
def test_it_plays_the_match_of_the_aec_door(preset: str) -> None:
    env, table = klaverjas_v0.parallel_env(variant=preset, deals=2), make_env(variant=preset, deals=2)
    usual: Any = turn_based_aec_to_parallel_wrapper(make_env(variant=preset, deals=2))
    assert isinstance(env, turn_based_aec_to_parallel_wrapper)
    observations, infos = env.reset(seed=1)
    usual.reset(seed=1)
    table.reset(seed=1)
    rng = np.random.default_rng(1)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        agent = table.agent_selection
        seen = table.last()[0]
        assert data_equivalence(observations[agent], seen)
        for other in env.agents:
            mask = observations[other]["action_mask"]
            assert mask.dtype == np.int8
            assert mask is infos[other]["action_mask"]
            assert np.array_equal(mask, seen["action_mask"] if other == agent else PASS_ALONE)
            assert table.observation_space(other).contains(observations[other])
        actions = {other: choose(observations[other]["action_mask"], rng) for other in env.agents}
        table.step(actions[agent])
        observations, rewards, terminations, truncations, infos = env.step(actions)
        _, *theirs, their_infos = usual.step(actions)
        assert data_equivalence([rewards, terminations, truncations], theirs)
        assert {other: sorted(info) for other, info in infos.items()} == {
            other: sorted(info) for other, info in their_infos.items()
        }
        for other, reward in rewards.items():
            paid[other] += reward
        assert all(observation["action_mask"].any() for observation in observations.values())
    south_north, west_east = table.unwrapped.game["totals"][0]
    assert [*paid.values()] == [south_north - west_east, west_east - south_north] * 2
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_the_agent_whose_turn_it_is_must_act() -> None:
    env = klaverjas_v0.parallel_env()
    env.reset(seed=2)
    actor = env.aec_env.agent_selection
    with pytest.raises(KeyError, match=f"the actions lack {actor}"):
        env.step({agent: 0 for agent in env.agents if agent != actor})

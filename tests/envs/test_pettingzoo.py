"""PettingZoo's own tests on all three makers, with no warning but two that PettingZoo cannot help."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test.api_test import api_test
from pettingzoo.test.api_test import test_observation as check_observation
from pettingzoo.test.parallel_test import parallel_api_test
from pettingzoo.test.performance_benchmark import performance_benchmark
from pettingzoo.test.render_test import render_test
from pettingzoo.test.save_obs_test import test_save_obs as save_obs_test
from pettingzoo.test.seed_test import parallel_seed_test, seed_test
from pettingzoo.test.state_test import state_test

from klaverjas_env import klaverjas_v0
from tests.envs.matches import PRESETS, choose, make_env, presets

# For these two PettingZoo has lists of its own environments that may have an observation that is a dictionary.
pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]

makers = pytest.mark.parametrize("make", [make_env, klaverjas_v0.raw_env])


@presets
@makers
def test_api(preset: str, make: Any) -> None:
    # 150 cycles of four agents: a match to its end and the removal of its agents.
    api_test(make(variant=preset), num_cycles=150)  # type: ignore[no-untyped-call]


@presets
def test_seed(preset: str) -> None:
    seed_test(lambda: make_env(variant=preset), num_cycles=40)  # type: ignore[no-untyped-call]


@presets
def test_save_obs(preset: str) -> None:
    """PettingZoo saves observations that are pictures; of others, such as these, its test says so and passes."""
    save_obs_test(make_env(variant=preset))  # type: ignore[no-untyped-call]


@presets
def test_render(preset: str) -> None:
    def make_rendered(render_mode: str) -> Any:
        return make_env(variant=preset, render_mode=render_mode)

    render_test(make_rendered)  # type: ignore[arg-type]


@presets
def test_state(preset: str) -> None:
    # Its actions are not masked, so that the match soon ends by an illegal one and is looked at after its end as well.
    state_test(make_env(variant=preset), klaverjas_v0.parallel_env(variant=preset))  # type: ignore[no-untyped-call]


def bombard(env: Any, cycles: int) -> None:
    """PettingZoo's bombardment test: many resets, each followed by a few random steps whose observations are checked.

    Its own text (1.25 to 1.27) takes no observation that is a dictionary, not those of connect four either, and takes
    what `step` returns for the next observation.
    """
    env.reset()
    first = env.last()[0]["observation"].copy()
    rng = np.random.default_rng(1)
    for _ in range(cycles):
        for agent in env.agent_iter(env.num_agents):
            observation = env.last()[0]
            assert env.observation_space(agent).contains(observation)
            check_observation(observation, first, str(env))  # type: ignore[no-untyped-call]
            assert env.step(choose(observation["action_mask"], rng)) is None
        env.reset()


@presets
@makers
def test_bombardment(preset: str, make: Any) -> None:
    bombard(make(variant=preset), cycles=50)


@presets
@pytest.mark.parametrize("deals", [1, None])
def test_parallel_api(preset: str, deals: int | None) -> None:
    parallel_api_test(klaverjas_v0.parallel_env(variant=preset, deals=deals), num_cycles=200)


@presets
def test_parallel_seed(preset: str) -> None:
    parallel_seed_test(lambda: klaverjas_v0.parallel_env(variant=preset), num_cycles=40)  # type: ignore[no-untyped-call]


@pytest.mark.slow
@presets
def test_long(preset: str) -> None:
    for make in (make_env, klaverjas_v0.raw_env):
        api_test(make(variant=preset), num_cycles=2_000)  # type: ignore[no-untyped-call]
        bombard(make(variant=preset), cycles=5_000)
    seed_test(lambda: make_env(variant=preset), num_cycles=2_000)  # type: ignore[no-untyped-call]
    parallel_api_test(klaverjas_v0.parallel_env(variant=preset), num_cycles=5_000)
    performance_benchmark(make_env(variant=preset))  # type: ignore[no-untyped-call]


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo makes environments by id from 1.27 on")
def test_made_by_id() -> None:
    env = pettingzoo.make("aec", "klaverjas_v0", variant=PRESETS[1], deals=2)
    assert isinstance(env.unwrapped, klaverjas_v0.raw_env)
    assert env.unwrapped.variant.deals == 2
    parallel = pettingzoo.make("parallel", "klaverjas_v0")
    assert set(parallel.reset(seed=1)[0]) == set(env.possible_agents)


def resident() -> int:
    """The memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_many_deals_need_no_more_memory_than_few() -> None:
    rng = np.random.default_rng(1)
    env = make_env(deals=1)
    measured = []
    for deal in range(30_000):
        env.reset(seed=deal)
        for _ in env.agent_iter():
            observation, _, over, _, _ = env.last()
            legal = observation["action_mask"].nonzero()[0]
            env.step(None if over else int(legal[rng.integers(len(legal))]))
        if deal % 100 == 0:
            env.clone().set_state(env.clone().get_state()) if env.agents else None
        if deal in (10_000, 29_999):
            measured.append(resident())
    assert measured[1] - measured[0] < 4_000_000

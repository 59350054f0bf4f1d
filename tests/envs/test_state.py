"""Copies of a match in its middle: deepcopy, pickle, clone, and states as bytes."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.state import STATE, StateError
from tests.envs.matches import advance, choose, illegal_action, make_env, make_usual, presets, trace


def through_bytes(env: Any) -> Any:
    """Another environment that goes on from the state of this one, without a reset."""
    twin = type(env)(**ARGUMENTS) if isinstance(env, klaverjas_v0.raw_env) else make_env(**ARGUMENTS)
    twin.set_state(env.get_state())
    return twin


ARGUMENTS: dict[str, Any] = {}
COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "clone": lambda env: env.clone(),
    "state": through_bytes,
}


def dead_too(env: Any, rng: np.random.Generator) -> list[Any]:
    """A random match to the removal of its last agent, with all that it shows."""
    seen = []
    while env.agents:
        agent = env.agent_selection
        seen.append((agent, copy.deepcopy(env.last()), dict(env.rewards), list(env.agents), env.state()))
        env.step(None if env.terminations[agent] else choose(env.infos[agent]["action_mask"], rng))
    return [*seen, env.agent_selection]


@presets
@pytest.mark.parametrize("make", [make_env, klaverjas_v0.raw_env])
@pytest.mark.parametrize("kind", COPIES)
def test_copies_in_mid_deal_go_on_from_there(preset: str, make: Any, kind: str) -> None:
    ARGUMENTS.update(variant=preset, deals=2)
    env = make(**ARGUMENTS)
    env.reset(seed=13)
    advance(env, np.random.default_rng(13), 17)
    env.last()
    twin = COPIES[kind](env)
    untouched = twin.unwrapped.game.copy()
    assert not np.shares_memory(twin.unwrapped.game, env.unwrapped.game)
    expected = dead_too(env, np.random.default_rng(14))
    assert np.array_equal(twin.unwrapped.game, untouched)
    assert data_equivalence(expected, dead_too(twin, np.random.default_rng(14)))
    for _ in range(2):
        env.reset()
        twin.reset()
        assert np.array_equal(env.unwrapped.game, twin.unwrapped.game)


@pytest.mark.parametrize("kind", ["deepcopy", "pickle"])
@pytest.mark.parametrize("make", [make_usual, klaverjas_v0.parallel_env])
def test_copies_through_other_wrappers(make: Any, kind: str) -> None:
    env = make(deals=1)
    env.reset(seed=13)
    table = env.aec_env if make is klaverjas_v0.parallel_env else env
    advance(table, np.random.default_rng(13), 17)
    twin = COPIES[kind](env)
    other = twin.aec_env if make is klaverjas_v0.parallel_env else twin
    assert data_equivalence(trace(table, np.random.default_rng(1)), trace(other, np.random.default_rng(1)))


@presets
def test_a_state_holds_every_moment_of_a_match(preset: str) -> None:
    """Between any two steps, also where agents are taken away and after an illegal action."""
    for penalized in (False, True):
        env, twin = make_env(variant=preset, deals=2), make_env(variant=preset, deals=2)
        rng = np.random.default_rng(3)
        env.reset(seed=3)
        for moment in range(1000):
            state = env.get_state()
            twin.set_state(state)
            assert twin.get_state() == state
            names = ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations")
            for name in names:
                assert getattr(env, name) == getattr(twin, name), (moment, name)
            assert data_equivalence(env.infos, twin.infos)
            if not env.agents:
                break
            assert data_equivalence(env.last(), twin.last())
            if env.terminations[env.agent_selection]:
                action = None
            elif penalized and moment == 45:
                action = illegal_action(env)
            else:
                action = choose(env.infos[env.agent_selection]["action_mask"], rng)
            env.step(action)
        assert moment == 50 if penalized else moment > 66


def test_states_go_between_the_doors() -> None:
    raw, env, parallel = klaverjas_v0.raw_env(), make_env(), klaverjas_v0.parallel_env()
    raw.reset(seed=4)
    advance(raw, np.random.default_rng(4), 9)
    env.set_state(raw.get_state())
    parallel.set_state(env.get_state())
    twin = parallel.clone()
    assert twin.agents == raw.agents
    assert np.array_equal(twin.unwrapped.game, raw.game)
    assert parallel.get_state() == raw.get_state()


def test_a_state_is_refused_where_it_does_not_belong() -> None:
    env, other = make_env(), make_env(variant="rotterdams")
    for refused in (env, klaverjas_v0.raw_env()):
        for call in (refused.get_state, refused.clone):
            with pytest.raises(AssertionError, match="reset"):
                call()
    env.reset(seed=5)
    other.reset(seed=5)
    before = other.get_state()
    state = env.get_state()
    with pytest.raises(StateError, match="other house rules"):
        other.set_state(state)
    with pytest.raises(StateError, match="other house rules"):
        make_env(deals=3).set_state(state)
    with pytest.raises(StateError, match="not dict"):
        env.set_state({})
    for foreign in (b"", b"foreign", pickle.dumps(env)):
        with pytest.raises(StateError, match="no state of klaverjas_v0"):
            env.set_state(foreign)
    with pytest.raises(StateError, match="layout 'klaverjas-aec-state-v9'"):
        env.set_state(state.replace(STATE.encode(), b"klaverjas-aec-state-v9"))
    for damaged in (state[:-1], state + b"\0", state[:100] + bytes([state[100] ^ 1]) + state[101:]):
        with pytest.raises(StateError, match="damaged"):
            env.set_state(damaged)
    assert other.get_state() == before
    assert env.get_state() == state
    env.set_state(bytearray(state))


def test_a_clone_has_spaces_of_its_own() -> None:
    env = klaverjas_v0.raw_env()
    env.reset(seed=6)
    space = env.action_space("player_0")
    space.seed(1)
    twin = env.clone()
    assert twin.action_space("player_0") is not space
    kept = copy.deepcopy(env)
    assert [kept.action_space("player_0").sample() for _ in range(5)] == [space.sample() for _ in range(5)]

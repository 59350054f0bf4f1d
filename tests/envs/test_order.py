"""Our order-enforcing wrapper and PettingZoo's usual three around the bare environment, side by side."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger

from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.illegal import ILLEGAL_POINTS
from klaverjas_env.game import N_ACTIONS
from tests.envs.matches import choose, illegal_action, make_env, make_usual, partners, presets

Call = Callable[[Any], Any]

NAMES = (
    "agents",
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "num_agents",
    "_cumulative_rewards",
    "possible_agents",
    "max_num_agents",
    "metadata",
    "render_mode",
    "observation_spaces",
    "action_spaces",
    "state_space",
    "_private",
    "no_such_thing",
)


def outcome(env: Any, call: Call) -> tuple[str, Any, list[str]]:
    """What a call gives or raises, and what it warns of."""
    EnvLogger.flush()
    try:
        value = call(env)
    except Exception as error:  # every kind is to be compared
        return type(error).__name__, str(error).split(":")[0], list(EnvLogger.mqueue)
    return "gave", value, list(EnvLogger.mqueue)


def attribute(name: str) -> Call:
    """The call that reads an attribute."""
    return lambda env: getattr(env, name)


def step(action: Any) -> Call:
    """The call that steps."""
    return lambda env: env.step(action)


def shown(env: Any) -> list[Any]:
    """All that an environment shows of its match but its masks."""
    names = ("agents", "agent_selection", "terminations", "truncations", "num_agents")
    paid = [{agent: float(reward) for agent, reward in env.rewards.items()}, dict(env._cumulative_rewards)]
    infos = {agent: sorted(info) for agent, info in env.infos.items()}
    return [*(getattr(env, name) for name in names), paid, infos, env.state()]


def masks(env: Any) -> list[Any]:
    """The masks of all agents."""
    return [env.observe(agent) for agent in env.possible_agents] + [env.infos]


def test_before_reset_both_refuse_the_same_with_the_same_words() -> None:
    calls: list[Call] = [attribute(name) for name in NAMES]
    calls += [
        step(0),
        step(None),
        lambda env: env.observe("player_0"),
        lambda env: env.last(),
        lambda env: env.render(),
    ]
    calls += [lambda env: env.state(), lambda env: list(env.agent_iter()), str, lambda env: env.render()]
    calls += [lambda env: env.observation_space("player_1"), lambda env: env.action_space("player_1")]
    ours, usual = make_env(), make_usual()
    outcomes = [(outcome(ours, call), outcome(usual, call)) for call in calls]
    for one, other in outcomes:
        assert one == other
    assert {one[0] for one, _ in outcomes} == {"gave", "AttributeError", "AssertionError"}


def test_after_reset_both_have_the_same_attributes() -> None:
    ours, usual = make_env(), make_usual()
    for env in (ours, usual):
        env.reset(seed=1)
    for name in NAMES:
        one, other = outcome(ours, attribute(name)), outcome(usual, attribute(name))
        assert one[0] == other[0]
        assert data_equivalence(one[1], other[1]) or one[1] == other[1]


@presets
@pytest.mark.parametrize("seed", range(3))
def test_both_take_the_same_course(preset: str, seed: int) -> None:
    """Random matches with calls that are out of place among the legal actions."""
    ours, usual = make_env(variant=preset, deals=2), make_usual(variant=preset, deals=2)
    rng = np.random.default_rng(seed)
    wrong = (None, -1, N_ACTIONS, 1.0, "pass", np.array([3]), np.float32(2.0), np.bool_(True), [1])
    for env in (ours, usual):
        env.reset(seed=seed)
    while ours.agents:
        agent = ours.agent_selection
        dead = ours.terminations[agent]
        if rng.random() < 0.3:
            odd = wrong[rng.integers(len(wrong))] if not dead or rng.random() < 0.5 else int(rng.integers(N_ACTIONS))
            if odd is None and dead:
                continue
            assert outcome(ours, step(odd)) == outcome(usual, step(odd))
            assert data_equivalence(shown(ours), shown(usual))
        kind = (int, np.int64, np.int32, np.uint8, np.array)[rng.integers(5)]
        action = None if dead else kind(choose(ours.infos[agent]["action_mask"], rng))
        if rng.random() < 0.5:
            assert data_equivalence(ours.last(), usual.last())
        assert outcome(ours, step(action)) == outcome(usual, step(action))
        assert data_equivalence(shown(ours), shown(usual))
        assert data_equivalence(masks(ours), masks(usual))
    for action in (0, None):
        assert outcome(ours, step(action)) == outcome(usual, step(action))
    assert outcome(ours, step(None))[2]


@presets
@pytest.mark.parametrize("decisions", [0, 1, 20, 34, 50])
def test_both_end_the_match_at_an_illegal_action(preset: str, decisions: int) -> None:
    """Alike but for the partner, who pays as well, and for masks after the end."""
    ours, usual = make_env(variant=preset, deals=2), make_usual(variant=preset, deals=2)
    rng = np.random.default_rng(decisions)
    for env in (ours, usual):
        env.reset(seed=decisions)
    for _ in range(decisions):
        action = choose(ours.infos[ours.agent_selection]["action_mask"], rng)
        for env in (ours, usual):
            env.step(action)
    action, culprit = illegal_action(ours), ours.agent_selection
    partner = next(agent for agent in ours.agents if agent != culprit and partners(agent, culprit))
    owed = usual._cumulative_rewards[partner]
    assert outcome(ours, step(action)) == outcome(usual, step(action))
    assert ours.rewards[partner] == ours.rewards[culprit] == ILLEGAL_POINTS
    assert ours._cumulative_rewards[partner] == owed + ILLEGAL_POINTS
    usual.unwrapped.rewards[partner] = usual.unwrapped._cumulative_rewards[partner] = 0.0
    ours.unwrapped.rewards[partner] = ours.unwrapped._cumulative_rewards[partner] = 0.0
    assert data_equivalence(shown(ours), shown(usual))
    while usual.agents:
        for odd in (0, N_ACTIONS):
            assert outcome(ours, step(odd)) == outcome(usual, step(odd))
        assert outcome(ours, step(None)) == outcome(usual, step(None))
        assert ours.agents == usual.agents
        assert ours.agent_selection == usual.agent_selection
        assert ours.rewards == usual.rewards
    assert outcome(ours, step(None)) == outcome(usual, step(None))


def loop(env: Any, calls: list[str]) -> list[str]:
    """The agents that a loop over `agent_iter(3)` is given, with these calls inside."""
    agents = []
    for agent in env.agent_iter(3):
        agents.append(agent)
        for call in calls:
            env.step(
                choose(env.infos[agent]["action_mask"], np.random.default_rng(0))
            ) if call == "step" else env.last()
    return agents


@pytest.mark.parametrize("calls", [[], ["last"], ["last", "step"], ["step", "last"]])
def test_a_loop_must_step(calls: list[str]) -> None:
    ours, usual = make_env(), make_usual()
    for env in (ours, usual):
        env.reset(seed=2)
    one, other = outcome(ours, lambda env: loop(env, calls)), outcome(usual, lambda env: loop(env, calls))
    assert one == other
    assert one[0] == ("gave" if "step" in calls else "AssertionError")


def test_it_is_an_order_enforcing_wrapper_and_can_be_wrapped_again() -> None:
    env = make_env(deals=1)
    assert isinstance(env, wrappers.OrderEnforcingWrapper)
    assert isinstance(env.unwrapped, klaverjas_v0.raw_env)
    again: Any = wrappers.OrderEnforcingWrapper(wrappers.TerminateIllegalWrapper(env, illegal_reward=-1.0))
    again.reset(seed=3)
    again.step(illegal_action(again))
    assert sorted(again.rewards.values()) == [-1.0, 0.0, 0.0, 0.0]
    assert str(env) == str(make_usual()) == "klaverjas_v0"

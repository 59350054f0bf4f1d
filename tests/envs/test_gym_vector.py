"""Tests of the batched Gymnasium door: it is `SyncVectorEnv` over the single environments, only faster."""

import copy
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

import klaverjas_env  # noqa: F401 (registers the id)
from klaverjas_env.envs.gym_vector import KlaverjasVectorEnv
from klaverjas_env.envs.illegal import ILLEGAL_POINTS
from klaverjas_env.envs.single_agent import KlaverjasEnv
from klaverjas_env.envs.vector import sample_mask
from klaverjas_env.notation import IllegalActionError
from tests.envs.matches import PRESETS

presets = pytest.mark.parametrize("preset", PRESETS)
ID = "klaverjas_env:Klaverjas-v0"


def make(n: int, **arguments: Any) -> Any:
    """The batched environment, made as users make it; without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return gym.make_vec(ID, num_envs=n, vectorization_mode="vector_entry_point", **arguments)


def twins(n: int, **arguments: Any) -> tuple[Any, Any]:
    """The batched environment and single ones in a row."""
    singles = [lambda: KlaverjasEnv(**arguments)] * n
    return make(n, **arguments), SyncVectorEnv(singles, autoreset_mode=AutoresetMode.SAME_STEP)


def highest_bit(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """A policy: the last legal action."""
    actions: np.ndarray = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    return actions


# --- the same as single environments ---------------------------------------------------------------------------------


@presets
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"opponents": "greedy", "seat": 1, "reward_scale": 0.01},
        {"opponents": ("lennard", "random"), "partner": "greedy", "seat": 2, "episode": "match", "observation": "dict"},
        {"opponents": highest_bit, "partner": "random", "seat": 3},
    ],
)
def test_it_is_a_row_of_single_environments(preset: str, arguments: dict[str, Any]) -> None:
    batch, row = twins(5, variant=f"{preset}, match_end=deals, deals=2", **arguments)
    assert batch.observation_space == row.observation_space
    assert batch.action_space == row.action_space
    assert batch.single_observation_space == row.single_observation_space
    assert batch.single_action_space == row.single_action_space
    assert batch.metadata["autoreset_mode"] == row.metadata["autoreset_mode"]
    rng = np.random.default_rng(1)
    one, other = batch.reset(seed=1), row.reset(seed=1)
    assert data_equivalence(one, other, exact=True)
    ends = 0
    for step in range(60):
        actions = sample_mask(one[-1]["action_mask"], rng.random(5))
        if step % 7 == 3:
            actions[step % 5] = (one[-1]["action_mask"][step % 5]).argmin()
        one, other = batch.step(actions), row.step(actions)
        assert data_equivalence(one, other, exact=True), (one, other)
        assert batch.observation_space.contains(one[0])
        ends += one[2].sum()
    assert ends > 10


def test_single_environments_with_penalties_for_reneging() -> None:
    batch, row = twins(16, variant="amsterdams, renege_mode=penalty, deals=2", episode="match")
    rng = np.random.default_rng(2)
    one = batch.reset(seed=2)
    assert data_equivalence(one, row.reset(seed=2), exact=True)
    for _ in range(60):
        actions = sample_mask(one[-1]["action_mask"], rng.random(16))
        one = batch.step(actions)
        assert data_equivalence(one, row.step(actions), exact=True)


def test_a_table_does_not_depend_on_the_size_of_the_batch() -> None:
    small, large = make(2, opponents="greedy"), make(7, opponents="greedy")
    one, other = small.reset(seed=3), large.reset(seed=3)
    for _ in range(40):
        actions = highest_bit(other[0], other[-1]["action_mask"])
        one, other = small.step(actions[:2]), large.step(actions)
        assert np.array_equal(one[0], other[0][:2])
        assert np.array_equal(one[1], other[1][:2])


# --- resets ----------------------------------------------------------------------------------------------------------


def test_seeds_may_be_given_to_each_table() -> None:
    env = make(3)
    together, _ = env.reset(seed=4)
    each, _ = env.reset(seed=[6, 5, 4])
    assert np.array_equal(together, each[::-1])
    for seed in ([1, 2], -1, (1 << 63) - 2, [1, 2, -3]):
        with pytest.raises((ValueError, gym.error.Error)):
            env.reset(seed=seed)


def test_without_a_seed_deals_differ_and_go_on() -> None:
    first, second = make(4).reset()[0], make(4).reset()[0]
    assert not np.array_equal(first, second)
    env = make(4)
    env.reset(seed=5)
    numbers = env.games["deal_number"].copy()
    env.reset()
    assert (env.games["deal_number"] > numbers).all()


def test_some_tables_may_be_reset() -> None:
    env = make(4)
    with pytest.raises(ValueError, match="first reset"):
        env.reset(options={"reset_mask": np.array([True, False, False, False])})
    observation, info = env.reset(seed=6)
    for _ in range(2):
        observation, _, _, _, info = env.step(highest_bit(observation, info["action_mask"]))
    chosen = np.array([False, True, False, True])
    before = env.games.copy()
    after, info = env.reset(seed=6, options={"reset_mask": chosen})
    assert np.array_equal(after[0], observation[0])
    assert env.games[[0, 2]].tobytes() == before[[0, 2]].tobytes()
    assert (env.games["deal_number"][chosen] & 0xFFFFFFFF == 0).all()
    assert np.array_equal(info["_action_mask"], chosen)
    for wrong in (chosen[:2], chosen.astype(int), np.zeros(4, bool), [True] * 4):
        with pytest.raises(ValueError, match="reset_mask"):
            env.reset(options={"reset_mask": wrong})


# --- steps -----------------------------------------------------------------------------------------------------------


def test_an_illegal_action_is_for_its_table_alone() -> None:
    env = make(3, reward_scale=0.5)
    twin = make(3, reward_scale=0.5)
    observation, info = env.reset(seed=7)
    twin.reset(seed=7)
    actions = highest_bit(observation, info["action_mask"])
    wrong = actions.copy()
    wrong[1] = 45
    good, bad = twin.step(actions), env.step(wrong)
    assert bad[1].tolist() == [0.0, 0.5 * ILLEGAL_POINTS, 0.0]
    assert bad[2].tolist() == [False, True, False]
    assert bad[4]["final_info"]["illegal"].tolist() == [False, True, False]
    assert np.array_equal(bad[0][[0, 2]], good[0][[0, 2]])
    assert np.array_equal(bad[4]["final_obs"][1], observation[1])


def test_illegal_actions_may_be_refused_and_change_nothing() -> None:
    env = make(3, illegal="raise")
    _, info = env.reset(seed=8)
    before = env.games.tobytes()
    actions = info["action_mask"].argmax(axis=1)
    for wrong in (-1, 45, int(info["action_mask"][2].argmin())):
        with pytest.raises(IllegalActionError, match="table 2"):
            env.step(np.array([*actions[:2], wrong]))
        assert env.games.tobytes() == before
    for shape in (actions[:2], actions[None], actions.astype(float)):
        with pytest.raises(ValueError, match="whole numbers"):
            env.step(shape)
    env.step(actions)


@pytest.mark.parametrize("copied", [True, False])
def test_what_is_returned_is_the_callers_own_unless_it_wants_speed(copied: bool) -> None:
    env = make(3, copy=copied)
    first = env.reset(seed=9)
    second = env.step(first[1]["action_mask"].argmax(axis=1))
    assert np.shares_memory(first[0], second[0]) != copied
    assert np.shares_memory(first[1]["action_mask"], second[4]["action_mask"]) != copied
    assert env.action_masks().dtype == np.bool_


def test_gymnasium_wrappers_fit_around_it() -> None:
    env = RecordEpisodeStatistics(make(4, opponents="greedy"))
    observation, info = env.reset(seed=10)
    returns = []
    for _ in range(60):
        observation, reward, terminated, _, info = env.step(highest_bit(observation, info["action_mask"]))
        if terminated.any():
            returns.append((info["episode"]["r"][terminated].tolist(), reward[terminated].tolist()))
    assert len(returns) > 3
    assert all(total == last for total, last in returns)
    listed = DictInfoToList(make(2))
    _, rows = listed.reset(seed=10)
    assert [row["action_mask"].shape for row in rows] == [(45,), (45,)]


def test_copies_go_on_from_there() -> None:
    env = make(3, opponents="greedy")
    _, info = env.reset(seed=11)
    twin = copy.deepcopy(env)
    for _ in range(20):
        actions = info["action_mask"].argmax(axis=1)
        one, other = env.step(actions), twin.step(actions)
        assert data_equivalence(one, other, exact=True)
        info = one[-1]


def test_arguments_are_checked_and_tables_drawn() -> None:
    for arguments, words in (({"n": 0}, "at least one"), ({"n": 1, "render_mode": "human"}, "human")):
        with pytest.raises(ValueError, match=words):
            make(**arguments)
    env = KlaverjasVectorEnv(2, render_mode="ansi")
    env.reset(seed=12)
    assert [text.count("south to act") for text in env.render() or ()] == [1, 1]
    assert make(1).render() is None

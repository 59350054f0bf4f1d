"""Tests of the Gymnasium door: both environment checkers, and what its docstring promises."""

import copy
import itertools
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

import klaverjas_env  # noqa: F401 (registers the id)
from klaverjas_env import game as law
from klaverjas_env.bots import Bot, BotError, GreedyBot
from klaverjas_env.envs import single_agent
from klaverjas_env.envs.illegal import ILLEGAL_POINTS
from klaverjas_env.envs.single_agent import KlaverjasEnv
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.notation import IllegalActionError
from klaverjas_env.observation import N_OBSERVATION
from klaverjas_env.records.deal import record_of
from klaverjas_env.rules.variant import VariantError
from tests.envs.matches import PRESETS

presets = pytest.mark.parametrize("preset", PRESETS)
ID = "klaverjas_env:Klaverjas-v0"
RELEASED = str(Path(__file__).parents[2] / "checkpoints" / "released" / "amsterdams.onnx")


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    """A random member of a mask [A]."""
    return int(rng.choice(np.flatnonzero(mask)))


def trace(env: Any, steps: int, seed: int | None = None, choices: int = 0) -> list[Any]:
    """All that a random learner is told in so many steps from a reset on, new episodes included."""
    rng = np.random.default_rng(choices)
    told: list[Any] = [env.reset(seed=seed)]
    for _ in range(steps):
        told.append(env.step(choose(told[-1][-1]["action_mask"], rng)))
        if told[-1][2]:
            told.append(env.reset())
    return told


class Watcher(Bot):
    """Plays as `greedy` does and remembers for which seats."""

    name = "watcher"

    def __init__(self) -> None:
        self.seats: set[int] = set()

    def act_many(self, views: np.ndarray) -> np.ndarray:
        self.seats |= set(views["to_act"].tolist())
        return GreedyBot().act_many(views)


# --- the checkers ----------------------------------------------------------------------------------------------------


@presets
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("arguments", [{}, {"observation": "dict", "episode": "match", "opponents": "greedy"}])
def test_gymnasium_check_env(preset: str, arguments: dict[str, Any]) -> None:
    check_env(gym.make(ID, variant=preset, **arguments).unwrapped)


@presets
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("observation", single_agent.OBSERVATIONS)
def test_stable_baselines3_check_env(preset: str, observation: str) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="stable-baselines3 is not installed")
    checker.check_env(gym.make(ID, variant=preset, observation=observation).unwrapped)


def test_maskable_ppo_learns_from_the_masks() -> None:
    contrib = pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    env = gym.make(ID, reward_scale=0.01, illegal="raise")
    contrib.MaskablePPO("MlpPolicy", env, n_steps=128, batch_size=64, n_epochs=1).learn(256)


# --- what the learner sees -------------------------------------------------------------------------------------------


@presets
def test_observations_and_masks_fit_and_are_new_arrays(preset: str) -> None:
    env = KlaverjasEnv(preset, observation="dict")
    flat = KlaverjasEnv(preset)
    told, plain = trace(env, 60, seed=1), trace(flat, 60, seed=1)
    for one, other in zip(told, plain, strict=True):
        assert env.observation_space.contains(one[0])
        assert flat.observation_space.contains(other[0])
        assert np.array_equal(one[0]["observation"], other[0])
        assert np.array_equal(one[0]["action_mask"], one[-1]["action_mask"])
        over = len(one) == 5 and one[2]
        assert one[-1]["action_mask"].any() != over
    for one, after in itertools.pairwise(plain):
        assert not np.shares_memory(one[0], after[0])
        assert not np.shares_memory(one[-1]["action_mask"], after[-1]["action_mask"])
    assert flat.action_masks().dtype == np.bool_


def test_the_page_tells_the_shapes() -> None:
    page = single_agent.__doc__ or ""
    assert f"[N, {N_OBSERVATION}]" in page
    assert f"[N, {N_ACTIONS}]" in page
    assert f"{ILLEGAL_POINTS:.0f} points" in page


# --- rewards ---------------------------------------------------------------------------------------------------------


@presets
@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_the_return_is_the_result_of_the_learners_side(preset: str, seat: int, opponents: str) -> None:
    env = KlaverjasEnv(preset, opponents, seat=seat, reward_scale=0.5)
    rng = np.random.default_rng(seat)
    ours, theirs = seat & 1, 1 - (seat & 1)
    roles = set()
    won = 0
    _, info = env.reset(seed=seat)
    for _ in range(60):
        before = env.game["totals"][0].copy()
        rewards = []
        terminated = False
        while not terminated:
            assert env.game["to_act"][0] == seat
            _, reward, terminated, _, info = env.step(choose(info["action_mask"], rng))
            rewards.append(reward)
        gained = env.game["totals"][0] - before
        assert not any(rewards[:-1])
        assert rewards[-1] == 0.5 * (gained[ours] - gained[theirs])
        assert np.array_equal(info["deal"]["score"], gained)
        roles.add((info["deal"]["declarer"] ^ seat) & 1)
        won += rewards[-1] > 0
        _, info = env.reset()
    assert roles == {0, 1}
    assert 0 < won < 60


@pytest.mark.parametrize("variant", ["amsterdams, deals=3", "nku, renege_mode=penalty, deals=3", "bga, target=300"])
def test_a_match_pays_every_deal_and_ends_with_the_last(variant: str) -> None:
    env = KlaverjasEnv(variant, seat=3, episode="match")
    rng = np.random.default_rng(3)
    _, info = env.reset(seed=3)
    for _ in range(12):
        earned = 0.0
        terminated = False
        while not terminated:
            _, reward, terminated, _, info = env.step(choose(info["action_mask"], rng))
            earned += reward
        assert law.match_over(env.game[0])
        assert earned == env.game["totals"][0, 1] - env.game["totals"][0, 0]
        assert info["deal"]["number"] == env.game["deals_played"][0]
        _, info = env.reset()
        assert env.game["deals_played"][0] < 3


def test_deals_that_end_before_the_learner_decides_are_no_episodes() -> None:
    env = KlaverjasEnv("amsterdams, renege_mode=penalty, deals=16")
    numbers: list[int] = []
    rng = np.random.default_rng(5)
    _, info = env.reset(seed=5)
    while len(numbers) < 40:
        assert info["action_mask"].any()
        _, _, terminated, _, info = env.step(choose(info["action_mask"], rng))
        if terminated:
            numbers.append(info["deal"]["number"])
            _, info = env.reset()
    steps = np.diff(numbers) % 16
    assert steps.min() == 1
    assert steps.max() > 1


def test_partner_and_opponents_hold_their_seats() -> None:
    for seat in range(4):
        left, partner, right = Watcher(), Watcher(), Watcher()
        trace(KlaverjasEnv(opponents=(left, right), partner=partner, seat=seat), 40, seed=1)
        assert [left.seats, partner.seats, right.seats] == [{(seat + step) & 3} for step in (1, 2, 3)]
        both = Watcher()
        trace(KlaverjasEnv(opponents=both, partner="random", seat=seat), 40, seed=1)
        assert both.seats == {(seat + 1) & 3, (seat + 3) & 3}


# --- illegal actions -------------------------------------------------------------------------------------------------


@presets
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_an_illegal_action_ends_the_episode_and_the_deal_does_not_count(preset: str, episode: str) -> None:
    env = KlaverjasEnv(preset, episode=episode, reward_scale=0.01)
    rng = np.random.default_rng(6)
    _, info = env.reset(seed=6)
    for _ in range(3):
        _, _, _, _, info = env.step(choose(info["action_mask"], rng))
    before = env.game.copy()
    illegal = int(np.argmin(info["action_mask"]))
    observation, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (0.01 * ILLEGAL_POINTS, True, False)
    assert info["illegal"] is True
    assert "deal" not in info
    assert not info["action_mask"].any()
    assert env.observation_space.contains(observation)
    assert env.game.tobytes() == before.tobytes()
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    _, info = env.reset()
    assert env.game["deal_number"][0] > before["deal_number"][0]
    assert np.array_equal(env.game["totals"], before["totals"])
    rewards = [env.step(choose(info["action_mask"], rng))[1]]
    assert rewards == [0.0]


@pytest.mark.parametrize("action", [45, -1, "illegal"])
def test_an_illegal_action_is_refused_where_that_is_wanted(action: Any) -> None:
    env = KlaverjasEnv(illegal="raise")
    _, info = env.reset(seed=7)
    before = env.game.copy()
    if action == "illegal":
        action = int(np.argmin(info["action_mask"]))
    with pytest.raises(IllegalActionError, match="refused"):
        env.step(action)
    assert env.game.tobytes() == before.tobytes()
    assert env.step(int(np.argmax(info["action_mask"])))[2] is False


@pytest.mark.parametrize("action", [1.5, None, [1], "C7"])
def test_what_is_no_action_is_an_error_and_not_a_penalty(action: Any) -> None:
    env = KlaverjasEnv()
    env.reset(seed=8)
    with pytest.raises(ValueError, match="whole numbers"):
        env.step(action)


def test_players_must_keep_to_the_law() -> None:
    env = KlaverjasEnv(opponents=lambda observation, mask: mask.argmin(axis=1))
    with pytest.raises(IllegalActionError, match=r"player .*lambda.* refused"):
        trace(env, 4, seed=9)
    for answer in (0.0, np.zeros(1), np.zeros((1, 1), int)):
        env = KlaverjasEnv(opponents=lambda observation, mask, answer=answer: answer)
        with pytest.raises(BotError, match="whole numbers"):
            trace(env, 4, seed=9)


# --- seeds and options -----------------------------------------------------------------------------------------------


@presets
@pytest.mark.parametrize("opponents", ["random", ("greedy", "random"), Watcher()])
def test_a_seed_repeats_everything(preset: str, opponents: Any) -> None:

    def make() -> KlaverjasEnv:
        return KlaverjasEnv(preset, opponents, partner="lennard")

    env = make()
    first, again, elsewhere = trace(env, 40, seed=10), trace(env, 40, seed=10), trace(make(), 40, seed=10)
    assert data_equivalence(first, again, exact=True)
    assert data_equivalence(first, elsewhere, exact=True)
    assert not data_equivalence(first[0], trace(env, 1, seed=11)[0], exact=True)
    assert not data_equivalence(trace(make(), 1)[0], trace(make(), 1)[0], exact=True)


def test_random_players_follow_the_seed_also_in_a_given_deal() -> None:
    record = record_of(law.new("amsterdams", 12, 0, dealer=0))
    env = KlaverjasEnv("amsterdams")
    tables = set()
    for seed in range(20):
        env.reset(seed=seed, options={"deal": record, "contract": {"declarer": 1, "trump": "H"}})
        tables.add(tuple(env.game["plays"][0, :3]))
    assert len(tables) > 10


@pytest.mark.parametrize("seed", [-1, 1 << 63, 1.5, "one"])
def test_a_seed_is_a_whole_number_of_63_bits(seed: Any) -> None:
    with pytest.raises((ValueError, gym.error.Error)):
        KlaverjasEnv().reset(seed=seed)


@presets
def test_reset_begins_with_a_given_deal(preset: str) -> None:
    dealt = law.new(preset, 13, 0, dealer=2)
    env = KlaverjasEnv(preset, seat=1)
    for seed in (14, None):
        env.reset(seed=seed, options={"deal": record_of(dealt), "no such option": 1})
        assert env.game["dealer"] == 2
        given = [law.new(preset)]
        given[0][:] = env.game
        assert record_of(given[0])["hands"] == record_of(dealt)["hands"]
    contract = {"declarer": 3, "trump": "S"}
    env.reset(seed=15, options={"dealer": 1, "contract": contract})
    assert (env.game["dealer"][0], env.game["declarer"][0], env.game["trump"][0]) == (1, 3, 3)
    number = env.game["deal_number"][0]
    env.reset()
    assert (env.game["dealer"][0], env.game["deal_number"][0] & 0xFFFFFFFF) == (2, number + 1)


# --- copies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("opponents", ["random", "greedy", "lennard", RELEASED])
def test_copies_in_mid_deal_go_on_from_there(copied: Callable[[Any], Any], opponents: str) -> None:
    if opponents == RELEASED:
        pytest.importorskip("onnxruntime")
    env: Any = gym.make(ID, opponents=opponents)
    _, info = env.reset(seed=16)
    for _ in range(3):
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    twin = copied(env)
    for _ in range(20):
        action = int(info["action_mask"].argmax())
        one, other = env.step(action), twin.step(action)
        assert data_equivalence(one, other, exact=True)
        info = one[-1]
        if one[2]:
            one, other = env.reset(), twin.reset()
            assert data_equivalence(one, other, exact=True)
            info = one[-1]


# --- arguments and rendering -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"opponents": "gredy"}, "did you mean 'greedy'"),
        ({"opponents": 3}, "left: 3 is not a player"),
        ({"partner": 3}, "partner: 3 is not a player"),
        ({"opponents": ("random",)}, "1 players"),
        ({"opponents": ("random", "greedy")}, "name the partner"),
        ({"opponents": "nothing.onnx"}, "no such file"),
        ({"seat": 4}, "seat=4"),
        ({"seat": True}, "seat=True"),
        ({"seat": "south"}, "seat='south'"),
        ({"episode": "trick"}, "deal, match"),
        ({"illegal": "ignore"}, "penalize, raise"),
        ({"observation": "image"}, "flat, dict"),
        ({"render_mode": "vr"}, "render_mode='vr'"),
        ({"variant": "amsterdms"}, "amsterdams"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, Any], words: str) -> None:
    if arguments.get("opponents") == "nothing.onnx":
        pytest.importorskip("onnxruntime")
    with pytest.raises((ValueError, BotError, VariantError), match=words):
        KlaverjasEnv(**arguments)


def test_step_needs_a_reset() -> None:
    with pytest.raises(gym.error.ResetNeeded):
        KlaverjasEnv().step(0)


def test_render_shows_the_table_of_the_learner(capsys: pytest.CaptureFixture[str]) -> None:
    env = KlaverjasEnv(opponents="greedy", seat=2, render_mode="ansi")
    _, info = env.reset(seed=17)
    assert "north to act" in env.render()
    human = KlaverjasEnv(opponents="greedy", seat=2, render_mode="human")
    human.reset(seed=17)
    human.step(int(info["action_mask"].argmax()))
    assert capsys.readouterr().out.count("match") == 2
    assert human.render() is None
    silent = KlaverjasEnv()
    silent.reset()
    assert silent.render() is None

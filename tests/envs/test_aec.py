"""Tests of the AEC door: PettingZoo's own, and what its docstring promises."""

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test.api_test import api_test
from pettingzoo.test.performance_benchmark import performance_benchmark
from pettingzoo.test.render_test import render_test
from pettingzoo.test.save_obs_test import test_save_obs as save_obs_test
from pettingzoo.test.seed_test import seed_test
from pettingzoo.test.state_test import test_state_space as state_space_test

from klaverjas_env import game as law
from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.aec import ILLEGAL_REWARD
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.notation import IllegalActionError
from klaverjas_env.observation import N_OBSERVATION, N_STATE, OFFSETS
from klaverjas_env.replay import record_of
from klaverjas_env.rng import table_seed
from klaverjas_env.rules.variant import Variant, VariantError

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


def partners(one: str, other: str) -> bool:
    """Whether two agents are on the same side."""
    return (int(one[-1]) ^ int(other[-1])) & 1 == 0


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    """A random member of a mask int8 [A]."""
    return int(rng.choice(np.flatnonzero(mask)))


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


# --- PettingZoo's own ------------------------------------------------------------------------------------------------


@presets
@pytest.mark.parametrize("make", [make_env, klaverjas_v0.raw_env])
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
def test_pettingzoo_api(preset: str, make: Any) -> None:
    # 150 cycles of four agents: a match to its end and the removal of its agents.
    api_test(make(variant=preset), num_cycles=150)  # type: ignore[no-untyped-call]


@presets
def test_pettingzoo_seed(preset: str) -> None:
    seed_test(lambda: make_env(variant=preset), num_cycles=150)  # type: ignore[no-untyped-call]


@presets
def test_pettingzoo_save_obs(preset: str) -> None:
    """PettingZoo saves observations that are pictures; of others, such as these, its test says so and passes."""
    save_obs_test(make_env(variant=preset))  # type: ignore[no-untyped-call]


@presets
def test_pettingzoo_render(preset: str) -> None:
    def make_rendered(render_mode: str) -> Any:
        return make_env(variant=preset, render_mode=render_mode)

    render_test(make_rendered)  # type: ignore[arg-type]


def test_pettingzoo_state_space() -> None:
    state_space_test(make_env())  # type: ignore[no-untyped-call]


@pytest.mark.slow
@presets
def test_pettingzoo_performance(preset: str) -> None:
    performance_benchmark(make_env(variant=preset))  # type: ignore[no-untyped-call]


# --- spaces, masks, state --------------------------------------------------------------------------------------------


def test_spaces_are_the_same_objects_for_all_and_not_shared_between_environments() -> None:
    env, other = make_env(), make_env()
    assert len({id(env.observation_space(agent)) for agent in env.possible_agents}) == 1
    assert len({id(env.action_space(agent)) for agent in env.possible_agents}) == 1
    assert env.state_space is env.state_space
    assert env.action_space("player_0") is not other.action_space("player_0")


def test_the_page_tells_the_shapes() -> None:
    page = klaverjas_v0.__doc__ or ""
    assert f"| ({N_OBSERVATION},) " in page
    assert f"| ({N_STATE},) " in page
    assert f"Discrete({N_ACTIONS})" in page


@presets
def test_observations_masks_and_states_fit_their_spaces(preset: str) -> None:
    env = make_env(variant=preset, deals=3)
    env.reset(seed=5)
    for agent in play(env, np.random.default_rng(5)):
        assert env.state_space.contains(env.state())
        for other in env.possible_agents:
            observation = env.observe(other)
            assert env.observation_space(other).contains(observation)
            assert observation["action_mask"].dtype == np.int8
            assert env.infos[other]["action_mask"].dtype == np.int8
            assert np.array_equal(observation["action_mask"], env.infos[other]["action_mask"])
            assert bool(observation["action_mask"].any()) == (other == agent)


@presets
def test_the_mask_is_the_law_and_claims_are_in_it_only_where_roem_is_claimed(preset: str) -> None:
    env = make_env(variant=preset, deals=3)
    env.reset(seed=6)
    claims = 0
    for agent in play(env, np.random.default_rng(6)):
        actions = law.legal(env.unwrapped.game[0])
        assert sum(1 << int(action) for action in np.flatnonzero(env.infos[agent]["action_mask"])) == actions
        assert actions >> law.CLAIM in (0, 0b1111111)
        claims += actions >> law.CLAIM != 0
    assert claims == (3 * 8 if preset == "nku" else 0)


def test_observations_are_new_arrays() -> None:
    env = make_env()
    env.reset(seed=1)
    first = env.observe("player_0")
    first["observation"][:] = 7.0
    first["action_mask"][:] = 1
    assert env.observe("player_0")["observation"].max() <= 1.0
    assert not np.shares_memory(env.state(), env.state())


def test_state_shows_all_hands() -> None:
    env = klaverjas_v0.raw_env()
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    for _ in play(env, rng):
        state = env.state()
        assert state.dtype == np.float32
        assert np.array_equal(state[:N_OBSERVATION], env.observe("player_0")["observation"])
        own = state[OFFSETS["hand"] : OFFSETS["hand"] + 32]
        for seat, cards in enumerate([own, *state[N_OBSERVATION:].reshape(3, 32)]):
            held = sum(1 << int(card) for card in np.flatnonzero(cards))
            assert held == env.game["hands"][0, seat]


# --- the match -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deals", [1, 3, None])
def test_a_match_has_its_deals_and_the_dealer_rotates(deals: int | None) -> None:
    env = make_env(deals=deals)
    env.reset(seed=3)
    dealers: list[int] = []
    for agent in play(env, np.random.default_rng(3)):
        game = env.unwrapped.game[0]
        assert agent == env.possible_agents[game.to_act]
        if game.n_plays == 0 and game.n_bids == 0:
            dealers.append(int(game.dealer))
            assert game.to_act == (game.dealer + 1) & 3
    assert dealers == [(dealers[0] + deal) & 3 for deal in range(deals or 16)]
    assert env.agents == []


def test_deals_given_to_the_constructor_win_over_the_variant() -> None:
    assert make_env(variant="amsterdams, deals=4").variant == Variant(deals=4)
    assert make_env(variant="amsterdams, deals=4", deals=2).variant == Variant(deals=2)
    assert make_env().variant.deals == 16
    assert make_env(variant="bga").variant.match_end == "target"
    assert make_env(variant="bga", deals=2).variant == Variant.parse("bga, match_end=deals, deals=2")
    with pytest.raises(VariantError):
        make_env(deals=0)


@presets
def test_rewards_are_the_difference_of_each_deal_and_add_up_to_that_of_the_match(preset: str) -> None:
    env = make_env(variant=preset)
    env.reset(seed=4)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    rng = np.random.default_rng(4)
    results = []
    for agent in env.agent_iter():
        _, reward, over, _, info = env.last()
        paid[agent] += reward
        if agent == "player_2" and "deal" in info:
            results.append(info["deal"])
        if over:
            env.step(None)
            continue
        env.step(choose(info["action_mask"], rng))
        south_north = sum(env.rewards[player] for player in ("player_0", "player_2"))
        assert sum(env.rewards.values()) == 0.0
        deal = env.infos["player_1"].get("deal")
        if any(env.rewards.values()):
            assert south_north == 2 * (deal["score"][0] - deal["score"][1])
            assert deal["number"] == env.unwrapped.game["deals_played"][0]
    totals = env.unwrapped.game["totals"][0]
    deals = env.unwrapped.game["deals_played"][0]
    assert [deal["number"] for deal in results] == list(range(1, deals + 1))
    assert max(totals) >= 1500 if preset == "bga" else deals == 16
    assert sum(deal["score"][0] for deal in results) == totals[0]
    assert results[-1]["totals"] == tuple(totals)
    assert paid["player_0"] == paid["player_2"] == totals[0] - totals[1]
    assert paid["player_1"] == paid["player_3"] == totals[1] - totals[0]


def test_the_result_of_a_deal_stays_in_the_info_until_its_agent_has_acted() -> None:
    env = klaverjas_v0.raw_env(deals=2)
    env.reset(seed=8)
    rng = np.random.default_rng(8)
    while env.game["deals_played"][0] == 0:
        assert all("deal" not in env.infos[agent] for agent in env.agents)
        advance(env, rng, 1)
    assert all(env.infos[agent]["deal"]["number"] == 1 for agent in env.agents)
    agent = env.agent_selection
    advance(env, rng, 1)
    assert "deal" not in env.infos[agent]


# --- seeds, copies, options ------------------------------------------------------------------------------------------


@presets
def test_equal_seeds_give_equal_matches_and_others_do_not(preset: str) -> None:
    first, second = (make_env(variant=preset, deals=2) for _ in range(2))
    first.reset(seed=11)
    second.reset(seed=11)
    once = trace(first, np.random.default_rng(1))
    assert data_equivalence(once, trace(second, np.random.default_rng(1)))
    second.reset(seed=12)
    assert not data_equivalence(once, trace(second, np.random.default_rng(1)))


def test_resets_without_a_seed_continue_the_run_of_the_last_seed() -> None:
    env = klaverjas_v0.raw_env(deals=1)
    env.reset(seed=11)
    run = [int(env.game["seed"][0])]
    for _ in range(3):
        env.reset()
        run.append(int(env.game["seed"][0]))
    assert run == [11, *(table_seed(11, match) for match in (1, 2, 3))]
    other = klaverjas_v0.raw_env(deals=1)
    other.reset()
    unseeded = int(other.game["seed"][0])
    other.reset(seed=11)
    other.reset()
    assert int(other.game["seed"][0]) == run[1] != unseeded


@pytest.mark.parametrize("seed", [-1, 1 << 63, 1.5, "1"])
def test_a_seed_is_a_whole_number_of_63_bits(seed: Any) -> None:
    env = make_env()
    with pytest.raises(ValueError, match="seed="):
        env.reset(seed=seed)
    env.reset(seed=np.int32(7))


@presets
@pytest.mark.parametrize("make", [make_env, klaverjas_v0.raw_env])
def test_copies_in_mid_deal_go_on_from_there(preset: str, make: Any) -> None:
    env = make(variant=preset, deals=2)
    env.reset(seed=13)
    advance(env, np.random.default_rng(13), 17)
    env.last()  # a wrapper keeps what was observed
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    before = [twin.unwrapped.game.copy() for twin in copies]
    expected = trace(env, np.random.default_rng(14))
    for twin, untouched in zip(copies, before, strict=True):
        assert np.array_equal(twin.unwrapped.game, untouched)
        assert data_equivalence(expected, trace(twin, np.random.default_rng(14)))
        env.reset()
        twin.reset()
        assert np.array_equal(env.unwrapped.game, twin.unwrapped.game)
        env.reset(seed=13)  # so that the next twin is compared with the same run
        env.reset(seed=None)
        twin.reset(seed=13)
        twin.reset(seed=None)
        assert np.array_equal(env.unwrapped.game, twin.unwrapped.game)
        env.reset(seed=13)


def test_a_match_that_is_left_early_leaves_no_trace() -> None:
    env = make_env(deals=1)
    env.reset(seed=15)
    list(zip(range(32), play(env, np.random.default_rng(15)), strict=False))
    while not env.terminations[env.agent_selection]:
        advance(env, np.random.default_rng(0), 1)
    env.step(None)
    env.reset(seed=16)
    fresh = make_env(deals=1)
    fresh.reset(seed=16)
    assert data_equivalence(trace(env, np.random.default_rng(2)), trace(fresh, np.random.default_rng(2)))


def test_unknown_options_are_ignored() -> None:
    env, plain = make_env(), make_env()
    env.reset(seed=1, options={"options": 1, "speed": "high"})
    plain.reset(seed=1)
    assert np.array_equal(env.unwrapped.game, plain.unwrapped.game)


# --- illegal actions -------------------------------------------------------------------------------------------------


@presets
def test_raw_env_refuses_an_illegal_action_and_changes_nothing(preset: str) -> None:
    env = klaverjas_v0.raw_env(variant=preset, deals=2)
    env.reset(seed=17)
    rng = np.random.default_rng(17)
    for agent in play(env, rng):
        before = (env.game.copy(), copy.deepcopy(env.infos), dict(env.rewards), dict(env._cumulative_rewards))
        mask = env.infos[agent]["action_mask"]
        wrong = [*np.flatnonzero(mask == 0), -1, N_ACTIONS, 1 << 70, 0.5, None, "pass"]
        for action in wrong:
            with pytest.raises(IllegalActionError, match=r"game kj1:"):
                env.step(action)
        assert env.agent_selection == agent
        after = (env.game, env.infos, env.rewards, env._cumulative_rewards)
        assert data_equivalence(before[1:], after[1:])
        assert np.array_equal(before[0], after[0])


def test_a_refusal_names_the_rule() -> None:
    env = klaverjas_v0.raw_env(deals=8)
    env.reset(seed=18)
    with pytest.raises(IllegalActionError, match=r"C, D, H, S is wanted \(R2.1\)"):
        env.step(0)
    texts = set()
    for agent in play(env, np.random.default_rng(18)):
        held = int(env.game["hands"][0, env.possible_agents.index(agent)])
        refused = [card for card in range(32) if held >> card & 1 and not env.infos[agent]["action_mask"][card]]
        if refused and env.game["phase"][0] == law.PLAYING:
            with pytest.raises(IllegalActionError) as error:
                env.step(refused[0])
            texts.add(str(error.value).split(";")[0][-7:])
    assert {" (R3.2)", " (R3.7)"} <= texts


@presets
def test_env_ends_the_match_at_an_illegal_action(preset: str) -> None:
    env = make_env(variant=preset)
    env.reset(seed=19)
    advance(env, np.random.default_rng(19), 12)
    agent = env.agent_selection
    env.step(int(np.flatnonzero(env.infos[agent]["action_mask"] == 0)[0]))
    costs = {other: ILLEGAL_REWARD if partners(agent, other) else 0.0 for other in env.possible_agents}
    assert env.rewards == costs
    ended = {}
    for other in env.agent_iter():
        _, reward, terminated, _, _ = env.last()
        ended[other] = (reward, terminated)
        env.step(None)
    assert ended == {other: (costs[other], True) for other in env.possible_agents}
    env.reset(seed=19)
    assert len(trace(env, np.random.default_rng(1))) > env.unwrapped.game["deals_played"][0] * 32


def test_env_enforces_bounds_and_order() -> None:
    env = make_env()
    with pytest.raises(AssertionError):
        env.step(0)
    env.reset()
    with pytest.raises(AssertionError, match="action space"):
        env.step(N_ACTIONS)


# --- secrets ---------------------------------------------------------------------------------------------------------


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


@presets
def test_unseen_cards_change_nothing_that_an_agent_sees(preset: str) -> None:
    env = make_env(variant=preset, deals=2)
    env.reset(seed=20)
    rng = np.random.default_rng(20)
    positions = 0
    for _ in play(env, np.random.default_rng(21)):
        raw = env.unwrapped
        game = raw.game
        for seat, agent in enumerate(env.possible_agents):
            seen = copy.deepcopy((env.observe(agent), env.infos[agent]))
            raw.game = exchange_unseen(game, seat, rng)
            assert data_equivalence(seen, (env.observe(agent), env.infos[agent]))
            raw.game = game
            positions += 1
    assert positions > 200


@presets
def test_unseen_cards_change_nothing_that_an_agent_sees_of_the_next_action(preset: str) -> None:
    """The same action played over other hidden hands: what the step itself writes must not betray them either."""
    env = klaverjas_v0.raw_env(variant=preset, deals=2)
    env.reset(seed=22)
    rng = np.random.default_rng(22)
    compared = 0
    while env.game["deals_played"][0] < 2:
        seat = int(rng.integers(4))
        agent = env.possible_agents[seat]
        twin = copy.deepcopy(env)
        twin.game = exchange_unseen(env.game, seat, rng)
        action = choose(env.infos[env.agent_selection]["action_mask"], rng)
        deal = int(env.game["deals_played"][0])
        env.step(action)
        if law.legal(twin.game[0]) >> action & 1 == 0 or env.game["deals_played"][0] > deal:
            continue  # the other hands could not have played it, or the next deal is another one
        twin.step(action)
        if env.game["phase"][0] == twin.game["phase"][0] and env.game["drawn"][0] == twin.game["drawn"][0]:
            turned = env.game["stock"][0, : env.game["drawn"][0]]
            if not np.array_equal(turned, twin.game["stock"][0, : env.game["drawn"][0]]):
                continue  # the action turned a card of the pile
            compared += 1
            assert data_equivalence(env.observe(agent), twin.observe(agent))
            assert data_equivalence(env.infos[agent], twin.infos[agent])
    assert compared > 25


# --- rendering and given deals ---------------------------------------------------------------------------------------


@presets
def test_the_table_as_text_shows_no_hand_but_that_of_the_seat_to_act(preset: str) -> None:
    env = make_env(variant=preset, deals=2, render_mode="ansi")
    env.reset(seed=23)
    rng = np.random.default_rng(23)
    for agent in play(env, np.random.default_rng(24)):
        text = env.render()
        raw = env.unwrapped
        game = raw.game
        raw.game = exchange_unseen(game, env.possible_agents.index(agent), rng)
        assert env.render() == text
        raw.game = game
        assert " to act, holds " in text
        assert f"deal {game['deals_played'][0] + 1}/2, dealer " in text
    assert "deal 2/2" in env.render()
    assert "over" in env.render()


def test_the_table_of_a_match_to_a_target_tells_the_target() -> None:
    env = make_env(variant="bga, target=300", render_mode="ansi")
    env.reset(seed=23)
    for _ in play(env, np.random.default_rng(24)):
        number = env.unwrapped.game["deals_played"][0] + 1
        assert f"deal {number} to 300 points, dealer " in env.render()


def test_human_mode_writes_every_table_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    env = make_env(deals=1, render_mode="human")
    env.reset(seed=25)
    assert len(list(play(env, np.random.default_rng(25)))) == 33
    assert capsys.readouterr().out.count("dealer") == 34
    with pytest.raises(ValueError, match="render_mode"):
        make_env(render_mode="video")
    env = make_env()
    env.reset()
    assert env.render() is None


@presets
def test_reset_begins_with_a_given_deal(preset: str) -> None:
    dealt = law.new(preset, 26, 0, dealer=2)
    env = make_env(variant=preset, deals=2)
    env.reset(seed=27, options={"deal": record_of(dealt)})
    assert np.array_equal(env.unwrapped.game["hands"], dealt["hands"])
    assert env.agent_selection == ("player_2" if preset == "nku" else "player_3")
    assert env.unwrapped.variant == Variant.from_record(env.unwrapped.game["rules"][0])
    trace(env, np.random.default_rng(27))
    assert env.unwrapped.game["deals_played"][0] == 2

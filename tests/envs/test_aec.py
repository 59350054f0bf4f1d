"""Tests of the AEC door: what its page promises of spaces, masks, matches, seeds, secrets and given deals."""

import copy
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from klaverjas_env import game as law
from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.aec import PASS_ALONE
from klaverjas_env.envs.illegal import ILLEGAL_POINTS
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.notation import IllegalActionError
from klaverjas_env.observation import N_OBSERVATION, N_STATE, OFFSETS
from klaverjas_env.records.deal import record_of
from klaverjas_env.records.form import RecordError
from klaverjas_env.rng import table_seed
from klaverjas_env.rules.variant import PRESETS as HOUSES
from klaverjas_env.rules.variant import Variant, VariantError
from tests.envs.matches import (
    advance,
    choose,
    exchange_unseen,
    illegal_action,
    make_env,
    partners,
    play,
    presets,
    trace,
)

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


@pytest.mark.parametrize("penalized", [False, True])
def test_after_the_match_the_mask_is_pass_alone(penalized: bool) -> None:
    env = make_env(deals=1)
    env.reset(seed=5)
    if penalized:
        env.step(illegal_action(env))
    while not env.terminations[env.agent_selection]:
        advance(env, np.random.default_rng(5), 1)
    for agent in env.possible_agents:
        assert np.array_equal(env.observe(agent)["action_mask"], PASS_ALONE)
        assert np.array_equal(env.infos[agent]["action_mask"], PASS_ALONE)
    for _ in env.agent_iter():
        assert np.array_equal(env.last()[0]["action_mask"], PASS_ALONE)
        env.step(None)


@presets
def test_what_was_delivered_never_changes(preset: str) -> None:
    env = make_env(variant=preset, deals=2)
    env.reset(seed=5)
    delivered: list[Any] = []
    for _ in play(env, np.random.default_rng(5)):
        delivered += [env.last(), env.observe("player_2"), dict(env.infos), env.state(), env.rewards]
        if len(delivered) == 5:
            kept = copy.deepcopy(delivered)
        elif len(delivered) % 50 == 0:
            assert data_equivalence(delivered[: len(kept)], kept)
            kept = copy.deepcopy(delivered)
    assert data_equivalence(delivered[: len(kept)], kept)


@presets
def test_the_mask_of_the_observation_is_that_of_the_info(preset: str) -> None:
    env = make_env(variant=preset, deals=1)
    env.reset(seed=5)
    for agent in play(env, np.random.default_rng(5)):
        assert env.last()[0]["action_mask"] is env.infos[agent]["action_mask"]


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
        wrong = [*rng.choice(np.flatnonzero(mask == 0), 6), -1, N_ACTIONS, 1 << 70, 0.5, None, "pass"]
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
    costs = {other: ILLEGAL_POINTS if partners(agent, other) else 0.0 for other in env.possible_agents}
    assert env.rewards == costs
    ended = {}
    for other in env.agent_iter():
        _, reward, terminated, _, _ = env.last()
        ended[other] = (reward, terminated)
        env.step(None)
    assert ended == {other: (costs[other], True) for other in env.possible_agents}
    env.reset(seed=19)
    assert len(trace(env, np.random.default_rng(1))) > env.unwrapped.game["deals_played"][0] * 32


@pytest.mark.parametrize("make", [make_env, klaverjas_v0.raw_env])
def test_the_caller_chooses_what_an_illegal_action_does(make: Any) -> None:
    env = make(illegal="raise")
    env.reset(seed=1)
    for action in (illegal_action(env), N_ACTIONS, None):
        with pytest.raises(IllegalActionError):
            env.step(action)
    env = make(illegal="penalize")
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="action space"):
        env.step(N_ACTIONS)
    env.step(illegal_action(env))
    assert all(env.terminations.values())
    with pytest.raises(ValueError, match="illegal='ignore' is not one of penalize, raise"):
        make(illegal="ignore")


# --- secrets ---------------------------------------------------------------------------------------------------------


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


# --- given deals ----------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("house", HOUSES)
def test_a_match_begins_as_the_law_begins_it(house: str) -> None:
    env = klaverjas_v0.raw_env(house)
    for seed in (0, 7, (1 << 63) - 1):
        env.reset(seed=seed)
        assert np.array_equal(env.game, law.new(house, seed))


@presets
def test_reset_takes_the_dealer_of_the_first_deal(preset: str) -> None:
    env = make_env(variant=preset, deals=2)
    for dealer in range(4):
        env.reset(seed=27, options={"dealer": dealer})
        expected = law.new(env.unwrapped.variant, 27, 0, dealer)
        assert np.array_equal(env.unwrapped.game, expected)
        trace(env, np.random.default_rng(27))
        assert env.unwrapped.game["deals_played"][0] == 2
    with pytest.raises(RecordError, match="dealer: 4 is not a seat"):
        env.reset(options={"dealer": 4})


@presets
def test_reset_takes_a_contract(preset: str) -> None:
    env = make_env(variant=preset, deals=2)
    env.reset(seed=28, options={"contract": {"declarer": 1, "trump": "H"}, "variant": "ignored", "speed": 1})
    game = env.unwrapped.game[0]
    dealt = law.new(preset, 28)[0]
    assert (game.declarer, game.trump, game.phase, game.dealer) == (1, 2, law.PLAYING, dealt.dealer)
    assert np.array_equal(game.hands, dealt.hands)
    trace(env, np.random.default_rng(28))
    assert env.unwrapped.game["deals_played"][0] == 2
    with pytest.raises(RecordError, match="contract"):
        env.reset(options={"contract": "hearts"})


@presets
def test_options_replace_fields_of_the_given_deal(preset: str) -> None:
    record = record_of(law.new(preset, 29, 0, dealer=2))
    env = make_env(variant=preset, deals=1)
    env.reset(seed=30, options={"deal": record, "dealer": 0, "contract": {"declarer": 2, "trump": "S"}})
    game = env.unwrapped.game[0]
    assert (game.dealer, game.declarer, game.trump) == (0, 2, 3)
    hands = {key: record[key] for key in ("hands", "dealer")}
    env.reset(seed=30, options=hands)
    first = env.unwrapped.game.copy()
    assert first["dealer"][0] == 2
    env.reset(seed=30, options={"deal": hands})
    assert np.array_equal(env.unwrapped.game, first)
    trace(env, np.random.default_rng(30))
    assert env.unwrapped.game["deals_played"][0] == 1


@presets
def test_a_given_deal_without_its_pile_can_be_passed_through(preset: str) -> None:
    """What the record does not say of the pile comes from the seed: every card that is turned is known."""
    record = record_of(law.new(preset, 31, 0, dealer=3))
    record["turned"] = record.get("turned", [])[1:2]
    if not record["turned"]:
        del record["turned"]
    env = make_env(variant=preset, deals=1)
    env.reset(seed=32, options={"deal": record})
    while env.infos[env.agent_selection]["action_mask"][law.PASS] and env.unwrapped.game["phase"][0] == law.BIDDING:
        env.step(law.PASS)
    assert all(law.turned_suit(game) >= 0 for game in env.unwrapped.game if game.rules.trump_mode == 1)
    trace(env, np.random.default_rng(32))


def test_a_deal_that_cannot_be_played_is_refused() -> None:
    env = make_env(deals=1)
    env.reset(seed=33)
    for _ in play(env, np.random.default_rng(33)):
        pass
    over = record_of(env.unwrapped.game)
    with pytest.raises(RecordError, match="played to its end"):
        env.reset(options={"deal": over})
    with pytest.raises(RecordError, match="a record is an object"):
        env.reset(options={"deal": [1, 2]})

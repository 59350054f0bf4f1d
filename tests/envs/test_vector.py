"""Tests of the batched door: the same game as the AEC door, in both suit orders, with every switch."""

import copy
import multiprocessing
import os
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from klaverjas_env import klaverjas_v0
from klaverjas_env.envs import vector
from klaverjas_env.envs.vector import VectorGames
from klaverjas_env.game import CLAIM, DEAL_OVER, NAME, NAMING, PASS, PLAYING
from klaverjas_env.observation import BLOCKS, HIGHEST_FEATURE, N_OBSERVATION, OFFSETS, action_from_slots
from klaverjas_env.rng import table_seed
from klaverjas_env.rules.bidding import JOKER
from klaverjas_env.rules.variant import PRESETS, Variant

presets = pytest.mark.parametrize(
    "preset",
    [
        "amsterdams/utrechts",
        "rotterdams/utrechts",
        "amsterdams/stock-zoeker",
        "rotterdams/stock-verplicht",
        "nku",
        "bga",
    ],
)

ARRAYS = ("games", "observation", "action_mask", "hidden_hands", "seat", "reward", "deal_over")


def play(batch: VectorGames, steps: int, seed: int = 0, look: Callable[[VectorGames], Any] = lambda _: None) -> None:
    """Play `steps` random actions at every table; calls `look` after each."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        batch.step(batch.random_actions(rng))
        look(batch)


def chosen_by_position(batch: VectorGames) -> np.ndarray:
    """A legal action for every table, int64 [N], that depends on the table, its deal and its place in it alone."""
    actions = np.zeros(batch.n, dtype=np.int64)
    games = batch.games
    for table in range(batch.n):
        legal = np.flatnonzero(batch.action_mask[table])
        place = 7 * games["n_plays"][table] + 5 * games["n_bids"][table] + 3 * games["deal_number"][table] + table
        actions[table] = legal[int(place) * 2654435761 % 2**32 % len(legal)]
    return actions


# --- one law ---------------------------------------------------------------------------------------------------------


@presets
def test_a_table_plays_the_match_of_the_aec_door(preset: str) -> None:
    n, deals = 4, 3
    variant = Variant.parse(f"{preset}, match_end=deals, deals={deals}")
    batch = VectorGames(n, variant, seed=1)
    envs: list[Any] = [klaverjas_v0.raw_env(variant) for _ in range(n)]
    for table, env in enumerate(envs):
        env.reset(seed=table_seed(1, table))
    rng = np.random.default_rng(1)
    finished = [0] * n
    ended = 0
    while any(not env.terminations["player_0"] for env in envs):
        actions = batch.random_actions(rng)
        live = [table for table in range(n) if not envs[table].terminations["player_0"]]
        for table in live:
            seen = envs[table].observe(envs[table].possible_agents[batch.seat[table]])
            assert envs[table].agent_selection == f"player_{batch.seat[table]}"
            assert np.array_equal(batch.observation[table], seen["observation"])
            assert np.array_equal(batch.action_mask[table], seen["action_mask"])
            envs[table].step(actions[table])
        batch.step(actions)
        for table in live:
            deals_played = int(envs[table].game["deals_played"][0])
            assert batch.deal_over[table] == (deals_played > finished[table])
            finished[table] = deals_played
            assert batch.reward[table] == envs[table].rewards["player_0"] == -envs[table].rewards["player_1"]
            game, row = envs[table].game[0], batch.games[table]
            assert np.array_equal(row["score"], game["score"])
            over = envs[table].terminations["player_0"]
            assert over == (deals_played == deals)
            assert row["deals_played"] == (0 if over else deals_played)
            assert np.array_equal(row["totals"], [0, 0] if over else game["totals"])
            if over:
                ended += 1
                assert row["deal_number"] & 0xFFFFFFFF == deals
                assert row["dealer"] == (game["dealer"] + 1) & 3
    assert ended == n


@presets
@pytest.mark.parametrize("canonical", [False, True])
def test_hidden_hands_are_those_of_the_other_three(preset: str, canonical: bool) -> None:
    batch = VectorGames(8, preset, seed=2, canonical=canonical)

    def look(batch: VectorGames) -> None:
        for table in range(batch.n):
            order = batch._orders[table]
            for relative, cards in enumerate(batch.hidden_hands[table].reshape(3, 32)):
                hand = batch.games["hands"][table, (batch.seat[table] + relative + 1) & 3]
                held = sum(1 << action_from_slots(int(slot), order) for slot in np.flatnonzero(cards))
                assert held == hand

    play(batch, 40, look=look)


def test_arrays_stay_the_same_objects() -> None:
    batch = VectorGames(3)
    before = [getattr(batch, name) for name in ARRAYS]
    play(batch, 40)
    batch.reset(1)
    assert all(getattr(batch, name) is array for name, array in zip(ARRAYS, before, strict=True))
    assert batch.action_mask.dtype == np.int8


def test_house_rules_may_differ_between_tables() -> None:
    batch = VectorGames(len(PRESETS), seed=3)
    batch.games["rules"] = np.array([variant.record() for variant in PRESETS.values()])
    batch.reset(3)
    twins = [VectorGames(len(PRESETS), variant, seed=3) for variant in PRESETS.values()]
    for _ in range(70):
        actions = chosen_by_position(batch)
        batch.step(actions)
        for table, twin in enumerate(twins):
            twin.step(chosen_by_position(twin))
            assert np.array_equal(twin.observation[table], batch.observation[table])
            assert twin.reward[table] == batch.reward[table]


# --- canonical suits -------------------------------------------------------------------------------------------------


def with_suits(games: np.ndarray, suits: np.ndarray) -> np.ndarray:
    """A copy of `games` [N] in which suit s has everywhere become `suits`[s]."""
    changed = games.copy()

    def of_set(cards: np.ndarray) -> np.ndarray:
        moved: np.ndarray = sum(((cards >> 8 * suit) & 0xFF) << 8 * suits[suit] for suit in range(4))
        return moved

    changed["hands"] = of_set(games["hands"])
    changed["ruled_out"] = of_set(games["ruled_out"])
    changed["plays"] = np.where(games["plays"] < 0, -1, 8 * suits[games["plays"] >> 3] + (games["plays"] & 7))
    changed["stock"] = np.append(suits, [JOKER, -1])[games["stock"]]
    changed["trump"] = np.where(games["trump"] < 0, -1, suits[games["trump"]])
    named = (games["bids"] >= NAME) & (games["bids"] < CLAIM)
    changed["bids"] = np.where(named, NAME + suits[(games["bids"] - NAME) & 3], games["bids"])
    return changed


def with_suits_action(action: int, suits: np.ndarray) -> int:
    """The action that `action` becomes when suit s becomes `suits`[s]."""
    if action < PASS:
        return int(8 * suits[action >> 3] + (action & 7))
    return int(NAME + suits[action - NAME]) if NAME <= action < CLAIM else action


def interchangeable(game: Any, seat: int, suit: int, other: int) -> bool:
    """Whether a seat cannot tell two suits apart: it holds the same ranks, neither was played, turned or made trump."""
    hand = int(game.hands[seat])
    touched = {int(card) >> 3 for card in game.plays if card >= 0} | {
        int(turned) for turned in game.stock[: game.drawn]
    }
    return (hand >> 8 * suit) & 0xFF == (hand >> 8 * other) & 0xFF and not {suit, other} & (touched | {int(game.trump)})


@pytest.mark.parametrize("preset", [*PRESETS, "bga, open_hands=true"])
def test_renamed_suits_give_the_same_canonical_observation(preset: str) -> None:
    batch, twin = (VectorGames(32, preset, seed=4, canonical=True) for _ in range(2))
    rng = np.random.default_rng(4)
    ties = 0
    for _ in range(150):
        suits = rng.permutation(4)
        twin.games[:] = with_suits(batch.games, suits)
        twin.observe()
        assert np.array_equal(batch.observation, twin.observation)
        assert np.array_equal(batch.action_mask, twin.action_mask)
        actions = batch.random_actions(rng)
        for table, (action, game) in enumerate(zip(actions, batch.games, strict=True)):
            here = with_suits_action(action_from_slots(int(action), batch._orders[table]), suits)
            there = action_from_slots(int(action), twin._orders[table])
            if here != there:
                back = np.argsort(suits)
                one, two = (move - NAME if move >= NAME else move >> 3 for move in (here, there))
                assert interchangeable(game, int(batch.seat[table]), int(back[one]), int(back[two]))
                ties += 1
        batch.step(actions)
    assert ties < 150 * 32 // 20


@pytest.mark.parametrize("preset", ["amsterdams/stock-verplicht", "amsterdams/stock-zoeker"])
def test_renamed_suits_give_the_same_canonical_observation_after_all_have_passed(preset: str) -> None:
    batch, twin = (VectorGames(2000, preset, seed=4, canonical=True) for _ in range(2))
    rng = np.random.default_rng(4)
    for _ in range(4):
        batch.step(np.full(batch.n, PASS))
    for _ in range(32):
        twin.games[:] = with_suits(batch.games, rng.permutation(4))
        twin.observe()
        assert np.array_equal(batch.observation, twin.observation)
        batch.step(batch.random_actions(rng))


def test_renamed_suits_give_the_same_canonical_observation_in_random_contracts() -> None:
    batch, twin = (VectorGames(500, "amsterdams/stock-zoeker", 4, canonical=True, random_contracts=1.0) for _ in "ab")
    rng = np.random.default_rng(4)
    for _ in range(40):
        twin.games[:] = with_suits(batch.games, rng.permutation(4))
        twin.observe()
        assert np.array_equal(batch.observation, twin.observation)
        batch.step(batch.random_actions(rng))


@presets
def test_canonical_order_changes_only_the_order(preset: str) -> None:
    physical, canonical = (VectorGames(16, preset, seed=5, canonical=order) for order in (False, True))
    rng = np.random.default_rng(5)
    for _ in range(100):
        assert np.array_equal(np.sort(physical.observation), np.sort(canonical.observation))
        actions = canonical.random_actions(rng)
        moved = [action_from_slots(int(action), canonical._orders[table]) for table, action in enumerate(actions)]
        physical.step(np.array(moved))
        canonical.step(actions)
        assert np.array_equal(physical.games, canonical.games)
        assert np.array_equal(physical.reward, canonical.reward)


# --- switches --------------------------------------------------------------------------------------------------------


@presets
def test_forced_cards_are_skipped_and_nothing_else_changes(preset: str) -> None:
    n, deals = 12, 4
    results = []
    for skip_forced in (False, True):
        batch = VectorGames(n, preset, seed=6, skip_forced=skip_forced)
        rewards: list[list[float]] = [[] for _ in range(n)]
        steps = 0
        while min(len(row) for row in rewards) < deals:
            assert not skip_forced or batch.action_mask.sum(axis=1).min() > 1
            batch.step(chosen_by_position(batch))
            steps += 1
            for table in np.flatnonzero(batch.deal_over):
                rewards[table].append(float(batch.reward[table]))
        results.append(([row[:deals] for row in rewards], steps))
    (every, all_steps), (chosen, fewer_steps) = results
    assert every == chosen
    assert fewer_steps < 0.9 * all_steps


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("preset", ["amsterdams", "amsterdams/stock-zoeker"])
def test_random_contracts_begin_the_asked_share_of_deals(preset: str, share: float) -> None:
    batch = VectorGames(200, preset, seed=7, random_contracts=share)
    contracts = []
    begun = 0

    def look(batch: VectorGames) -> None:
        nonlocal begun
        fresh = batch.games[(batch.games["n_plays"] == 0) & (batch.games["n_bids"] == 0)]
        given = fresh[fresh["phase"] == PLAYING]
        begun += len(fresh)
        contracts.extend((4 * given["declarer"] + given["trump"]).tolist())
        assert (given["to_act"] == (given["dealer"] + 1) & 3).all()

    look(batch)
    play(batch, 36 * 10, look=look)
    assert begun > 1800
    assert abs(len(contracts) / begun - share) < (0.04 if 0.0 < share < 1.0 else 1e-9)
    if share == 1.0:
        counts = np.bincount(contracts, minlength=16)
        assert counts.min() > 0.6 * counts.mean()


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="at least one table"):
        VectorGames(0)
    with pytest.raises(ValueError, match="random_contracts"):
        VectorGames(1, random_contracts=1.5)
    with pytest.raises(ValueError, match="seed=-1"):
        VectorGames(1, seed=-1)
    with pytest.raises(ValueError, match="amsterdam"):
        VectorGames(1, "amsterdms")
    with pytest.raises(ValueError, match="threads=0"):
        VectorGames(1, threads=0)


@pytest.mark.parametrize("canonical", [False, True])
def test_wrong_actions_are_refused_and_change_nothing(canonical: bool) -> None:
    batch = VectorGames(3, seed=8, canonical=canonical)
    play(batch, 10)
    arrays = (*ARRAYS, "_orders")
    before = [getattr(batch, name).copy() for name in arrays]
    good = batch.random_actions(np.random.default_rng(8))
    for wrong in (good[:2], np.tile(good, 2), good[None], good[0]):
        with pytest.raises(ValueError, match="shape"):
            batch.step(wrong)
    for action in (-1, 45, int(np.flatnonzero(batch.action_mask[2] == 0)[0])):
        with pytest.raises(ValueError, match="table 2: action"):
            batch.step(np.array([good[0], good[1], action]))
    assert all(np.array_equal(getattr(batch, name), array) for name, array in zip(arrays, before, strict=True))


@presets
def test_equal_seeds_give_equal_batches_and_others_do_not(preset: str) -> None:
    options: dict[str, Any] = {"skip_forced": True, "canonical": True, "random_contracts": 0.5}
    first, second = (VectorGames(6, preset, seed=9, **options) for _ in range(2))
    other = VectorGames(6, preset, seed=10, **options)
    assert not np.array_equal(first.games["hands"], other.games["hands"])
    play(first, 60)
    play(second, 60)
    assert np.array_equal(first.games, second.games)
    assert np.array_equal(first.observation, second.observation)
    first.reset(10)
    assert np.array_equal(first.games, other.games)
    assert np.array_equal(first.observation, other.observation)


def test_a_table_does_not_depend_on_the_size_of_the_batch() -> None:
    assert np.array_equal(VectorGames(3, seed=11).games, VectorGames(7, seed=11).games[:3])


# --- threads ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("with_hidden_hands", [False, True])
def test_threads_play_the_same(monkeypatch: pytest.MonkeyPatch, with_hidden_hands: bool) -> None:
    monkeypatch.setattr(vector, "TABLES_A_THREAD", 2)
    monkeypatch.setattr(VectorGames, "_share_next", lambda batch: True)
    alone, shared = (
        VectorGames(7, "rotterdams", 5, canonical=True, with_hidden_hands=with_hidden_hands, threads=threads)
        for threads in (1, 3)
    )
    for step in range(80):
        if step == 40:
            shared = pickle.loads(pickle.dumps(copy.deepcopy(shared)))
        actions = chosen_by_position(alone)
        alone.step(actions)
        shared.step(actions)
        for name in ARRAYS:
            assert np.array_equal(getattr(alone, name), getattr(shared, name)), name


def test_a_small_batch_wakes_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "_pool", None)
    play(VectorGames(2 * vector.TABLES_A_THREAD - 1, threads=2), 2 * vector._TRIAL)


def test_threads_are_used_while_they_are_faster() -> None:
    batch = VectorGames(2 * vector.TABLES_A_THREAD, threads=2)
    for alone, shared, used in ((2.0, 1.0, vector._TRIAL - 1), (1.0, 2.0, 1)):
        batch._seconds = [alone, shared]
        assert sum(batch._share_next() for _ in range(vector._TRIAL)) == used


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "TABLES_A_THREAD", 2)
    batch = VectorGames(4, threads=2)
    play(batch, 1)
    child = multiprocessing.get_context("fork").Process(target=play, args=(batch, 1))
    child.start()
    child.join(timeout=60)
    assert child.exitcode == 0


def test_no_table_is_ever_left_without_a_decision() -> None:
    batch = VectorGames(16, "rotterdams/stock-zoeker", seed=12, skip_forced=True, random_contracts=0.3)

    def look(batch: VectorGames) -> None:
        assert (batch.games["phase"] != DEAL_OVER).all()
        assert (batch.action_mask.sum(axis=1) > 0).all()
        assert np.array_equal(batch.seat, batch.games["to_act"])

    play(batch, 200, look=look)


# --- features --------------------------------------------------------------------------------------------------------

OTHER_HOUSES = (
    "amsterdams/stock-zoeker, partner_exempt=winning_trump, undertrump=allowed, undertrump_partner=allowed, deals=4",
    "amsterdams, four_kind_ranks=TJQKA, nat_on_tie=false, last_trick=0, run3=0, run4=100",
    "rotterdams/stock-verplicht, four_kind_ranks=none, stuk=0, four_jacks=100, four_others=0, pit_bonus=0",
    "amsterdams/stock-2x-opnieuw, stock_rounds=4, redeal_dealer=next, stock_jokers=1, deals=2, tie_break=extra_deal",
    "amsterdams/stock-zoeker, first_deal_clubs=False",
    "amsterdams/vrij, forced_seat=last, must_hold_trump=True, choice_excludes_passed=False, open_hands=True",
    "amsterdams, renege_mode=penalty, renege_points=100, renege_bonus=0, renege_roem=none, target=500",
    "nku, renege_mode=penalty, renege_roem=winner_only, false_roem=ignored, stuk_always=False, stock_rounds=3",
)


def test_every_feature_takes_two_values() -> None:
    lowest = np.full(N_OBSERVATION, np.inf)
    highest = np.full(N_OBSERVATION, -np.inf)

    def look(batch: VectorGames) -> None:
        np.minimum(lowest, batch.observation.min(axis=0), out=lowest)
        np.maximum(highest, batch.observation.max(axis=0), out=highest)

    for house in [*PRESETS, *OTHER_HOUSES]:
        play(VectorGames(64, house, seed=13), 34 * 12, look=look)
    shy = VectorGames(4, "amsterdams/stock-2x-opnieuw, stock_rounds=4", seed=13)
    for _ in range(15):
        shy.step(np.full(4, PASS))
        look(shy)
    constant = {
        name: np.flatnonzero(lowest[at : at + width] == highest[at : at + width]).tolist()
        for (name, width), at in zip(BLOCKS.items(), OFFSETS.values(), strict=True)
    }
    assert {name: features for name, features in constant.items() if features} == {}
    assert lowest.min() >= 0.0
    assert highest.max() <= HIGHEST_FEATURE


def test_naming_after_all_have_passed_shows_the_passed_suit() -> None:
    batch = VectorGames(64, "amsterdams/stock-zoeker", seed=14)
    for _ in range(4):
        batch.step(np.full(64, PASS))
    assert (batch.games["phase"] == NAMING).all()
    at = OFFSETS["passed_suit"]
    assert np.array_equal(batch.observation[:, at : at + 4].argmax(axis=1), batch.games["stock"][:, 0])
    assert not batch.action_mask[np.arange(64), NAME + batch.games["stock"][:, 0]].any()

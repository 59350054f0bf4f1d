"""Worlds: those drawn are the possible ones, each as often as any other, and the whole deal replays in each."""

import random
from typing import Any

import numpy as np
import pytest

from klaverjas_env.bots.worlds import PLAN, count_view, count_worlds, sample_worlds, write_hands
from klaverjas_env.game import GAME, NAME, PASS, PLAYING, apply, deal_ended, legal, new
from klaverjas_env.jit import ENABLED
from klaverjas_env.notation import given_deal
from klaverjas_env.rules.bidding import JOKER, STOCK
from klaverjas_env.rules.variant import PRESETS, Variant
from klaverjas_env.view import view
from tests.bots.consistent import is_possible, possible_hands, random_positions, views_of
from tests.houses import random_house

LATE = 6 if ENABLED else 1
"""Late positions a house, of which every world is found by force."""
POSITIONS = 40 if ENABLED else 4
MANY_POSITIONS = 10_000
RANDOM_HOUSES = 40 if ENABLED else 3
MOST_WORLDS = 40_000

HOUSES = {
    **PRESETS,
    "holding": Variant.parse("amsterdams/vrij, must_hold_trump=true"),
    "holding, turned": Variant.parse(
        "amsterdams/stock-zoeker, must_hold_trump=true, stock_jokers=3, stock_rounds=3, first_deal_clubs=false"
    ),
    "reneging": Variant.parse("online-rotterdams, renege_mode=penalty"),
    "open": Variant.parse("amsterdams, open_hands=true"),
}


def all_worlds(seen: np.ndarray, seat: int) -> list[tuple[int, ...]]:
    """The hands of every world by number."""
    plans = np.zeros(1, dtype=PLAN)
    plan: Any = plans[0]
    count_view(seen[0], seat, plan)
    worlds = []
    for index in range(plan.total):
        world = seen.copy()
        write_hands(plan, index, world[0])
        worlds.append(tuple(int(hand) for hand in world["hands"][0]))
    return worlds


def check_complete(house: Variant, n: int, seed: int) -> None:
    """The numbered worlds of late positions are exactly those that brute force finds."""
    views, seats = views_of(random_positions(house, n, seed, late=True))
    for i in range(n):
        numbered = all_worlds(views[i : i + 1], int(seats[i]))
        assert len(set(numbered)) == len(numbered)
        if house.open_hands:
            assert len(numbered) == 1
            continue
        assert set(numbered) == possible_hands(views[i : i + 1], int(seats[i])), f"{house}, position {i}, seed {seed}"


@pytest.mark.parametrize("name", ["holding", "holding, turned"])
def test_who_named_trump_held_a_card_of_it_or_none_to_name(name: str) -> None:
    views, seats = views_of(random_positions(HOUSES[name], 3000 if ENABLED else 4, seed=12, late=True))
    plans = np.zeros(1, dtype=PLAN)
    tried = 0
    for i in range(len(views)):
        count_view(views[i], seats[i], plans[0])
        if plans["cases"][0] > 1 and plans["total"][0] < 500 and tried < 10:
            assert set(all_worlds(views[i : i + 1], int(seats[i]))) == possible_hands(views[i : i + 1], int(seats[i]))
            tried += 1
    assert tried > 3 or not ENABLED


def test_who_named_trump_without_a_card_of_it_had_nothing_else_to_name() -> None:
    house = Variant.parse("amsterdams/stock-zoeker, must_hold_trump=true, stock_rounds=3, first_deal_clubs=false")
    suits = [0xFF << 8 * suit for suit in range(4)]
    hands = [suits[3] & 0x0F000000 | suits[0] & 0x0F, suits[1], suits[2], suits[3] & 0xF0000000 | suits[0] & 0xF0]
    games = given_deal(house, 0, hands, [0, 1, 2])
    for action in [PASS] * 12 + [NAME + 3]:
        assert legal(games[0]) >> action & 1
        apply(games[0], action)
    while games["n_plays"][0] < 20:
        apply(games[0], int(legal(games[0])).bit_length() - 1)
    for seat in (0, 2, 3):
        seen = view(games, np.array([seat]))
        numbered = all_worlds(seen, seat)
        assert set(numbered) == possible_hands(seen, seat)
        assert tuple(int(hand) for hand in games["hands"][0]) in numbered


def check_sound(house: Variant, n: int, seed: int, each: int = 3) -> None:
    """Every sampled world replays by the law, and keeps what the view knows."""
    views, seats = views_of(random_positions(house, n, seed))
    worlds = sample_worlds(views, each, seed, seats)
    games = np.zeros(1, dtype=GAME)
    for i in range(n):
        for j in range(each):
            world = worlds[i, j : j + 1]
            assert world["hands"][0, seats[i]] == views["hands"][i, seats[i]]
            assert is_possible(world, games), f"{house}, position {i}, world {j}, seed {seed}"


@pytest.mark.parametrize("name", HOUSES)
def test_the_worlds_are_all_that_are_possible(name: str) -> None:
    check_complete(HOUSES[name], LATE, seed=5)


@pytest.mark.parametrize("seed", range(RANDOM_HOUSES))
def test_the_worlds_are_all_that_are_possible_in_a_random_house(seed: int) -> None:
    check_complete(random_house(random.Random(seed)), 2 if ENABLED else 1, seed)


@pytest.mark.parametrize("name", HOUSES)
def test_the_deal_replays_in_every_world(name: str) -> None:
    check_sound(HOUSES[name], POSITIONS, seed=6)


@pytest.mark.parametrize("seed", range(RANDOM_HOUSES))
def test_the_deal_replays_in_every_world_of_a_random_house(seed: int) -> None:
    check_sound(random_house(random.Random(seed)), POSITIONS // 4, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOUSES)
def test_the_deal_replays_in_every_world_of_many_positions(name: str) -> None:
    check_sound(HOUSES[name], MANY_POSITIONS, seed=7, each=1)


def too_uneven(times: np.ndarray) -> bool:
    """Whether counts int64 [K] that should be equal differ more than chance explains: chi-square, five deviations."""
    expected = times.sum() / len(times)
    freedom = len(times) - 1
    chi_square = float(((times - expected) ** 2 / expected).sum())
    return freedom > 0 and chi_square > freedom + 5 * np.sqrt(2 * freedom) + 10


@pytest.mark.parametrize("name", HOUSES)
def test_every_world_is_drawn_equally_often(name: str) -> None:
    views, seats = views_of(random_positions(HOUSES[name], 4 * LATE, seed=8, late=True))
    totals = count_worlds(views, seats)
    for i in range(len(views)):
        if totals[i] > 500:
            continue
        n = 20 * int(totals[i])
        hands = sample_worlds(views[i : i + 1], n, 9, seats[i : i + 1])["hands"][0]
        kinds, times = np.unique(hands, axis=0, return_counts=True)
        assert len(kinds) <= totals[i]
        padded = np.concatenate([times, np.zeros(totals[i] - len(times), dtype=np.int64)])
        assert not too_uneven(padded), f"{name}, position {i}"


def test_the_number_of_worlds_of_a_first_lead() -> None:
    games = new("amsterdams")
    assert count_worlds(games).tolist() == [24 * 23 * 22 * 21 * 20 * 19 * 18 * 17 // 40320 * 12870]


def test_what_lies_under_the_turned_card_is_what_the_pile_still_holds() -> None:
    house = Variant.parse("bga")
    games = new(house, seed=3)
    seats = games["to_act"]
    worlds = sample_worlds(view(games, seats), 2000)[0]
    assert (worlds["stock"][:, 0] == games["stock"][0, 0]).all()
    kinds = [int((worlds["stock"][0] == kind).sum()) for kind in range(5)]
    assert kinds == [int((games["stock"][0] == kind).sum()) for kind in range(5)]
    assert ((worlds["stock"] >= 0).sum(axis=1) == (games["stock"] >= 0).sum()).all()
    second = np.bincount(worlds["stock"][:, 1], minlength=5)
    left = np.array(kinds) - np.bincount(worlds["stock"][:1, 0], minlength=5)
    assert abs(second[JOKER] / 2000 - left[JOKER] / left.sum()) < 0.03


@pytest.mark.parametrize("name", HOUSES)
def test_a_world_can_be_played_to_its_end(name: str) -> None:
    views, seats = views_of(random_positions(HOUSES[name], POSITIONS, seed=10))
    for world in sample_worlds(views, 1, 11, seats)[:, 0]:
        while not deal_ended(world):
            assert world.phase == PLAYING or world.rules.trump_mode != STOCK or world.drawn > 0
            actions = int(legal(world))
            apply(world, (actions & -actions).bit_length() - 1)


def test_the_same_question_gets_the_same_worlds_in_any_batch() -> None:
    views, seats = views_of(random_positions(PRESETS["bga"], 12, seed=1))
    together = sample_worlds(views, 5, 2, seats)
    alone = np.concatenate([sample_worlds(views[i : i + 1], 5, 2, seats[i : i + 1]) for i in range(12)])
    assert together.tobytes() == alone.tobytes()
    assert sample_worlds(views, 5, 3, seats).tobytes() != together.tobytes()


def test_a_view_that_no_hands_fit_is_refused() -> None:
    views, seats = views_of(random_positions(PRESETS["rotterdams/utrechts"], 2, seed=1, late=True))
    views["ruled_out"][1] = 0xFFFFFFFF
    with pytest.raises(ValueError, match="view 1: no hands fit"):
        sample_worlds(views, 1, 0, seats)
    with pytest.raises(ValueError, match="seats"):
        sample_worlds(views, 1, 0, np.array([0, -1]))
    with pytest.raises(ValueError, match="n=-1"):
        sample_worlds(views, -1, 0, seats)

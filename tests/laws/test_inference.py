"""What the plays are said to rule out, against what is held: no card in a hand is ever marked impossible for it."""

import random
from typing import Any

import numpy as np
import pytest

from klaverjas_env.game import PLAYING, apply, card_duty, legal, match_over, new, new_match, next_deal
from klaverjas_env.jit import ENABLED, jit
from klaverjas_env.rules.cards import count
from klaverjas_env.rules.variant import PRESETS, Variant
from tests.houses import random_house
from tests.laws.random_play import next_random, pick

DEALS = 300 if ENABLED else 5
"""Random deals for each preset and each random house."""
MANY_DEALS = 10_000
RANDOM_HOUSES = 60 if ENABLED else 6
MANY_RANDOM_HOUSES = 400


@jit
def held_but_ruled_out(games: np.ndarray, state: int, deals: int, seen: np.ndarray) -> int:
    """Play `deals` random deals of `games` [1]; the first in which a seat held a card that was ruled out for it, or -1.

    Adds to `seen` int64 [2] how many cards were ruled out for somebody who could have held them by what is unseen, and
    how many positions were looked at. Where reneging is possible most cards are lawful, so that deals become long.
    """
    game = games[0]
    for deal in range(deals):
        actions = legal(game)
        while actions != 0:
            state = next_random(state)
            if game.phase == PLAYING and state & 63 != 0:
                actions = card_duty(game)[1]
            apply(game, pick(actions, state >> 6))
            unseen = game.hands[0] | game.hands[1] | game.hands[2] | game.hands[3]
            for seat in range(4):
                if game.hands[seat] & game.ruled_out[seat] != 0:
                    return deal
                seen[0] += count(game.ruled_out[seat] & unseen)
            seen[1] += 1
            actions = legal(game)
        if match_over(game):
            new_match(game)
        next_deal(game)
    return -1


def check(house: Variant, deals: int, seed: int) -> np.ndarray:
    """Play and compare; int64 [2], how much was ruled out and in how many positions."""
    seen = np.zeros(2, dtype=np.int64)
    games: Any = new(house, seed)
    deal = held_but_ruled_out(games, seed + 1, deals, seen)
    assert deal == -1, f"a card is held that was ruled out: deal {deal} of new({str(house)!r}, seed={seed})"
    return seen


@pytest.mark.parametrize("preset", PRESETS)
def test_no_card_that_is_held_is_ruled_out(preset: str) -> None:
    ruled_out, positions = check(PRESETS[preset], DEALS, seed=2)
    assert positions > 20 * DEALS
    assert ruled_out > positions, "the plays ruled next to nothing out"


@pytest.mark.parametrize("seed", range(RANDOM_HOUSES))
def test_no_card_that_is_held_is_ruled_out_in_a_random_house(seed: int) -> None:
    check(random_house(random.Random(seed)), DEALS, seed)


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_no_card_that_is_held_is_ruled_out_in_many_deals(preset: str) -> None:
    check(PRESETS[preset], MANY_DEALS, seed=3)


@pytest.mark.slow
def test_no_card_that_is_held_is_ruled_out_in_many_random_houses() -> None:
    for seed in range(RANDOM_HOUSES, RANDOM_HOUSES + MANY_RANDOM_HOUSES):
        check(random_house(random.Random(seed)), DEALS, seed)

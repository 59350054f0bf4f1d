"""Positions from random play, what a seat sees in them, and the same positions with the hidden cards exchanged.

`python -m tests.laws.positions DEALS HOUSE...` prints a digest of all records of a few deals for each house.
"""

import hashlib
import sys

import numpy as np

from klaverjas_env.game import (
    GAME,
    MAX_BIDS,
    N_ACTIONS,
    apply,
    deal_ended,
    legal,
    match_over,
    new,
    new_match,
    next_deal,
)
from klaverjas_env.jit import jit
from klaverjas_env.observation import N_OBSERVATION, PHYSICAL, canonical_order, write_mask, write_observation
from klaverjas_env.rules.cards import count
from klaverjas_env.rules.variant import Variant
from tests.laws.random_play import next_random, pick, random_order


@jit
def collect(games: np.ndarray, state: int, deals: int, out: np.ndarray, actions: np.ndarray) -> int:
    """Play `deals` random deals of `games` [1]; write the record before and the action at every decision, and the
    record of every ended deal (action -1). Returns how many were written."""
    game = games[0]
    written = 0
    for _ in range(deals):
        while not deal_ended(game):
            state = next_random(state)
            out[written] = games[0]
            actions[written] = pick(legal(game), state)
            apply(game, actions[written])
            written += 1
        out[written] = games[0]
        actions[written] = -1
        written += 1
        if match_over(game):
            new_match(game)
        next_deal(game)
    return written


def positions(house: str, deals: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Every position of `deals` random deals, `GAME` [P], and the action taken there, int64 [P] (-1: deal over)."""
    most = deals * (MAX_BIDS + 32 + 8 + 1)
    out = np.zeros(most, dtype=GAME)
    actions = np.zeros(most, dtype=np.int64)
    written = collect(new(house, seed), seed + 1, deals, out, actions)
    return out[:written], actions[:written]


@jit
def reshuffle_hidden(games: np.ndarray, seat: int, state: int) -> None:
    """Give the other three seats each other's cards, in every game, and reorder what is left of the pile."""
    for i in range(len(games)):
        game = games[i]
        pool = np.zeros(32, dtype=np.int64)
        size = 0
        for card in range(32):
            for other in range(4):
                if other != seat and (game.hands[other] >> card) & 1:
                    pool[size] = card
                    size += 1
        state = random_order(state, pool[:size])
        state = random_order(state, game.stock[game.drawn :])
        game.seed = state
        for other in range(4):
            if other != seat:
                held = count(game.hands[other])
                game.hands[other] = 0
                for _ in range(held):
                    size -= 1
                    game.hands[other] |= 1 << pool[size]


@jit
def observe(games: np.ndarray, seat: int, canonical: bool, observations: np.ndarray, masks: np.ndarray) -> None:
    """Write what `seat` sees of every game into float32 [N, OBS] and int8 [N, A]."""
    order = PHYSICAL.copy()
    for i in range(len(games)):
        game = games[i]
        if canonical:
            canonical_order(game, seat, order)
        write_observation(game, seat, order, observations[i])
        write_mask(game, seat, order, masks[i])


def digest(house: str, deals: int, seed: int = 0) -> str:
    """A digest of every record and every action of `deals` random deals, and of what all seats see in the first."""
    games, actions = positions(house, deals, seed)
    observations = np.zeros((40, N_OBSERVATION), dtype=np.float32)
    masks = np.zeros((40, N_ACTIONS), dtype=np.int8)
    summary = hashlib.sha256(games.tobytes() + actions.tobytes())
    for seat in range(4):
        observe(games[:40], seat, True, observations, masks)
        summary.update(observations.tobytes() + masks.tobytes())
    return summary.hexdigest()


if __name__ == "__main__":
    for house_named in sys.argv[2:]:
        print(digest(str(Variant.parse(house_named)), int(sys.argv[1])))

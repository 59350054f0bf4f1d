"""What a view leaves possible, found the plainest way: every way to deal out the unseen cards, replayed by the law."""

from itertools import combinations
from typing import Any

import numpy as np

from klaverjas_env.game import (
    CLAIM,
    CLAIMING,
    GAME,
    PLAYING,
    apply,
    begin_bidding,
    card_duty,
    deal_ended,
    legal,
    match_over,
    new,
    new_match,
    next_deal,
    set_contract,
)
from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import NO_SUIT
from klaverjas_env.rules.roem import CLAIMS
from klaverjas_env.rules.variant import Variant
from klaverjas_env.view import player_of, unseen_cards, view
from tests.laws.random_play import next_random, pick

PUBLIC = tuple(name for name in GAME.names or () if name not in ("seed", "stock", "hands"))
"""What everybody sees."""


# --- positions -------------------------------------------------------------------------------------------------------


@jit
def _play_on(games: np.ndarray, state: int, steps: int) -> int:
    """Take `steps` random actions in `games` [1], no card against R3, deals that end followed by others."""
    game = games[0]
    while steps > 0 or deal_ended(game):
        if deal_ended(game):
            if match_over(game):
                new_match(game)
            next_deal(game)
            continue
        state = next_random(state)
        actions = card_duty(game)[1] if game.phase == PLAYING else legal(game)
        apply(game, pick(actions, state))
        steps -= 1
    return state


def random_positions(house: Variant, n: int, seed: int, late: bool = False) -> np.ndarray:
    """`n` positions `GAME` [n] from random deals of a house, each some way further than the one before.

    `late`: after at least five tricks, so that the worlds are few.
    """
    games = new(house, seed)
    out = np.zeros(n, dtype=GAME)
    state = seed + 1
    written = 0
    while written < n:
        state = _play_on(games, state, 1 if late else 1 + state % 23)
        if not late or 20 <= games["n_plays"][0] < 30:
            out[written] = games[0]
            written += 1
            state = _play_on(games, state, state % 37)
    return out


# --- replay ----------------------------------------------------------------------------------------------------------


@jit
def replay_in(world: Any, games: np.ndarray) -> bool:
    """Whether the deal of `world` could run as it says with its hands; `games` [1] is left where the replay ends."""
    games[0] = world
    game = games[0]
    for play in range(world.n_plays):
        game.hands[player_of(world, play)] |= 1 << world.plays[play]
    begin_bidding(game)
    if world.n_bids == 0 and world.trump != NO_SUIT:
        set_contract(game, world.declarer, world.trump)
    while True:
        action = _next_action(world, game)
        if action < 0:
            return True
        if (legal(game) >> action) & 1 == 0:
            return False
        apply(game, action)


@jit
def _next_action(world: Any, game: Any) -> int:
    """What `world` says was done at this point of the replay, -1 at its end."""
    if game.n_bids < world.n_bids:
        return int(world.bids[game.n_bids])
    trick = (game.n_plays >> 2) - 1
    if game.phase == CLAIMING and world.claims[trick] >= 0:
        for place in range(len(CLAIMS)):
            if CLAIMS[place] == world.claims[trick]:
                return CLAIM + place
    return int(world.plays[game.n_plays]) if game.n_plays < world.n_plays else -1


def is_possible(world: np.ndarray, games: np.ndarray) -> bool:
    """Whether a world `GAME` [1] replays by the law and ends in what everybody sees. `games` [1] is scratch."""
    return bool(replay_in(world[0], games)) and all((games[name] == world[name]).all() for name in PUBLIC)


def possible_hands(seen: np.ndarray, seat: int) -> set[tuple[int, ...]]:
    """The hands of all worlds of a view `GAME` [1] of `seat`, by trying every way to deal out the unseen cards."""
    others = [(seat + k) & 3 for k in (1, 2, 3)]
    plays = [int(player_of(seen[0], play)) for play in range(int(seen["n_plays"][0]))]
    sizes = [8 - plays.count(other) for other in others]
    unseen = [card for card in range(32) if int(unseen_cards(seen[0], seat)) >> card & 1]
    world, games = seen.copy(), seen.copy()
    possible = set()
    for left in combinations(unseen, sizes[0]):
        rest = [card for card in unseen if card not in left]
        for opposite in combinations(rest, sizes[1]):
            right = [card for card in rest if card not in opposite]
            for other, cards in zip(others, (left, opposite, right), strict=True):
                world["hands"][0, other] = sum(1 << card for card in cards)
            if is_possible(world, games):
                possible.add(tuple(int(hand) for hand in world["hands"][0]))
    return possible


def views_of(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What one seat sees of each position, every seat in turn: views [N] and seats [N]."""
    seats = np.arange(len(positions)) & 3
    return view(positions, seats), seats

"""One game as a row of numbers, and what the AEC door does with it in one compiled call each.

A game record consists of int64 alone, so it can be handed over as cells int64 [162]: numba takes half a microsecond
longer at every call to see what an array of records is.
"""

from typing import Any, Final

import numpy as np

from klaverjas_env.game import (
    GAME,
    NO_SEAT,
    PASSED_OUT,
    apply,
    first_dealer,
    legal,
    match_over,
    new_match,
    next_deal,
    start_deal,
)
from klaverjas_env.jit import jit
from klaverjas_env.observation import PHYSICAL, write_mask, write_observation, write_state

REFUSED: Final = -2
"""What `take` returns for an action that is not legal; beside the seats and `NO_SEAT`."""
RESULT: Final = (
    "number",
    "declarer",
    "trump",
    "south_north",
    "west_east",
    "nat",
    "pit",
    "reneged",
    "total_south_north",
    "total_west_east",
)
"""The numbers of `settle` that follow the seat: `number` counts the scored deals; -1 is nobody."""


@jit
def begin(cells: np.ndarray, unplayed: np.ndarray, seed: int, mask: np.ndarray) -> int:
    """Begin the match of `seed` over a record that has the house rules alone, `unplayed` int64 [162]; see `look`."""
    cells[:] = unplayed
    game = cells.view(GAME)[0]
    game.seed = seed
    game.dealer = first_dealer(game)
    start_deal(game)
    return _asked(game, mask)


@jit
def resume(cells: np.ndarray, seed: int, mask: np.ndarray) -> int:
    """Make the deal that lies on the table the first of the match of `seed`; see `look`."""
    game = cells.view(GAME)[0]
    game.seed = seed
    game.deal_number = 0
    new_match(game)
    return _asked(game, mask)


@jit
def look(cells: np.ndarray, mask: np.ndarray) -> int:
    """Write the mask int8 [A] of the seat to act; that seat, or -1 when the deal is over."""
    return _asked(cells.view(GAME)[0], mask)


@jit
def take(cells: np.ndarray, action: int, mask: np.ndarray) -> int:
    """Take an action, then as `look`; -2, and nothing changed, when the action is not legal."""
    game = cells.view(GAME)[0]
    if action < 0 or (legal(game) >> action) & 1 == 0:
        return REFUSED
    apply(game, action)
    return _asked(game, mask)


@jit
def settle(cells: np.ndarray, mask: np.ndarray) -> tuple[int, ...]:
    """Deal again unless the match is over: whether the deal counted, then the seat as in `look`, then `RESULT`."""
    game = cells.view(GAME)[0]
    counted = int(game.phase != PASSED_OUT)
    number, declarer, trump, reneged = game.deals_played, game.declarer, game.trump, game.reneged
    if not match_over(game):
        next_deal(game)
    return (
        counted,
        _asked(game, mask),
        number,
        declarer,
        trump,
        game.score[0],
        game.score[1],
        game.nat,
        game.pit,
        reneged,
        game.totals[0],
        game.totals[1],
    )


@jit
def see(cells: np.ndarray, seat: int, observation: np.ndarray) -> None:
    """Write what `seat` sees into `observation` float32 [OBS]."""
    write_observation(cells.view(GAME)[0], seat, PHYSICAL, observation)


@jit
def see_all(cells: np.ndarray, state: np.ndarray) -> None:
    """Write what a critic sees from the side of seat 0 into `state` float32 [STATE]."""
    write_state(cells.view(GAME)[0], 0, PHYSICAL, state)


@jit
def _asked(game: Any, mask: np.ndarray) -> int:
    if game.to_act != NO_SEAT:
        write_mask(game, game.to_act, PHYSICAL, mask)
    return int(game.to_act)

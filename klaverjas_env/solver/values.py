"""What positions, cards and claims are worth with all hands open: the entrances of the exact solver."""

from typing import Any, Final

import numpy as np

from klaverjas_env.game import CLAIM, CLAIMING, PLAYING, card_duty, played_set
from klaverjas_env.jit import jit, jit_large
from klaverjas_env.rules.cards import ALL_CARDS, lowest_bit
from klaverjas_env.rules.roem import CLAIMS, DECLARE, claimed_roem
from klaverjas_env.rules.scoring import is_nat
from klaverjas_env.solver.search import INFINITY, MADE, search
from klaverjas_env.solver.tables import place_root, prepare, roem_left, without_equals

DIFFERENCE_OBJECTIVE: Final = 0
SCORE_OBJECTIVE: Final = 1
VALUE: Final = 0
CARDS: Final = 1
NO_VALUE: Final = -(1 << 31)
"""Stands for the value of an action that may not be taken."""
NO_BUDGET: Final = 1 << 62


@jit_large
def solve_many(
    games: np.ndarray,
    objective: int,
    wanted: int,
    work: Any,
    budget: int,
    value: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    nodes: np.ndarray,
) -> None:
    """Solve every game [N], each with its own `budget` of nodes; `nodes` int64 [N] says how many were used.

    Into `value` int64 [N, 2]: (lower, upper) bound on the value. With `wanted` CARDS, into `lower` and `upper` int64
    [N, A]: bounds on the value after every action, NO_VALUE where it is not
    looked at; with VALUE they stay as they are.
    All for seats 0 and 2.
    """
    for i in range(len(games)):
        _begin(games[i], work, budget)
        if wanted == CARDS:
            lower[i] = NO_VALUE
            upper[i] = NO_VALUE
        _solve(games[i], objective, wanted, work, value[i], lower[i], upper[i])
        nodes[i] = work.nodes


@jit
def _solve(
    game: Any, objective: int, wanted: int, work: Any, value: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> None:
    """One position: its value at once, or the best of the values after each of its actions."""
    actions = _actions(game)
    claiming = game.phase == CLAIMING
    place_root(game, work)
    kept = actions if claiming else without_equals(actions, _in_play(work), work)
    at_once = wanted == VALUE and not claiming
    left = 1 if at_once else actions
    value[:] = NO_VALUE
    while left != 0:
        action = lowest_bit(left)
        left &= left - 1
        if not at_once and (kept >> action) & 1 == 0:
            twin = action - 1 if (actions >> (action - 1)) & 1 else action - 2
            lower[action] = lower[twin]
            upper[action] = upper[twin]
            continue
        work.root_cards = ALL_CARDS if at_once or claiming else 1 << action
        claimed = 0
        if claiming:
            cards = played_set(game, game.n_plays - 4, game.n_plays)
            claimed = claimed_roem(CLAIMS[action - CLAIM], cards, game.trump, game.rules)[0]
        low, high = _value(game, objective, claimed, work)
        if game.declarer & 1:
            low, high = -high, -low
        if wanted == CARDS:
            lower[action] = low
            upper[action] = high
        if value[0] == NO_VALUE:
            value[0] = low
            value[1] = high
        elif game.to_act & 1:
            value[0] = min(value[0], low)
            value[1] = min(value[1], high)
        else:
            value[0] = max(value[0], low)
            value[1] = max(value[1], high)


@jit
def _begin(game: Any, work: Any, budget: int) -> None:
    prepare(game, work)
    work.nodes = 0
    work.budget = budget
    work.stopped = 0
    work.claimed = int(game.rules.roem_mode == DECLARE)


@jit
def _actions(game: Any) -> int:
    """The actions that are looked at: cards within R3, also where others can be played (R6.7), and true claims, also
    where false ones can be made (R5.7)."""
    if game.phase == PLAYING:
        return card_duty(game)[1]
    actions = 1 << CLAIM
    cards = played_set(game, game.n_plays - 4, game.n_plays)
    for place in range(1, len(CLAIMS)):
        own, theirs = claimed_roem(CLAIMS[place], cards, game.trump, game.rules)
        if theirs == 0 and own >= CLAIMS[place]:
            actions |= 1 << (CLAIM + place)
    return actions


@jit
def _value(game: Any, objective: int, claimed: int, work: Any) -> tuple[int, int]:
    """Bounds for the playing side on the value of a position, when only `work.root_cards` are played to begin with and
    the seat to act gets `claimed` points of roem before."""
    place_root(game, work)
    work.difference[0] += -claimed if work.seat[0] & 1 else claimed
    if objective == DIFFERENCE_OBJECTIVE:
        return _difference(work, game.rules)
    scored = game.points[0] + game.points[1] + game.roem[0] + game.roem[1] + claimed
    return _score(game, scored, work)


@jit
def _difference(work: Any, rules: Any) -> tuple[int, int]:
    """Bounds on the difference at the end of the deal."""
    work.scoring = 0
    so_far = work.difference[0]
    most = _most_left(work)
    far = so_far + most + INFINITY // 2
    low, high = _look(-far, far, -most - work.counter_bonus, most + work.bonus, work, rules)
    return so_far + low, so_far + high


@jit
def _score(game: Any, scored: int, work: Any) -> tuple[int, int]:
    """Bounds on the score at the end of the deal, of which `scored` points and roem of both sides stand already.

    The score of a playing side that makes it is the difference; so the difference is searched first, from the line
    between made and nat upwards, and only where the deal is nat, how dear.
    """
    so_far = work.difference[0]
    most = _most_left(work)
    made = 1 if is_nat(0, 0, game.rules) else 0
    nat = -scored - work.left[0]
    low = nat - (most - work.left[0]) - work.counter_bonus
    high = so_far + most + work.bonus
    if not _bonus_needs_score(so_far, made, work):
        work.scoring = 0
        floor = made - 1 - so_far
        least, best = _look(
            floor, most + INFINITY // 2, low - most - INFINITY // 2, most + work.bonus, work, game.rules
        )
        if least > floor:
            return so_far + least, so_far + best
        if best > floor:
            return low, so_far + best
        high = nat
        difference = work.difference[0]
        place_root(game, work)
        work.difference[0] = difference
    work.scoring = 1
    least, best = _look(
        low - nat - 1, MADE + INFINITY // 2, low - nat, high + MADE if high >= 0 else high - nat, work, game.rules
    )
    return _score_of(least, nat), _score_of(best, nat)


@jit
def _score_of(value: int, nat: int) -> int:
    """A value of the search for the score as points; `nat` is the score of a nat deal without more roem."""
    return value + nat if value < MADE >> 1 else value - MADE


@jit
def _look(alpha: int, beta: int, low: int, high: int, work: Any, rules: Any) -> tuple[int, int]:
    """Search the position at ply 0; (low, high) made narrower by what was found, also when the budget ran out."""
    if work.stopped:
        return low, high
    value = search(alpha, beta, work, rules)
    if work.stopped == 0:
        if value > alpha:
            low = max(low, value)
        if value < beta:
            high = min(high, value)
    else:
        value = work.best[0]
        if alpha < value < INFINITY and work.seat[0] & 1 == 0:
            low = max(low, value)
        if beta > value > -INFINITY and work.seat[0] & 1:
            high = min(high, value)
    return low, high


@jit
def _in_play(work: Any) -> int:
    """The cards in hands and on the table in the position asked about, as a set."""
    return int(work.hands[0] | work.hands[1] | work.hands[2] | work.hands[3] | work.trick[0])


@jit
def _most_left(work: Any) -> int:
    """No less than all points and roem still to come."""
    return int(work.left[0] + roem_left(_in_play(work), work))


@jit
def _bonus_needs_score(so_far: int, made: int, work: Any) -> bool:
    """Whether a side that takes every trick may all the same be the one with fewer points, by false claims (R5.7)."""
    if work.alive[0] & 1 and so_far + work.left[0] < made:
        return True
    return bool(work.alive[0] & 2 and so_far - work.left[0] >= made)

"""What positions, cards and claims are worth with all hands open: the entrances of the exact solver."""

from typing import Any, Final

import numpy as np

from klaverjas_env.game import CLAIM, CLAIMING, CLAIMS, DEAL_OVER, GAME, PLAYING, apply, card_duty, played_set
from klaverjas_env.jit import jit, jit_large
from klaverjas_env.rules.cards import lowest_bit
from klaverjas_env.rules.roem import DECLARE, claimed_roem
from klaverjas_env.rules.scoring import is_nat
from klaverjas_env.solver.search import INFINITY, MADE, search
from klaverjas_env.solver.tables import place_root, prepare, roem_left, without_equals

DIFFERENCE_OBJECTIVE: Final = 0
SCORE_OBJECTIVE: Final = 1
VALUE: Final = 0
CARDS: Final = 1
LINE: Final = 2
NO_VALUE: Final = -(1 << 31)
"""Stands for the value of an action that may not be taken."""
NO_BUDGET: Final = 1 << 62
LONGEST_LINE: Final = 40
"""Cards and claims of a deal."""


@jit_large
def solve_many(
    games: np.ndarray,
    objective: int,
    wanted: int,
    work: Any,
    budget: int,
    lower: np.ndarray,
    upper: np.ndarray,
    lines: np.ndarray,
    nodes: np.ndarray,
) -> None:
    """Solve every game [N]; each has its own `budget` of nodes, and `nodes` int64 [N] says how many were used.

    `wanted` VALUE: bounds on the value of the position, into `lower` and `upper` int64 [N, 1]. CARDS: bounds on the
    value after every action, int64 [N, A], NO_VALUE where it is not looked at. LINE: as VALUE, and best play of both
    sides to the end of the deal as actions into `lines` int64 [N, LONGEST_LINE], filled up with -1.
    """
    slots = np.empty(4, dtype=GAME)
    for i in range(len(games)):
        slots[0] = games[i]
        _begin(slots[0], work, budget)
        if wanted == CARDS:
            _solve_cards(slots, objective, work, lower[i], upper[i])
        else:
            low, high = _value(slots, 0, objective, -INFINITY, INFINITY, work)
            lower[i, 0], upper[i, 0] = _for_south(slots[0], low, high)
            if wanted == LINE:
                lines[i] = -1
                if low == high:
                    _follow_best(slots, objective, low, work, lines[i])
        nodes[i] = work.nodes


@jit
def _solve_cards(games: np.ndarray, objective: int, work: Any, lower: np.ndarray, upper: np.ndarray) -> None:
    """Bounds on the value after every action in the first game."""
    lower[:] = NO_VALUE
    upper[:] = NO_VALUE
    actions = _actions(games[0])
    kept = actions
    if games[0].phase == PLAYING:
        place_root(games[0], work)
        kept = without_equals(actions, _in_play(work), work)
    left = actions
    while left != 0:
        action = lowest_bit(left)
        left &= left - 1
        if (kept >> action) & 1 == 0:
            twin = action - 1 if (actions >> (action - 1)) & 1 else action - 2
            lower[action] = lower[twin]
            upper[action] = upper[twin]
            continue
        _take(games, 0, 1, action)
        low, high = _value(games, 1, objective, -INFINITY, INFINITY, work)
        lower[action], upper[action] = _for_south(games[0], low, high)


@jit
def _follow_best(games: np.ndarray, objective: int, value: int, work: Any, line: np.ndarray) -> None:
    """Play the first game to its end by actions that keep its value, while the budget of nodes lasts."""
    size = 0
    while games[0].phase != DEAL_OVER:
        action = _best_action(games, objective, value, work)
        if work.stopped:
            return
        _take(games, 0, 0, action)
        line[size] = action
        size += 1


@jit
def _best_action(games: np.ndarray, objective: int, value: int, work: Any) -> int:
    """The first action after which the first game is still worth `value`."""
    actions = _actions(games[0])
    playing = (games[0].to_act ^ games[0].declarer) & 1 == 0
    while actions & (actions - 1) != 0:
        action = lowest_bit(actions)
        _take(games, 0, 1, action)
        if playing:
            low, _ = _value(games, 1, objective, value - 1, value, work)
            if low >= value:
                return action
        else:
            _, high = _value(games, 1, objective, value, value + 1, work)
            if high <= value:
                return action
        actions &= actions - 1
    return lowest_bit(actions)


@jit
def _take(games: np.ndarray, slot: int, target: int, action: int) -> None:
    """Put the game after an action in another place."""
    if target != slot:
        games[target] = games[slot]
    apply(games[target], action)


@jit
def _begin(game: Any, work: Any, budget: int) -> None:
    prepare(game, work)
    work.nodes = 0
    work.budget = budget
    work.stopped = 0
    work.claimed = int(game.rules.roem_mode == DECLARE)


@jit
def _for_south(game: Any, low: int, high: int) -> tuple[int, int]:
    """Bounds for the playing side as bounds for seats 0 and 2."""
    return (-high, -low) if game.declarer & 1 else (low, high)


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


@jit_large
def _value(games: np.ndarray, slot: int, objective: int, alpha: int, beta: int, work: Any) -> tuple[int, int]:
    """Bounds for the playing side on the value of `games[slot]`; they meet where it lies inside (alpha, beta)."""
    game = games[slot]
    if game.phase != CLAIMING:
        return _value_of_play(games, slot, objective, alpha, beta, work)
    playing = (game.to_act ^ game.declarer) & 1 == 0
    actions = _actions(game)
    low = -INFINITY if playing else INFINITY
    high = low
    while actions != 0:
        _take(games, slot, 3, lowest_bit(actions))
        actions &= actions - 1
        bounds = _value_of_play(games, 3, objective, alpha, beta, work)
        low = max(low, bounds[0]) if playing else min(low, bounds[0])
        high = max(high, bounds[1]) if playing else min(high, bounds[1])
    return low, high


@jit
def _value_of_play(games: np.ndarray, slot: int, objective: int, alpha: int, beta: int, work: Any) -> tuple[int, int]:
    """As `_value`, where no roem can be claimed now."""
    game = games[slot]
    if objective == DIFFERENCE_OBJECTIVE:
        return _difference(game, alpha, beta, work)
    if game.phase == DEAL_OVER:
        playing = game.declarer & 1
        score = game.score[playing] - game.score[1 - playing]
        return score, score
    return _score(game, alpha, beta, work)


@jit
def _look(alpha: int, beta: int, low: int, high: int, work: Any, rules: Any) -> tuple[int, int]:
    """Search the first frame; (low, high) made narrower by what was found, also when the budget ran out."""
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
def _difference(game: Any, alpha: int, beta: int, work: Any) -> tuple[int, int]:
    """Bounds on the difference at the end of the deal."""
    place_root(game, work)
    work.scoring = 0
    so_far = work.difference[0]
    most = _most_left(work)
    if game.phase == DEAL_OVER:
        work.left[0] = 0
    low, high = _look(
        alpha - so_far,
        beta - so_far,
        -most - work.counter_bonus,
        most + work.bonus,
        work,
        game.rules,
    )
    return so_far + low, so_far + high


@jit
def _score(game: Any, alpha: int, beta: int, work: Any) -> tuple[int, int]:
    """Bounds on the score at the end of the deal.

    A score of the playing side that makes it is its difference; so the difference is searched first, from the line
    between made and nat upwards, and only where the deal is nat, how dear.
    """
    place_root(game, work)
    so_far = work.difference[0]
    most = _most_left(work)
    made = 1 if is_nat(0, 0, game.rules) else 0
    nat = -(game.points[0] + game.points[1] + game.roem[0] + game.roem[1] + work.left[0])
    low = nat - (most - work.left[0]) - work.counter_bonus
    high = so_far + most + work.bonus
    if not _pit_goes_by_points(so_far, made, work):
        work.scoring = 0
        floor = max(alpha, made - 1)
        least, best = _look(
            floor - so_far, max(beta, made) - so_far, low - so_far - MADE, high - so_far, work, game.rules
        )
        least += so_far
        best += so_far
        if least >= made:
            return least, best
        if best >= made:
            return low, max(best, nat)
        high = nat
        if alpha >= nat:
            return low, high
    place_root(game, work)
    work.scoring = 1
    least, best = _look(
        alpha - nat if alpha < 0 else alpha + MADE,
        beta - nat if beta < 0 else beta + MADE,
        low - nat,
        high + MADE if high >= 0 else high - nat,
        work,
        game.rules,
    )
    return (
        least + nat if least < MADE >> 1 else least - MADE,
        best + nat if best < MADE >> 1 else best - MADE,
    )


@jit
def _pit_goes_by_points(so_far: int, made: int, work: Any) -> bool:
    """Whether a side that takes every trick may all the same be the one with fewer points, by false claims (R5.7)."""
    if work.alive[0] & 1 and so_far + work.left[0] < made:
        return True
    return bool(work.alive[0] & 2 and so_far - work.left[0] >= made)



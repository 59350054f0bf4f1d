"""Exact play with all hands open: what a position, each card and each claim is worth, and how best play goes on.

Values are for seats 0 and 2 (south and north), in points of the whole deal, what has been scored before included:

- `difference`: points, roem and the price of pit or tegenpit of one side minus the other, before nat;
- `score`: the score of the deal (R6.3 to R6.5) of one side minus the other, as `game.apply` would write it.

Nobody breaks a rule on purpose: only cards within R3 are looked at, also where another could be played (R6.7), and only
true claims of roem, also where false ones can be made (R5.7). Silence is a true claim.
"""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from klaverjas_env.game import CLAIMING, GAME, N_ACTIONS, PLAYING, Phase, apply
from klaverjas_env.rules.cards import ALL_CARDS, NO_SUIT
from klaverjas_env.solver.values import (
    CARDS,
    NO_BUDGET,
    NO_VALUE,
    VALUE,
    solve_many,
)
from klaverjas_env.solver.workspace import new_workspace

OBJECTIVES: Final = ("difference", "score")
"""What may be solved for; the place in the tuple is the number that `solve_many` takes."""

__all__ = [
    "CARDS",
    "NO_VALUE",
    "OBJECTIVES",
    "VALUE",
    "Solution",
    "SolverError",
    "new_workspace",
    "solve",
    "solve_many",
    "values",
]


class SolverError(ValueError):
    """A position or a request that cannot be solved; it says why and what can."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What best play with all hands open brings, in points for seats 0 and 2."""

    lower: int
    upper: int
    """Bounds on the value; they differ only where the budget of nodes ran out."""
    cards: dict[int, int] = field(default_factory=dict)
    """The value after each action: cards, or claims of roem in `Phase.CLAIMING`; those that the budget left open are
    missing."""
    line: list[int] = field(default_factory=list)
    """Actions of best play to the end of the deal, cards and claims; cut short where the budget ran out."""
    nodes: int = 0
    """Positions looked at."""

    @property
    def value(self) -> int | None:
        """The value, or nothing where the budget of nodes ran out."""
        return self.lower if self.lower == self.upper else None


def solve(
    games: Any, objective: str = "difference", node_budget: int | None = None, work: np.record | None = None
) -> Solution:
    """Solve one position, `GAME` [1] or a record of it, while cards are played or roem is claimed.

    `node_budget` is for the value, for the cards and for the line each. `work` is a workspace to use again. Raises
    SolverError.
    """
    game = np.array(games, dtype=GAME).reshape(-1)
    if len(game) != 1:
        raise SolverError(f"one game is wanted, not {len(game)}; take games[i : i + 1], or `values` for many")
    work = new_workspace() if work is None else work
    value, lower, upper, nodes = _solved(game, objective, CARDS, work, _budget(node_budget))
    exact = {
        action: int(lower[0, action]) for action in range(N_ACTIONS) if NO_VALUE < lower[0, action] == upper[0, action]
    }
    line, more = _best_line(game, objective, work, node_budget) if value[0, 0] == value[0, 1] else ([], 0)
    return Solution(int(value[0, 0]), int(value[0, 1]), exact, line, int(nodes[0]) + more)


def _best_line(game: np.ndarray, objective: str, work: np.record, node_budget: int | None) -> tuple[list[int], int]:
    """(actions of best play to the end of the deal, nodes used), as far as the budget of each decision reaches."""
    line: list[int] = []
    nodes = 0
    game = game.copy()
    while game[0].phase in (PLAYING, CLAIMING):
        value, lower, upper, used = _solved(game, objective, CARDS, work, _budget(node_budget))
        nodes += int(used[0])
        best = np.flatnonzero((lower[0] == value[0, 0]) & (upper[0] == value[0, 1]))
        if value[0, 0] != value[0, 1]:
            break
        line.append(int(best[0]))
        apply(game[0], line[-1])
    return line, nodes


def values(
    games: np.ndarray, objective: str = "difference", node_budget: int | None = None, work: np.record | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds (lower, upper) on the value after every action of every game [N]: int64 [N, A], in points for seats 0 and
    2; NO_VALUE where an action is not looked at. `node_budget` is for each game. Releases the GIL: threads, each with a
    workspace of its own, use all cores. Raises SolverError.
    """
    work = new_workspace() if work is None else work
    _, lower, upper, _ = _solved(games, objective, CARDS, work, _budget(node_budget))
    return lower, upper


def _solved(
    games: np.ndarray, objective: str, wanted: int, work: np.record, budget: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(value, lower, upper, nodes) as `solve_many` fills them."""
    if objective not in OBJECTIVES:
        raise SolverError(f"objective {objective!r} is not one of {', '.join(OBJECTIVES)}")
    games = np.ascontiguousarray(games)  # another layout would be compiled anew
    for game in games:
        _check(game)
    n = len(games)
    value = np.empty((n, 2), dtype=np.int64)
    lower, upper = np.empty((2, n, N_ACTIONS), dtype=np.int64)
    nodes = np.empty(n, dtype=np.int64)
    solve_many(games, OBJECTIVES.index(objective), wanted, work, budget, value, lower, upper, nodes)
    return value, lower, upper, nodes


def _budget(nodes: int | None) -> int:
    if nodes is None:
        return NO_BUDGET
    if nodes < 1:
        raise SolverError(f"node_budget={nodes} is too small; write a whole number from 1, or None for no limit")
    return nodes


def _check(game: Any) -> None:
    """Refuse a position that is not one of play with all hands open."""
    if game.phase not in (PLAYING, CLAIMING):
        raise SolverError(
            f"the solver plays cards, but this game is in {Phase(int(game.phase)).name}; give it one in PLAYING"
            " or CLAIMING, such as after game.set_contract"
        )
    if game.trump == NO_SUIT or not 0 <= game.declarer < 4:
        raise SolverError("the game has no trump or no declarer; set them with game.set_contract")
    on_table = int(game.n_plays) & 3
    leader = int(game.leaders[game.n_plays >> 2]) if on_table else int(game.to_act)
    played = sum(1 << int(card) for card in game.plays[: game.n_plays])
    seen = played
    for seat in range(4):
        hand = int(game.hands[seat])
        wanted = 8 - (int(game.n_plays) >> 2) - int((seat - leader) & 3 < on_table)
        if hand.bit_count() != wanted:
            hidden = " (hidden, as in a view?)" if hand == 0 else ""
            raise SolverError(
                f"seat {seat} holds {hand.bit_count()} cards{hidden} where {wanted} are left after"
                f" {game.n_plays} plays; the solver needs all four hands"
            )
        if seen & hand:
            raise SolverError(f"seat {seat} holds a card that stands elsewhere too; every card of the pack exists once")
        seen |= hand
    if seen != ALL_CARDS:
        raise SolverError("the hands and plays are not the 32 cards of the pack")

"""Bots that solve deals with open hands: `pimc-N` in N worlds drawn from what its seat sees, `cheat` in the real one.

`pimc-N` is perfect-information Monte Carlo: the exact solver values every card in each of N uniform worlds, and the
card with the highest mean is played. A mean of differences would not know nat (R6.2), so each value is first turned
into the score that the deal may be expected to have: the real difference lies about the solved one with the spread of
`_SPREAD`, because nobody plays with open hands; above the line the playing side keeps it, below it the other side gets
everything. In the last tricks the score of each world is solved exactly instead.

Trump is chosen in the same way: every call is tried in every world, the players after it call as `lennard` would, and
the deal is solved with the contract that comes of it; one that is passed out is worth nothing.
"""

import math
from typing import Any, Final

import numpy as np

from klaverjas_env.bots.bot import Bot, decision_number
from klaverjas_env.bots.lennard import choose_trump
from klaverjas_env.bots.search import in_threads, options_of
from klaverjas_env.bots.worlds import PLAN, count_view, draw_world, refuse_impossible, write_hands
from klaverjas_env.game import BIDDING, GAME, N_ACTIONS, NAMING, PLAYING, apply
from klaverjas_env.jit import jit, jit_large
from klaverjas_env.rng import STREAM, start_stream
from klaverjas_env.rules.cards import STRENGTH, points_of
from klaverjas_env.rules.scoring import DEAL_POINTS
from klaverjas_env.solver import CARDS, OBJECTIVES, VALUE, new_workspace, solve_many
from klaverjas_env.solver.values import NO_BUDGET

DOMAIN_PIMC: Final = 259
"""Draws of the worlds of `pimc`."""
MOST_WORLDS: Final = 10_000

EXACT_FROM: Final = 20
"""The play from which `pimc` solves the score itself."""

_SHIFT: Final = np.array((40.0, 15.0, 10.0, 9.0, 7.0, 2.0, 1.0, 0.0))
"""How many points less than solved the playing side makes on average, by finished tricks. Measured with the real hands
of 200 deals that `pimc-4` played with itself after `lennard` had chosen trump: solved, 75 % are made, played, 64 %."""
_SPREAD: Final = np.array((67.0, 61.0, 56.0, 46.0, 38.0, 32.0, 18.0, 5.0))
"""Standard deviation of what it makes about that, by finished tricks; measured likewise, the last one set by hand. The
script (seed 5) was not kept; constants that had been guessed before played no worse over 50 pairs."""

_EQUAL: Final = 1e-6
"""Means closer than this are a tie."""
_TIE_BREAK: Final = 1e-3
"""Weight of the solved difference beside the exact score: where the deal is lost or won anyway, others may err."""


class PimcBot(Bot):
    """Perfect-information Monte Carlo with `worlds` worlds a decision, or all of them where there are no more.

    Of cards that are worth the same it plays the one of fewest points, then the weakest. `threads` share out the views
    of a batch; the answers do not depend on it.
    """

    def __init__(self, worlds: int, seed: int = 0, threads: int = 1) -> None:
        if not 1 <= worlds <= MOST_WORLDS:
            raise ValueError(f"worlds={worlds}: a number from 1 to {MOST_WORLDS:,}")
        if not 0 <= seed < 2**63:
            raise ValueError(f"seed={seed}: a seed is a whole number from 0 to 2^63 - 1")
        self.worlds = worlds
        self.seed = seed
        self.threads = threads
        self.name = f"pimc-{worlds}"

    def act_many(self, views: np.ndarray) -> np.ndarray:
        return in_threads(self._decide, views, self.threads)

    def _decide(self, views: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), dtype=np.int64)
        plans, worlds, work = np.zeros(1, dtype=PLAN), np.empty(self.worlds, dtype=GAME), new_workspace()
        for i in range(len(views)):
            options = int(options_of(views[i]))
            if options.bit_count() > 1:
                drawn = _write_worlds(views[i], self.seed, plans[0], worlds)
                refuse_impossible(i if drawn == 0 else -1)
                means = _mean_values(worlds[:drawn], options, int(views["n_plays"][i]) >= EXACT_FROM, work)
                actions[i] = best_option(views[i], options, means)
            else:
                actions[i] = options.bit_length() - 1
        return actions


class CheatBot(Bot):
    """Plays the exact solver on the real hands: what nobody can reach who sees only his own cards.

    It is given the games themselves instead of views.
    """

    name = "cheat"
    sees_all = True

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads

    def act_many(self, views: np.ndarray) -> np.ndarray:
        """One action int64 [N] for games `GAME` [N] with all hands known; ValueError for views."""
        held = np.bitwise_count(views["hands"]).sum(axis=1)
        if (held + views["n_plays"] != 32).any():
            raise ValueError("cheat: needs the games themselves, not views: some hands are hidden")
        return in_threads(self._decide, views, self.threads)

    def _decide(self, games: np.ndarray) -> np.ndarray:
        actions = np.empty(len(games), dtype=np.int64)
        work = new_workspace()
        for i in range(len(games)):
            options = int(options_of(games[i]))
            values = _mean_values(games[i : i + 1], options, True, work)
            actions[i] = best_option(games[i], options, values)
        return actions


# --- values ----------------------------------------------------------------------------------------------------------


@jit_large
def _write_worlds(view: Any, seed: int, plan: Any, worlds: np.ndarray) -> int:
    """Write worlds of a view into `worlds` [N] and return how many: uniform ones, or where cards are played and no more
    than N are possible, each of those once."""
    count_view(view, view.to_act, plan)
    if plan.total == 0:
        return 0
    stream = np.zeros(STREAM, dtype=np.uint64)
    every_one = view.phase == PLAYING and plan.total <= len(worlds)
    drawn = plan.total if every_one else len(worlds)
    for i in range(drawn):
        worlds[i] = view
        if every_one:
            write_hands(plan, i, worlds[i])
        else:
            start_stream(stream, seed, decision_number(view, view.to_act), DOMAIN_PIMC, i)
            draw_world(plan, stream, worlds[i])
    return int(drawn)


def _mean_values(worlds: np.ndarray, options: int, exact: bool, work: np.record) -> np.ndarray:
    """What each option is worth to the seat to act, on average over the worlds [N]: float64 [A]; `exact`: by the solved
    score, and by the expected one only where that is the same."""
    sign = 1 - 2 * (int(worlds["to_act"][0]) & 1)
    if worlds["phase"][0] != BIDDING and worlds["phase"][0] != NAMING:
        return np.asarray(sign * _scores(worlds, CARDS, exact, work).mean(axis=0))
    means = np.zeros(N_ACTIONS)
    for action in range(N_ACTIONS):
        if options >> action & 1:
            called = worlds.copy()
            _finish_calling(called, action)
            played = called[called["phase"] == PLAYING]
            # A deal that is passed out adds nothing.
            means[action] = sign * _scores(played, VALUE, exact, work).sum() / len(worlds)
    return means


def _scores(games: np.ndarray, wanted: int, exact: bool, work: np.record) -> np.ndarray:
    """The score of team 0 minus that of team 1, for each game [N] (VALUE, float64 [N, 1]) or after each of its actions
    (CARDS, float64 [N, A]; meaningless where an action may not be taken)."""
    differences = _solve(games, "difference", wanted, work)
    scores = np.empty(differences.shape)
    _expect_scores(games, differences, scores)
    return _solve(games, "score", wanted, work) + _TIE_BREAK * scores if exact else scores


def _solve(games: np.ndarray, objective: str, wanted: int, work: np.record) -> np.ndarray:
    """The solved values int64 [N, 1] or [N, A]."""
    value, nodes = np.empty((len(games), 2), dtype=np.int64), np.empty(len(games), dtype=np.int64)
    lower, upper = np.empty((2, len(games), N_ACTIONS), dtype=np.int64)
    solve_many(games, OBJECTIVES.index(objective), wanted, work, NO_BUDGET, value, lower, upper, nodes)
    return lower if wanted == CARDS else value[:, :1]


@jit
def _finish_calling(games: np.ndarray, action: int) -> None:
    """Take a call in every game [N], and let the players after it call as `lennard` would."""
    for i in range(len(games)):
        game = games[i]
        call = action
        while game.phase == BIDDING or game.phase == NAMING:
            apply(game, call)
            if game.phase == BIDDING or game.phase == NAMING:
                call = choose_trump(game)


@jit
def _expect_scores(games: np.ndarray, differences: np.ndarray, scores: np.ndarray) -> None:
    """`expected_score` of every difference int64 [N, K] into `scores` float64 [N, K]."""
    for i in range(len(games)):
        for k in range(differences.shape[1]):
            scores[i, k] = expected_score(games[i], differences[i, k])


@jit
def expected_score(game: Any, difference: int) -> float:
    """The expected score of team 0 minus that of team 1, in points, when the solver says that their points and roem
    will differ by so much: R6.3 over a normal distribution about it."""
    sign = 1 - 2 * (game.declarer & 1)
    trick = min(game.n_plays >> 2, 7)
    spread = _SPREAD[trick]
    mean = sign * difference - _SHIFT[trick]
    everything = DEAL_POINTS + game.rules.last_trick + game.roem[0] + game.roem[1]
    z = mean / spread
    made = 0.5 + 0.5 * math.erf(z / math.sqrt(2.0))
    density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    return float(sign * (mean * made + spread * density - everything * (1.0 - made)))


@jit
def best_option(game: Any, options: int, sums: np.ndarray) -> int:
    """The option with the highest of the `sums` float64 [A]; of equal cards the one of fewest points, then the
    weakest, side suits before trump."""
    best = -1
    for action in range(N_ACTIONS):
        if (options >> action) & 1 == 0:
            continue
        ahead = 1.0 if best < 0 else sums[action] - sums[best]
        if ahead > _EQUAL or (ahead > -_EQUAL and _cost(game, action) < _cost(game, best)):
            best = action
    return best


@jit
def _cost(game: Any, action: int) -> int:
    """What it costs to part with a card, for comparison; nothing for calls."""
    if game.phase != PLAYING:
        return 0
    is_trump = int(action >> 3 == game.trump)
    return int(16 * points_of(action, game.trump) + STRENGTH[is_trump, action & 7] + 8 * is_trump)

"""Search bots: players that look ahead in worlds drawn from what their seat sees.

`ismcts-N` is single-observer information-set Monte Carlo tree search (Cowling, Powley and Whitehouse, "Information Set
Monte Carlo Tree Search", 2012) with N simulations a decision and uniformly random playouts: every simulation goes
through one tree of public actions in a new world, in which only what that world allows counts as available.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np

from klaverjas_env.bots.bot import Bot, decision_number
from klaverjas_env.bots.worlds import PLAN, count_view, draw_world, refuse_impossible
from klaverjas_env.game import (
    CLAIM,
    CLAIMING,
    DEAL_OVER,
    GAME,
    PLAYING,
    apply,
    card_duty,
    deal_ended,
    legal,
    played_set,
)
from klaverjas_env.jit import jit, jit_large
from klaverjas_env.rng import STREAM, next_below, start_stream
from klaverjas_env.rules.cards import count, lowest_bit
from klaverjas_env.rules.roem import CLAIMS, claimed_roem

DOMAIN_ISMCTS: Final = 258
"""Draws of `ismcts`: the world and the playout of each simulation."""
MOST_SIMULATIONS: Final = 1_000_000

EXPLORATION: Final = 250.0
"""UCB1's constant, in points of the difference between the two scores of a deal: a child is worth its mean plus
EXPLORATION * sqrt(ln(times available) / visits). Of 40, 80, 150, 250 and 400, against `lennard`: 250 and 400 were best
with 50 and 200 simulations, 150 and 250 with 800."""

NODE: Final = np.dtype(
    (
        np.record,
        [
            ("action", np.int64),  # that leads here
            ("child", np.int64),  # first node below, 0 if none
            ("sibling", np.int64),  # next node beside, 0 if none
            ("parent", np.int64),
            ("team", np.int64),  # that chose the action
            ("visits", np.int64),
            ("available", np.int64),  # simulations in which the action could be chosen
            ("points", np.int64),  # sum over visits of the team's score minus the other's
        ],
    )
)
"""The dtype of a node of the tree: a public sequence of actions from the decision on."""


class IsmctsBot(Bot):
    """Information-set Monte Carlo tree search with `simulations` a decision, for trump as well as cards.

    Calls are actions of the tree like cards; a deal that is passed out is worth nothing to either side. Roem is always
    claimed to the best effect, and no card against R3 is thought of where reneging is possible (R6.7). `threads` share
    out the views of a batch; the answers do not depend on it.
    """

    def __init__(self, simulations: int, seed: int = 0, threads: int = 1, exploration: float = EXPLORATION) -> None:
        if not 1 <= simulations <= MOST_SIMULATIONS:
            raise ValueError(f"simulations={simulations}: a number from 1 to {MOST_SIMULATIONS:,}")
        if not 0 <= seed < 2**63:
            raise ValueError(f"seed={seed}: a seed is a whole number from 0 to 2^63 - 1")
        self.simulations = simulations
        self.seed = seed
        self.threads = threads
        self.exploration = exploration
        self.name = f"ismcts-{simulations}"

    def act_many(self, views: np.ndarray) -> np.ndarray:
        return in_threads(self._decide, views, self.threads)

    def _decide(self, views: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), dtype=np.int64)
        tree = np.zeros(self.simulations + 1, dtype=NODE)
        games, plans = np.zeros(1, dtype=GAME), np.zeros(1, dtype=PLAN)
        refuse_impossible(_ismcts_each(views, self.seed, self.exploration, tree, games, plans, actions))
        return actions


def in_threads(decide: Callable[[np.ndarray], np.ndarray], views: np.ndarray, threads: int) -> np.ndarray:
    """The actions that `decide` answers for the views [N], which are shared out among so many threads."""
    if threads < 2 or len(views) < 2:
        return decide(views)
    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(decide, np.array_split(views, min(threads, len(views))))))


# --- what every search needs -----------------------------------------------------------------------------------------


@jit
def options_of(game: Any) -> int:
    """The actions worth thinking of, as a set: the legal ones, but of cards only those that R3 allows, and the claim
    that brings most."""
    if game.phase == PLAYING:
        return card_duty(game)[1]
    if game.phase == CLAIMING:
        return 1 << best_claim(game)
    return legal(game)


@jit
def best_claim(game: Any) -> int:
    """R5.5: the claim that brings the winner of the trick most, less what it brings the other side; the first of
    equals."""
    cards = played_set(game, game.n_plays - 4, game.n_plays)
    best = 0
    most = 0
    for place in range(len(CLAIMS)):
        own, theirs = claimed_roem(CLAIMS[place], cards, game.trump, game.rules)
        if place == 0 or own - theirs > most:
            best = place
            most = own - theirs
    return CLAIM + best


@jit
def pick(options: int, stream: np.ndarray) -> int:
    """A uniformly random member of a non-empty set of actions."""
    for _ in range(next_below(stream, count(options & 0xFFFFFFFF) + count(options >> 32))):
        options &= options - 1
    return lowest_bit(options)


@jit
def score_difference(game: Any) -> int:
    """The score of team 0 minus that of team 1 in a deal that has ended; 0 where it was passed out."""
    return int(game.score[0] - game.score[1]) if game.phase == DEAL_OVER else 0


# --- ismcts ----------------------------------------------------------------------------------------------------------


@jit_large
def _ismcts_each(
    views: np.ndarray,
    seed: int,
    exploration: float,
    tree: np.ndarray,
    games: np.ndarray,
    plans: np.ndarray,
    actions: np.ndarray,
) -> int:
    """Decide each of the views [N]; `tree`, `games` [1] and `plans` [1] are scratch. The first view without a world,
    or -1."""
    stream = np.zeros(STREAM, dtype=np.uint64)
    plan = plans[0]
    for i in range(len(views)):
        view = views[i]
        options = options_of(view)
        if options & (options - 1) == 0:
            actions[i] = lowest_bit(options)
            continue
        count_view(view, view.to_act, plan)
        if plan.total == 0:
            return i
        tree[0].child = 0
        used = 1
        for simulation in range(len(tree) - 1):
            games[0] = view
            start_stream(stream, seed, decision_number(view, view.to_act), DOMAIN_ISMCTS, simulation)
            draw_world(plan, stream, games[0])
            used = _simulate(games[0], tree, used, exploration, stream)
        actions[i] = _most_visited(tree)
    return -1


@jit
def _simulate(game: Any, tree: np.ndarray, used: int, exploration: float, stream: np.ndarray) -> int:
    """One simulation in one world: down the tree, one new node, a random playout, and its result told on the way back.
    Returns how many nodes are in use."""
    node = 0
    in_tree = True
    while not deal_ended(game):
        options = options_of(game)
        if in_tree and game.phase != CLAIMING:
            untried = options & ~_tried(tree, node, options)
            if untried != 0:
                action = pick(untried, stream)
                _add_node(tree, used, node, action, game.to_act & 1)
                node = used
                used += 1
                in_tree = False
            else:
                node = _best_child(tree, node, options, exploration)
                action = tree[node].action
        else:
            action = pick(options, stream)
        apply(game, action)
    difference = score_difference(game)
    while node != 0:
        tree[node].visits += 1
        tree[node].points += difference if tree[node].team == 0 else -difference
        node = tree[node].parent
    return used


@jit
def _tried(tree: np.ndarray, node: int, options: int) -> int:
    """The actions that have a node below this one, as a set; those among `options` are counted as available."""
    tried = 0
    child = tree[node].child
    while child != 0:
        bit = 1 << tree[child].action
        tried |= bit
        if options & bit != 0:
            tree[child].available += 1
        child = tree[child].sibling
    return tried


@jit
def _add_node(tree: np.ndarray, place: int, parent: int, action: int, team: int) -> None:
    """Hang a new node under its parent."""
    node = tree[place]
    node.action = action
    node.child = 0
    node.sibling = tree[parent].child
    node.parent = parent
    node.team = team
    node.visits = 0
    node.available = 1
    node.points = 0
    tree[parent].child = place


@jit
def _best_child(tree: np.ndarray, node: int, options: int, exploration: float) -> int:
    """The child with the highest upper bound (UCB1) among those that this world allows."""
    best = 0
    highest = 0.0
    child = tree[node].child
    while child != 0:
        below = tree[child]
        if (options >> below.action) & 1:
            bound = below.points / below.visits + exploration * np.sqrt(np.log(below.available) / below.visits)
            if best == 0 or bound > highest:
                best = child
                highest = bound
        child = below.sibling
    return best


@jit
def _most_visited(tree: np.ndarray) -> int:
    """The action at the root that was tried most often; of equals the one with the best results."""
    best = tree[0].child
    child = best
    while child != 0:
        more = tree[child].visits - tree[best].visits
        if more > 0 or (more == 0 and tree[child].points > tree[best].points):
            best = child
        child = tree[child].sibling
    return int(tree[best].action)

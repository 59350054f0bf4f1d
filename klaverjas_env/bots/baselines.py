"""The two plainest opponents: one that plays at random and one that looks no further than the trick on the table."""

from typing import Any

import numpy as np

from klaverjas_env.bots.bot import Bot
from klaverjas_env.bots.lennard import choose_trump
from klaverjas_env.game import N_ACTIONS, PLAYING, legal
from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import STRENGTH, points_of
from klaverjas_env.rules.roem import trick_roem
from klaverjas_env.rules.trick import beats, winning_place


class RandomBot(Bot):
    """Plays a uniformly random legal action."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)

    def act_many(self, views: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), dtype=np.int64)
        _random_actions(views, self._rng.random(len(views)), actions)
        return actions


class GreedyBot(Bot):
    """Chooses trump as `lennard` does, and plays the card that is best for the trick as it then lies: its points and
    roem for the side that would be winning it, at the price of the card's strength."""

    name = "greedy"

    def act_many(self, views: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), dtype=np.int64)
        _greedy_actions(views, actions)
        return actions


@jit
def _random_actions(views: np.ndarray, uniform: np.ndarray, actions: np.ndarray) -> None:
    for i in range(len(views)):
        options = legal(views[i])
        n = 0
        for action in range(N_ACTIONS):
            n += (options >> action) & 1
        left = int(uniform[i] * n)
        for action in range(N_ACTIONS):
            if (options >> action) & 1:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1


@jit
def _greedy_actions(views: np.ndarray, actions: np.ndarray) -> None:
    for i in range(len(views)):
        view = views[i]
        if view.phase != PLAYING:
            actions[i] = choose_trump(view)
            continue
        cards = legal(view)
        best_worth = -1e9
        for card in range(32):
            if (cards >> card) & 1:
                worth = _worth(view, card)
                if worth > best_worth:
                    best_worth = worth
                    actions[i] = card


@jit
def _worth(view: Any, card: int) -> float:
    """Points and roem of the trick with `card` added, for the side that then wins it, less a price for strong cards."""
    first = view.n_plays & ~3
    on_table = view.n_plays - first
    price = _price(card, view.trump)
    if on_table == 0:
        return -price
    place = winning_place(view.plays, first, on_table, view.trump)
    takes = beats(card, view.plays[first + place], view.trump)
    ours = takes or (on_table - place) == 2
    points = points_of(card, view.trump)
    cards = 1 << card
    for play in range(first, view.n_plays):
        points += points_of(view.plays[play], view.trump)
        cards |= 1 << view.plays[play]
    gain = points + trick_roem(cards, view.trump, view.rules)
    return (gain if ours else -gain) - price


@jit
def _price(card: int, trump: int) -> float:
    """What it costs to let go of a card: more for trumps and for strong ones."""
    is_trump = int(card >> 3 == trump)
    return float(STRENGTH[is_trump, card & 7] + 8 * is_trump)

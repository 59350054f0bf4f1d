"""R4: who takes a trick and what its cards are worth."""

import numpy as np

from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import RANKS_POINTS, TAKERS, ranks_of


@jit
def beats(card: int, best: int, trump: int) -> bool:
    """R4.1: whether `card`, played later, takes the trick over from `best`, the card that is winning it.

    Within a suit the stronger card wins; of two suits only a trump beats.
    """
    return bool((TAKERS[trump, best] >> card) & 1)


@jit
def winning_place(cards: np.ndarray, first: int, count: int, trump: int) -> int:
    """R4.1: the place (0 = the lead) of the card that is winning the trick `cards[first : first + count]`."""
    place = 0
    best = cards[first]
    for i in range(1, count):
        if beats(cards[first + i], best, trump):
            place = i
            best = cards[first + i]
    return place


@jit
def trick_points(cards: int, trump: int) -> int:
    """R4.2: the card points of a trick, a set of cards, without roem or the last trick's bonus."""
    points = 0
    for suit in range(4):
        points += RANKS_POINTS[int(suit == trump), ranks_of(cards, suit)]
    return int(points)

"""R1: cards, suits, their strength and points, and sets of cards.

A card is 8 * suit + rank. A set of cards is an integer with bit c set for card c. Ranks are numbered in natural order,
in which roem counts runs; strength and points come from tables, never from the numbering.
"""

from typing import Final

import numpy as np

from klaverjas_env.jit import bit_count, jit

CLUBS: Final = 0
DIAMONDS: Final = 1
HEARTS: Final = 2
SPADES: Final = 3
NO_SUIT: Final = -1

SEVEN: Final = 0
EIGHT: Final = 1
NINE: Final = 2
TEN: Final = 3
JACK: Final = 4
QUEEN: Final = 5
KING: Final = 6
ACE: Final = 7

NO_CARD: Final = -1
ALL_CARDS: Final = 0xFFFFFFFF
SUIT_MASK: Final = 0xFF
"""The eight cards of one suit, moved down to bit 0."""

PLAIN_ORDER: Final = (SEVEN, EIGHT, NINE, JACK, QUEEN, KING, TEN, ACE)
"""R1.2: the ranks of a side suit from weak to strong."""
TRUMP_ORDER: Final = (SEVEN, EIGHT, QUEEN, KING, TEN, ACE, NINE, JACK)
"""R1.3: the ranks of the trump suit from weak to strong (the jack is the "jas", the nine the "nel")."""

#                        7  8   9  T   J  Q  K   A
PLAIN_POINTS: Final = (0, 0, 0, 10, 2, 3, 4, 11)
"""R1.4: points by rank in a side suit; 30 a suit."""
TRUMP_POINTS: Final = (0, 0, 14, 10, 20, 3, 4, 11)
"""R1.4: points by rank in trump; 62 in all."""

CARD_POINTS: Final = np.array([PLAIN_POINTS, TRUMP_POINTS], dtype=np.int64)
"""Points by [is trump, rank]."""
RANKS_POINTS: Final = np.array(
    [[sum(points[rank] for rank in range(8) if ranks >> rank & 1) for ranks in range(256)] for points in CARD_POINTS],
    dtype=np.int64,
)
"""Points of a set of ranks, by [is trump, ranks]."""
STRENGTH: Final = np.array(
    [[order.index(rank) for rank in range(8)] for order in (PLAIN_ORDER, TRUMP_ORDER)], dtype=np.int64
)
"""Place from weak (0) to strong (7) by [is trump, rank]."""
HIGHER: Final = np.array(
    [
        [sum(1 << other for other in order[order.index(rank) + 1 :]) for rank in range(8)]
        for order in (PLAIN_ORDER, TRUMP_ORDER)
    ],
    dtype=np.int64,
)
"""The ranks (8-bit set) that are stronger, by [is trump, rank]."""
STRONGEST: Final = np.array(
    [
        [next((1 << rank for rank in reversed(order) if ranks >> rank & 1), 0) for ranks in range(256)]
        for order in (PLAIN_ORDER, TRUMP_ORDER)
    ],
    dtype=np.int64,
)
"""The strongest rank of a set of ranks, as a set, by [is trump, ranks]; empty for the empty set."""


def _takers(trump: int, card: int) -> int:
    """The cards that take a trick over from `card`: the stronger ones of its suit, and trumps unless it is one."""
    suit = card >> 3
    stronger = int(HIGHER[int(suit == trump), card & 7]) << (8 * suit)
    return stronger if suit == trump else stronger | SUIT_MASK << (8 * trump)


TAKERS: Final = np.array([[_takers(trump, card) for card in range(32)] for trump in range(4)], dtype=np.int64)
"""R4.1: the cards that, played later, take a trick over from the card that is winning it, by [trump, card]."""


@jit
def suit_of(card: int) -> int:
    """The suit of a card."""
    return card >> 3


@jit
def rank_of(card: int) -> int:
    """The rank of a card, 0..7 in natural order."""
    return card & 7


@jit
def cards_of(cards: int, suit: int) -> int:
    """The cards of `suit` in a set, as a set."""
    return cards & (SUIT_MASK << (8 * suit))


@jit
def ranks_of(cards: int, suit: int) -> int:
    """The ranks that a set holds in `suit`, as an 8-bit set."""
    return (cards >> (8 * suit)) & SUIT_MASK


@jit
def suit_set(suit: int) -> int:
    """One suit as a set of suits, bit 0..3; empty for what is no suit."""
    return 1 << suit if 0 <= suit < 4 else 0


@jit
def higher_cards(card: int, trump: int) -> int:
    """The cards of the same suit that are stronger than `card`, as a set."""
    suit = card >> 3
    return int(HIGHER[int(suit == trump), card & 7] << (8 * suit))


@jit
def points_of(card: int, trump: int) -> int:
    """R1.4: what a card is worth, in points."""
    return int(CARD_POINTS[int((card >> 3) == trump), card & 7])


@jit
def count(cards: int) -> int:
    """How many cards a set holds."""
    return bit_count(cards)


@jit
def lowest_bit(numbers: int) -> int:
    """The smallest member of a non-empty set of numbers in 0..62."""
    return bit_count((numbers & -numbers) - 1)


@jit
def member(numbers: int, place: int) -> int:
    """The member of a set of numbers in 0..62 that has `place` (0..7) smaller ones; the set holds more than that."""
    for i in range(7):  # always seven, without a branch: a loop of unknown length is guessed wrong
        numbers &= numbers - int(i < place)
    return lowest_bit(numbers)

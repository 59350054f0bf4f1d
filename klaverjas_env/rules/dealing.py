"""R1.5: how the pack is dealt, and R2.2: the pile from which trump is turned."""

from typing import Final

import numpy as np

from klaverjas_env.jit import jit
from klaverjas_env.rng import DOMAIN_PACK, DOMAIN_STOCK, shuffle
from klaverjas_env.rules.bidding import JOKER, LOW_CARDS
from klaverjas_env.rules.cards import CLUBS

USUAL_PACKETS: Final = 323
"""R1.5: packets of three, two and three, as digits."""
_STACKED: Final = np.array(
    [8 * place + held + i for held, packet in ((0, 3), (3, 2), (5, 3)) for place in range(4) for i in range(packet)]
)
"""Where in the stacked pack the cards lie that are dealt first, second, and so on in the usual packets."""


@jit
def deal_hands(seed: int, number: int, packets: int, forehand: int, pack: np.ndarray, hands: np.ndarray) -> None:
    """R1.5: shuffle `pack` int64 [32] and write the hands, as sets by seat, into `hands` int64 [4].

    One pack is stacked whatever the packets are: hand after hand as dealt in the usual ones. `packets` are digits that
    add up to 8.
    """
    for i in range(32):
        pack[i] = i
    if packets == USUAL_PACKETS:
        shuffle(seed, number, DOMAIN_PACK, pack, 24)  # the last seat gets what is left, in whatever order
        for place in range(4):
            hand = 0
            for i in range(8):
                hand |= 1 << pack[8 * place + i]
            hands[(forehand + place) & 3] = hand
        return
    shuffle(seed, number, DOMAIN_PACK, pack, 31)
    hands[:] = 0
    size = 10
    while size <= packets:
        size *= 10
    card = 0
    while size > 1:
        size //= 10
        for place in range(4):
            for _ in range(packets // size % 10):
                hands[(forehand + place) & 3] |= 1 << pack[_STACKED[card]]
                card += 1


@jit
def lay_stock(seed: int, number: int, jokers: int, clubs_first: bool, stock: np.ndarray) -> None:
    """R2.2, R2.10, R2.11: write the pile of low cards and jokers into `stock` int64 [24], as suits and JOKER, in the
    first deal of a match under a card of clubs."""
    size = LOW_CARDS + jokers
    top = 1 if clubs_first else 0
    pile = stock[top : top + size]
    for i in range(size):
        pile[i] = i
    shuffle(seed, number, DOMAIN_STOCK, pile, 16 if jokers == 0 else size - 1)
    for i in range(size):
        pile[i] = pile[i] & 3 if pile[i] < LOW_CARDS else JOKER
    if clubs_first:
        stock[0] = CLUBS

"""R1.5: how the pack is dealt, and R2.2: the pile from which trump is turned."""

from typing import Final

import numpy as np

from klaverjas_env.jit import jit
from klaverjas_env.rng import DOMAIN_PACK, DOMAIN_STOCK, shuffle
from klaverjas_env.rules.bidding import JOKER, LOW_CARDS
from klaverjas_env.rules.cards import CLUBS

USUAL_PACKETS: Final = 323
"""R1.5: packets of three, two and three, as digits."""


@jit
def stack_pack(seed: int, number: int, packets: int, pack: np.ndarray) -> None:
    """R1.5: write the pack of a deal into `pack` int64 [32], eight cards for each seat in the order of dealing.

    One pack is dealt whatever the packets are; `packets` are digits that add up to 8.
    """
    for i in range(32):
        pack[i] = i
    if packets == USUAL_PACKETS:
        shuffle(seed, number, DOMAIN_PACK, pack, 24)  # the last seat gets what is left, in whatever order
        return
    shuffle(seed, number, DOMAIN_PACK, pack, 31)
    as_stacked = np.empty(32, dtype=np.int64)
    _deal_places(USUAL_PACKETS, as_stacked)
    as_dealt = np.empty(32, dtype=np.int64)
    _deal_places(packets, as_dealt)
    dealt = np.empty(32, dtype=np.int64)
    for i in range(32):
        dealt[as_dealt[i]] = pack[as_stacked[i]]
    pack[:] = dealt


@jit
def _deal_places(packets: int, places: np.ndarray) -> None:
    """Where each card from the top of the pack goes: 8 * seat in order of dealing + place in the hand, int64 [32]."""
    size = 10
    while size <= packets:
        size *= 10
    card = 0
    held = 0
    while size > 1:
        size //= 10
        packet = packets // size % 10
        for seat in range(4):
            for i in range(packet):
                places[card] = 8 * seat + held + i
                card += 1
        held += packet


@jit
def lay_stock(seed: int, number: int, jokers: int, clubs_first: bool, stock: np.ndarray) -> None:
    """R2.2, R2.10, R2.11: write the pile of low cards and jokers into `stock` int64 [24], as suits and JOKER, in the
    first deal of a match under a card of clubs."""
    size = LOW_CARDS + jokers
    pile = np.arange(size)
    shuffle(seed, number, DOMAIN_STOCK, pile, 16 if jokers == 0 else size - 1)
    top = 0
    if clubs_first:
        stock[0] = CLUBS
        top = 1
    for i in range(size):
        stock[top + i] = pile[i] & 3 if pile[i] < LOW_CARDS else JOKER

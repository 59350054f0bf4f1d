"""R2: how trump and declarer are chosen.

`forehand` (Utrechts): the player left of the dealer names a suit. `stock`: the top card of a pile of low cards is
turned and each player in turn passes or plays on its suit; when all pass, forehand must play on another suit.
"""

from typing import Final

import numpy as np

from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import NO_SUIT

FOREHAND: Final = 0
STOCK: Final = 1

FORCED_TURNED: Final = 0
FORCED_CHOICE: Final = 1

STOCK_CARDS: Final = 20
"""R2.2: the pile holds the 2 to 6 of each suit."""
ALL_SUITS: Final = 0b1111


@jit
def forehand(dealer: int) -> int:
    """R2.1: the player left of the dealer, who speaks first and always leads to the first trick."""
    return (dealer + 1) & 3


@jit
def speaker(dealer: int, spoken: int) -> int:
    """R2.3: the seat that speaks after `spoken` calls; forehand begins and the turn goes clockwise."""
    return (dealer + 1 + spoken) & 3


@jit
def next_turned(stock: np.ndarray, drawn: int, passed_suits: int) -> int:
    """R2.4: the place in the pile of the next card whose suit nobody has passed on, or -1 if there is none.

    `stock` int64 [20] holds suits, `drawn` cards of it have been turned, `passed_suits` is a set of suits.
    """
    for place in range(drawn, len(stock)):
        if (passed_suits >> stock[place]) & 1 == 0 and stock[place] != NO_SUIT:
            return place
    return -1


@jit
def nameable_suits(passed_suits: int) -> int:
    """R2.5: the suits that the chooser may name, as a set: not one that everybody has passed on."""
    return ALL_SUITS & ~passed_suits

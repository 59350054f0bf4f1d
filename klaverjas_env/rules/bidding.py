"""R2: how trump and declarer are chosen.

`forehand` (Utrechts): the player left of the dealer names a suit. `stock`: the top card of a pile of low cards is
turned and each player in turn passes or plays on its suit, for one or more rounds. `free`: each in turn passes or names
a suit. When all pass, somebody is forced or the cards are dealt again.
"""

from typing import Any, Final

import numpy as np

from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import NO_SUIT, ranks_of

FOREHAND: Final = 0
STOCK: Final = 1
FREE: Final = 2

FORCED_TURNED: Final = 0
FORCED_CHOICE: Final = 1
REDEAL_ALL_PASS: Final = 2

DEALER_FIRST: Final = 1
"""`first_bidder` in which the dealer speaks first."""
LAST_FORCED: Final = 1
"""`forced_seat` in which the last speaker may not pass."""

JOKER: Final = 4
"""R2.11: stands for a suit in the pile: the first speaker must name one."""
LOW_CARDS: Final = 20
"""R2.2: the pile holds the 2 to 6 of each suit."""
STOCK_CARDS: Final = 24
"""Room for the pile: the low cards, up to three jokers, and the clubs of a first deal."""
ALL_SUITS: Final = 0b1111


@jit
def forehand(dealer: int) -> int:
    """R2.1: the player left of the dealer, who always leads to the first trick."""
    return (dealer + 1) & 3


@jit
def first_speaker(dealer: int, rules: Any) -> int:
    """R2.3: who speaks first: forehand, or the dealer where the house lets trump go round from there."""
    if rules.first_bidder == DEALER_FIRST and rules.trump_mode != FOREHAND:
        return dealer
    return (dealer + 1) & 3


@jit
def speaker(dealer: int, spoken: int, rules: Any) -> int:
    """R2.3: the seat that speaks after `spoken` calls; the turn goes clockwise."""
    return (first_speaker(dealer, rules) + spoken) & 3


@jit
def may_not_pass(spoken: int, rules: Any) -> bool:
    """R2.9: whether the speaker after `spoken` calls is the last one of all and may not pass."""
    rounds = rules.stock_rounds if rules.trump_mode == STOCK else 1
    return bool(rules.forced_seat == LAST_FORCED and spoken == 4 * rounds - 1)


@jit
def next_turned(stock: np.ndarray, drawn: int, passed_suits: int, rules: Any) -> int:
    """R2.4, R2.7: the place in the pile of the card that is turned next, or -1 if the pile does not show it.

    `stock` int64 [24] holds suits, JOKER, or -1 where nothing is known; `drawn` cards of it have been turned. Suits of
    the set `passed_suits` are passed over where the house says so and another suit is left.
    """
    skip = rules.stock_skip_passed != 0 and passed_suits != ALL_SUITS
    for place in range(drawn, len(stock)):
        if stock[place] == NO_SUIT:
            return -1
        if not skip or (passed_suits >> stock[place]) & 1 == 0:
            return place
    return -1


@jit
def nameable_suits(hand: int, passed_suits: int, rules: Any) -> int:
    """R2.5, R2.12: the suits that the holder of `hand` may name, as a set.

    Not one that everybody has passed on, nor, where the house says so, one that the hand lacks; a condition that would
    leave nothing is dropped, the last first.
    """
    suits = ALL_SUITS
    if rules.choice_excludes_passed != 0 and passed_suits != ALL_SUITS:
        suits &= ~passed_suits
    if rules.must_hold_trump == 0:
        return suits
    held = 0
    for suit in range(4):
        if (suits >> suit) & 1 and ranks_of(hand, suit) != 0:
            held |= 1 << suit
    return held if held != 0 else suits

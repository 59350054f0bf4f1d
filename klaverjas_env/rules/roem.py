"""R5: roem, the bonus for runs, stuk and four of a kind among the four cards of one trick."""

from typing import Any

import numpy as np

from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import JACK

CLAIMS = np.array((0, 20, 40, 50, 70, 100, 200), dtype=np.int64)
"""R5.5: what may be claimed, in the order of the action layout."""
DECLARE = 1
"""`roem_mode` under which roem has to be claimed."""
FALSE_TO_OPPONENTS = 0

_STUK_RANKS = 0b01100000
"""King and queen."""
_RANKS_FROM_TEN = 0b11111000
_EVERY_SUIT_UP_TO_QUEEN = 0x3F3F3F3F
"""Ranks at which a run of three can begin, in every suit."""
_EVERY_SUIT_UP_TO_JACK = 0x1F1F1F1F
"""Ranks at which a run of four can begin, in every suit."""

FOUR_KIND_ALL = 0
FOUR_KIND_FROM_TEN = 1
FOUR_KIND_NONE = 2


@jit
def run_roem(cards: int, rules: Any) -> int:
    """R5.1: three or four cards of one suit in natural order 7 8 9 10 J Q K A; a run of four does not also count as
    three. `cards` is the set of at most four cards of a trick."""
    three = cards & (cards >> 1) & (cards >> 2) & _EVERY_SUIT_UP_TO_QUEEN
    if three == 0:
        return 0
    four = three & (cards >> 3) & _EVERY_SUIT_UP_TO_JACK
    return int(rules.run4 if four != 0 else rules.run3)


@jit
def stuk_roem(cards: int, trump: int, rules: Any) -> int:
    """R5.2: king and queen of trump in one trick, whoever played them (stuk)."""
    return int(rules.stuk) if (cards >> (8 * trump)) & _STUK_RANKS == _STUK_RANKS else 0


@jit
def four_kind_roem(cards: int, rules: Any) -> int:
    """R5.3: four cards of one rank; jacks have their own price, and a house may count only ten and higher, or none."""
    ranks = cards & (cards >> 8) & (cards >> 16) & (cards >> 24) & 0xFF
    if ranks == 0 or rules.four_kind_ranks == FOUR_KIND_NONE:
        return 0
    if rules.four_kind_ranks == FOUR_KIND_FROM_TEN and ranks & _RANKS_FROM_TEN == 0:
        return 0
    return int(rules.four_jacks if ranks == 1 << JACK else rules.four_others)


@jit
def trick_roem(cards: int, trump: int, rules: Any) -> int:
    """R5.4: all roem of a trick, added up: a run of four with stuk in it is worth 50 + 20. `cards` is a set."""
    return run_roem(cards, rules) + stuk_roem(cards, trump, rules) + four_kind_roem(cards, rules)


@jit
def claimed_roem(claim: int, cards: int, trump: int, rules: Any) -> tuple[int, int]:
    """R5.5 to R5.7: (roem for the side that won the trick and claims `claim` points, roem for the other side).

    A claim is true when it names all roem of the trick, all but its stuk, or its stuk alone. What is not claimed does
    not count, except stuk where the house says that it always does.
    """
    stuk = stuk_roem(cards, trump, rules)
    other = run_roem(cards, rules) + four_kind_roem(cards, rules)
    free_stuk = stuk if rules.stuk_always != 0 else 0
    if claim == 0:
        return free_stuk, 0
    if claim == other + stuk:
        return claim, 0
    if claim == other:
        return claim + free_stuk, 0
    if claim == stuk:
        return claim, 0
    return free_stuk, claim if rules.false_roem == FALSE_TO_OPPONENTS else 0

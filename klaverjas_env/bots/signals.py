"""Signals (seinen): what a card thrown away says to the partner, and which card says what is true.

A player that is void of the led suit and throws a side card on a trick that is settled says something about that
card's suit. Sending and reading both ask `says`, under one of the conventions `SIGNALS`:

- `low_is_come`: 7, 8 or 9 = come, I hold the top; jack, queen or king = not here (afseinen).
- `high_is_come`, the reverse: 9 or higher = come; 7 or 8 = not here.

In both an ace says that the next card is held too (ace from ace-ten), and a ten before its ace that the ace is not.
Only what all have seen decides whether a card is a signal, so that sender and reader never disagree about that.
"""

from typing import Any, Final

import numpy as np

from klaverjas_env.game import played_set
from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import ACE, SUIT_MASK, TEN, higher_cards
from klaverjas_env.rules.trick import winning_place
from klaverjas_env.view import player_of, unseen_cards

SIGNALS: Final = ("none", "low_is_come", "high_is_come")
"""The conventions by name; jitted code knows them by their place."""
NO_SIGNALS: Final = 0

UNSAID: Final = 0
"""The card says nothing."""
COME: Final = 1
"""Whoever threw the card still holds the top of its suit: lead it to me."""
NOT_HERE: Final = 2
"""Whoever threw the card does not hold the top of its suit (afseinen)."""

_SAYS: Final = np.array(
    [
        #  7         8         9       T         J         Q         K         A
        [UNSAID, UNSAID, UNSAID, UNSAID, UNSAID, UNSAID, UNSAID, UNSAID],
        [COME, COME, COME, NOT_HERE, NOT_HERE, NOT_HERE, NOT_HERE, COME],
        [NOT_HERE, NOT_HERE, COME, COME, COME, COME, COME, COME],
    ],
    dtype=np.int64,
)
"""What a card says by [convention, rank], but for a ten before its ace."""


@jit
def says(card: int, gone: int, signals: int) -> int:
    """What the discard `card` says of its suit when the cards `gone` were played before it."""
    suit = card >> 3
    if signals != NO_SIGNALS and card & 7 == TEN and (gone >> (8 * suit + ACE)) & 1 == 0:
        return NOT_HERE
    return int(_SAYS[signals, card & 7])


@jit
def is_signal(view: Any, play: int, card: int) -> bool:
    """Whether `card`, played as the `play`-th of the deal, is a side card thrown away on a settled trick.

    Settled: nobody still to play can turn it, but for a ruff. The thrower is void of the led suit, so that all know as
    well as it does which cards of that suit are still out.
    """
    first = play & ~3
    led = view.plays[first] >> 3
    if play == first or card >> 3 == led or card >> 3 == view.trump:
        return False
    on_table = play - first
    place = winning_place(view.plays, first, on_table, view.trump)
    if on_table == 3 or (on_table == 2 and place == 1):
        return True
    return higher_cards(view.plays[first + place], view.trump) & ~played_set(view, 0, play) == 0


@jit
def true_signals(view: Any, cards: int, signals: int) -> int:
    """The discards among `cards` that say the best true thing, as a set: come to the strongest suit of the hand, else
    not here; empty when nothing true can be said or the trick is not settled."""
    hand = view.hands[view.to_act]
    unseen = unseen_cards(view, view.to_act)
    gone = played_set(view, 0, view.n_plays)
    best = 0
    most = 0
    for card in range(32):
        if (cards >> card) & 1 == 0 or not is_signal(view, view.n_plays, card):
            continue
        told = says(card, gone, signals)
        comes = tops(hand & ~(1 << card), card >> 3, unseen) > 0
        if told == UNSAID or (told == COME) != comes:
            continue
        # "Not here" ranks below any suit to come to.
        strength = 1 + tops(hand, card >> 3, unseen) if comes else 1
        if strength > most:
            best = 0
            most = strength
        if strength == most:
            best |= 1 << card
    return best


@jit
def read_signals(view: Any, signals: int) -> tuple[int, int]:
    """What the partner of the seat to act last said of the suits not led since: all cards of the suits to come to, and
    of those that are not there, as two sets."""
    come = 0
    not_here = 0
    gone = 0
    partner = view.to_act ^ 2
    for play in range(view.n_plays):
        card = view.plays[play]
        suit = SUIT_MASK << (8 * (card >> 3))
        if play & 3 == 0 or (player_of(view, play) == partner and is_signal(view, play, card)):
            told = UNSAID if play & 3 == 0 else says(card, gone, signals)
            come = come | suit if told == COME else come & ~suit
            not_here = not_here | suit if told == NOT_HERE else not_here & ~suit
        gone |= 1 << card
    return come, not_here


@jit
def tops(cards: int, suit: int, unseen: int) -> int:
    """How many cards of a side suit no unseen card can beat."""
    held = 0
    for card in range(8 * suit, 8 * suit + 8):
        if (cards >> card) & 1 and higher_cards(card, -1) & unseen == 0:
            held += 1
    return held

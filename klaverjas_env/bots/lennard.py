"""The rule player of a published thesis, the yardstick of the literature, with its weaknesses kept.

Aaldering 2023 measured learned Klaverjas players against it. It never counts trumps, roem or nat; its third seat dumps
its lowest card whenever it can follow; a winner is known by rank alone. Cards are looked through suit by suit, rank by
rank. "Outstanding" counts finished tricks only, so the cards of this trick and of the own hand still count.
"""

from typing import Any, Final

import numpy as np

from klaverjas_env.bots.bot import Bot
from klaverjas_env.game import CLAIM, CLAIMING, NAME, PASS, PLAY, PLAYING, card_duty, legal, played_set, turned_suit
from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import (
    ACE,
    CARD_POINTS,
    HIGHER,
    NO_CARD,
    STRENGTH,
    SUIT_MASK,
    points_of,
    ranks_of,
)
from klaverjas_env.rules.roem import CLAIMS, trick_roem
from klaverjas_env.rules.trick import winning_place

CARD_BONUS: Final = 5
"""What each trump is worth above its points when a suit is weighed as trump."""
ACE_BONUS: Final = 11
"""What each side ace is worth when a turned suit is weighed."""
PLAY_FROM: Final = 55
"""The weight from which a turned suit is played."""


class LennardBot(Bot):
    """The rule player as a bot."""

    name = "lennard"

    def act_many(self, views: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), dtype=np.int64)
        _act_many(views, actions)
        return actions


@jit
def _act_many(views: np.ndarray, actions: np.ndarray) -> None:
    for i in range(len(views)):
        view = views[i]
        if view.phase == PLAYING:
            actions[i] = choose_card(view)
        elif view.phase == CLAIMING:
            actions[i] = claim_all(view)
        else:
            actions[i] = choose_trump(view)


# --- trump -----------------------------------------------------------------------------------------------------------


@jit
def choose_trump(view: Any) -> int:
    """Play on the turned suit, or name the heaviest one; pass, where that is allowed, when it is too light."""
    hand = view.hands[view.to_act]
    actions = legal(view)
    if (actions >> PLAY) & 1:
        suit = turned_suit(view)
        choice = PLAY
    else:
        suit = -1
        for other in range(4):
            if (actions >> (NAME + other)) & 1 and (suit < 0 or weight(hand, other) > weight(hand, suit)):
                suit = other
        choice = NAME + suit
    may_pass = (actions >> PASS) & 1
    return PASS if may_pass and weight(hand, suit) + ACE_BONUS * side_aces(hand, suit) < PLAY_FROM else choice


@jit
def weight(hand: int, suit: int) -> int:
    """The worth of a suit as trump: the sum over its cards of trump points and five."""
    ranks = ranks_of(hand, suit)
    total = 0
    for rank in range(8):
        if (ranks >> rank) & 1:
            total += CARD_POINTS[1, rank] + CARD_BONUS
    return int(total)


@jit
def side_aces(hand: int, trump: int) -> int:
    """How many aces of other suits the hand holds."""
    aces = 0
    for suit in range(4):
        if suit != trump:
            aces += (ranks_of(hand, suit) >> ACE) & 1
    return int(aces)


@jit
def claim_all(view: Any) -> int:
    """Claim all roem of the trick just won, or none where no claim says so much."""
    roem = trick_roem(played_set(view, view.n_plays - 4, view.n_plays), view.trump, view.rules)
    for place in range(len(CLAIMS)):
        if CLAIMS[place] == roem:
            return CLAIM + place
    return CLAIM


# --- cards -----------------------------------------------------------------------------------------------------------


@jit
def choose_card(view: Any) -> int:
    """The card of the rule for this place in the trick, never against R3."""
    cards = card_duty(view)[1]
    first = view.n_plays & ~3
    place = view.n_plays - first
    gone = played_set(view, 0, first)
    if place == 0:
        return lead(cards, gone, view.trump)
    led_card = view.plays[first]
    if place == 1:
        return second(cards, led_card, gone, view.trump)
    if place == 2:
        return third(cards, led_card, gone, view.trump)
    winner = winning_place(view.plays, first, 3, view.trump)
    return fourth(cards, view.plays[first + winner], winner == 1, view.trump)


@jit
def lead(cards: int, gone: int, trump: int) -> int:
    """The first card that is the highest outstanding of its suit, else the lowest in points."""
    for card in range(32):
        if (cards >> card) & 1 and is_highest(card, gone, trump):
            return card
    return lowest(cards, trump)


@jit
def second(cards: int, led_card: int, gone: int, trump: int) -> int:
    """A card whose rank is the highest outstanding rank of the led suit, else the lowest in points."""
    led = led_card >> 3
    for card in range(32):
        if (cards >> card) & 1 and is_highest(8 * led + (card & 7), gone, trump):
            return card
    return lowest(cards, trump)


@jit
def third(cards: int, led_card: int, gone: int, trump: int) -> int:
    """The lowest in points when following; else points for a partner who led a winner; else as the second seat."""
    if cards & (SUIT_MASK << (8 * (led_card >> 3))) != 0:
        return lowest(cards, trump)
    if is_highest(led_card, gone, trump):
        return richest(cards, trump)
    return second(cards, led_card, gone, trump)


@jit
def fourth(cards: int, best_card: int, partner_wins: bool, trump: int) -> int:
    """Points for a winning partner; else the first card stronger than the best one on the table, else the lowest.

    Plain cards are compared by rank whatever their suit, so that it also throws away side aces.
    """
    if partner_wins:
        return richest(cards, trump)
    for card in range(32):
        if (cards >> card) & 1 and _strength(card, trump) > _strength(best_card, trump):
            return card
    return lowest(cards, trump)


@jit
def is_highest(card: int, gone: int, trump: int) -> bool:
    """Whether `card` is the strongest of its suit among the cards that are not `gone`."""
    suit = card >> 3
    left = ~ranks_of(gone, suit) & SUIT_MASK
    return bool((left >> (card & 7)) & 1 and HIGHER[int(suit == trump), card & 7] & left == 0)


@jit
def lowest(cards: int, trump: int) -> int:
    """The first card with the fewest points."""
    best = NO_CARD
    for card in range(32):
        if (cards >> card) & 1 and (best < 0 or points_of(card, trump) < points_of(best, trump)):
            best = card
    return best


@jit
def richest(cards: int, trump: int) -> int:
    """The first card with the most points."""
    best = NO_CARD
    for card in range(32):
        if (cards >> card) & 1 and (best < 0 or points_of(card, trump) > points_of(best, trump)):
            best = card
    return best


@jit
def _strength(card: int, trump: int) -> int:
    """Trumps above plain cards, plain cards by rank whatever their suit."""
    is_trump = int(card >> 3 == trump)
    return int(8 * is_trump + STRENGTH[is_trump, card & 7])

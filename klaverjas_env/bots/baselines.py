"""The two plainest opponents: one that plays at random and one that looks no further than the trick on the table."""

from typing import Any, Final

import numpy as np

from klaverjas_env.bots.bot import Bot, decision_number
from klaverjas_env.bots.lennard import choose_trump, claim_all, lowest
from klaverjas_env.bots.signals import NO_SIGNALS, SIGNALS, read_signals, true_signals
from klaverjas_env.game import CLAIMING, PLAYING, card_duty, legal, played_set
from klaverjas_env.jit import jit
from klaverjas_env.rng import draw
from klaverjas_env.rules.cards import NO_CARD, count, higher_cards, points_of
from klaverjas_env.rules.roem import trick_roem
from klaverjas_env.rules.trick import beats, winning_place
from klaverjas_env.view import unseen_cards

DOMAIN_RANDOM_BOT: Final = 256
"""Draws of `random`; far from the domains in which deals are drawn."""

_TAKEN: Final = 10_000
"""Above any points and roem of a trick."""

_SIGNAL_PRICE: Final = 2
"""The points that `greedy` gives up at most to signal: a jack, no queen. Of 0, 2, 3 and 4 two measured best; at 4
signals no longer gained anything."""


class RandomBot(Bot):
    """Plays a uniformly random legal action.

    The draw depends on the seed and on what the seat sees, not on the calls before it: results are the same whatever
    the size and order of batches, and the same question gets the same answer.
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        if not 0 <= seed < 2**63:
            raise ValueError(f"seed={seed}: a seed is a whole number from 0 to 2^63 - 1")
        self.seed = seed

    def act_many(self, views: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), dtype=np.int64)
        _random_actions(views, self.seed, actions)
        return actions


class GreedyBot(Bot):
    """Chooses trump as `lennard` does, takes a trick with the cheapest card that nobody still to play can beat in its
    suit, gives points and roem to a partner who wins as safely, and otherwise throws as little as it can.

    With `signals` (one of `SIGNALS`) it also tells its partner by what it throws away where its top cards are, and
    leads where its partner told it to when it has no sure winner of its own.
    """

    def __init__(self, signals: str = SIGNALS[NO_SIGNALS]) -> None:
        if signals not in SIGNALS:
            raise ValueError(f"signals={signals!r} is not one of {', '.join(SIGNALS)}")
        self.signals = signals
        self.name = "greedy" if signals == SIGNALS[NO_SIGNALS] else f"greedy:{signals}"

    def act_many(self, views: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), dtype=np.int64)
        _greedy_actions(views, SIGNALS.index(self.signals), actions)
        return actions


# --- random ----------------------------------------------------------------------------------------------------------


@jit
def _random_actions(views: np.ndarray, seed: int, actions: np.ndarray) -> None:
    for i in range(len(views)):
        actions[i] = random_action(views[i], seed)


@jit
def random_action(view: Any, seed: int) -> int:
    """A legal action drawn from the seed and the decision; -1 where the deal is over and none is legal."""
    options = legal(view)
    if options == 0:
        return -1
    bound = count(options & 0xFFFFFFFF) + count(options >> 32)
    left = draw(seed, decision_number(view, view.to_act), DOMAIN_RANDOM_BOT, bound)
    action = 0
    while (options >> action) & 1 == 0 or left > 0:
        left -= (options >> action) & 1
        action += 1
    return action


# --- greedy ----------------------------------------------------------------------------------------------------------


@jit
def _greedy_actions(views: np.ndarray, signals: int, actions: np.ndarray) -> None:
    for i in range(len(views)):
        view = views[i]
        if view.phase == CLAIMING:
            actions[i] = claim_all(view)
        elif view.phase != PLAYING:
            actions[i] = choose_trump(view)
        elif view.n_plays & 3 == 0:
            actions[i] = greedy_lead(view, signals)
        else:
            actions[i] = greedy_follow(view, signals)


@jit
def greedy_lead(view: Any, signals: int) -> int:
    """The card of most points that no unseen card of its suit can beat, else the one of fewest points: of the suits to
    which the partner called, else of those that it did not sign off."""
    cards = card_duty(view)[1]
    unseen = unseen_cards(view, view.to_act)
    best = NO_CARD
    for card in range(32):
        if (cards >> card) & 1 == 0 or higher_cards(card, view.trump) & unseen != 0:
            continue
        if best == NO_CARD or points_of(card, view.trump) > points_of(best, view.trump):
            best = card
    if best != NO_CARD:
        return best
    if signals != NO_SIGNALS:
        come, not_here = read_signals(view, signals)
        for wanted in (cards & come, cards & ~not_here):
            if wanted != 0:
                return lowest(wanted, view.trump)
    return lowest(cards, view.trump)


@jit
def greedy_follow(view: Any, signals: int) -> int:
    """The card that is worth most to its side in this trick, or a signal that costs little."""
    cards = card_duty(view)[1]
    best = _most_worth(view, cards)
    if signals == NO_SIGNALS:
        return best
    least = _worth(view, best) - _SIGNAL_PRICE
    cheap = 0
    for card in range(32):
        if (cards >> card) & 1 and _worth(view, card) >= least:
            cheap |= 1 << card
    telling = true_signals(view, cheap, signals)
    return best if telling == 0 else _most_worth(view, telling)


@jit
def _most_worth(view: Any, cards: int) -> int:
    """The card of the set that is worth most to its side in this trick; the first of equals."""
    best = NO_CARD
    most = 0
    for card in range(32):
        if (cards >> card) & 1:
            worth = _worth(view, card)
            if best == NO_CARD or worth > most:
                best = card
                most = worth
    return best


@jit
def _worth(view: Any, card: int) -> int:
    """What a card does for its side in this trick, in points.

    A trick that it takes for sure comes before all else, with the most roem and then the cheapest card; what a partner
    wins for sure is worth what is added to it; all else is thrown away.
    """
    first = view.n_plays & ~3
    on_table = view.n_plays - first
    place = winning_place(view.plays, first, on_table, view.trump)
    partner_wins = on_table - place == 2
    takes = beats(card, view.plays[first + place], view.trump)
    winner = card if takes else view.plays[first + place]
    to_come = 0 if on_table == 3 else unseen_cards(view, view.to_act)
    safe = higher_cards(winner, view.trump) & to_come == 0
    roem = _roem_with(view, card)
    points = points_of(card, view.trump)
    if safe and partner_wins:
        return points + roem
    if safe and takes:
        return _TAKEN + roem - points
    return -points - roem


@jit
def _roem_with(view: Any, card: int) -> int:
    """The roem of the trick on the table with `card` added."""
    cards = 1 << card | played_set(view, view.n_plays & ~3, view.n_plays)
    return trick_roem(cards, view.trump, view.rules)

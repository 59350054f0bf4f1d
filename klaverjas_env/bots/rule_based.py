"""The rule player `rule`: counts cards, weighs the chance of a trick against what a card is worth kept, and chooses
trump by the traits of its hand.

It looks at one trick at a time. For every card that it may play it asks: how likely does our side take this trick,
what lies in it, what roem is in it or may come, does it settle the deal, and what is lost with the card. What each of
these weighs stands in `PRICES`. Where the unseen cards are it knows by counting, by who could not follow (`ruled_out`),
and by what a sensible player would rather have played.
"""

from typing import Any, Final

import numpy as np

from klaverjas_env.bots.bot import Bot
from klaverjas_env.bots.rule_tables import (
    BARE_TEN,
    DECLARER_TRUMPS,
    DRAW,
    DRAW_PARTNER,
    LAST_TRUMP,
    LATER,
    LEADING,
    OTHERS,
    OVERRUFFS,
    OWN_LENGTH,
    PIT_ALIVE,
    ROEM_MADE,
    ROEM_TO_COME,
    SETTLES,
    SIDE_KEPT,
    TEN_KEPT,
    TRUMP_KEPT,
    UNLIKELY,
    UNSEEN_LENGTH,
    VOID,
    Tables,
)
from klaverjas_env.bots.rule_trump import choose_trump
from klaverjas_env.game import CLAIM, CLAIMING, PLAYING, card_duty, played_set
from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import (
    ACE,
    ALL_CARDS,
    NO_CARD,
    TEN,
    cards_of,
    count,
    higher_cards,
    lowest_bit,
    points_of,
    ranks_of,
)
from klaverjas_env.rules.roem import CLAIMS, trick_roem
from klaverjas_env.rules.scoring import DEAL_POINTS, TRICKS, is_nat
from klaverjas_env.rules.trick import beats, trick_points, winning_place
from klaverjas_env.view import player_of, unseen_cards

_WITH_POINTS: Final = 0b11111000 * 0x01010101
"""Ten to ace of every suit."""


class RuleBot(Bot):
    """The rule player, with its own tables or with others."""

    name = "rule"

    def __init__(self, tables: Tables | None = None) -> None:
        self.tables = Tables() if tables is None else tables

    def act_many(self, views: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), dtype=np.int64)
        _act_many(views, self.tables, actions)
        return actions


@jit
def _act_many(views: np.ndarray, tables: Tables, actions: np.ndarray) -> None:
    for i in range(len(views)):
        actions[i] = choose(views[i], tables)


@jit
def choose(view: Any, tables: Tables) -> int:
    """The action of the seat to act."""
    if view.phase == PLAYING:
        return choose_card(view, tables)
    if view.phase == CLAIMING:
        return claim(view)
    return choose_trump(view, tables)


# --- roem ------------------------------------------------------------------------------------------------------------


@jit
def claim(view: Any) -> int:
    """Claim all roem of the trick just won; none where no claim says so much, or where it would go to the opponents
    because the own side is nat whatever comes (R5.5)."""
    roem = trick_roem(played_set(view, view.n_plays - 4, view.n_plays), view.trump, view.rules)
    for place in range(len(CLAIMS)):
        if CLAIMS[place] == roem and not surely_nat(view, roem):
            return CLAIM + place
    return CLAIM


@jit
def surely_nat(view: Any, roem: int) -> bool:
    """Whether the side to act plays and is nat even with `roem` now, all tricks to come, and the most roem in them."""
    team = view.to_act & 1
    if view.declarer & 1 != team:
        return False
    most = view.points[team] + view.roem[team] + roem
    most += DEAL_POINTS + view.rules.last_trick - view.points[0] - view.points[1]
    to_come = ALL_CARDS & ~played_set(view, 0, view.n_plays)
    most += (TRICKS - (view.n_plays >> 2)) * trick_roem(to_come, view.trump, view.rules)
    return is_nat(most, view.points[1 - team] + view.roem[1 - team], view.rules)


# --- cards -----------------------------------------------------------------------------------------------------------


@jit
def choose_card(view: Any, tables: Tables) -> int:
    """The card that is worth most; the first of equals."""
    cards = card_duty(view)[1]
    chances = where_cards_are(view, tables.beliefs)
    prices = tables.prices[:, context(view)]
    best = NO_CARD
    most = 0.0
    while cards != 0:
        card = lowest_bit(cards)
        cards &= cards - 1
        worth = worth_of(view, chances, card, prices, tables.beliefs)
        if best == NO_CARD or worth > most:
            best = card
            most = worth
    return best


@jit
def context(view: Any) -> int:
    """The column of `PRICES`: leading or not, as a defender, the declarer or its partner."""
    role = 0
    if view.to_act == view.declarer:
        role = 1
    elif view.to_act == view.declarer ^ 2:
        role = 2
    return role if view.n_plays & 3 == 0 else 3 + role


@jit
def worth_of(view: Any, chances: np.ndarray, card: int, prices: np.ndarray, beliefs: np.ndarray) -> float:
    """What playing `card` is worth to its side, in points."""
    first = view.n_plays & ~3
    on_table = view.n_plays - first
    ours, mine = win_chances(view, chances, card, beliefs[OVERRUFFS])
    roem, more_roem = roem_with(view, chances, card)
    sure = points_of(card, view.trump) + trick_points(view.plays, first, on_table, view.trump) + roem
    to_come = prices[OTHERS] * (3 - on_table) + prices[ROEM_TO_COME] * beliefs[ROEM_MADE] * more_roem
    worth = (2.0 * ours - 1.0) * (sure + to_come) + prices[LEADING] * mine + stakes(view, sure, ours, prices)
    if on_table == 0:
        worth += worth_of_suit(view, chances, card >> 3, prices)
    return float(worth - worth_kept(view, chances, card, prices, beliefs[LATER]))


@jit
def stakes(view: Any, sure: int, ours: float, prices: np.ndarray) -> float:
    """What hangs on the trick beside its `sure` points: whether one side has most of the deal with them, and pit."""
    team = view.to_act & 1
    half = (DEAL_POINTS + view.rules.last_trick + view.roem[0] + view.roem[1]) / 2
    own = view.points[team] + view.roem[team]
    their = view.points[1 - team] + view.roem[1 - team]
    worth = 0.0
    if own <= half < own + sure:
        worth += prices[SETTLES] * ours
    if their <= half < their + sure:
        worth -= prices[SETTLES] * (1.0 - ours)
    if view.n_plays >= 16 and (view.tricks[0] == 0 or view.tricks[1] == 0):
        worth += prices[PIT_ALIVE] * (2.0 * ours - 1.0)
    return float(worth)


@jit
def worth_of_suit(view: Any, chances: np.ndarray, suit: int, prices: np.ndarray) -> float:
    """Leading: trump draws the trumps of both sides, and a short side suit is a chance to ruff."""
    unseen = cards_of(unseen_cards(view, view.to_act), suit)
    if suit == view.trump:
        partner = expected(chances, view.to_act ^ 2, unseen)
        return float(prices[DRAW] * with_opponents(view, chances, unseen) - prices[DRAW_PARTNER] * partner)
    own = count(ranks_of(view.hands[view.to_act], suit)) - 1
    return float(prices[UNSEEN_LENGTH] * count(unseen) + prices[OWN_LENGTH] * own)


@jit
def worth_kept(view: Any, chances: np.ndarray, card: int, prices: np.ndarray, later: float) -> float:
    """What a card would be worth in later tricks; a boss card most."""
    hand = view.hands[view.to_act]
    unseen = unseen_cards(view, view.to_act)
    suit = card >> 3
    higher = min(count(higher_cards(card, view.trump) & unseen), 3)
    growth = 1.0 + later * (view.n_plays >> 2) / (TRICKS - 1)
    if suit == view.trump:
        drawn = with_opponents(view, chances, cards_of(unseen, suit)) < 0.5
        return float(growth * prices[TRUMP_KEPT + higher] + (prices[LAST_TRUMP] if drawn else 0.0))
    worth = growth * prices[SIDE_KEPT + higher]
    rest = cards_of(hand, suit) & ~(1 << card)
    if card & 7 == TEN and higher > 0:
        worth += prices[TEN_KEPT]
    if rest == 0 and cards_of(hand, view.trump) != 0:
        worth -= prices[VOID]
    if rest == 1 << (8 * suit + TEN) and (unseen >> (8 * suit + ACE)) & 1:
        worth += prices[BARE_TEN]
    return float(worth)


@jit
def roem_with(view: Any, chances: np.ndarray, card: int) -> tuple[int, float]:
    """(roem on the table with `card`, roem that each held card of the led suit would add, by the chance of it)."""
    first = view.n_plays & ~3
    on_table = view.n_plays - first
    cards = 1 << card | played_set(view, first, view.n_plays)
    roem = trick_roem(cards, view.trump, view.rules)
    led = (view.plays[first] if on_table > 0 else card) >> 3
    more = 0.0
    for other in range(8 * led, 8 * led + 8):
        chance = 0.0
        for step in range(1, 4 - on_table):
            chance += chances[other, (view.to_act + step) & 3]
        if chance > 0.0:
            more += chance * (trick_roem(cards | 1 << other, view.trump, view.rules) - roem)
    return roem, more


@jit
def win_chances(view: Any, chances: np.ndarray, card: int, overruffs: float) -> tuple[float, float]:
    """(chance that our side takes the trick once `card` lies on it, chance that `card` itself does)."""
    first = view.n_plays & ~3
    on_table = view.n_plays - first
    led = view.plays[first] >> 3 if on_table > 0 else card >> 3
    best = card
    ours = mine = 1.0
    if on_table > 0:
        place = winning_place(view.plays, first, on_table, view.trump)
        if not beats(card, view.plays[first + place], view.trump):
            best = view.plays[first + place]
            ours = 1.0 if on_table - place == 2 else 0.0
            mine = 0.0
    if on_table == 3:
        return ours, mine
    left, partner, right = (view.to_act + 1) & 3, view.to_act ^ 2, (view.to_act + 3) & 3
    unseen = unseen_cards(view, view.to_act)
    over = higher_cards(best, view.trump) & unseen
    trumps = over if best >> 3 == view.trump else cards_of(unseen, view.trump)
    if best >> 3 == led:
        # From the strongest card down: the first that somebody still to play holds takes the trick.
        nobody = 1.0
        partners = 0.0
        while over != 0:
            top = strongest(over, view.trump)
            over &= ~(1 << top)
            theirs = chances[top, left] + (chances[top, right] if on_table == 0 else 0.0)
            own = chances[top, partner] if on_table <= 1 else 0.0
            partners += nobody * own
            nobody *= max(0.0, 1.0 - theirs - own)
        ours = partners + nobody * ours
        mine *= nobody
        if led == view.trump:
            return ours, mine
    suit = cards_of(unseen, led)
    theirs = ruff_chance(chances, left, suit, trumps)
    if on_table == 0:
        theirs += (1.0 - theirs) * ruff_chance(chances, right, suit, trumps)
    own = ruff_chance(chances, partner, suit, trumps) if on_table <= 1 else 0.0
    ours = (1.0 - theirs) * (own + (1.0 - own) * ours) + theirs * own * overruffs
    return ours, mine * (1.0 - theirs) * (1.0 - own)


@jit
def strongest(cards: int, trump: int) -> int:
    """The strongest of a set of cards of one suit."""
    best = lowest_bit(cards)
    while higher_cards(best, trump) & cards != 0:
        best = lowest_bit(higher_cards(best, trump) & cards)
    return best


# --- where the cards are ---------------------------------------------------------------------------------------------


@jit
def where_cards_are(view: Any, beliefs: np.ndarray) -> np.ndarray:
    """The chance that each seat holds each unseen card, float64 [32, 4]: what all have seen, then scaled by turns so
    that every seat holds as many as it does and every card lies somewhere."""
    chances = np.zeros((32, 4))
    unseen = unseen_cards(view, view.to_act)
    for step in range(1, 4):
        seat = (view.to_act + step) & 3
        may = view.hands[seat] if view.rules.open_hands != 0 else unseen & ~view.ruled_out[seat]
        unlikely = unlikely_cards(view, seat)
        while may != 0:
            card = lowest_bit(may)
            may &= may - 1
            weight = beliefs[DECLARER_TRUMPS] if seat == view.declarer and card >> 3 == view.trump else 1.0
            chances[card, seat] = weight * beliefs[UNLIKELY] if (unlikely >> card) & 1 else weight
    for _ in range(3):
        _scale_to_hands(view, chances, unseen)
        _scale_to_cards(chances, unseen)
    return chances


@jit
def _scale_to_hands(view: Any, chances: np.ndarray, unseen: int) -> None:
    on_table = view.n_plays & 3
    for step in range(1, 4):
        seat = (view.to_act + step) & 3
        held = TRICKS - (view.n_plays >> 2) - int(step >= 4 - on_table)
        factor = held / max(expected(chances, seat, unseen), 1e-9)
        cards = unseen
        while cards != 0:
            chances[lowest_bit(cards), seat] *= factor
            cards &= cards - 1


@jit
def _scale_to_cards(chances: np.ndarray, unseen: int) -> None:
    while unseen != 0:
        card = lowest_bit(unseen)
        unseen &= unseen - 1
        total = chances[card, 0] + chances[card, 1] + chances[card, 2] + chances[card, 3]
        for seat in range(4):
            chances[card, seat] /= max(total, 1e-9)


@jit
def unlikely_cards(view: Any, seat: int) -> int:
    """The cards that a sensible player would rather have played than what it did play, following to a side suit: a
    cheaper one on a trick of the opponents, a winner in last place, points for a partner who is winning."""
    unlikely = 0
    for play in range(view.n_plays):
        first = play & ~3
        card = view.plays[play]
        led = view.plays[first] >> 3
        if play == first or led == view.trump or card >> 3 != led or player_of(view, play) != seat:
            continue
        place = winning_place(view.plays, first, play - first, view.trump)
        best = view.plays[first + place]
        last = play - first == 3
        if beats(card, best, view.trump):
            continue
        if play - first - place == 2:
            unlikely |= higher_cards(card, view.trump) & _WITH_POINTS if last else 0
            continue
        if points_of(card, view.trump) > 0:
            unlikely |= cards_of(~higher_cards(card, view.trump), led)
        if last and best >> 3 == led:
            unlikely |= higher_cards(best, view.trump)
    return unlikely


@jit
def with_opponents(view: Any, chances: np.ndarray, cards: int) -> float:
    """How many of the cards the opponents are expected to hold."""
    return expected(chances, (view.to_act + 1) & 3, cards) + expected(chances, (view.to_act + 3) & 3, cards)


@jit
def expected(chances: np.ndarray, seat: int, cards: int) -> float:
    """How many of the cards a seat is expected to hold."""
    total = 0.0
    while cards != 0:
        total += chances[lowest_bit(cards), seat]
        cards &= cards - 1
    return total


@jit
def ruff_chance(chances: np.ndarray, seat: int, suit: int, trumps: int) -> float:
    """The chance that a seat has none of the cards `suit` and one of `trumps`."""
    return none_of(chances, seat, suit) * (1.0 - none_of(chances, seat, trumps))


@jit
def none_of(chances: np.ndarray, seat: int, cards: int) -> float:
    """The chance that a seat holds none of the cards, taken one by one."""
    none = 1.0
    while cards != 0:
        none *= 1.0 - chances[lowest_bit(cards), seat]
        cards &= cards - 1
    return none

"""The rule player `rule`: it counts the cards, weighs for each card the chance that its side takes the trick against
what the card is worth kept, and chooses trump by calibrated tables."""

from typing import Any, Final, NamedTuple

import numpy as np

from klaverjas_env.bots.bot import Bot
from klaverjas_env.bots.lennard import claim_all
from klaverjas_env.game import CLAIMING, NAME, PASS, PLAY, PLAYING, card_duty, legal, played_set, turned_suit
from klaverjas_env.jit import jit
from klaverjas_env.rules.bidding import LAST_FORCED, STOCK
from klaverjas_env.rules.cards import (
    ACE,
    JACK,
    NINE,
    NO_CARD,
    TEN,
    cards_of,
    count,
    higher_cards,
    lowest_bit,
    points_of,
    ranks_of,
)
from klaverjas_env.rules.roem import trick_roem
from klaverjas_env.rules.scoring import DEAL_POINTS
from klaverjas_env.rules.trick import beats, trick_points, winning_place
from klaverjas_env.view import player_of, unseen_cards

OTHERS: Final = 0
"""Points that each of those still to play is taken to add to the trick."""
ROEM_TO_COME: Final = 1
"""Each point of roem that those still to play may add."""
LEADING: Final = 2
"""Taking the trick oneself, and so leading to the next."""
SETTLES: Final = 3
"""Taking, or not losing, the trick that settles who has most of the deal."""
PIT_ALIVE: Final = 4
"""A trick of the second half while one side has them all."""
SIDE_KEPT: Final = 5
"""Keeping a side card that 0, 1, 2, or more unseen cards can beat; four numbers."""
TEN_KEPT: Final = 9
"""Keeping a ten that can be beaten."""
TRUMP_KEPT: Final = 10
"""Keeping a trump that 0, 1, 2, or more unseen ones can beat; four numbers."""
VOID: Final = 14
"""Playing the last card of a side suit with trumps left to ruff it."""
BARE_TEN: Final = 15
"""Keeping the last small card beside a ten whose ace is out."""
DRAW: Final = 16
"""Leading trump, for each trump of the opponents."""
DRAW_PARTNER: Final = 17
"""Leading trump, for each trump of the partner."""
UNSEEN_LENGTH: Final = 18
"""Leading a side suit, for each unseen card of it."""
OWN_LENGTH: Final = 19
"""Leading a side suit, for each other card of it in hand."""
LAST_TRUMP: Final = 20
"""Keeping a trump when opponents have none left."""
N_PRICES: Final = 21

TRAITS: Final = (
    "two trumps or fewer",
    "three trumps",
    "four trumps",
    "five trumps",
    "six trumps or more",
    "nine without jack",
    "jack without nine",
    "jack and nine",
    "ace of trump",
    "ten of trump",
    "side ace",
    "card beyond two with a side ace",
    "ten with its ace",
    "ten without its ace, not bare",
    "void",
)
"""What makes a hand strong."""
N_TRAITS: Final = len(TRAITS)
TRAIT_WORTH: Final = np.array([-149, -96, -52, -18, 3, 26, 80, 117, 14, 7, 42, -10, 14, 12, 20.0])
LEAST_STRENGTH: Final = np.zeros((7, 8))

PRICES: Final = np.array(
    [
        [0.3, 0.4, -1.1, 5.1, 0.9, 1.6],  # OTHERS
        [1.7, 2.2, -0.8, 3.7, 1.8, 3.2],  # ROEM_TO_COME
        [4.7, 1.4, 4.9, -0.4, 1.3, 4.3],  # LEADING
        [9.4, 18.6, 0.9, 5.0, 11.3, 12.4],  # SETTLES
        [4.1, 3.2, 8.8, 7.8, 17.4, 6.8],  # PIT_ALIVE
        [2.6, 6.8, -2.9, 16.1, 13.2, 15.0],  # SIDE_KEPT
        [0.6, 3.9, 3.5, 2.3, 2.7, 6.4],  # SIDE_KEPT+1
        [-0.6, 0.3, -0.9, -0.6, -1.0, 2.3],  # SIDE_KEPT+2
        [-1.6, 0.5, 0.8, -1.7, -1.6, -0.1],  # SIDE_KEPT+3
        [4.9, 4.3, 9.4, 8.6, 6.7, 6.0],  # TEN_KEPT
        [22.4, 17.3, 17.0, 30.4, 26.8, 8.7],  # TRUMP_KEPT
        [16.3, 10.7, 4.9, 0.9, 12.8, 5.5],  # TRUMP_KEPT+1
        [0.6, 8.7, 4.0, -0.2, 4.2, 5.6],  # TRUMP_KEPT+2
        [4.2, 2.7, 1.5, 1.8, 3.4, 3.7],  # TRUMP_KEPT+3
        [-2.0, 4.5, 5.3, 7.3, 1.9, 2.3],  # VOID
        [1.2, 3.4, 0.8, 5.2, 4.1, 0.7],  # BARE_TEN
        [3.3, 1.9, -2.2, 2.6, 0.4, 3.0],  # DRAW
        [-3.7, 4.1, 2.3, -0.4, -0.7, -1.1],  # DRAW_PARTNER
        [-4.6, -2.4, -0.5, 2.2, 0.6, -1.2],  # UNSEEN_LENGTH
        [-1.3, 3.6, 1.0, 1.2, -1.3, 2.7],  # OWN_LENGTH
        [-0.5, 2.2, -5.3, 0.2, 1.1, -0.9],  # LAST_TRUMP
    ]
).T.copy()
GLOBALS: Final = np.array([1.75, 0.37, 0.61, 0.44, -0.54])


class Tables(NamedTuple):
    """What the rule player knows by experiment, float64 arrays."""

    traits: np.ndarray
    """Points for each of the `TRAITS` [N_TRAITS]."""
    least: np.ndarray
    """The strength from which to play, by [outcome, calls left]."""
    prices: np.ndarray
    """What card play weighs, in points, by [context, price]."""
    beliefs: np.ndarray


TABLES: Final = Tables(TRAIT_WORTH, LEAST_STRENGTH, PRICES, GLOBALS)


class RuleBot(Bot):
    """The rule player, with its own tables or with others."""

    name = "rule"

    def __init__(self, tables: Tables = TABLES) -> None:
        self.tables = tables

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
        return choose_card(view, tables.prices, tables.beliefs)
    if view.phase == CLAIMING:
        return claim_all(view)
    return choose_trump(view, tables)


# --- trump -----------------------------------------------------------------------------------------------------------


@jit
def choose_trump(view: Any, tables: Tables) -> int:
    """Play on the turned suit, or name the strongest one; pass, where one may, with less than the least strength."""
    hand = view.hands[view.to_act]
    actions = legal(view)
    choice = PLAY
    most = 0.0
    if (actions >> PLAY) & 1:
        most = strength(hand, turned_suit(view), tables)
    else:
        for suit in range(4):
            if (actions >> (NAME + suit)) & 1:
                strong = strength(hand, suit, tables)
                if choice == PLAY or strong > most:
                    choice = NAME + suit
                    most = strong
    may_pass = (actions >> PASS) & 1
    return PASS if may_pass and most < tables.least[outcome(view.rules), calls_left(view)] else choice


@jit
def strength(hand: int, trump: int, tables: Tables) -> float:
    """The score difference to expect from playing with this hand and trump, in points."""
    traits = trump_traits(hand, trump)
    total = 0.0
    for trait in range(N_TRAITS):
        total += tables.traits[trait] * traits[trait]
    return total


@jit
def trump_traits(hand: int, trump: int) -> np.ndarray:
    """How often the hand has each of the `TRAITS` with this trump, int64 [N_TRAITS]."""
    traits = np.zeros(N_TRAITS, dtype=np.int64)
    ranks = ranks_of(hand, trump)
    traits[min(max(count(ranks), 2), 6) - 2] = 1
    honours = (ranks >> NINE & 1) + 2 * (ranks >> JACK & 1)
    if honours > 0:
        traits[4 + honours] = 1
    traits[8] = ranks >> ACE & 1
    traits[9] = ranks >> TEN & 1
    for suit in range(4):
        side = ranks_of(hand, suit)
        if suit == trump:
            continue
        traits[10] += side >> ACE & 1
        traits[11] += max(count(side) - 2, 0) * (side >> ACE & 1)
        traits[12] += side >> ACE & side >> TEN & 1
        traits[13] += int(side >> ACE & 1 == 0 and side >> TEN & 1 == 1 and count(side) > 1)
        traits[14] += int(side == 0)
    return traits


@jit
def outcome(rules: Any) -> int:
    """The row of `LEAST_STRENGTH`: how trump goes round, and what comes when all pass."""
    last = int(rules.forced_seat == LAST_FORCED)
    if rules.trump_mode == STOCK:
        return 3 if last else int(rules.all_pass)
    return 6 if last else 3 + int(rules.all_pass)


@jit
def calls_left(view: Any) -> int:
    """How many may speak after this one before all have passed; of more than seven as many as count, 4 to 7."""
    rounds = view.rules.stock_rounds if view.rules.trump_mode == STOCK else 1
    left = 4 * rounds - 1 - view.n_bids
    return left if left < 8 else 4 + (left & 3)


# --- cards -----------------------------------------------------------------------------------------------------------


@jit
def choose_card(view: Any, prices: np.ndarray, gl: np.ndarray) -> int:
    """The card that is worth most."""
    cards = card_duty(view)[1]
    chances = where_cards_are(view, gl)
    row = prices[context(view)]
    best = NO_CARD
    most = 0.0
    while cards != 0:
        card = lowest_bit(cards)
        cards &= cards - 1
        worth = _worth(view, chances, card, row, gl)
        if best == NO_CARD or worth > most:
            best = card
            most = worth
    return best


@jit
def context(view: Any) -> int:
    """The row of `PRICES`: leading as a defender, the declarer, its partner; then the same three not leading."""
    role = 0
    if view.to_act == view.declarer:
        role = 1
    elif view.to_act == view.declarer ^ 2:
        role = 2
    return role + (3 if view.n_plays & 3 != 0 else 0)


# --- where the cards are ---


@jit
def where_cards_are(view: Any, gl: np.ndarray) -> np.ndarray:
    """The chance that each seat holds each card, float64 [32, 4]."""
    chances = np.zeros((32, 4))
    unseen = unseen_cards(view, view.to_act)
    on_table = view.n_plays & 3
    left = 8 - (view.n_plays >> 2)
    for step in range(1, 4):
        seat = (view.to_act + step) & 3
        may = view.hands[seat] if view.rules.open_hands != 0 else unseen & ~view.ruled_out[seat]
        odd = unlikely_cards(view, seat)
        while may != 0:
            card = lowest_bit(may)
            may &= may - 1
            chance = gl[0] if seat == view.declarer and card >> 3 == view.trump else 1.0
            chances[card, seat] = chance * gl[3] if (odd >> card) & 1 else chance
    for _ in range(3):
        for step in range(1, 4):
            seat = (view.to_act + step) & 3
            held = expected(chances, seat, unseen)
            size = left - int(step >= 4 - on_table)
            cards = unseen
            while cards != 0 and held > 0:
                chances[lowest_bit(cards), seat] *= size / held
                cards &= cards - 1
        cards = unseen
        while cards != 0:
            card = lowest_bit(cards)
            cards &= cards - 1
            total = chances[card, 0] + chances[card, 1] + chances[card, 2] + chances[card, 3]
            for seat in range(4):
                chances[card, seat] /= max(total, 1e-9)
    return chances


@jit
def unlikely_cards(view: Any, seat: int) -> int:
    """The cards that a sensible player would rather have played than what it did play, following to a side suit."""
    unlikely = 0
    for play in range(view.n_plays):
        first = play & ~3
        card = view.plays[play]
        led = view.plays[first] >> 3
        if play == first or led == view.trump or card >> 3 != led or player_of(view, play) != seat:
            continue
        place = winning_place(view.plays, first, play - first, view.trump)
        best = view.plays[first + place]
        if beats(card, best, view.trump):
            continue
        last = play - first == 3
        if play - first - place == 2:
            if last:
                unlikely |= higher_cards(card, view.trump) & 0xF8F8F8F8
        else:
            if points_of(card, view.trump) > 0:
                unlikely |= cards_of(~higher_cards(card, view.trump), led)
            if last and best >> 3 == led:
                unlikely |= higher_cards(best, view.trump)
    return unlikely


@jit
def none_of(chances: np.ndarray, seat: int, cards: int) -> float:
    """The chance that a seat holds none of the cards."""
    none = 1.0
    while cards != 0:
        none *= 1.0 - chances[lowest_bit(cards), seat]
        cards &= cards - 1
    return none


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
    """The chance that a seat has no card of the set `suit` and one of `trumps`."""
    return none_of(chances, seat, suit) * (1.0 - none_of(chances, seat, trumps))


@jit
def win_chances(view: Any, chances: np.ndarray, card: int, gl: np.ndarray) -> tuple[float, float]:
    """(chance that our side takes the trick once `card` lies on it, chance that this card takes it)."""
    first = view.n_plays & ~3
    on_table = view.n_plays - first
    best = card
    partner_best = False
    led = card >> 3
    if on_table > 0:
        led = view.plays[first] >> 3
        place = winning_place(view.plays, first, on_table, view.trump)
        if not beats(card, view.plays[first + place], view.trump):
            best = view.plays[first + place]
            partner_best = on_table - place == 2
    mine = 1.0 if best == card else 0.0
    ours = 1.0 if best == card or partner_best else 0.0
    if on_table == 3:
        return ours, mine
    left = (view.to_act + 1) & 3
    partner = (view.to_act + 2) & 3
    right = (view.to_act + 3) & 3
    unseen = unseen_cards(view, view.to_act)
    over = higher_cards(best, view.trump) & unseen
    trumps = over if best >> 3 == view.trump else cards_of(unseen, view.trump)
    if best >> 3 == led:
        # From the strongest card down: the first that somebody still to play holds takes the trick.
        nobody = 1.0
        got = 0.0
        while over != 0:
            top = strongest(over, view.trump)
            over &= ~(1 << top)
            theirs = chances[top, left] + (chances[top, right] if on_table == 0 else 0.0)
            own = chances[top, partner] if on_table <= 1 else 0.0
            got += nobody * own
            nobody *= max(0.0, 1.0 - theirs - own)
        ours = got + nobody * ours
        mine *= nobody
        if led == view.trump:
            return ours, mine
    suit = cards_of(unseen, led)
    theirs = ruff_chance(chances, left, suit, trumps)
    if on_table == 0:
        theirs += (1.0 - theirs) * ruff_chance(chances, right, suit, trumps)
    own = ruff_chance(chances, partner, suit, trumps) if on_table <= 1 else 0.0
    ours = (1.0 - theirs) * (own + (1.0 - own) * ours) + theirs * own * gl[2]
    return ours, mine * (1.0 - theirs) * (1.0 - own)


@jit
def strongest(cards: int, trump: int) -> int:
    """The strongest of a set of cards of one suit."""
    best = lowest_bit(cards)
    while higher_cards(best, trump) & cards != 0:
        best = lowest_bit(higher_cards(best, trump) & cards)
    return best


@jit
def roem_with(view: Any, chances: np.ndarray, card: int, gl: np.ndarray) -> tuple[float, float]:
    """(roem on the table with card, roem expected on top)."""
    first = view.n_plays & ~3
    on_table = view.n_plays - first
    cards = 1 << card | played_set(view, first, view.n_plays)
    now = trick_roem(cards, view.trump, view.rules)
    more = 0.0
    if on_table == 3:
        return float(now), 0.0
    led = (view.plays[first] if on_table > 0 else card) >> 3
    for other in range(8 * led, 8 * led + 8):
        if (cards >> other) & 1:
            continue
        chance = 0.0
        for step in range(1, 4 - on_table):
            chance += chances[other, (view.to_act + step) & 3]
        if chance > 0:
            more += chance * (trick_roem(cards | 1 << other, view.trump, view.rules) - now)
    return float(now), more * gl[1]


@jit
def _worth(view: Any, chances: np.ndarray, card: int, row: np.ndarray, gl: np.ndarray) -> float:
    first = view.n_plays & ~3
    on_table = view.n_plays - first
    ours, mine = win_chances(view, chances, card, gl)
    now, more = roem_with(view, chances, card, gl)
    sure = points_of(card, view.trump) + trick_points(view.plays, first, on_table, view.trump) + now
    points = sure + row[OTHERS] * (3 - on_table) + row[ROEM_TO_COME] * more
    worth = (2.0 * ours - 1.0) * points + row[LEADING] * mine
    worth += stakes(view, sure, ours, row)
    worth -= kept(view, chances, card, row, gl)
    if on_table == 0:
        worth += lead_bonus(view, chances, card, row)
    return worth


@jit
def kept(view: Any, chances: np.ndarray, card: int, row: np.ndarray, gl: np.ndarray) -> float:
    hand = view.hands[view.to_act]
    unseen = unseen_cards(view, view.to_act)
    suit = card >> 3
    higher = min(count(higher_cards(card, view.trump) & unseen), 3)
    fade = 1.0 - gl[4] * (view.n_plays >> 2) / 7.0
    if suit == view.trump:
        trumps = cards_of(unseen, view.trump)
        theirs = expected(chances, (view.to_act + 1) & 3, trumps) + expected(chances, (view.to_act + 3) & 3, trumps)
        extra = row[LAST_TRUMP] if theirs < 0.5 else 0.0
        return fade * row[TRUMP_KEPT + higher] + extra
    worth = fade * row[SIDE_KEPT + higher]
    rest = cards_of(hand, suit) & ~(1 << card)
    if card & 7 == TEN and higher > 0:
        worth += row[TEN_KEPT]
    if rest == 0 and cards_of(hand, view.trump) != 0:
        worth -= row[VOID]
    if rest == 1 << (8 * suit + TEN) and (unseen >> (8 * suit + ACE)) & 1:
        worth += row[BARE_TEN]
    return worth


@jit
def lead_bonus(view: Any, chances: np.ndarray, card: int, row: np.ndarray) -> float:
    left = (view.to_act + 1) & 3
    partner = (view.to_act + 2) & 3
    right = (view.to_act + 3) & 3
    suit = card >> 3
    unseen = cards_of(unseen_cards(view, view.to_act), suit)
    if suit == view.trump:
        theirs = expected(chances, left, unseen) + expected(chances, right, unseen)
        return row[DRAW] * theirs - row[DRAW_PARTNER] * expected(chances, partner, unseen)
    own = count(ranks_of(view.hands[view.to_act], suit)) - 1
    return row[UNSEEN_LENGTH] * count(unseen) + row[OWN_LENGTH] * own


@jit
def stakes(view: Any, sure: float, ours: float, row: np.ndarray) -> float:
    team = view.to_act & 1
    half = (DEAL_POINTS + view.rules.last_trick + view.roem[0] + view.roem[1]) / 2
    own = view.points[team] + view.roem[team]
    their = view.points[1 - team] + view.roem[1 - team]
    worth = 0.0
    if own <= half < own + sure:
        worth += row[SETTLES] * ours
    if their <= half < their + sure:
        worth -= row[SETTLES] * (1.0 - ours)
    if view.n_plays >= 16 and (view.tricks[0] == 0 or view.tricks[1] == 0):
        worth += row[PIT_ALIVE] * (2 * ours - 1)
    return worth

"""Worlds: the hidden hands and pile that a view leaves possible, counted exactly and drawn uniformly.

A world is possible when the deal so far could have run just so with those hands. What can be known of a hand is known
card by card: `duty` allows a card in a hand exactly when it allows it beside each other card of the hand, so that
`ruled_out` is all that plays tell; where reneging is possible (R6.7) it would have ended the deal, so that the plays of
a deal that goes on were lawful too. Cards that come from the pile are not those of the pack, passing and playing on a
turned card are never forbidden by a hand, and claims speak of open cards. The one exception is a suit named under
`must_hold_trump` (R2.12): its holder had a card of it, or none that might have been named. That is split into cases
that do not overlap (the first unseen trump it holds is this one; or it never held such a card), each of which says
again for every card who may hold it.

Within a case the unseen cards fall into at most seven groups by which of the three seats may hold them; the ways to
deal out the groups are counted by dynamic programming over the sizes of the hands. The worlds of a view are thereby
numbered 0, 1, ... without gaps, and a uniform number is a uniform world.
"""

from typing import Any, Final

import numpy as np

from klaverjas_env.bots.bot import decision_number
from klaverjas_env.game import GAME, NAME, NO_SEAT, passed_suits
from klaverjas_env.jit import jit
from klaverjas_env.rng import STREAM, next_below, next_long_below, start_stream
from klaverjas_env.rules.bidding import JOKER, LOW_CARDS, STOCK, STOCK_CARDS, nameable_suits
from klaverjas_env.rules.cards import CLUBS, NO_SUIT, SUIT_MASK, count
from klaverjas_env.view import player_of, unseen_cards

DOMAIN_WORLDS: Final = 257
"""Draws of worlds; far from the domains in which deals are drawn."""

_CASES: Final = 9
"""Of a view: one for each unseen trump that the one who named it may hold, and that it could have named none."""
_SIZES: Final = 9
"""Sizes of a hand, 0 to 8."""
_STEPS: Final = 4
"""Groups that are dealt out between seats: the pairs (bits 0 1, 0 2, 1 2) and all three."""
_GROUP_OF_STEP: Final = np.array((0b011, 0b101, 0b110, 0b111))
_FIRST_OF_STEP: Final = np.array((0, 0, 1, 0))
"""Of the seats of a pair, the one whose cards are drawn; the second gets the rest."""
_SECOND_OF_STEP: Final = np.array((1, 2, 2, 1))

_LOW_CARDS_OF_SUIT: Final = LOW_CARDS // 4


def _binomials(size: int) -> np.ndarray:
    """Binomial coefficients int64 [size, size], 0 where there is nothing to choose."""
    table = np.zeros((size, size), dtype=np.int64)
    table[:, 0] = 1
    for n in range(1, size):
        for k in range(1, n + 1):
            table[n, k] = table[n - 1, k - 1] + table[n - 1, k]
    return table


_CHOOSE: Final = _binomials(33)

PLAN: Final = np.dtype(
    (
        np.record,
        [
            ("seat", np.int64),  # whose view it is
            ("others", np.int64, (3,)),  # the seats to its left, opposite and to its right: bits 0, 1 and 2 of a group
            ("sizes", np.int64, (3,)),  # how many cards each of them holds
            ("cases", np.int64),
            ("totals", np.int64, (_CASES,)),  # worlds of each case
            ("total", np.int64),  # of all
            ("groups", np.int64, (_CASES, 8)),  # cards by the set of seats that may hold them
            ("ways", np.int64, (_CASES, _STEPS, _SIZES, _SIZES)),  # by case, step and room left to the first two seats
        ],
    )
)
"""The dtype of a counted view: all that is needed to write down any of its worlds."""


def count_worlds(views: np.ndarray, seats: np.ndarray | None = None) -> np.ndarray:
    """How many worlds each of the views `GAME` [N] leaves possible: int64 [N], 0 for a view that contradicts itself.

    `seats` int64 [N]: whose views they are; the seats to act when not given.
    """
    totals = np.empty(len(views), dtype=np.int64)
    _count_each(views, _seats(views, seats), np.zeros(1, dtype=PLAN), totals)
    return totals


def sample_worlds(views: np.ndarray, n: int, seed: int = 0, seats: np.ndarray | None = None) -> np.ndarray:
    """Draw `n` worlds for each of the views `GAME` [N], independently and uniformly: games `GAME` [N, n] in which
    hidden hands and pile are filled in, to be played on to the end of the deal.

    The draws depend on the seed and on what the seat sees, not on the batch. `seats` int64 [N]: whose views they are;
    the seats to act when not given. Raises ValueError for a view of an ended deal, or one that no hands fit.
    """
    if n < 0 or not 0 <= seed < 2**63:
        raise ValueError(f"n={n}, seed={seed}: the number of worlds is from 0, a seed from 0 to 2^63 - 1")
    worlds = np.empty((len(views), n), dtype=GAME)
    refuse_impossible(_sample_each(views, _seats(views, seats), seed, np.zeros(1, dtype=PLAN), worlds))
    return worlds


def refuse_impossible(place: int) -> None:
    """Raise ValueError for the view at `place`, which has no world, unless it is -1."""
    if place >= 0:
        raise ValueError(
            f"view {place}: no hands fit its cards, bids and plays; give the view of a game played by its house rules"
        )


def _seats(views: np.ndarray, seats: np.ndarray | None) -> np.ndarray:
    """The seats given, or else those to act."""
    chosen: np.ndarray = np.ascontiguousarray(views["to_act"] if seats is None else seats, dtype=np.int64)
    if len(chosen) != len(views) or (chosen < 0).any() or (chosen > 3).any():
        raise ValueError("seats: one seat 0..3 is needed for each view; nobody is to act in a deal that has ended")
    return chosen


@jit
def _count_each(views: np.ndarray, seats: np.ndarray, plans: np.ndarray, totals: np.ndarray) -> None:
    for i in range(len(views)):
        count_view(views[i], seats[i], plans[0])
        totals[i] = plans[0].total


@jit
def _sample_each(views: np.ndarray, seats: np.ndarray, seed: int, plans: np.ndarray, worlds: np.ndarray) -> int:
    """Fill `worlds` [N, n]; the first view without a world, or -1."""
    stream = np.zeros(STREAM, dtype=np.uint64)
    for i in range(len(views)):
        plan = plans[0]
        count_view(views[i], seats[i], plan)
        if plan.total == 0:
            return i
        for j in range(worlds.shape[1]):
            worlds[i, j] = views[i]
            start_stream(stream, seed, decision_number(views[i], seats[i]), DOMAIN_WORLDS, j)
            draw_world(plan, stream, worlds[i, j])
    return -1


# --- what is possible ------------------------------------------------------------------------------------------------


@jit
def count_view(view: Any, seat: int, plan: Any) -> None:
    """Count the worlds of a view of `seat` and write into `plan`, a record `PLAN`, what numbers them."""
    unseen = unseen_cards(view, seat)
    could = np.zeros(3, dtype=np.int64)
    plan.seat = seat
    for k in range(3):
        other = (seat + 1 + k) & 3
        plan.others[k] = other
        plan.sizes[k] = 8
        could[k] = view.hands[other] if view.rules.open_hands != 0 else unseen & ~view.ruled_out[other]
    for play in range(view.n_plays):
        other = (player_of(view, play) - seat - 1) & 3
        if other < 3:
            plan.sizes[other] -= 1
    plan.cases = 0
    plan.total = 0
    _add_cases(view, seat, unseen, could, plan)


@jit
def _add_cases(view: Any, seat: int, unseen: int, could: np.ndarray, plan: Any) -> None:
    """R2.12: one case, or those in which who named trump held a card of it, or none that might have been named."""
    last = view.bids[view.n_bids - 1] if view.n_bids > 0 else -1
    named = view.rules.must_hold_trump != 0 and last >= NAME and view.declarer != NO_SEAT and view.declarer != seat
    shown = 0
    for play in range(view.n_plays):
        if player_of(view, play) == view.declarer:
            shown |= 1 << view.plays[play]
    trumps = SUIT_MASK << (8 * view.trump) if named else 0
    if not named or view.rules.open_hands != 0 or shown & trumps != 0:
        _add_case(unseen, could, 0, 0, 0, plan)
        return
    namer = (view.declarer - seat - 1) & 3
    held = could[namer] & trumps
    lacks = 0
    while held & ~lacks != 0:
        card = held & ~lacks & -(held & ~lacks)
        _add_case(unseen, could, namer, card, lacks, plan)
        lacks |= card
    nameable = _cards_that_could_be_named(view)
    if shown & nameable == 0:
        _add_case(unseen, could, namer, 0, nameable, plan)


@jit
def _cards_that_could_be_named(view: Any) -> int:
    """The cards whose suits might be named by one who held them all, as a set: R2.12 asks for one of these."""
    suits = nameable_suits(-1, passed_suits(view), view.rules)
    cards = 0
    for suit in range(4):
        if (suits >> suit) & 1:
            cards |= SUIT_MASK << (8 * suit)
    return cards


@jit
def _add_case(unseen: int, could: np.ndarray, namer: int, has: int, lacks: int, plan: Any) -> None:
    """Count the ways in which the unseen cards can lie when each of the three seats may hold the cards `could`, and
    the `namer` of them moreover has the cards `has` and lacks the cards `lacks`."""
    case = plan.cases
    groups = plan.groups[case]
    for members in range(8):
        cards = unseen
        for k in range(3):
            may_hold = could[k] & ~lacks if k == namer else could[k] & ~has
            cards &= may_hold if (members >> k) & 1 else ~may_hold
        groups[members] = cards
    plan.cases += 1
    plan.totals[case] = 0
    room_0 = plan.sizes[0] - count(groups[0b001])
    room_1 = plan.sizes[1] - count(groups[0b010])
    room_2 = plan.sizes[2] - count(groups[0b100])
    shared = count(groups[0b011]) + count(groups[0b101]) + count(groups[0b110]) + count(groups[0b111])
    if groups[0] != 0 or min(room_0, min(room_1, room_2)) < 0 or room_0 + room_1 + room_2 != shared:
        return
    _count_ways(groups, room_0, room_1, plan.ways[case])
    plan.totals[case] = plan.ways[case, 0, room_0, room_1]
    plan.total += plan.totals[case]


@jit
def _count_ways(groups: np.ndarray, room_0: int, room_1: int, ways: np.ndarray) -> None:
    """Write into `ways` int64 [4, 9, 9] in how many ways the groups of a step and those after it fill so much room;
    what is left goes to the third seat."""
    size = count(groups[0b111])
    for a in range(room_0 + 1):
        for b in range(room_1 + 1):
            ways[3, a, b] = _CHOOSE[size, a] * _CHOOSE[size - a, b] if a + b <= size else 0
    for step in range(2, -1, -1):
        size = count(groups[_GROUP_OF_STEP[step]])
        for a in range(room_0 + 1):
            for b in range(room_1 + 1):
                total = 0
                for k in range(size + 1):
                    used_0, used_1 = _used(step, k, size)
                    if used_0 <= a and used_1 <= b:
                        total += _CHOOSE[size, k] * ways[step + 1, a - used_0, b - used_1]
                ways[step, a, b] = total


@jit
def _used(step: int, k: int, size: int) -> tuple[int, int]:
    """How many cards the first and second seat get when `k` of `size` go to the first of the pair of this step."""
    if step == 0:
        return k, size - k
    return (k, 0) if step == 1 else (0, k)


# --- one world -------------------------------------------------------------------------------------------------------


@jit
def draw_world(plan: Any, stream: np.ndarray, world: Any) -> None:
    """Fill a copy of the view with a uniform world; `plan.total` is not 0."""
    write_hands(plan, next_long_below(stream, plan.total), world)
    world.seed = 0
    if world.rules.trump_mode == STOCK:
        _fill_stock(stream, world)


@jit
def write_hands(plan: Any, index: int, world: Any) -> None:
    """Write the hidden hands of world number `index` (0 .. `plan.total` - 1) into a copy of the view."""
    case = 0
    while index >= plan.totals[case]:
        index -= plan.totals[case]
        case += 1
    groups = plan.groups[case]
    hands = np.empty(3, dtype=np.int64)
    for k in range(3):
        hands[k] = groups[1 << k]
    room_0 = plan.sizes[0] - count(hands[0])
    room_1 = plan.sizes[1] - count(hands[1])
    for step in range(3):
        cards = groups[_GROUP_OF_STEP[step]]
        size = count(cards)
        k = 0
        while True:
            used_0, used_1 = _used(step, k, size)
            if used_0 <= room_0 and used_1 <= room_1:
                after = plan.ways[case, step + 1, room_0 - used_0, room_1 - used_1]
                if index < _CHOOSE[size, k] * after:
                    break
                index -= _CHOOSE[size, k] * after
            k += 1
        room_0 -= used_0
        room_1 -= used_1
        chosen = _subset(cards, k, index // after)
        index %= after
        hands[_FIRST_OF_STEP[step]] |= chosen
        hands[_SECOND_OF_STEP[step]] |= cards & ~chosen
    cards = groups[0b111]
    after = _CHOOSE[count(cards) - room_0, room_1]
    chosen = _subset(cards, room_0, index // after)
    hands[0] |= chosen
    cards &= ~chosen
    chosen = _subset(cards, room_1, index % after)
    hands[1] |= chosen
    hands[2] |= cards & ~chosen
    for k in range(3):
        world.hands[plan.others[k]] = hands[k]


@jit
def _subset(cards: int, k: int, index: int) -> int:
    """The subset number `index` of `k` of the cards (the combinatorial number system)."""
    chosen = 0
    size = count(cards)
    while k > 0:
        card = cards & -cards
        cards &= ~card
        size -= 1
        with_it = _CHOOSE[size, k - 1]
        if index < with_it:
            chosen |= card
            k -= 1
        else:
            index -= with_it
    return chosen


@jit
def _fill_stock(stream: np.ndarray, world: Any) -> None:
    """R2.2, R2.10, R2.11: put what the pile must still hold, given the cards turned, in random order on the places not
    yet turned."""
    left = np.full(5, _LOW_CARDS_OF_SUIT)
    left[JOKER] = world.rules.stock_jokers
    top = int(world.rules.first_deal_clubs != 0 and world.deals_played == 0 and world.stock[0] == CLUBS)
    for place in range(top, world.drawn):
        left[world.stock[place]] -= 1
    hidden = 0
    for kind in range(5):
        left[kind] = max(left[kind], 0)
        hidden += left[kind]
    for place in range(world.drawn, STOCK_CARDS):
        world.stock[place] = NO_SUIT
        if hidden > 0:
            number = next_below(stream, hidden)
            kind = 0
            while number >= left[kind]:
                number -= left[kind]
                kind += 1
            world.stock[place] = kind
            left[kind] -= 1
            hidden -= 1

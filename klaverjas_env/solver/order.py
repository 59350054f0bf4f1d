"""In which order the exact solver tries cards: it changes how long a solve takes, never its value."""

from typing import Any, Final

from klaverjas_env.jit import bit_count, jit
from klaverjas_env.rules.cards import SUIT_MASK, lowest_bit
from klaverjas_env.rules.roem import trick_roem
from klaverjas_env.solver.tables import without_equals

_FIRST: Final = 1 << 30
"""For the move that the table of positions names."""
_KILLERS: Final = (100, 50)
"""For the moves that cut off last at this ply."""
_OURS: Final = 200
"""For a card after which the trick will probably be ours."""
_WORTH_OURS: Final = 8
"""For a point put into such a trick."""
_WORTH_THEIRS: Final = -16
"""For a point put into one that we shall lose."""
_TRUMP: Final = -40
_STRONGER: Final = 5
"""For every card of the suit that is stronger: small cards go first."""
# The weights are those with which a random search over them found the fewest nodes (60 full deals, two houses).


@jit
def order_cards(cards: int, remaining: int, best: int, ply: int, work: Any, rules: Any) -> int:
    """Write the cards to try at `ply`, each with its score, into `work.moves`; returns how many.

    `cards` are legal, `remaining` all that lie in hands or on the table, `best` is a card known to be good or -1.
    """
    cards = without_equals(cards, remaining, work)
    size = 0
    if cards & (cards - 1) == 0:
        work.moves[ply, 0] = lowest_bit(cards)
        return 1
    while cards != 0:
        card = lowest_bit(cards)
        cards &= cards - 1
        if card == best:
            score = _FIRST
        else:
            score = _promise(card, ply, work, rules)
            for place in range(2):
                if card == work.killers[ply, place]:
                    score += _KILLERS[place]
        work.moves[ply, size] = 64 * score + card
        size += 1
    return size


@jit
def next_move(ply: int, size: int, work: Any) -> int:
    """Take the best of the last `size` moves of a ply: it ends up at place size - 1."""
    best = 0
    for i in range(1, size):
        if work.moves[ply, i] > work.moves[ply, best]:
            best = i
    code = work.moves[ply, best]
    work.moves[ply, best] = work.moves[ply, size - 1]
    work.moves[ply, size - 1] = code
    return int(code & 63)


@jit
def note_cutoff(ply: int, card: int, work: Any) -> None:
    """Remember a card that made further moves needless."""
    if work.killers[ply, 0] != card:
        work.killers[ply, 1] = work.killers[ply, 0]
        work.killers[ply, 0] = card


@jit
def _promise(card: int, ply: int, work: Any, rules: Any) -> int:
    """How good a card looks: what it brings the side that will probably take the trick, and what strength it costs."""
    seat = work.seat[ply]
    place = work.place[ply]
    trump = work.trump
    led = work.led[ply] if place > 0 else card
    top = work.top[ply]
    winner = work.top_seat[ply]
    if place == 0 or (work.takers[top] >> card) & 1:
        top = card
        winner = seat
    led_suit = SUIT_MASK << (8 * (led >> 3))
    for later in range(1, 4 - place):
        player = (seat + later) & 3
        hand = work.hands[player]
        if hand & led_suit != 0:
            hand &= led_suit
        better = hand & work.takers[top]
        if better != 0:
            top = _strongest(better, work)
            winner = player
    ours = (winner ^ seat) & 1 == 0
    worth = work.points[card]
    if place == 3:
        worth += trick_roem(work.trick[ply] | 1 << card, trump, rules)
    score = _OURS + _WORTH_OURS * worth if ours else _WORTH_THEIRS * worth
    if card >> 3 == trump:
        score += _TRUMP
    return int(score + _STRONGER * bit_count(work.takers[card] & SUIT_MASK << (8 * (card >> 3))))


@jit
def _strongest(cards: int, work: Any) -> int:
    """The card of a set, all of which beat the same card, that no other beats."""
    top = lowest_bit(cards)
    cards &= work.takers[top]
    while cards != 0:
        top = lowest_bit(cards)
        cards &= work.takers[top]
    return top

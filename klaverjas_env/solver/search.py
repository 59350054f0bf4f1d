"""Alpha-beta over all cards that may be played, with all hands open: the inner loop of the exact solver.

Values are those of the playing side, from a position to the end of the deal. The search keeps its own stack, because
compiled code that calls itself cannot be kept on disk. It looks at one of two things:

- the difference: points and roem still to be won by the playing side minus the defenders, and the price of pit;
- the score of the deal (R6.3): what the playing side makes is `MADE` plus its score minus the defenders', a nat deal is
  minus all roem still to come and tegenpit. What has been won so far decides about nat, so it is part of the key.
"""

from typing import Any, Final

from klaverjas_env.jit import jit, jit_large
from klaverjas_env.rules.cards import ALL_CARDS, NO_CARD, SUIT_MASK
from klaverjas_env.rules.follow import duty
from klaverjas_env.rules.roem import CLAIMS, claimed_roem, trick_roem
from klaverjas_env.rules.scoring import TRICKS, deal_score, is_nat
from klaverjas_env.solver.order import next_move, note_cutoff, order_cards
from klaverjas_env.solver.tables import roem_left

INFINITY: Final = 400_000
"""More than any value; values fit into 20 bits with their sign."""
MADE: Final = 100_000
"""Added to the score of a deal that is made, so that it lies above every nat deal."""
CLAIM: Final = 4
"""Place at which the playing side decides what roem to claim."""

_BIAS: Final = 1 << 19
_FIELD: Final = (1 << 20) - 1
_SURE_NAT: Final = 1 - (1 << 15)
"""Stands in the key for every difference at which the deal is nat whatever comes."""
_NO_MOVE: Final = 63


@jit_large
def search(alpha: int, beta: int, work: Any, rules: Any) -> int:
    """The value of the position at ply 0: exact inside (alpha, beta), else a bound on the side where it lies.

    When the budget of nodes runs out `work.stopped` is set; hands and plies are then in disorder, but
    `work.best[0]` is the best of the moves that were looked at.
    """
    ply = alpha & 0  # a plain 0 would be a type of its own, and everything compiled twice
    work.alpha[0] = alpha
    work.beta[0] = beta
    work.best[0] = INFINITY if work.seat[0] & 1 else -INFINITY
    entering = True
    value = 0
    while True:
        if entering:
            work.nodes += 1
            if work.nodes > work.budget:
                work.stopped = 1
                return 0
            known = False
            if work.place[ply] == 0 and (ply > 0 or work.root_cards == ALL_CARDS):
                known = _known(ply, work, rules)
                value = work.best[ply]
            if not known:
                _open(ply, work, rules)
        else:
            known = _back(ply, value, work, rules)
            if known:
                value = work.best[ply]
        if known:
            if ply == 0:
                return int(value)
            ply -= 1
            entering = False
            continue
        if work.place[ply] == CLAIM:
            _claim(ply, work, rules)
        else:
            _play(ply, work, rules)
        ply += 1
        entering = True


@jit
def _all_hands(work: Any) -> int:
    return int(work.hands[0] | work.hands[1] | work.hands[2] | work.hands[3])


@jit
def _known(ply: int, work: Any, rules: Any) -> bool:
    """At the beginning of a trick: whether the value is known well enough without a search; then it is in `best`.

    Otherwise the window is made as narrow as what is known allows.
    """
    remaining = _all_hands(work)
    if remaining == 0:
        work.best[ply] = _final(work.difference[ply], work.alive[ply], work, rules)
        return True
    _bound(ply, remaining, work, rules)
    if _outside(ply, work):
        return True
    key = remaining | work.seat[ply] << 32 | work.alive[ply] << 34 | work.epoch << 52
    if work.scoring:
        key |= (work.difference[ply] + (1 << 15)) << 36
    work.key[ply] = key
    slot = _slot(key, work)
    work.best_move[ply] = NO_CARD
    if work.table[slot, 0] == key:
        entry = work.table[slot, 1]
        work.lower[ply] = max(work.lower[ply], (entry & _FIELD) - _BIAS)
        work.upper[ply] = min(work.upper[ply], ((entry >> 20) & _FIELD) - _BIAS)
        if _outside(ply, work):
            return True
        move = (entry >> 40) & 63
        if move != _NO_MOVE:
            work.best_move[ply] = move
    work.alpha[ply] = max(work.alpha[ply], work.lower[ply])
    work.beta[ply] = min(work.beta[ply], work.upper[ply])
    return False


@jit
def _outside(ply: int, work: Any) -> bool:
    """Whether what is known says enough for the window; then the value is put into `best`."""
    if work.lower[ply] >= work.beta[ply] or work.lower[ply] == work.upper[ply]:
        work.best[ply] = work.lower[ply]
        return True
    if work.upper[ply] <= work.alpha[ply]:
        work.best[ply] = work.upper[ply]
        return True
    return False


@jit
def _slot(key: int, work: Any) -> int:
    """The place of a key in the table."""
    mixed = (key ^ (key >> 32) * 0x9E3779B1) & 0xFFFFFFFF
    return int(((mixed * 0x5BD1E995) >> 22) & (len(work.table) - 1))


@jit
def _bound(ply: int, remaining: int, work: Any, rules: Any) -> None:
    """Bounds from what is left: all points and roem to one side, but for the strongest trumps of the other, which
    nobody can take."""
    trumps = (remaining >> (8 * work.trump)) & SUIT_MASK
    work.alive[ply] &= work.top_side[trumps]
    roem = roem_left(remaining, work)
    most = work.left[ply] + roem
    safe = work.top_points[trumps]
    upper = most + 2 * min(0, safe)
    lower = -most + 2 * max(0, safe)
    if work.scoring == 0:
        work.upper[ply] = upper + (work.bonus if work.alive[ply] & 1 else 0)
        work.lower[ply] = lower - (work.counter_bonus if work.alive[ply] & 2 else 0)
        return
    difference = work.difference[ply]
    if is_nat(difference + upper, 0, rules):
        work.difference[ply] = _SURE_NAT
        work.upper[ply] = 0
    else:
        work.upper[ply] = MADE + difference + upper + work.bonus
    work.lower[ply] = -roem - (work.counter_bonus if work.alive[ply] & 2 else 0)
    if not is_nat(difference + lower, 0, rules):
        work.lower[ply] = MADE + difference + lower


@jit
def _final(difference: int, alive: int, work: Any, rules: Any) -> int:
    """What the end of the deal adds."""
    if work.scoring == 0:
        bonus = work.bonus if alive & 1 else 0
        return int(bonus - (work.counter_bonus if alive & 2 else 0))
    tricks = TRICKS // 2
    if alive & 1:
        tricks = TRICKS
    elif alive & 2:
        tricks = 0
    # Only the difference decides about nat, and only what is still to come counts here.
    own, theirs, nat, _ = deal_score(difference, 0, 0, 0, tricks, rules)
    return int(difference - theirs if nat else MADE + own - theirs)


@jit
def _open(ply: int, work: Any, rules: Any) -> None:
    """Begin to try the moves of a position."""
    work.floor_alpha[ply] = work.alpha[ply]
    work.ceiling_beta[ply] = work.beta[ply]
    seat = work.seat[ply]
    work.best[ply] = INFINITY if seat & 1 else -INFINITY
    work.scouted[ply] = 0
    if work.place[ply] == CLAIM:
        work.left_moves[ply] = _order_claims(ply, work, rules)
        return
    best = work.best_move[ply] if work.place[ply] == 0 else NO_CARD
    hand = work.hands[seat]
    partner_wins = (work.top_seat[ply] ^ seat) == 2
    cards = duty(hand, work.led[ply], work.top[ply], partner_wins, work.trump, rules)[1]
    if ply == 0:
        cards &= work.root_cards
    work.left_moves[ply] = order_cards(cards, _all_hands(work) | work.trick[ply], best, ply, work, rules)
    work.best_move[ply] = NO_CARD


@jit
def _play(ply: int, work: Any, rules: Any) -> None:
    """Try the next card: write the position after it at the next ply."""
    if work.scouted[ply] != 2:
        work.move[ply] = next_move(ply, work.left_moves[ply], work)
        work.left_moves[ply] -= 1
    card = work.move[ply]
    seat = work.seat[ply]
    work.hands[seat] &= ~(1 << card)
    place = work.place[ply]
    top = card
    top_seat = seat
    if place > 0 and (work.takers[work.top[ply]] >> card) & 1 == 0:
        top = work.top[ply]
        top_seat = work.top_seat[ply]
    worth = work.worth[ply] + work.points[card]
    trick = work.trick[ply] | 1 << card
    work.difference[ply + 1] = work.difference[ply]
    work.alive[ply + 1] = work.alive[ply]
    work.left[ply + 1] = work.left[ply]
    work.gain[ply] = 0
    work.gain_roem[ply] = 0
    if place < 3:
        work.seat[ply + 1] = (seat + 1) & 3
        work.place[ply + 1] = place + 1
        work.led[ply + 1] = card if place == 0 else work.led[ply]
        work.top[ply + 1] = top
        work.top_seat[ply + 1] = top_seat
        work.trick[ply + 1] = trick
        work.worth[ply + 1] = worth
    else:
        _close(ply, trick, worth, top_seat, work, rules)
    _window(ply, work)


@jit
def _close(ply: int, trick: int, worth: int, winner: int, work: Any, rules: Any) -> None:
    """The fourth card: who takes the trick, what it brings, and who leads or claims."""
    if _all_hands(work) == 0:
        worth = work.left[ply]
    work.seat[ply + 1] = winner
    work.place[ply + 1] = 0
    work.led[ply + 1] = NO_CARD
    work.top[ply + 1] = NO_CARD
    work.top_seat[ply + 1] = winner
    work.trick[ply + 1] = 0
    work.worth[ply + 1] = 0
    work.left[ply + 1] = work.left[ply] - worth
    work.alive[ply + 1] &= 2 if winner & 1 else 1
    roem = trick_roem(trick, work.trump, rules)
    if roem != 0 and work.scoring and work.claimed and winner & 1 == 0:
        work.place[ply + 1] = CLAIM
        work.trick[ply + 1] = trick
        roem = 0
    _gain(ply, -worth if winner & 1 else worth, -roem if winner & 1 else roem, work)


@jit
def _gain(ply: int, points: int, roem: int, work: Any) -> None:
    """Note what a move has won for the playing side (plus) or the defenders (minus)."""
    work.gain[ply] = points + roem
    work.gain_roem[ply] = abs(roem)
    if work.difference[ply + 1] != _SURE_NAT:
        work.difference[ply + 1] += points + roem


@jit
def _order_claims(ply: int, work: Any, rules: Any) -> int:
    """The true claims of the trick just won that differ in effect: everything first, or nothing first where the deal
    is lost anyway."""
    size = 0
    seen = 0
    for place in range(len(CLAIMS)):
        own, theirs = claimed_roem(CLAIMS[place], work.trick[ply], work.trump, rules)
        true = place == 0 or (theirs == 0 and own >= CLAIMS[place])
        if not true or (size > 0 and own == seen):
            continue
        seen = own
        work.moves[ply, size] = 64 * (-own if work.difference[ply] == _SURE_NAT else own) + place
        size += 1
    return size


@jit
def _claim(ply: int, work: Any, rules: Any) -> None:
    """Try the next claim: write the position after it at the next ply."""
    if work.scouted[ply] != 2:
        work.move[ply] = next_move(ply, work.left_moves[ply], work)
        work.left_moves[ply] -= 1
    work.seat[ply + 1] = work.seat[ply]
    work.led[ply + 1] = NO_CARD
    work.top[ply + 1] = NO_CARD
    work.top_seat[ply + 1] = work.seat[ply]
    work.worth[ply + 1] = 0
    work.left[ply + 1] = work.left[ply]
    work.alive[ply + 1] = work.alive[ply]
    work.difference[ply + 1] = work.difference[ply]
    work.place[ply + 1] = 0
    work.trick[ply + 1] = 0
    _gain(ply, 0, claimed_roem(CLAIMS[work.move[ply]], work.trick[ply], work.trump, rules)[0], work)
    _window(ply, work)


@jit
def _window(ply: int, work: Any) -> None:
    """The window of the position after a move: a null window for all but the first, moved by what the move won."""
    alpha = work.alpha[ply]
    beta = work.beta[ply]
    if work.scouted[ply] == 2:
        work.scouted[ply] = 0
    elif work.best[ply] != INFINITY and work.best[ply] != -INFINITY and beta - alpha > 1:
        work.scouted[ply] = 1
        if work.seat[ply] & 1:
            alpha = beta - 1
        else:
            beta = alpha + 1
    if work.scoring == 0:
        work.alpha[ply + 1] = alpha - work.gain[ply]
        work.beta[ply + 1] = beta - work.gain[ply]
    else:
        work.alpha[ply + 1] = alpha if alpha >= MADE >> 1 else alpha + work.gain_roem[ply]
        work.beta[ply + 1] = beta if beta >= MADE >> 1 else beta + work.gain_roem[ply]


@jit
def _back(ply: int, value: int, work: Any, rules: Any) -> bool:
    """Take in the value after the move under way; whether the position is done, with its value in `best`."""
    seat = work.seat[ply]
    move = work.move[ply]
    if work.place[ply] != CLAIM:
        work.hands[seat] |= 1 << move
    if work.scoring == 0:
        value += work.gain[ply]
    elif value < MADE >> 1:
        value -= work.gain_roem[ply]
    cut = False
    if seat & 1 == 0:
        if value > work.best[ply]:
            work.best[ply] = value
            work.best_move[ply] = move
            if work.scouted[ply] == 1 and work.alpha[ply] < value < work.beta[ply]:
                work.scouted[ply] = 2
                work.alpha[ply] = value
                return False
            work.alpha[ply] = max(work.alpha[ply], value)
            cut = value >= work.beta[ply]
    elif value < work.best[ply]:
        work.best[ply] = value
        work.best_move[ply] = move
        if work.scouted[ply] == 1 and work.alpha[ply] < value < work.beta[ply]:
            work.scouted[ply] = 2
            work.beta[ply] = value
            return False
        work.beta[ply] = min(work.beta[ply], value)
        cut = value <= work.alpha[ply]
    work.scouted[ply] = 0
    if not cut and work.left_moves[ply] > 0:
        return False
    if cut and work.place[ply] != CLAIM:
        note_cutoff(ply, move, work)
    if work.place[ply] == 0 and (ply > 0 or work.root_cards == ALL_CARDS):
        _store(ply, work)
    return True


@jit
def _store(ply: int, work: Any) -> None:
    """Keep what the search has found out about the beginning of a trick."""
    best = work.best[ply]
    lower = work.lower[ply]
    upper = work.upper[ply]
    if best > work.floor_alpha[ply]:
        lower = max(lower, best)
    if best < work.ceiling_beta[ply]:
        upper = min(upper, best)
    move = work.best_move[ply] if work.best_move[ply] != NO_CARD else _NO_MOVE
    slot = _slot(work.key[ply], work)
    work.table[slot, 0] = work.key[ply]
    work.table[slot, 1] = (lower + _BIAS) | (upper + _BIAS) << 20 | move << 40

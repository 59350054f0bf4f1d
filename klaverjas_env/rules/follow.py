"""R3: which cards may be played, which duty says so, and what a played card proves about the rest of the hand."""

from enum import IntEnum
from typing import Any

from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import ALL_CARDS, SUIT_MASK, higher_cards

EXEMPT_NONE = 0
EXEMPT_WINNING = 1
EXEMPT_WINNING_TRUMP = 2

UNDERTRUMP_FORBIDDEN = 0
UNDERTRUMP_FORCED = 1
UNDERTRUMP_ALLOWED = 2


class Duty(IntEnum):
    """What binds a player at a play; each has its rule in RULES.md (`RULE_OF_DUTY`)."""

    LEAD = 0
    """Leading: any card."""
    FOLLOW = 1
    """A side suit was led and the hand holds it: follow suit (bekennen)."""
    BEAT_TRUMP_LED = 2
    """Trump was led and the hand can beat the best trump: it must."""
    FOLLOW_TRUMP_LED = 3
    """Trump was led and the hand holds only lower trumps: any of them."""
    NO_TRUMP = 4
    """Void of the led suit and of trump: any card."""
    PARTNER_WINS = 5
    """Void, and the partner is winning in a house that then asks for no trump: any card."""
    PARTNER_WINS_NO_UNDERTRUMP = 6
    """As PARTNER_WINS, but the partner's trump may not be undertrumped while another card is held."""
    RUFF = 7
    """Void, no trump on the table: a trump must be played (introeven)."""
    OVERTRUMP = 8
    """Void, a trump is winning and can be beaten: it must be (overtroeven)."""
    NO_UNDERTRUMP = 9
    """Void, the winning trump cannot be beaten: a side card must be played (ondertroeven is forbidden)."""
    UNDERTRUMP = 10
    """Void, the winning trump cannot be beaten: a trump must be played all the same."""
    MAY_UNDERTRUMP = 11
    """Void, the winning trump cannot be beaten: any card."""
    ONLY_TRUMPS = 12
    """Void, the winning trump cannot be beaten and the hand is all trumps: any of them."""


RULE_OF_DUTY = {
    Duty.LEAD: "R3.1",
    Duty.FOLLOW: "R3.2",
    Duty.BEAT_TRUMP_LED: "R3.3",
    Duty.FOLLOW_TRUMP_LED: "R3.3",
    Duty.NO_TRUMP: "R3.4",
    Duty.PARTNER_WINS: "R3.5",
    Duty.PARTNER_WINS_NO_UNDERTRUMP: "R3.6",
    Duty.RUFF: "R3.7",
    Duty.OVERTRUMP: "R3.8",
    Duty.NO_UNDERTRUMP: "R3.9",
    Duty.UNDERTRUMP: "R3.9",
    Duty.MAY_UNDERTRUMP: "R3.9",
    Duty.ONLY_TRUMPS: "R3.9",
}

_LEAD = int(Duty.LEAD)
_FOLLOW = int(Duty.FOLLOW)
_BEAT_TRUMP_LED = int(Duty.BEAT_TRUMP_LED)
_FOLLOW_TRUMP_LED = int(Duty.FOLLOW_TRUMP_LED)
_NO_TRUMP = int(Duty.NO_TRUMP)
_PARTNER_WINS = int(Duty.PARTNER_WINS)
_PARTNER_WINS_NO_UNDERTRUMP = int(Duty.PARTNER_WINS_NO_UNDERTRUMP)
_RUFF = int(Duty.RUFF)
_OVERTRUMP = int(Duty.OVERTRUMP)
_NO_UNDERTRUMP = int(Duty.NO_UNDERTRUMP)
_UNDERTRUMP = int(Duty.UNDERTRUMP)
_MAY_UNDERTRUMP = int(Duty.MAY_UNDERTRUMP)
_ONLY_TRUMPS = int(Duty.ONLY_TRUMPS)


@jit
def duty(hand: int, led_card: int, best_card: int, partner_wins: bool, trump: int, rules: Any) -> tuple[int, int]:
    """R3: (Duty, the cards of `hand` that may be played).

    `hand` is a non-empty set; `led_card` opened the trick (-1 when leading), `best_card` is winning it and was played
    by the partner if `partner_wins`. The set is never empty.
    """
    if led_card < 0:
        return _LEAD, hand
    led = led_card >> 3
    same = hand & (SUIT_MASK << (8 * led))
    if led == trump:
        if same == 0:
            return _NO_TRUMP, hand
        higher = hand & higher_cards(best_card, trump)
        return (_BEAT_TRUMP_LED, higher) if higher != 0 else (_FOLLOW_TRUMP_LED, same)
    if same != 0:
        return _FOLLOW, same
    trumps = hand & (SUIT_MASK << (8 * trump))
    if trumps == 0:
        return _NO_TRUMP, hand
    if best_card >> 3 != trump:
        if partner_wins and rules.partner_exempt == EXEMPT_WINNING:
            return _PARTNER_WINS, hand
        return _RUFF, trumps
    return _on_a_trump(hand, trumps, trumps & higher_cards(best_card, trump), partner_wins, rules)


@jit
def _on_a_trump(hand: int, trumps: int, higher: int, partner_wins: bool, rules: Any) -> tuple[int, int]:
    """R3.5 to R3.9: void of the led side suit, trumps in hand, and a trump is winning the trick."""
    side = hand & ~trumps
    if partner_wins and rules.partner_exempt != EXEMPT_NONE:
        if rules.undertrump_partner != 0:
            return _PARTNER_WINS, hand
        allowed = side | higher
        return (_PARTNER_WINS_NO_UNDERTRUMP, allowed) if allowed != 0 else (_ONLY_TRUMPS, hand)
    if higher != 0:
        return _OVERTRUMP, higher
    if side == 0:
        return _ONLY_TRUMPS, trumps
    if rules.undertrump == UNDERTRUMP_FORCED:
        return _UNDERTRUMP, trumps
    if rules.undertrump == UNDERTRUMP_ALLOWED:
        return _MAY_UNDERTRUMP, hand
    return _NO_UNDERTRUMP, side


@jit
def ruled_out(card: int, led_card: int, best_card: int, partner_wins: bool, trump: int, rules: Any) -> int:
    """The cards that a player who plays `card` in this place cannot hold, as a set: with any of them `card` would have
    been against R3 (the mirror of `duty`).

    A discard proves nothing about trumps where the partner's winning card excuses it; where undertrumping is
    forbidden it proves only the lack of a higher trump; where it is forced, of every trump.
    """
    if led_card < 0:
        return 0
    led = led_card >> 3
    suit = card >> 3
    all_trumps = SUIT_MASK << (8 * trump)
    if led == trump:
        if suit != trump:
            return all_trumps
        higher = higher_cards(best_card, trump)
        return 0 if (higher >> card) & 1 else higher
    if suit == led:
        return 0
    void = SUIT_MASK << (8 * led)
    if best_card >> 3 != trump:
        excused = partner_wins and rules.partner_exempt == EXEMPT_WINNING
        return void if suit == trump or excused else void | all_trumps
    higher = higher_cards(best_card, trump)
    if (higher >> card) & 1:
        return void
    excused = partner_wins and rules.partner_exempt != EXEMPT_NONE
    if suit == trump:
        return void | _proved_by_undertrump(higher, all_trumps, excused, rules)
    if excused:
        return void
    return void | (all_trumps if rules.undertrump == UNDERTRUMP_FORCED else higher)


@jit
def _proved_by_undertrump(higher: int, all_trumps: int, excused: bool, rules: Any) -> int:
    """What a trump below the winning trump proves, beside the void: no higher trump, and no side card where a side
    card would have had to be played."""
    if excused:
        return 0 if rules.undertrump_partner != 0 else higher | (ALL_CARDS & ~all_trumps)
    if rules.undertrump == UNDERTRUMP_FORBIDDEN:
        return higher | (ALL_CARDS & ~all_trumps)
    return higher

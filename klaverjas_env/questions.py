"""Plain questions to the law on card names such as `HJ`, for people and front ends.

A trick is a list of `(seat, card)` in order of play; trump is a suit letter C D H S; a variant is a text, a `Variant`
or None for the default. What makes no sense is refused with a `QuestionError`, a word that means nothing with a
`NotationError`; both say what is wrong, why, and how to mend it.
"""

import operator
from collections.abc import Sequence
from typing import Any, Final, TypedDict

import numpy as np

from klaverjas_env.game import (
    ALL_CLAIMS,
    BIDDING,
    CLAIMING,
    DEAL_OVER,
    GAME,
    N_ACTIONS,
    NAME,
    NAMING,
    PASS,
    PASSED_OUT,
    PLAYING,
    card_duty,
    legal,
    passed_suits,
)
from klaverjas_env.notation import (
    SEAT_WORDS,
    SUIT_WORDS,
    IllegalActionError,
    action_name,
    action_names,
    card_name,
    card_names,
    parse_card,
    parse_cards,
    parse_suit,
    position,
    record_in,
)
from klaverjas_env.rules import roem, scoring
from klaverjas_env.rules.follow import RULE_OF_DUTY, Duty
from klaverjas_env.rules.scoring import DEAL_POINTS, TRICKS, Pit
from klaverjas_env.rules.trick import trick_points as points_of_trick
from klaverjas_env.rules.trick import winning_place
from klaverjas_env.rules.variant import Variant

CLAUSES: Final[dict[Duty, str]] = {
    Duty.LEAD: "who leads may play any card",
    Duty.FOLLOW: "{led} were led, so suit must be followed with {allowed}",
    Duty.BEAT_TRUMP_LED: "trump was led, and the best trump, {best}, can and must be beaten with {allowed}",
    Duty.FOLLOW_TRUMP_LED: "trump was led, and although {best} cannot be beaten it must be followed with {allowed}",
    Duty.NO_TRUMP: "the hand holds no {lacking}, so any card may be played",
    Duty.PARTNER_WINS: "the hand holds no {led}, but the partner is winning with {best}, so any card may be played",
    Duty.PARTNER_WINS_NO_UNDERTRUMP: "the hand holds no {led}, and the partner is winning with the trump {best}, so any"
    " card may be played but a lower trump",
    Duty.RUFF: "the hand holds no {led}, so a trump must be played: {allowed}",
    Duty.OVERTRUMP: "the hand holds no {led} and can overtrump {best}, so it must, with {allowed}",
    Duty.NO_UNDERTRUMP: "the hand holds no {led} and cannot overtrump {best}, and it may not undertrump while it holds"
    " another suit: {allowed}",
    Duty.UNDERTRUMP: "the hand holds no {led}, so a trump must be played although {best} cannot be overtrumped:"
    " {allowed}",
    Duty.MAY_UNDERTRUMP: "the hand holds no {led} and cannot overtrump {best}, so any card may be played",
    Duty.ONLY_TRUMPS: "the hand holds no {led} and only trumps that do not beat {best}, so any of them may be played",
}
"""What binds a player, for each duty, as the clause that follows "may (not) be played"."""

PIT_WORDS: Final[dict[int, str | None]] = {Pit.NONE: None, Pit.PLAYING: "playing", Pit.DEFENDING: "defending"}


class QuestionError(ValueError):
    """A question that makes no sense: a hand, trick or score that cannot occur."""


class DealScore(TypedDict):
    """The result of a deal for the playing side and the defenders."""

    playing: int
    defending: int
    nat: bool
    pit: str | None


def legal_cards(
    hand: Sequence[str],
    trick: Sequence[tuple[int, str]],
    trump: str,
    seat: int,
    variant: Variant | str | None = None,
) -> list[str]:
    """R3: the names of the cards that `seat` may play from `hand` to `trick`, in card order C7..SA."""
    return card_names(int(card_duty(_table(hand, trick, trump, seat, variant))[1]))


def explain(
    card: str,
    hand: Sequence[str],
    trick: Sequence[tuple[int, str]],
    trump: str,
    seat: int,
    variant: Variant | str | None = None,
) -> str:
    """R3: one sentence on whether `card` of `hand` may be played, under which duty, with the number of its rule."""
    game = _table(hand, trick, trump, seat, variant)
    number = parse_card(card)
    if not int(game.hands[seat]) >> number & 1:
        raise QuestionError(
            f"{card} is not in the hand {' '.join(card_names(int(game.hands[seat])))}; ask about one of those"
        )
    reason, rule = _duty_clause(game)
    allowed = int(card_duty(game)[1]) >> number & 1
    return f"{card} may {'' if allowed else 'not '}be played: {reason} ({rule})."


def trick_winner(trick: Sequence[tuple[int, str]], trump: str) -> int:
    """R4.1: the seat that is winning a trick of one to four cards."""
    seats, cards = _trick(trick, most=4)
    if not cards:
        raise QuestionError("the trick is empty; nobody wins it (R4.1)")
    return seats[int(winning_place(np.array(cards, dtype=np.int64), 0, len(cards), parse_suit(trump)))]


def trick_points(
    cards: Sequence[str], trump: str, last_trick: bool = False, variant: Variant | str | None = None
) -> int:
    """R4.2, R6.1: what the cards of a trick are worth, without roem; the last trick of a deal is worth more."""
    held = parse_cards(_four_at_most(cards))
    bonus = Variant.of(variant).last_trick if last_trick else 0
    return int(points_of_trick(held, parse_suit(trump))) + bonus


def trick_roem(cards: Sequence[str], trump: str, variant: Variant | str | None = None) -> int:
    """R5.4: all roem among the (at most four) cards of a trick, in any order."""
    held = parse_cards(_four_at_most(cards))
    return int(roem.trick_roem(held, parse_suit(trump), Variant.of(variant).record()))


def deal_score(
    playing_card_points: int,
    defending_card_points: int,
    playing_roem: int = 0,
    defending_roem: int = 0,
    playing_tricks: int = 4,
    variant: Variant | str | None = None,
) -> DealScore:
    """R6: the result of a deal from the card points of both sides (last trick included), their roem and the number of
    tricks of the playing side, which matters only when it is 0 or 8."""
    rules = Variant.of(variant)
    numbers = {
        "playing_card_points": playing_card_points,
        "defending_card_points": defending_card_points,
        "playing_roem": playing_roem,
        "defending_roem": defending_roem,
        "playing_tricks": playing_tricks,
    }
    counts = {name: _count(name, value) for name, value in numbers.items()}
    _check_score(counts, DEAL_POINTS + rules.last_trick)
    playing, defending, nat, pit = scoring.deal_score(
        counts["playing_card_points"],
        counts["defending_card_points"],
        counts["playing_roem"],
        counts["defending_roem"],
        counts["playing_tricks"],
        rules.record(),
    )
    return DealScore(playing=int(playing), defending=int(defending), nat=bool(nat), pit=PIT_WORDS[int(pit)])


def why_not(games: Any, action: int) -> tuple[str, str] | None:
    """(reason, rule) for which the seat to act may not take `action` in a game, `GAME` [1]; None if it may."""
    game = record_in(games)
    if 0 <= action < N_ACTIONS and int(legal(game)) >> action & 1:
        return None
    if game.phase == DEAL_OVER:
        return "the deal is over", "R6"
    if game.phase == PASSED_OUT:
        return "all have passed and the cards are dealt again", "R2.8"
    if game.phase == CLAIMING:
        return f"the trick is won, so one of {', '.join(action_names(ALL_CLAIMS))} is wanted", "R5.5"
    if game.phase == PLAYING:
        return _why_not_play(game, action)
    if game.phase == NAMING and NAME <= action < NAME + 4:
        suit = action - NAME
        if int(passed_suits(game)) >> suit & 1:
            return f"everybody has passed on {SUIT_WORDS[suit]}", "R2.5"
        return f"the hand holds no {SUIT_WORDS[suit]}", "R2.12"
    rule = ("R2.9" if action == PASS else "R2.3") if game.phase == BIDDING else "R2.1"
    return f"trump is being chosen, so one of {', '.join(action_names(int(legal(game))))} is wanted", rule


def illegal_action(games: Any, action: int, given: Any = None) -> IllegalActionError:
    """The error for an action that `why_not` refuses: the action, the reason, the rule and the position.

    `given` is what the caller wrote where that is no action at all (`action` is then negative).
    """
    game = record_in(games)
    reason, rule = why_not(game, action) or ("the action is legal", "R3")
    who = f" by {SEAT_WORDS[game.to_act]}" if game.to_act >= 0 else ""
    name = _name(action) if action >= 0 else f"{given!r}, which is no whole number from 0 to {N_ACTIONS - 1},"
    return IllegalActionError(f"{name}{who} is refused: {reason} ({rule}); game {position(game)}")


def seat_of(value: Any, what: str = "seat") -> int:
    """A seat 0..3."""
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__") or not 0 <= operator.index(value) < 4:
        raise QuestionError(f"{what} {value!r} is not a seat; seats are 0 south, 1 west, 2 north, 3 east")
    return operator.index(value)


def _name(action: int) -> str:
    return action_name(action) if 0 <= action < N_ACTIONS else f"action {action}"


def _duty_clause(game: Any) -> tuple[str, str]:
    """(clause, rule) for what binds the seat to act, which has to play a card."""
    number, allowed = card_duty(game)
    first = int(game.n_plays) & ~3
    words = {"allowed": " or ".join(card_names(int(allowed)))}
    if game.n_plays > first:
        place = winning_place(game.plays, first, int(game.n_plays) - first, game.trump)
        led = int(game.plays[first]) >> 3
        suits = dict.fromkeys((SUIT_WORDS[led], SUIT_WORDS[game.trump]))
        words |= {
            "led": SUIT_WORDS[led],
            "best": card_name(int(game.plays[first + place])),
            "lacking": " and no ".join(suits),
        }
    found = Duty(int(number))
    return CLAUSES[found].format(**words), RULE_OF_DUTY[found]


def _why_not_play(game: Any, action: int) -> tuple[str, str]:
    if not 0 <= action < 32:
        return "cards are being played, so a card is wanted", "R3.1"
    if int(game.hands[game.to_act]) >> action & 1:
        return _duty_clause(game)
    if action in game.plays[: game.n_plays]:
        return f"{card_name(action)} has been played before", "R3.1"
    return f"{SEAT_WORDS[game.to_act]} does not hold {card_name(action)}", "R3.1"


def _table(hand: Any, trick: Any, trump: Any, seat: Any, variant: Any) -> Any:
    """A record that holds just what the law asks about a play: one hand, the trick, trump, who plays, house rules."""
    seats, cards = _trick(trick, most=3)
    game = np.zeros(1, dtype=GAME)[0]
    game["rules"] = Variant.of(variant).record()
    game.trump = parse_suit(trump)
    game.to_act = seat_of(seat)
    if seats and game.to_act != (seats[-1] + 1) & 3:
        raise QuestionError(
            f"seat {seat} is not next: seat {seats[-1]} played last and the turn goes clockwise,"
            f" so seat {(seats[-1] + 1) & 3} plays"
        )
    held = parse_cards(hand)
    if not 1 <= held.bit_count() <= 8:
        raise QuestionError(f"the hand has {held.bit_count()} cards; a hand that plays has one to eight")
    for card in cards:
        if held >> card & 1:
            raise QuestionError(f"{card_name(card)} is in the hand and in the trick; every card exists once")
    game.hands[game.to_act] = held
    game.plays[: len(cards)] = cards
    game.n_plays = len(cards)
    game.leaders[0] = seats[0] if seats else game.to_act
    game.phase = PLAYING
    return game


def _trick(trick: Any, most: int) -> tuple[list[int], list[int]]:
    """(seats, cards) of a trick in order of play."""
    if isinstance(trick, str) or not isinstance(trick, Sequence):
        raise QuestionError(f"{trick!r} is not a trick; write a list of (seat, card), such as [(0, 'SK'), (1, 'S7')]")
    if len(trick) > most:
        why = "so nobody has to play to it" if most == 3 else "one from each seat"
        raise QuestionError(f"the trick has {len(trick)} cards; a trick is full with four, {why}")
    seats: list[int] = []
    names: list[str] = []
    for item in trick:
        if isinstance(item, str) or not isinstance(item, Sequence) or len(item) != 2:
            raise QuestionError(f"{item!r} in the trick is not (seat, card), such as (0, 'SK')")
        seats.append(seat_of(item[0], "in the trick"))
        names.append(item[1])
        if len(seats) > 1 and seats[-1] != (seats[-2] + 1) & 3:
            raise QuestionError(
                f"in the trick seat {seats[-1]} follows seat {seats[-2]}; the turn goes clockwise: 0, 1, 2, 3, 0"
            )
    parse_cards(names)
    return seats, [parse_card(name) for name in names]


def _four_at_most(cards: Any) -> list[str]:
    """The different cards of a trick."""
    names = card_names(parse_cards(cards))
    if len(names) > 4:
        raise QuestionError(f"{len(names)} cards are more than a trick, which has four")
    return names


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or operator.index(value) < 0:
        raise QuestionError(f"{name}={value!r} is not a whole number from 0 up")
    return operator.index(value)


def _check_score(counts: dict[str, int], total: int) -> None:
    """Refuse points and tricks that no deal can end with."""
    points = counts["playing_card_points"] + counts["defending_card_points"]
    if points != total:
        raise QuestionError(
            f"the card points add up to {points}; in a deal they are {total}, last trick included (R6.1)"
        )
    tricks = counts["playing_tricks"]
    if tricks > TRICKS:
        raise QuestionError(f"playing_tricks={tricks}: a deal has {TRICKS} tricks")
    for side, taken in (("playing", tricks), ("defending", TRICKS - tricks)):
        if taken == 0 and counts[f"{side}_card_points"] + counts[f"{side}_roem"] > 0:
            raise QuestionError(f"the {side} side has points but, by playing_tricks={tricks}, no trick (R4.2, R5)")

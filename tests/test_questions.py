"""Plain questions: their answers, the sentences that explain them, and how nonsense is refused."""

import random
import re
from typing import Any

import pytest

from klaverjas_env.game import NAME, PASS, PLAY, PLAYING, apply, card_duty, legal, new
from klaverjas_env.notation import IllegalActionError, NotationError, card_name, card_names, from_position
from klaverjas_env.questions import (
    QuestionError,
    deal_score,
    explain,
    illegal_action,
    legal_cards,
    trick_points,
    trick_roem,
    trick_winner,
    why_not,
)
from klaverjas_env.rules.follow import Duty
from klaverjas_env.rules.variant import Variant, VariantError

HAND = ["H8", "HK", "C9", "DA"]
TRICK = [(0, "S9"), (1, "HA")]


@pytest.mark.parametrize(
    ("card", "hand", "trick", "trump", "seat", "house", "sentence"),
    [
        ("H8", HAND, [], "H", 0, None, "H8 may be played: who leads may play any card (R3.1)."),
        ("H8", [*HAND, "S7"], TRICK, "H", 2, None,
         "H8 may not be played: spades were led, so suit must be followed with S7 (R3.2)."),
        ("H8", ["H8", "H9", "HJ"], [(0, "HK")], "H", 1, None,
         "H8 may not be played: trump was led, and the best trump, HK, can and must be beaten with H9 or HJ (R3.3)."),
        ("C9", ["H8", "C9"], [(0, "HK")], "H", 1, None,
         "C9 may not be played: trump was led, and although HK cannot be beaten it must be followed with H8 (R3.3)."),
        ("C9", ["C9"], [(0, "S9")], "H", 1, None,
         "C9 may be played: the hand holds no spades and no hearts, so any card may be played (R3.4)."),
        ("C9", ["C9"], [(0, "H9")], "H", 1, None,
         "C9 may be played: the hand holds no hearts, so any card may be played (R3.4)."),
        ("C9", ["C9", "H8"], [(0, "SA"), (1, "S7")], "H", 2, None,
         "C9 may be played: the hand holds no spades, but the partner is winning with SA, so any card may be played"
         " (R3.5)."),
        ("H8", HAND, [(0, "HA"), (1, "H7")], "S", 2, None,
         "H8 may be played: hearts were led, so suit must be followed with H8 or HK (R3.2)."),
        ("H8", HAND, [(0, "S7"), (1, "HA"), (2, "S9")], "H", 3, None,
         "H8 may not be played: the hand holds no spades, and the partner is winning with the trump HA, so any card may"
         " be played but a lower trump (R3.6)."),
        ("C9", ["C9", "H8"], [(0, "SA")], "H", 1, None,
         "C9 may not be played: the hand holds no spades, so a trump must be played: H8 (R3.7)."),
        ("C9", ["C9", "HK"], [(0, "SA"), (1, "HQ")], "H", 2, None,
         "C9 may not be played: the hand holds no spades and can overtrump HQ, so it must, with HK (R3.8)."),
        ("H8", HAND, TRICK, "H", 2, None,
         "H8 may not be played: the hand holds no spades and cannot overtrump HA, and it may not undertrump while it"
         " holds another suit: C9 or DA (R3.9)."),
        ("C9", HAND, TRICK, "H", 2, "online-rotterdams",
         "C9 may not be played: the hand holds no spades, so a trump must be played although HA cannot be overtrumped:"
         " H8 or HK (R3.9)."),
        ("C9", HAND, TRICK, "H", 2, "undertrump=allowed",
         "C9 may be played: the hand holds no spades and cannot overtrump HA, so any card may be played (R3.9)."),
        ("H8", ["H8", "HK"], TRICK, "H", 2, None,
         "H8 may be played: the hand holds no spades and only trumps that do not beat HA, so any of them may be played"
         " (R3.9)."),
    ],
)  # fmt: skip
def test_explain(card: str, hand: Any, trick: Any, trump: str, seat: int, house: Any, sentence: str) -> None:
    assert explain(card, hand, trick, trump, seat, house) == sentence
    assert (card in legal_cards(hand, trick, trump, seat, house)) == ("may be played:" in sentence)


@pytest.mark.parametrize(
    "variant",
    ["amsterdams", "rotterdams", "online-rotterdams", "partner_exempt=winning_trump, undertrump_partner=allowed"],
)
def test_explain_says_what_the_game_allows(variant: str) -> None:
    draw = random.Random(2)
    seen = set()
    for number in range(25):
        game = new(variant, seed=3, deal_number=number)[0]
        apply(game, NAME + draw.randrange(4))
        while game.phase == PLAYING:
            allowed, hand = int(legal(game)), card_names(int(game.hands[game.to_act]))
            seen.add(Duty(int(card_duty(game)[0])))
            seat = int(game.to_act)
            played = [card_name(int(card)) for card in game.plays[game.n_plays & ~3 : game.n_plays]]
            trick = [((seat - len(played) + i) & 3, name) for i, name in enumerate(played)]
            trump = "CDHS"[game.trump]
            assert legal_cards(hand, trick, trump, seat, variant) == card_names(allowed)
            for name in hand[:3]:
                says = explain(name, hand, trick, trump, seat, variant)
                assert says.startswith(f"{name} may {'' if name in card_names(allowed) else 'not '}be played: ")
                assert re.search(r"\(R3\.[1-9]\)\.$", says)
            apply(game, draw.choice([card for card in range(32) if allowed >> card & 1]))
    assert len(seen) > 7


def test_a_variant_may_be_given_in_any_form() -> None:
    for variant in ("rotterdams", Variant(partner_exempt="none"), "partner_exempt=none"):
        assert legal_cards(["H7", "C9"], [(0, "SA"), (1, "S7")], "H", 2, variant) == ["H7"]
    with pytest.raises(VariantError, match="did you mean"):
        legal_cards(["H7"], [], "H", 0, "amsterdm")


@pytest.mark.parametrize(
    ("hand", "trick", "trump", "seat", "says"),
    [
        (["H7", "H11"], [], "H", 0, "'H11' is not a card"),
        (["H7", "H7"], [], "H", 0, "'H7' stands twice"),
        ("H7", [], "H", 0, "list of names"),
        ([], [], "H", 0, "0 cards"),
        (card_names(0x1FF), [], "H", 0, "9 cards"),
        (["H7"], [], "hearts", 0, "'hearts' is not a suit"),
        (["H7"], [], None, 0, "not a suit"),
        (["H7"], [], "H", 4, "4 is not a seat"),
        (["H7"], [], "H", True, "True is not a seat"),
        (["H7"], [], "H", "0", "'0' is not a seat"),
        (["H7"], [(0, "H7")], "H", 1, "in the hand and in the trick"),
        (["H7"], [(0, "S7"), (1, "S7")], "H", 2, "'S7' stands twice"),
        (["H7"], [(0, "S7"), (2, "S8")], "H", 3, "clockwise"),
        (["H7"], [(0, "S7"), (1, "S8")], "H", 3, "seat 2 plays"),
        (["H7"], [(0, "S7"), (1, "S8"), (2, "S9"), (3, "ST")], "H", 0, "full with four"),
        (["H7"], ["S7"], "H", 1, r"\(seat, card\)"),
        (["H7"], "S7", "H", 1, "list of"),
        (["H7"], [(0, "S7", 1)], "H", 1, r"\(seat, card\)"),
        (["H7"], [(-1, "S7")], "H", 0, "-1 is not a seat"),
    ],
)
def test_a_senseless_play_question_is_refused(hand: Any, trick: Any, trump: Any, seat: Any, says: str) -> None:
    with pytest.raises((QuestionError, NotationError), match=says):
        legal_cards(hand, trick, trump, seat)


def test_explain_asks_for_a_card_of_the_hand() -> None:
    with pytest.raises(QuestionError, match="S7 is not in the hand DA H7"):
        explain("S7", ["DA", "H7"], [], "H", 0)
    with pytest.raises(NotationError, match="did you mean 'HT'"):
        explain("H10", ["DA", "H7"], [], "H", 0)


def test_r4_1_the_winner_of_an_unfinished_trick() -> None:
    assert trick_winner([(2, "SA")], "H") == 2
    assert trick_winner([(2, "SA"), (3, "H7")], "H") == 3
    for trick, says in (([], "empty"), ([(i & 3, name) for i, name in enumerate(card_names(31))], "5 cards")):
        with pytest.raises(QuestionError, match=says):
            trick_winner(trick, "H")


def test_points_and_roem_of_a_part_of_a_trick() -> None:
    assert trick_points([], "H") == 0
    assert trick_points(["HJ"], "H") == 20
    assert trick_points(["HJ"], "H", last_trick=True, variant="last_trick=5") == 25
    assert trick_roem(["HK", "HQ"], "H") == 20
    for ask in (trick_points, trick_roem):
        with pytest.raises(QuestionError, match="5 cards are more than a trick"):
            ask(card_names(31), "H")
        with pytest.raises(NotationError, match="twice"):
            ask(["HJ", "HJ"], "H")


SCORE_NAMES = ("playing_card_points", "defending_card_points", "playing_roem")


@pytest.mark.parametrize(
    ("numbers", "tricks", "says"),
    [
        ((80, 80), 4, "add up to 160; in a deal they are 162"),
        ((82, 80), 9, "8 tricks"),
        ((82, 80), -1, "playing_tricks=-1"),
        ((-1, 163), 4, "playing_card_points=-1"),
        ((82.0, 80), 4, "82.0"),
        ((True, 161), 4, "True"),
        ((152, 10), 8, "the defending side has points but"),
        ((10, 152), 0, "the playing side has points but"),
        ((0, 162, 20), 0, "the playing side has points but"),
    ],
)
def test_a_score_that_cannot_be_is_refused(numbers: Any, tricks: Any, says: str) -> None:
    points = dict(zip(SCORE_NAMES, numbers, strict=False))
    with pytest.raises(QuestionError, match=says):
        deal_score(**points, playing_tricks=tricks)


def test_r6_1_the_last_trick_counts_by_house() -> None:
    found = deal_score(80, 72, playing_tricks=4, variant="last_trick=0")
    assert found == {"playing": 80, "defending": 72, "nat": False, "pit": None}


def test_r6_2_a_tie_by_house() -> None:
    assert deal_score(81, 81, playing_tricks=4)["nat"]
    assert deal_score(81, 81, playing_tricks=4, variant="nat_on_tie=false") == {
        "playing": 81, "defending": 81, "nat": False, "pit": None,
    }  # fmt: skip


LINE = (
    "kj1:amsterdams/stock-zoeker dealer:0 hands:C7C8C9CTCJCQCKCA/D7D8D9DTDJDQDKDA/H7H8H9HTHJHQHKHA/S7S8S9STSJSQSKSA"
    " stock:H{}"
)


@pytest.mark.parametrize(
    ("rest", "action", "reason", "rule"),
    [
        ("", NAME, "one of pass, play is wanted", "R2.3"),
        ("", 5, "one of pass, play is wanted", "R2.3"),
        (" bids:pass,pass,pass,pass", PASS, "one of C, D, S is wanted", "R2.1"),
        (" bids:pass,pass,pass,pass", NAME + 2, "everybody has passed on hearts", "R2.5"),
        (" bids:play", PLAY, "a card is wanted", "R3.1"),
        (" bids:play", 44, "a card is wanted", "R3.1"),
        (" bids:play", -1, "a card is wanted", "R3.1"),
        (" bids:play", 0, "west does not hold C7", "R3.1"),
        (" bids:play plays:1D7", 8, "D7 has been played before", "R3.1"),
    ],
)
def test_an_illegal_action_is_named_with_its_rule(rest: str, action: int, reason: str, rule: str) -> None:
    line = LINE.replace("/D7", "/") if "plays" in rest else LINE
    games = from_position(line.format(rest))
    found = why_not(games, action)
    assert found is not None
    assert reason in found[0]
    assert found[1] == rule
    error = illegal_action(games, action)
    assert isinstance(error, IllegalActionError)
    assert f"({rule}); game kj1:" in str(error)


def test_a_legal_action_needs_no_reason() -> None:
    assert why_not(from_position(LINE.format("")), PASS) is None


def test_after_the_deal_nothing_is_legal() -> None:
    game = new(seed=1)[0]
    while int(legal(game)):
        actions = int(legal(game))
        apply(game, (actions & -actions).bit_length() - 1)
    assert why_not(game, 0) == ("the deal is over", "R6")
    assert "C7 is refused: the deal is over (R6)" in str(illegal_action(game, 0))

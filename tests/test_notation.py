"""Names of cards and actions, and positions as one line of text and back."""

import random
from typing import Any

import numpy as np
import pytest

from klaverjas_env.game import DEAL_OVER, apply, legal, new, next_deal, set_contract
from klaverjas_env.notation import (
    NotationError,
    action_name,
    action_names,
    card_name,
    card_names,
    from_position,
    given_deal,
    parse_action,
    parse_bid,
    parse_card,
    parse_cards,
    parse_suit,
    position,
    suit_name,
)
from klaverjas_env.view import view

VARIANTS = ["amsterdams", "rotterdams/stock-verplicht", "amsterdams/stock-zoeker", "amsterdams, four_jacks=100"]
SUITED = [0xFF, 0xFF00, 0xFF0000, 0xFF000000]
START = "kj1:amsterdams dealer:0 hands:{}/{}/{}/{}".format(*("".join(card_names(hand)) for hand in SUITED))


def take_random(game: Any, draw: random.Random) -> None:
    actions = int(legal(game))
    apply(game, draw.choice([action for action in range(45) if actions >> action & 1]))


def test_names_are_inverses() -> None:
    assert [parse_card(card_name(card)) for card in range(32)] == list(range(32))
    assert [parse_suit(suit_name(suit)) for suit in range(4)] == [0, 1, 2, 3]
    assert [parse_action(action_name(action)) for action in range(38)] == list(range(38))
    assert [parse_bid(action_name(action)) for action in range(32, 38)] == list(range(32, 38))
    assert card_name(20) == "HJ"


def test_sets_are_in_card_order() -> None:
    assert card_names(parse_cards(["SA", "C7", "HJ"])) == ["C7", "HJ", "SA"]
    assert parse_cards(card_names(0xFFFFFFFF)) == 0xFFFFFFFF
    assert action_names(1 << 32 | 1 << 33 | 1 << 36) == ["pass", "play", "H"]


@pytest.mark.parametrize(
    ("name", "says"),
    [("H10", "did you mean 'HT'"), ("jh", "did you mean 'HJ'"), ("X7", "suit C D H S"), (7, "7"), (None, "None")],
)
def test_a_wrong_card_is_named_and_mended(name: Any, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        parse_card(name)


@pytest.mark.parametrize("number", [-1, 32])
def test_numbers_that_are_no_cards(number: int) -> None:
    with pytest.raises(NotationError, match=r"0\.\.31"):
        card_name(number)


@pytest.mark.parametrize("action", [-1, 45, 99])
def test_actions_without_a_name(action: int) -> None:
    with pytest.raises(NotationError, match="not an action"):
        action_name(action)


@pytest.mark.parametrize("word", ["PASS", "X", "", "CD7", 1, ["H"]])
def test_wrong_bids_and_suits(word: Any) -> None:
    with pytest.raises(NotationError, match="a bid is"):
        parse_bid(word)
    with pytest.raises(NotationError, match="one of C D H S"):
        parse_suit(word)


@pytest.mark.parametrize(("cards", "says"), [("C7", "list of names"), (5, "list of names"), (["C7", "C7"], "twice")])
def test_wrong_sets(cards: Any, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        parse_cards(cards)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_position_of_a_match_comes_back_exactly(variant: str) -> None:
    draw = random.Random(1)
    games = new(variant, seed=11)
    for _ in range(6):
        while True:
            text = position(games)
            assert "\n" not in text
            assert text.startswith("kj1:")
            assert from_position(text).tobytes() == games.tobytes(), text
            if games[0].phase == DEAL_OVER:
                break
            take_random(games[0], draw)
        next_deal(games[0])


def test_a_given_contract_comes_back() -> None:
    games = given_deal("amsterdams/stock-verplicht", 2, SUITED)
    set_contract(games[0], 1, 3)
    text = position(games)
    assert "trump:S by:1" in text
    assert from_position(text).tobytes() == games.tobytes()


def test_a_view_can_be_written_but_not_read() -> None:
    seen = view(new(seed=4), np.array([2]))
    text = position(seen)
    assert text.count("?") == 3
    with pytest.raises(NotationError, match="hidden"):
        from_position(text)


def test_fields_may_be_left_out() -> None:
    games = from_position(START.replace("D7", "") + " bids:H plays:1D7")
    assert (games[0].to_act, games[0].trump, games[0].declarer) == (2, 2, 1)


def test_one_game_is_wanted() -> None:
    with pytest.raises(NotationError, match=r"games\[i : i \+ 1\]"):
        position(np.zeros(2, dtype=new().dtype))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fen", "begins with 'kj1:'"),
        ("kj1:amsterdams", "'dealer' is missing"),
        (START.replace("amsterdams", "amsterdam"), "did you mean 'amsterdams'"),
        (START.replace("dealer:0", "dealer:4"), "0 to 3"),
        (START.replace("dealer:0", "dealer:0 dealer:1"), "twice"),
        (START.replace("C7", ""), "eight to a seat"),
        (START.replace("C7", "C8"), "twice"),
        (START.replace("C7", "C6"), "not a card"),
        (START.replace("/D7", "D7"), "four hands"),
        (f"{START} colour:H", "'colour:H' is not a field"),
        (f"{START} bids:pass", "not legal"),
        (f"{START} bids:H,H", "not legal"),
        (f"{START} trump:H", "belong together"),
        (f"{START} bids:H trump:S by:1", "trump:S does not follow"),
        (START.replace("H7", "") + " bids:H plays:2H7", "not legal"),
        (f"{START} bids:H plays:1", "not a trick"),
        (f"{START} bids:H turn:3", "it should be turn:1"),
        (f"{START} bids:H points:10-0", "leave points: out"),
        (f"{START} match:1,2", "match:1,2 is not"),
        (f"{START} deal:x/1", "deal:x"),
        (f"{START} stock:{'C' * 25}", "R2.2"),
        (START.replace("amsterdams", "amsterdams/stock-verplicht") + " bids:play", "more cards in stock"),
        (
            START.replace("amsterdams", "amsterdams/stock-verplicht") + " stock:HH bids:pass,pass,pass,pass",
            "more cards in stock",
        ),
    ],
)
def test_a_wrong_position_is_refused(text: str, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        from_position(text)


def test_an_illegal_play_is_refused() -> None:
    swapped = START.replace("C7", "XX").replace("D7", "C7").replace("XX", "D7")
    fine = swapped.replace("D8", "").replace("H7", "").replace("S7", "").replace("D7", "")
    assert from_position(fine + " bids:S plays:1D8H7S7D7")[0].to_act == 3
    wrong = swapped.replace("D8", "").replace("H7", "").replace("S7", "").replace("C8", "")
    with pytest.raises(NotationError, match="C8 is not legal after kj1:"):
        from_position(wrong + " bids:S plays:1D8H7S7C8")

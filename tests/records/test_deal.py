"""Records of deals: replayed, set up in the middle, written down again, and refused when malformed or illegal."""

import copy
import json
import random
from typing import Any

import numpy as np
import pytest

from klaverjas_env.game import DEAL_OVER, GAME, NAMING, PLAYING, apply, legal, new
from klaverjas_env.notation import action_name, card_names, from_position, position
from klaverjas_env.records.deal import Position, record_of, replay, setup
from klaverjas_env.records.form import RecordError
from klaverjas_env.view import view

DEALT: dict[str, Any] = {
    "dealer": 0,
    "hands": [
        ["C8", "C9", "CK", "DQ", "HA", "HT", "SK", "SQ"],
        ["CT", "D7", "D8", "DT", "H7", "H9", "HJ", "ST"],
        ["CA", "CQ", "DJ", "DK", "H8", "S7", "S8", "SJ"],
        ["C7", "CJ", "D9", "DA", "HK", "HQ", "S9", "SA"],
    ],
}
PLAYED: dict[str, Any] = {
    **DEALT,
    "variant": "amsterdams, counter_pit_bonus=0",
    "contract": {"declarer": 1, "trump": "S"},
    "plays": (
        "ST SJ SA SK CA C7 CK CT CQ CJ C9 H7 H8 HQ HT HJ DQ DT DJ D9 D8 DK DA SQ C8 H9 S8 S9 HK HA D7 S7"
    ).split(),
}
"""The first deal of the rommert oracle."""
STOCK: dict[str, Any] = {**DEALT, "variant": "amsterdams/stock-verplicht"}


def deal_fields(games: np.ndarray) -> bytes:
    """A game without the seed and the match around the deal."""
    bare = games.copy()
    for name in ("seed", "deal_number", "totals", "deals_played"):
        bare[name] = 0
    if bare[0].phase != DEAL_OVER:
        for name in ("score", "nat", "pit"):
            bare[name] = 0
    return bare.tobytes()


def test_a_replay_gives_every_position() -> None:
    positions = list(replay(PLAYED))
    assert len(positions) == 33
    assert [p.action for p in positions] == [*PLAYED["plays"], None]
    assert all(p.action in p.legal for p in positions[:-1])
    assert positions[0].to_act == 1
    assert positions[0].legal == ["CT", "D7", "D8", "DT", "H7", "H9", "HJ", "ST"]
    assert positions[1].legal == ["SJ"]
    assert (positions[0].score, positions[0].nat, positions[0].pit) == (None, None, None)
    end = positions[-1]
    assert (end.to_act, end.legal, end.pit) == (None, [], None)
    assert end.score is not None
    assert sum(end.score) == 162 + int(end.game[0].roem.sum())


def test_positions_are_the_callers_own() -> None:
    positions = replay(PLAYED)
    first = next(positions)
    first.game[0].hands[:] = 0
    assert next(positions).legal == ["SJ"]
    assert first.game.shape == (1,)
    assert first.game.dtype == GAME
    with pytest.raises(AttributeError):
        first.action = "C7"  # type: ignore[misc]


def test_a_record_may_stop_anywhere() -> None:
    for count in range(33):
        record = {**PLAYED, "plays": PLAYED["plays"][:count]}
        *_, end = replay(record)
        games = setup(record)
        assert games.tobytes() == end.game.tobytes()
        assert games[0].n_plays == count
        assert end.action is None
        assert bool(end.legal) == (count < 32)


@pytest.mark.parametrize(
    "change",
    [
        {"plays": [[(1 + i) & 3, name] for i, name in enumerate(PLAYED["plays"][:4])]},
        {"plays": [{"seat": (1 + i) & 3, "card": name} for i, name in enumerate(PLAYED["plays"][:4])]},
        {"plays": tuple(PLAYED["plays"][:4]), "bids": []},
        {"plays": PLAYED["plays"][:4], "contract": {"trump": "S", "declarer": 1}, "bids": ["S"]},
        {"plays": PLAYED["plays"][:4], "bids": [[1, "S"]]},
        {"plays": PLAYED["plays"][:4], "bids": [{"seat": 1, "bid": "S"}]},
    ],
    ids=str,
)
def test_every_form_of_bids_and_plays(change: dict[str, Any]) -> None:
    assert setup({**PLAYED, **change})[0].to_act == 2


def test_a_bare_deal_waits_for_the_first_bid() -> None:
    (start,) = replay(DEALT)
    assert (start.to_act, start.legal, start.action) == (1, ["C", "D", "H", "S"], None)
    assert start.game[0].phase == NAMING


def test_r2_4_all_pass_and_the_next_suit_is_turned() -> None:
    *before, end = replay({**STOCK, "turned": ["S", "S", "H"], "bids": ["pass"] * 4})
    assert [p.to_act for p in before] == [1, 2, 3, 0]
    assert all(p.legal == ["pass", "play"] for p in before)
    game = end.game[0]
    assert (game.trump, game.declarer, game.to_act, game.drawn) == (2, 1, 1, 3)
    assert list(game.stock) == [3, 3, 2] + [-1] * 21


def test_r2_2_a_given_contract_needs_no_turned_card() -> None:
    game = setup({**STOCK, "contract": {"declarer": 3, "trump": "C"}})[0]
    assert (game.phase, game.trump, game.declarer, game.to_act) == (PLAYING, 0, 3, 1)


@pytest.mark.parametrize("variant", ["rotterdams", "amsterdams/stock-verplicht", "rotterdams/stock-zoeker, stuk=30"])
def test_every_position_can_be_written_down_and_set_up(variant: str) -> None:
    draw = random.Random(7)
    for number in range(12):
        games = new(variant, seed=8, deal_number=number)
        taken = []
        while True:
            record = json.loads(json.dumps(record_of(games)))
            again = setup(record)
            assert deal_fields(again) == deal_fields(games)
            assert record_of(again) == record
            actions = int(legal(games[0]))
            if actions == 0:
                break
            taken.append(draw.choice([action for action in range(45) if actions >> action & 1]))
            apply(games[0], taken[-1])
        assert [p.action for p in replay(record)] == [*map(action_name, taken), None]
        assert list(replay(record))[-1].score == tuple(games[0].score)


def test_record_of_takes_a_position_line() -> None:
    games = setup(PLAYED)
    assert record_of(from_position(position(games))) == record_of(games)


def test_a_view_is_no_record() -> None:
    with pytest.raises(RecordError, match="the hand of south is hidden"):
        record_of(view(setup({**PLAYED, "plays": []}), np.array([1])))


def changed(**fields: Any) -> dict[str, Any]:
    return {**copy.deepcopy(PLAYED), **fields}


def with_hand(seat: int, hand: Any) -> dict[str, Any]:
    hands: list[Any] = copy.deepcopy(PLAYED["hands"])
    hands[seat] = hand
    return changed(hands=hands)


def with_play(place: int, play: Any) -> dict[str, Any]:
    plays = list(PLAYED["plays"])
    plays[place] = play
    return changed(plays=plays)


MALFORMED: list[tuple[Any, str]] = [
    ([], "a record is an object"),
    (None, "a record is an object"),
    ({}, "'dealer' is missing"),
    ({"dealer": 0}, "'hands' is missing"),
    (changed(play=["C7"]), "unknown key 'play'; did you mean 'plays'"),
    (changed(trumps="H"), "unknown key 'trumps'; did you mean"),
    (changed(variant="amsterdam"), "variant: .*did you mean 'amsterdams'.*R0"),
    (changed(variant=3), "variant: .*not int"),
    (changed(dealer=4), "dealer: 4 is not a seat"),
    (changed(dealer=True), "dealer: True is not a seat"),
    (changed(dealer="0"), "dealer: '0' is not a seat"),
    (changed(dealer=0.0), "dealer: 0.0 is not a seat"),
    (changed(hands=PLAYED["hands"][:3]), "hands: 3 hands"),
    (changed(hands="C7"), "hands: 'C7' is not a list"),
    (with_hand(1, "CTD7"), r"hands\[1\]: 'CTD7' is not a list"),
    (with_hand(1, ["CT"]), r"hands\[1\]: 1 cards"),
    (with_hand(1, ["C10", "D7"]), r"hands\[1\]\[0\]: 'C10' is not a card.*did you mean 'CT'"),
    (with_hand(1, [["CT"]]), r"hands\[1\]\[0\]: \['CT'\] is not a card"),
    (with_hand(1, ["C8"]), r"hands\[1\]\[0\]: C8 stands already at hands\[0\]\[0\].*R1.5"),
    (changed(contract="S"), "contract: 'S' is not an object"),
    (changed(contract={"declarer": 1}), "contract: the key 'trump' is missing"),
    (changed(contract={"declarer": 1, "trump": "S", "by": 1}), "contract: unknown key 'by'"),
    (changed(contract={"declarer": 5, "trump": "S"}), "contract.declarer: 5 is not a seat"),
    (changed(contract={"declarer": True, "trump": "S"}), "contract.declarer: True is not a seat"),
    (changed(contract={"declarer": 1, "trump": "spades"}), "contract.trump: 'spades' is not a suit"),
    (changed(turned=["S"]), "turned: no card is turned.*R2.2"),
    ({**STOCK, "turned": ["X"]}, r"turned\[0\]: 'X' is not a suit"),
    ({**STOCK, "turned": ["S"] * 6}, "turned: 6 spades; the pile holds 5"),
    (changed(bids="S"), "bids: 'S' is not a list"),
    (changed(bids=["s"]), r"bids\[0\]: 's' is not a bid"),
    (changed(bids=[[1, "S", 2]]), r"bids\[0\]: \[1, 'S', 2\] is not \[seat, bid\]"),
    (changed(bids=[[None, "S"]]), r"bids\[0\] seat: None is not a seat"),
    (changed(plays={"C7": 1}), "plays: .* is not a list"),
    (with_play(0, 7), r"plays\[0\]: 7 is not a card"),
    (with_play(0, "pass"), r"plays\[0\]: 'pass' is not a card"),
    (with_play(0, {"seat": 1, "cards": "ST"}), r"plays\[0\]: unknown key 'cards'; did you mean 'card'"),
    (with_play(0, {"card": "ST"}), r"plays\[0\]: the key 'seat' is missing"),
    (with_play(0, [True, "ST"]), r"plays\[0\] seat: True is not a seat"),
]

ILLEGAL: list[tuple[dict[str, Any], str]] = [
    (
        with_play(0, [2, "ST"]),
        r"plays\[0\]: ST is given to seat 2 \(north\), but it is the turn of seat 1 \(west\) \(R2.6\)",
    ),
    (with_play(4, [1, "CA"]), r"plays\[4\]: CA is given to seat 1 .* turn of seat 2 \(north\) \(R4.1\)"),
    (with_play(1, "CA"), r"plays\[1\]: CA may not be played by seat 2 \(north\): trump was led, .*SJ \(R3.3\)"),
    (with_play(1, "C7"), r"plays\[1\]: C7 may not .* north does not hold C7 \(R3.1\)"),
    (with_play(4, "SJ"), r"plays\[4\]: SJ may not .* has been played before \(R3.1\)"),
    (with_play(5, "D9"), r"plays\[5\]: D9 may not be played by seat 3 \(east\): clubs were led.*C7 or CJ \(R3.2\)"),
    (changed(plays=[*PLAYED["plays"], "C7"]), r"plays\[32\]: C7 may not be played: the deal is over \(R6\)"),
    (changed(contract=None), r"plays\[0\]: there is no contract yet.*\(R2\)"),
    (changed(bids=["pass"]), r"bids\[0\]: pass may not be bid by seat 1 .*C, D, H, S is wanted \(R2.1\)"),
    (changed(bids=["H"]), r"contract: the bids make .*'trump': 'H'.*\(R2\)"),
    (changed(bids=["S", "S"]), r"bids\[1\]: the contract stands already: spades by west.*\(R2.3\)"),
    (
        changed(bids=[[0, "S"]]),
        r"bids\[0\]: S is given to seat 0 \(south\), but it is the turn of seat 1 \(west\) \(R2.3\)",
    ),
    (
        {**STOCK, "bids": ["play"]},
        r"bids\[0\]: the suit that is turned next is not known; give it in 'turned'.*\(R2.4\)",
    ),
    ({**STOCK, "turned": ["S", "S"], "bids": ["pass"] * 4}, r"bids\[3\]: the suit that is turned next is not known"),
    ({**STOCK, "turned": ["S"], "bids": ["H"]}, r"bids\[0\]: H may not be bid .*one of pass, play is wanted \(R2.3\)"),
    (
        {**STOCK, "turned": ["S"], "bids": ["pass"], "contract": {"declarer": 1, "trump": "S"}},
        r"contract: the bids do not end in a contract",
    ),
    (
        {**STOCK, "variant": "amsterdams/stock-zoeker", "turned": ["S"], "bids": [*["pass"] * 4, "S"]},
        r"bids\[4\]: S may not be bid by seat 1 \(west\): everybody has passed on spades \(R2.5\)",
    ),
]


@pytest.mark.parametrize(("record", "says"), MALFORMED)
def test_a_malformed_record_is_refused_at_once(record: Any, says: str) -> None:
    before = copy.deepcopy(record)
    with pytest.raises(RecordError, match=says):
        replay(record)
    with pytest.raises(RecordError, match=says):
        setup(record)
    assert record == before


@pytest.mark.parametrize(("record", "says"), ILLEGAL)
def test_an_illegal_record_is_refused_with_place_reason_rule_and_position(record: dict[str, Any], says: str) -> None:
    json.dumps(record)
    with pytest.raises(RecordError, match=says + ".*; position kj1:"):
        setup(record)
    with pytest.raises(RecordError, match=says):
        list(replay(record))


def test_the_positions_before_an_illegal_play_are_given() -> None:
    seen: list[Position] = []
    with pytest.raises(RecordError):
        seen.extend(replay(with_play(5, "D9")))
    positions = replay(with_play(5, "D9"))
    assert [next(positions).action for _ in range(5)] == PLAYED["plays"][:5]


def test_the_position_in_an_error_can_be_read_back() -> None:
    with pytest.raises(RecordError) as refused:
        setup(with_play(5, "D9"))
    line = str(refused.value).partition("; position ")[2]
    assert from_position(line).tobytes() == setup(changed(plays=PLAYED["plays"][:5])).tobytes()


def test_hands_of_a_set_up_deal_are_those_still_held() -> None:
    game = setup(changed(plays=PLAYED["plays"][:8]))[0]
    assert [len(card_names(int(hand))) for hand in game.hands] == [6, 6, 6, 6]

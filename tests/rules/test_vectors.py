"""The hand-written rule vectors of the rules research, each put to the law as a plain question or a record."""

import json
from pathlib import Path
from typing import Any

import pytest

from klaverjas_env.game import Phase
from klaverjas_env.notation import parse_cards, parse_suit
from klaverjas_env.questions import deal_score, legal_cards, trick_points, trick_roem, trick_winner
from klaverjas_env.records.deal import replay
from klaverjas_env.rules.roem import claimed_roem
from klaverjas_env.rules.scoring import match_ended, match_winner, renege_score
from klaverjas_env.rules.variant import Variant

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "rule_vectors.json").read_text())[
    "vectors"
]

KRAKEN = {"K01", "K02"}
"""The vectors of an extra that is not played here."""

ANY_HANDS = [[f"{suit}{rank}" for rank in "789TJQKA"] for suit in "CDHS"]


def variant_of(vector: dict[str, Any]) -> Variant:
    """The house rules of a vector; where trump is free nothing can be turned, so all-pass ends in a choice."""
    free = {"all_pass": "forced_choice"} if vector["options"].get("trump_mode") == "free" else {}
    return Variant(**{**free, **vector["options"]})


def of_kind(kind: str) -> pytest.MarkDecorator:
    chosen = [vector for vector in VECTORS if vector["kind"] == kind and vector["id"] not in KRAKEN]
    return pytest.mark.parametrize("vector", chosen, ids=[vector["id"] for vector in chosen])


def test_every_vector_but_those_of_kraken_is_put_to_the_law() -> None:
    assert len(VECTORS) == 128
    assert {vector["id"] for vector in VECTORS if "kraken" in vector["options"]} == KRAKEN
    kinds = {"legal_cards", "trick_winner", "trick_points", "trick_roem", "deal_score"}
    kinds |= {"bidding", "roem_declaration", "match_end"}
    assert {vector["kind"] for vector in VECTORS} == kinds


@of_kind("legal_cards")
def test_r3_legal_cards(vector: dict[str, Any]) -> None:
    found = legal_cards(vector["hand"], vector["trick"], vector["trump"], vector["seat"], variant_of(vector))
    assert found == sorted(found, key=lambda name: ("CDHS".index(name[0]), "789TJQKA".index(name[1])))
    assert sorted(found) == sorted(vector["expected"])


@of_kind("trick_winner")
def test_r4_1_trick_winner(vector: dict[str, Any]) -> None:
    assert trick_winner(vector["trick"], vector["trump"]) == vector["expected"]


@of_kind("trick_points")
def test_r4_2_trick_points(vector: dict[str, Any]) -> None:
    found = trick_points(vector["cards"], vector["trump"], vector["last_trick"], variant_of(vector))
    assert found == vector["expected"]


@of_kind("trick_roem")
def test_r5_trick_roem(vector: dict[str, Any]) -> None:
    assert trick_roem(vector["cards"], vector["trump"], variant_of(vector)) == vector["expected"]


@of_kind("deal_score")
def test_r6_deal_score(vector: dict[str, Any]) -> None:
    given = {name: value for name, value in vector["input"].items() if name != "reneging_side"}
    side = vector["input"]["reneging_side"]
    if side is None:
        assert deal_score(**given, variant=variant_of(vector)) == vector["expected"]
        return
    innocent = {"playing": "defending", "defending": "playing"}[side]
    score = renege_score(given[f"{innocent}_roem"], given[f"{side}_roem"], variant_of(vector).record())
    assert {side: 0, innocent: score, "nat": False, "pit": None} == vector["expected"]


def record_of_bids(vector: dict[str, Any]) -> dict[str, Any]:
    """The bids of a vector as a record; in a first deal clubs lie on top of what is turned (R2.10)."""
    given = vector["input"]
    variant = variant_of(vector)
    turned = ["J" if card == "joker" else card for card in given.get("turned", [])]
    if given.get("deal_number") == 1 and variant.first_deal_clubs and turned:
        turned.insert(0, "C")
    hands = ANY_HANDS
    if "hand_of_bidder" in given:
        rest = [card for hand in ANY_HANDS for card in hand if card not in given["hand_of_bidder"]]
        hands = [rest[:8], rest[8:16], rest[16:]]
        hands.insert((given["dealer"] + 1) % 4, given["hand_of_bidder"])
    record = {"variant": str(variant), "dealer": given["dealer"], "hands": hands, "bids": given["actions"]}
    return record | ({"turned": turned} if turned else {})


@of_kind("bidding")
def test_r2_bidding(vector: dict[str, Any]) -> None:
    expected = vector["expected"]
    *_, end = replay(record_of_bids(vector))
    game = end.game[0]
    if expected == {"redeal": True}:
        assert game.phase == Phase.PASSED_OUT
        assert end.to_act is None
        return
    if "to_act" in expected:
        assert end.to_act == expected["to_act"]
        assert end.legal == expected["legal"]
        return
    assert "CDHS"[game.trump] == expected["trump"]
    assert game.declarer == expected["declarer"]
    assert game.leaders[0] == end.to_act == expected["leader"]
    assert [seat for seat in range(4) if (seat ^ game.declarer) & 1 == 0] == expected["playing_team"]


@of_kind("roem_declaration")
def test_r5_roem_by_itself_and_by_claim(vector: dict[str, Any]) -> None:
    trick, trump = vector["input"]["trick"], vector["input"]["trump"]
    variant = variant_of(vector)
    winners = trick_winner(trick, trump) & 1
    cards = [card for _, card in trick]
    roem = [0, 0]
    if variant.roem_mode == "auto":
        roem[winners] = trick_roem(cards, trump, variant)
    else:
        claims = [points for seat, points in vector["input"]["claims"] if seat & 1 == winners]
        claim = claims[0] if claims else 0
        roem[winners], roem[1 - winners] = claimed_roem(claim, parse_cards(cards), parse_suit(trump), variant.record())
    assert {"team0": roem[0], "team1": roem[1]} == vector["expected"]


@of_kind("match_end")
def test_r6_6_match_end(vector: dict[str, Any]) -> None:
    given = vector["input"]
    south_north, west_east = given["totals"]
    over = match_ended(south_north, west_east, given["deals_played"], variant_of(vector).record())
    winner = match_winner(south_north, west_east)
    assert {"over": over, "winner": winner if over and winner >= 0 else None} == vector["expected"]

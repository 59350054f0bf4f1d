"""The hand-written rule vectors of the rules research, each put to the law as a plain question or a record."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from klaverjas_env.game import GAME, Phase, match_over
from klaverjas_env.questions import deal_score, legal_cards, trick_points, trick_roem, trick_winner
from klaverjas_env.replay import replay
from klaverjas_env.rules.variant import Variant, VariantError

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "rule_vectors.json").read_text())[
    "vectors"
]

THE_ONE_WAY = {
    "first_bidder": "forehand",
    "first_deal_clubs": False,
    "stock_skip_passed": True,
    "stock_rounds": 1,
    "roem_mode": "auto",
    "match_end": "deals",
    "must_hold_trump": False,
}
"""Options of the research that are not options here, with the one value that is played."""

LEFT_TO_THE_WHOLE_LAW = {
    *("S12", "S13", "S14", "S15"),  # verzaken
    "B07",  # stock_skip_passed off
    *("B10", "B11", "B12"),  # two rounds
    "B13",  # clubs in the first deal
    *("B14", "B15", "B16", "B17"),  # free choice
    "B18",  # jokers
    "B19",  # must_hold_trump
    *("D02", "D03", "D04", "D05"),  # declared roem
    *("M03", "M04"),  # match to a target
    *("K01", "K02"),  # kraken
}

ANY_HANDS = [[f"{suit}{rank}" for rank in "789TJQKA"] for suit in "CDHS"]


def variant_of(vector: dict[str, Any]) -> Variant | None:
    """The house rules of a vector, or None where they are not options here."""
    options = {name: value for name, value in vector["options"].items() if name not in THE_ONE_WAY}
    if any(vector["options"].get(name, value) != value for name, value in THE_ONE_WAY.items()):
        return None
    if vector.get("input", {}).get("reneging_side") is not None:
        return None
    try:
        return Variant(**options)
    except (TypeError, VariantError):
        return None


IN_SCOPE = [vector for vector in VECTORS if vector["id"] not in LEFT_TO_THE_WHOLE_LAW]


def of_kind(kind: str) -> pytest.MarkDecorator:
    chosen = [vector for vector in IN_SCOPE if vector["kind"] == kind]
    return pytest.mark.parametrize("vector", chosen, ids=[vector["id"] for vector in chosen])


def test_exactly_the_vectors_of_other_house_rules_are_left_out() -> None:
    assert len(VECTORS) == 128
    assert {vector["id"] for vector in VECTORS if variant_of(vector) is None} == LEFT_TO_THE_WHOLE_LAW
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
    assert deal_score(**given, variant=variant_of(vector)) == vector["expected"]


@of_kind("bidding")
def test_r2_bidding(vector: dict[str, Any]) -> None:
    given, expected = vector["input"], vector["expected"]
    record = {"variant": str(variant_of(vector)), "dealer": given["dealer"], "hands": ANY_HANDS}
    record |= {"bids": given["actions"], "turned": given.get("turned", [])}
    *_, end = replay(record)
    if "to_act" in expected:
        assert end.to_act == expected["to_act"]
        assert end.legal == expected["legal"]
        return
    game = end.game[0]
    assert "CDHS"[game.trump] == expected["trump"]
    assert game.declarer == expected["declarer"]
    assert game.leaders[0] == end.to_act == expected["leader"]
    assert [seat for seat in range(4) if (seat ^ game.declarer) & 1 == 0] == expected["playing_team"]


@of_kind("roem_declaration")
def test_r5_4_roem_goes_to_the_winner_of_the_trick(vector: dict[str, Any]) -> None:
    trick, trump = vector["input"]["trick"], vector["input"]["trump"]
    roem = [0, 0]
    roem[trick_winner(trick, trump) & 1] = trick_roem([card for _, card in trick], trump, variant_of(vector))
    assert {"team0": roem[0], "team1": roem[1]} == vector["expected"]


@of_kind("match_end")
def test_r6_6_match_end(vector: dict[str, Any]) -> None:
    variant = variant_of(vector)
    assert variant is not None
    game = np.zeros(1, dtype=GAME)[0]
    game["rules"] = variant.record()
    game.phase = Phase.DEAL_OVER
    game.deals_played = vector["input"]["deals_played"]
    game.totals[:] = vector["input"]["totals"]
    over = match_over(game)
    ahead = [team for team in range(2) if game.totals[team] > game.totals[1 - team]]
    winner = ahead[0] if over and ahead else None
    assert {"over": over, "winner": winner} == vector["expected"]

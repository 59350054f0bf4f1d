"""Deals played by five independent engines, play by play, under the options that each of them stands for."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from klaverjas_env.game import DEAL_OVER, apply, legal, set_contract
from klaverjas_env.notation import card_names, given_deal, parse_card, parse_cards, parse_suit
from klaverjas_env.questions import legal_cards, trick_winner
from klaverjas_env.records.deal import replay
from klaverjas_env.rules.variant import Variant

FOLDER = Path(__file__).parents[1].parent / "shared" / "rules" / "oracles"


@dataclass(frozen=True)
class Oracle:
    variant: Variant
    legality: str
    """`exact`, `fault` (exact but for rommert's known fault) or `none`."""


ORACLES = {
    "griendt_rot": Oracle(Variant(partner_exempt="none"), "exact"),
    "griendt_ams": Oracle(Variant(), "exact"),
    "thesis": Oracle(Variant(partner_exempt="none", undertrump="forced", counter_pit_bonus=0), "exact"),
    "rommert": Oracle(Variant(counter_pit_bonus=0), "fault"),
    "holfreij": Oracle(Variant(four_jacks=100, counter_pit_bonus=0), "none"),
}


def deals_of(name: str) -> list[dict[str, Any]]:
    path = FOLDER / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is not on this machine")
    deals = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(deals) == 250
    return deals


def offers_too_much(hand: list[str], trick: list[tuple[int, str]], trump: str, seat: int) -> bool:
    """rommert's fault: a hand of trumps only while the partner wins with a trump."""
    if len(trick) < 2 or any(card[0] != trump for card in hand) or trick[0][1][0] == trump:
        return False
    winner = trick_winner(trick, trump)
    return winner == seat ^ 2 and dict(trick)[winner][0] == trump


@pytest.mark.parametrize("name", ORACLES)
def test_every_play_of_every_deal(name: str) -> None:
    oracle = ORACLES[name]
    for deal in deals_of(name):
        hands = [parse_cards(hand) for hand in deal["hands"]]
        game = given_deal(oracle.variant, deal["dealer"], hands)[0]
        set_contract(game, deal["declarer"], parse_suit(deal["trump"]))
        for i, play in enumerate(deal["plays"]):
            assert game.to_act == play["seat"]
            _hold_legality(oracle, game, deal, i)
            roem = game.roem.copy()
            apply(game, parse_card(play["card"]))
            if i & 3 == 3:
                _hold_trick(game, deal["tricks"][i >> 2], int((game.roem - roem).sum()), i >> 2)
        assert game.phase == DEAL_OVER
        if deal["final"] is not None:
            assert list(game.score) == deal["final"]


def _hold_legality(oracle: Oracle, game: Any, deal: dict[str, Any], i: int) -> None:
    offered = deal["plays"][i]["legal"]
    ours = card_names(int(legal(game)))
    if oracle.legality == "none" or ours == sorted(offered, key=parse_card):
        return
    assert oracle.legality == "fault", (deal["seed"], i)
    trick = [(play["seat"], play["card"]) for play in deal["plays"][i & ~3 : i]]
    hand = card_names(int(game.hands[game.to_act]))
    assert offers_too_much(hand, trick, deal["trump"], int(game.to_act)), (deal["seed"], i)
    assert set(ours) < set(offered) == set(hand)


def _hold_trick(game: Any, trick: dict[str, Any], roem: int, number: int) -> None:
    assert game.leaders[number] == trick["leader"]
    if number < 7:
        assert game.leaders[number + 1] == trick["winner"]
    if trick["roem"] is not None:
        assert roem == trick["roem"]


@pytest.mark.parametrize("name", ["griendt_rot", "thesis"])
def test_the_same_deals_as_records(name: str) -> None:
    oracle = ORACLES[name]
    for deal in deals_of(name)[:40]:
        record = {
            "variant": str(oracle.variant),
            "dealer": deal["dealer"],
            "hands": deal["hands"],
            "contract": {"declarer": deal["declarer"], "trump": deal["trump"]},
            "plays": [{"seat": play["seat"], "card": play["card"]} for play in deal["plays"]],
        }
        *before, end = replay(record)
        assert [position.legal for position in before] == [
            sorted(play["legal"], key=parse_card) for play in deal["plays"]
        ]
        assert [position.action for position in before] == [play["card"] for play in deal["plays"]]
        assert end.score is not None
        if deal["final"] is not None:
            assert list(end.score) == deal["final"]


def test_the_plain_question_agrees_with_the_game() -> None:
    for deal in deals_of("griendt_ams")[:40]:
        held = [set(hand) for hand in deal["hands"]]
        for i, play in enumerate(deal["plays"]):
            trick = [(earlier["seat"], earlier["card"]) for earlier in deal["plays"][i & ~3 : i]]
            found = legal_cards(sorted(held[play["seat"]]), trick, deal["trump"], play["seat"])
            assert sorted(found) == sorted(play["legal"])
            held[play["seat"]].remove(play["card"])

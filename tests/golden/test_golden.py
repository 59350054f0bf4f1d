"""Whole matches are played again to the letter, and what has a frozen name is what it was."""

import json
from typing import Any

import numpy as np
import pytest

from klaverjas_env import game, observation, rng
from klaverjas_env.rules import cards, variant
from klaverjas_env.rules.variant import PRESETS
from tests.golden.transcripts import PRESETS as PLAYED
from tests.golden.transcripts import path_of, transcript

HELP = "; if this change is meant: a new frozen name, then python -m tests.golden.transcripts"


@pytest.mark.parametrize("preset", PLAYED)
def test_a_match_is_played_again_to_the_letter(preset: str) -> None:
    kept: dict[str, Any] = json.loads(path_of(preset).read_text())
    played = transcript(preset)
    for number, (then, now) in enumerate(zip(kept["deals"], played["deals"], strict=True)):
        assert now == then, f"deal {number}{HELP}"
    assert played == kept, HELP


@pytest.mark.parametrize("preset", PLAYED)
def test_the_transcripts_hold_what_they_are_for(preset: str) -> None:
    deals = json.loads(path_of(preset).read_text())["deals"]
    assert len(deals) == (14 if preset == "bga" else 16)
    assert {deal["nat"] for deal in deals} == {0, 1}
    assert sum(sum(deal["roem"]) for deal in deals) > 0
    all_passed = any(deal["actions"].startswith("32 32 32 32 ") for deal in deals)
    assert all_passed is ("stock" in preset or preset == "bga")
    claimed = any(38 <= int(action) <= 44 for deal in deals for action in deal["actions"].split())
    assert claimed is (preset == "nku")


# --- frozen names and what they stand for ----------------------------------------------------------------------------


def test_the_frozen_names() -> None:
    assert game.ACTIONS == "klaverjas-actions-v1"
    assert observation.OBSERVATION == "klaverjas-observation-v2"
    assert rng.GENERATOR == "klaverjas-deals-v1"
    assert variant.LAW == "klaverjas-law-v2"


def test_cards_and_actions_have_their_numbers() -> None:
    assert (cards.CLUBS, cards.DIAMONDS, cards.HEARTS, cards.SPADES) == (0, 1, 2, 3)
    assert (cards.SEVEN, cards.EIGHT, cards.NINE, cards.TEN) == (0, 1, 2, 3)
    assert (cards.JACK, cards.QUEEN, cards.KING, cards.ACE) == (4, 5, 6, 7)
    assert (game.PASS, game.PLAY, game.NAME, game.CLAIM, game.N_ACTIONS) == (32, 33, 34, 38, 45)


def test_the_layout_of_the_observation() -> None:
    assert observation.N_OBSERVATION == 606
    assert observation.N_STATE == 702
    assert observation.OFFSETS == {
        "hand": 0,
        "trick_left": 32,
        "trick_partner": 64,
        "trick_right": 96,
        "played_own": 128,
        "played_left": 160,
        "played_partner": 192,
        "played_right": 224,
        "could_hold_left": 256,
        "could_hold_partner": 288,
        "could_hold_right": 320,
        "lead": 352,
        "trick_of_card": 384,
        "highest": 416,
        "lawful": 448,
        "phase": 480,
        "trump": 484,
        "turned": 488,
        "passed_suit": 493,
        "passed": 497,
        "round": 501,
        "declarer": 505,
        "dealer": 509,
        "trick": 513,
        "on_table": 521,
        "led_suit": 525,
        "winner": 529,
        "points": 532,
        "roem": 534,
        "tricks": 536,
        "table": 538,
        "needed": 540,
        "remaining": 541,
        "pit_alive": 542,
        "own_length": 544,
        "unseen_length": 548,
        "match": 552,
        "house_rules": 556,
    }


def test_the_generator_gives_the_published_known_answers() -> None:
    """Philox4x32-10 as in the file of known answers that its authors publish with Random123."""

    def words(counter: tuple[int, int, int, int], key: int) -> list[int]:
        one, two, three, four = (np.uint64(word) for word in counter)
        return [int(word) for word in rng.philox(one, two, three, four, np.uint64(key))]

    ones = 0xFFFFFFFF
    assert words((0, 0, 0, 0), 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert words((ones, ones, ones, ones), 2**64 - 1) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
    assert words(pi, 0x299F31D0A4093822) == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]


def test_deals_are_what_they_were() -> None:
    first = game.new("amsterdams/stock-zoeker, first_deal_clubs=False", seed=0)[0]
    assert [int(hand) for hand in first.hands] == [0x00638045, 0x511C1080, 0x0A006528, 0xA4800A12]
    assert first.stock[:20].tolist() == [3, 0, 1, 1, 3, 1, 0, 2, 2, 2, 3, 3, 2, 1, 0, 1, 0, 0, 2, 3]
    assert first.dealer == 0
    far = game.new("amsterdams/stock-zoeker", seed=2**63 - 1, deal_number=2**40)[0]
    assert [int(hand) for hand in far.hands] == [0x82C70100, 0x29083060, 0x0030C88C, 0x54000613]
    by_four = game.new("amsterdams, deal_packets=4-4", seed=0)[0]
    assert [int(hand) for hand in by_four.hands] == [0x00F60028, 0x31011904, 0xC2086280, 0x0C008453]
    assert [rng.table_seed(0, table) for table in range(3)] == [
        273980432970096662,
        7753610291043864845,
        5879730990625507456,
    ]


def test_a_deal_dealt_again_and_a_pile_with_jokers_are_what_they_were() -> None:
    again = game.new("bga", seed=0)[0]
    assert again.stock.tolist() == [0, 0, 0, 3, 2, 3, 1, 2, 2, 4, 3, 1, 1, 3, 1, 0, 1, 4, 0, 4, 0, 2, 2, 3]
    while again.phase != game.PASSED_OUT:
        game.apply(again, game.PASS)
    game.next_deal(again)
    assert (again.dealer, again.deal_number) == (1, 2**32)
    assert [int(hand) for hand in again.hands] == [0x4A600242, 0x85980480, 0x3003E008, 0x00041935]
    assert again.stock.tolist() == [0, 2, 1, 2, 1, 0, 2, 0, 3, 3, 3, 3, 3, 2, 2, 4, 1, 0, 1, 1, 0, 4, 4, 0]


def test_the_presets_keep_their_hashes() -> None:
    assert {name: preset.rules_hash for name, preset in PRESETS.items()} == {
        "amsterdams/utrechts": "b47f5bb8db819314",
        "amsterdams/stock-verplicht": "5b16f36c32f7db6a",
        "amsterdams/stock-zoeker": "b95fcda09ef58ffa",
        "amsterdams/stock-2x-verplicht": "79e2b49093afac4c",
        "amsterdams/stock-2x-opnieuw": "20738ff9320433ae",
        "amsterdams/vrij": "62a9f4d44d949555",
        "rotterdams/utrechts": "da4a290880fba2a9",
        "rotterdams/stock-verplicht": "f9c1f908eb4ad6c5",
        "rotterdams/stock-zoeker": "924e2e26a1de5437",
        "rotterdams/stock-2x-verplicht": "3bb643667765d715",
        "rotterdams/stock-2x-opnieuw": "3d52e00bf9306e36",
        "rotterdams/vrij": "1e77a136e23a1960",
        "nku": "1acdbc4ac44d2d57",
        "kbn": "4508c0bca05484bc",
        "reglement": "6b0f92b63dbdc05a",
        "english": "494d02e86ba46bb7",
        "quizje-amsterdams": "b47f5bb8db819314",
        "quizje-rotterdams": "0f15b1fcd6ccb01f",
        "online-rotterdams": "cfbd458d54649b9d",
        "bga": "4b712f6100ab9a04",
        "000-letterlijk": "600b0a9414e7a0a7",
        "twents": "7430d4abd583aa00",
    }

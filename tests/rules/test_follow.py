"""R3: each duty by its number, and what a card proves against what the law allows."""

from typing import Any

import numpy as np
import pytest

from klaverjas_env.game import DEAL_OVER, GAME, NAME, apply, legal, start_deal
from klaverjas_env.jit import ENABLED, jit
from klaverjas_env.questions import CLAUSES, explain, legal_cards
from klaverjas_env.rules.cards import lowest_bit
from klaverjas_env.rules.follow import RULE_OF_DUTY, Duty, duty, ruled_out
from klaverjas_env.rules.trick import beats
from klaverjas_env.rules.variant import VARIANT, Variant

HOUSES = [
    Variant(partner_exempt=exempt, undertrump=undertrump, undertrump_partner=partner)
    for exempt in ("none", "winning", "winning_trump")
    for undertrump in ("forbidden", "forced", "allowed")
    for partner in ("forbidden", "allowed")
]


def house_records() -> np.ndarray:
    rules = np.zeros(len(HOUSES), dtype=VARIANT)
    for i, house in enumerate(HOUSES):
        rules[i] = house.record()
    return rules


def test_every_duty_has_a_rule_and_a_sentence() -> None:
    assert set(RULE_OF_DUTY) == set(CLAUSES) == set(Duty)


def test_r3_1_who_leads_may_play_any_card() -> None:
    assert legal_cards(["HJ", "S7", "DA"], [], "H", 0) == ["DA", "HJ", "S7"]


def test_r3_2_follow_suit_before_anything_else() -> None:
    assert legal_cards(["S7", "SA", "HJ"], [(0, "SK"), (1, "H7")], "H", 2) == ["S7", "SA"]


def test_r3_3_a_led_trump_must_be_beaten_even_if_it_is_the_partners() -> None:
    assert legal_cards(["H9", "H8", "DK"], [(0, "HA"), (1, "H7")], "H", 2) == ["H9"]
    assert legal_cards(["H7", "H8", "DK"], [(0, "HA"), (1, "HJ")], "H", 2) == ["H7", "H8"]


def test_r3_4_without_suit_and_trump_any_card() -> None:
    assert legal_cards(["D7", "CK"], [(0, "HA")], "H", 1) == ["CK", "D7"]
    assert legal_cards(["D7", "CK"], [(0, "SA")], "H", 1) == ["CK", "D7"]


@pytest.mark.parametrize(
    ("exempt", "allowed"), [("none", ["H7"]), ("winning", ["C9", "H7"]), ("winning_trump", ["H7"])]
)
def test_r3_5_partner_wins_with_a_side_card(exempt: str, allowed: list[str]) -> None:
    house = Variant(partner_exempt=exempt)
    assert legal_cards(["H7", "C9"], [(0, "SA"), (1, "S7")], "H", 2, house) == allowed


@pytest.mark.parametrize("exempt", ["winning", "winning_trump"])
@pytest.mark.parametrize(("partner", "allowed"), [("forbidden", ["C9", "HA"]), ("allowed", ["C9", "H8", "HA"])])
def test_r3_6_the_partners_trump(exempt: str, partner: str, allowed: list[str]) -> None:
    house = Variant(partner_exempt=exempt, undertrump_partner=partner)
    trick = [(0, "SK"), (1, "HQ"), (2, "S7")]
    assert legal_cards(["H8", "HA", "C9"], trick, "H", 3, house) == allowed
    assert legal_cards(["H8", "H7"], trick, "H", 3, house) == ["H7", "H8"]


def test_r3_7_ruff_when_an_opponent_wins() -> None:
    assert legal_cards(["H7", "C9"], [(0, "SA")], "H", 1) == ["H7"]


def test_r3_8_overtrump_the_best_trump_not_the_first() -> None:
    trick = [(0, "SK"), (1, "H8"), (2, "HT")]
    assert legal_cards(["HA", "HQ", "D7"], trick, "H", 3) == ["HA"]


@pytest.mark.parametrize(
    ("undertrump", "allowed"),
    [("forbidden", ["C9", "DA"]), ("forced", ["H8", "HK"]), ("allowed", ["C9", "DA", "H8", "HK"])],
)
def test_r3_9_undertrumping(undertrump: str, allowed: list[str]) -> None:
    house = Variant(undertrump=undertrump)
    trick = [(0, "S9"), (1, "HA")]
    assert legal_cards(["H8", "HK", "C9", "DA"], trick, "H", 2, house) == allowed
    assert legal_cards(["H8", "HK"], trick, "H", 2, house) == ["H8", "HK"]
    assert "R3.9" in explain("HK", ["H8", "HK", "C9", "DA"], trick, "H", 2, house)


@jit
def _disagreements(drawn: np.ndarray, rules: np.ndarray) -> int:
    """How many of the drawn places [N, 6] (led, best, card, partner wins, trump, house) have a `ruled_out` that is not
    the set of cards beside which `card` would be illegal; impossible places are passed over."""
    wrong = 0
    for i in range(len(drawn)):
        led, best, card, partner, trump = drawn[i, 0], drawn[i, 1], drawn[i, 2], drawn[i, 3] == 1, drawn[i, 4]
        house = rules[drawn[i, 5]]
        if card in (led, best) or (best != led and not beats(best, led, trump)):
            continue
        against = 0
        for other in range(32):
            if (
                other != card
                and (duty((1 << card) | (1 << other), led, best, partner, trump, house)[1] >> card) & 1 == 0
            ):
                against |= 1 << other
        wrong += int(against != ruled_out(card, led, best, partner, trump, house))
    return wrong


def test_r3_ruled_out_is_the_mirror_of_duty() -> None:
    n = 400_000 if ENABLED else 1_000
    limits = [32, 32, 32, 2, 4, len(HOUSES)]
    drawn = np.random.default_rng(3).integers(0, limits, size=(n, 6))
    assert _disagreements(drawn, house_records()) == 0


def test_r3_1_a_lead_rules_nothing_out() -> None:
    assert ruled_out(5, -1, -1, False, 1, Variant().record()) == 0


@jit
def _unsound(games: np.ndarray, uniform: np.ndarray) -> int:
    """Play each game of [N] with random cards from `uniform` [N, 33]; how often a seat held what it was said not to, or
    the legal set was empty or outside the hand."""
    wrong = 0
    for i in range(len(games)):
        game = games[i]
        start_deal(game)
        apply(game, NAME + (i & 3))
        step = 0
        while game.phase != DEAL_OVER:
            allowed = legal(game)
            wrong += int(allowed == 0 or allowed & ~game.hands[game.to_act] != 0)
            skip = int(uniform[i, step] * 8)
            card = lowest_bit(allowed)
            left = allowed
            for _ in range(skip):
                left &= left - 1
                left = allowed if left == 0 else left
                card = lowest_bit(left)
            apply(game, card)
            for seat in range(4):
                wrong += int(game.ruled_out[seat] & game.hands[seat] != 0)
            step += 1
    return wrong


def test_r3_what_is_ruled_out_is_never_held() -> None:
    n = 9_000 if ENABLED else 36
    games: Any = np.zeros(n, dtype=GAME)
    games["seed"] = 17
    games["deal_number"] = np.arange(n)
    for i in range(n):
        games["rules"][i] = HOUSES[i % len(HOUSES)].record()
    assert _unsound(games, np.random.default_rng(4).random((n, 33))) == 0
    assert (games["ruled_out"] != 0).any()

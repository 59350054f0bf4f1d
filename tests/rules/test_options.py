"""R0: every value of every option makes a difference: small scenes, and what each value of one option makes of them."""

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from klaverjas_env.game import BIDDING, CLAIMING, DEAL_OVER, GAME, PASS, apply, legal, match_over, new, next_deal
from klaverjas_env.notation import action_names, given_deal, parse_cards, turned_name
from klaverjas_env.questions import deal_score, legal_cards, trick_roem
from klaverjas_env.records.deal import setup
from klaverjas_env.rules.bidding import JOKER
from klaverjas_env.rules.cards import lowest_bit
from klaverjas_env.rules.variant import CHOICES, RANGES, Variant
from klaverjas_env.view import view

# --- a stacked deal --------------------------------------------------------------------------------------------------

HANDS = [
    "CA D7 H8 CK DT DJ SK SA".split(),
    "C7 DA HK HT HA H9 HJ S7".split(),
    "C8 DQ HQ CT CJ D8 S8 S9".split(),
    "C9 DK H7 CQ D9 ST SJ SQ".split(),
]
"""The dealer is south, so west leads; west plays hearts."""
TRICKS = ("C7 C8 C9 CA".split(), "D7 DA DQ DK".split(), "HK HQ H7 H8".split())
"""A run of three for south; one for west; the stuk for west."""


def table(variant: Variant, tricks: int = 0, more: str = "", claims: tuple[int, ...] = ()) -> Any:
    """The game after so many tricks of the stacked deal, and some cards more."""
    plays = [card for trick in TRICKS[:tricks] for card in trick] + more.split()
    record = {"variant": str(variant), "dealer": 0, "hands": HANDS, "contract": {"declarer": 1, "trump": "H"}}
    return setup({**record, "plays": plays, "claims": list(claims)})[0]


def roem_after(variant: Variant, tricks: int, claims: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The roem of both sides after so many tricks."""
    return tuple(int(points) for points in table(variant, tricks, claims=claims).roem)


def reneged(variant: Variant) -> tuple[int, ...]:
    """The score when north, with a trump in hand, does not follow the trump that west led in the third trick."""
    game = table(variant, 2, "HK CT")
    assert game.phase == DEAL_OVER
    return tuple(int(points) for points in game.score)


def points_in_all(variant: Variant) -> int:
    """The card points of both sides when every trick has been played."""
    game = table(variant)
    while game.phase != DEAL_OVER:
        apply(game, lowest_bit(int(legal(game))))
    return int(game.points.sum())


# --- the choice of trump ---------------------------------------------------------------------------------------------


def bidding(variant: Variant, passes: int = 0, pile: tuple[int, ...] = ()) -> Any:
    """The stacked deal, south dealing, after so many passes; the pile is as given."""
    game = given_deal(variant, 0, [parse_cards(hand) for hand in HANDS], pile)[0]
    for _ in range(passes):
        apply(game, PASS)
    return game


def suits_apart(variant: Variant) -> Any:
    """A deal in which every seat holds one suit; south deals, so that west with the diamonds is forehand."""
    return given_deal(variant, 0, [0xFF << 8 * seat for seat in range(4)])[0]


def lawful(game: Any) -> list[str]:
    """The names of what the seat to act may do."""
    return action_names(int(legal(game)))


def passes_in_all(variant: Variant) -> int:
    """How often all together can pass."""
    game = bidding(variant, pile=(0, 1, 2, 3, 0))
    while game.phase == BIDDING:
        apply(game, PASS)
    return int(game.n_bids)


def turned_in_two_deals(variant: Variant) -> str:
    """The suits that are offered in the first and in the second deal of a match."""
    game = new(variant, 0)[0]
    suits = turned_name(int(game.stock[0]))
    game.deals_played = 1
    next_deal(game)
    return suits + turned_name(int(game.stock[0]))


def jokers_of_a_pile(variant: Variant) -> tuple[int, int]:
    """How many jokers lie in a pile, and of how many cards it is."""
    stock = new(variant, 0)[0].stock
    return int((stock == JOKER).sum()), int((stock >= 0).sum())


def dealer_of_the_redeal(variant: Variant) -> int:
    """Who deals again when south's deal has been passed out."""
    game = bidding(variant, 4, (3,))
    next_deal(game)
    return int(game.dealer)


# --- the match -------------------------------------------------------------------------------------------------------


def over(variant: Variant, deals: int, south_north: int, west_east: int) -> bool:
    """Whether a match is over that stands so."""
    game = np.zeros(1, dtype=GAME)[0]
    game["rules"] = variant.record()
    game.phase = DEAL_OVER
    game.deals_played = deals
    game.totals[:] = south_north, west_east
    return bool(match_over(game))


def first_over(variant: Variant) -> tuple[int, int]:
    """The first number of deals at which a match without points is over, or 0, and the first hundred, or 0."""
    deals = next((deals for deals in range(40) if over(variant, deals, 0, 1)), 0)
    return deals, next((points for points in range(0, 4000, 100) if over(variant, 1, points, 0)), 0)


# --- every option ----------------------------------------------------------------------------------------------------


class Scene(NamedTuple):
    """What each value of one option makes of a scene, beside the options in `house`."""

    ask: Callable[[Variant], Any]
    answers: dict[Any, Any]
    house: Mapping[str, Any] = MappingProxyType({})


STOCK = {"trump_mode": "stock", "first_deal_clubs": False}
FREE = {"trump_mode": "free", "all_pass": "forced_choice"}
CLAIMED = {"roem_mode": "declare"}
PENALTY = {"renege_mode": "penalty"}
JACKS, NINES, TENS = (tuple(f"{suit}{rank}" for suit in "CDHS") for rank in "J9T")
SUITS = ["C", "D", "H", "S"]

SCENES: dict[str, Scene] = {
    "deal_packets": Scene(
        lambda house: f"{int(new(house, 0)[0].hands[0]):08x}",
        {"3-2-3": "00638045", "4-4": "00f60028", "8": "0ce20402", "1-1-1-1-1-1-1-1": "04204325"},
    ),
    "first_dealer": Scene(
        lambda house: [int(new(house, seed)[0].dealer) for seed in range(6)],
        {"random": [0, 3, 1, 2, 3, 2], "0": [0] * 6, "1": [1] * 6, "2": [2] * 6, "3": [3] * 6},
    ),
    "redeal_dealer": Scene(dealer_of_the_redeal, {"same": 0, "next": 1}, {**STOCK, "all_pass": "redeal"}),
    "trump_mode": Scene(
        lambda house: lawful(bidding(house, pile=(2,))),
        {"forehand": SUITS, "stock": ["pass", "play"], "free": ["pass", *SUITS]},
        {"all_pass": "forced_choice"},
    ),
    "first_bidder": Scene(lambda house: int(bidding(house).to_act), {"forehand": 1, "dealer": 0}, FREE),
    "stock_rounds": Scene(passes_in_all, {1: 4, 2: 8, 3: 12, 4: 16}, STOCK),
    "all_pass": Scene(
        lambda house: lawful(bidding(house, 4, (3, 2)))[:3],
        {"forced_turned": ["C7", "DA", "H9"], "forced_choice": ["C", "D", "H"], "redeal": []},
        STOCK,
    ),
    "forced_seat": Scene(lambda house: lawful(bidding(house, 3)), {"first": ["pass", *SUITS], "last": SUITS}, FREE),
    "stock_skip_passed": Scene(lambda house: int(bidding(house, 4, (3, 3, 2)).trump), {True: 2, False: 3}, STOCK),
    "choice_excludes_passed": Scene(
        lambda house: lawful(bidding(house, 4, (3,))),
        {True: ["C", "D", "H"], False: SUITS},
        {**STOCK, "all_pass": "forced_choice"},
    ),
    "first_deal_clubs": Scene(turned_in_two_deals, {True: "CD", False: "SD"}, {"trump_mode": "stock"}),
    "stock_jokers": Scene(jokers_of_a_pile, {0: (0, 20), 1: (1, 21), 2: (2, 22), 3: (3, 23)}, STOCK),
    "must_hold_trump": Scene(lambda house: lawful(suits_apart(house)), {False: SUITS, True: ["D"]}),
    "partner_exempt": Scene(
        lambda house: [
            legal_cards(["H7", "C9"], [(0, "SA"), (1, "S7")], "H", 2, house),
            legal_cards(["HA", "C9"], [(0, "S9"), (1, "HQ"), (2, "S7")], "H", 3, house),
        ],
        {
            "none": [["H7"], ["HA"]],
            "winning": [["C9", "H7"], ["C9", "HA"]],
            "winning_trump": [["H7"], ["C9", "HA"]],
        },
    ),
    "undertrump": Scene(
        lambda house: legal_cards(["H8", "C9"], [(0, "S9"), (1, "HA")], "H", 2, house),
        {"forbidden": ["C9"], "forced": ["H8"], "allowed": ["C9", "H8"]},
    ),
    "undertrump_partner": Scene(
        lambda house: legal_cards(["H8", "C9"], [(0, "SK"), (1, "HQ"), (2, "S7")], "H", 3, house),
        {"forbidden": ["C9"], "allowed": ["C9", "H8"]},
    ),
    "last_trick": Scene(points_in_all, {10: 162, 0: 152, 20: 172}),
    "run3": Scene(lambda house: roem_after(house, 2), {20: (20, 20), 0: (0, 0), 30: (30, 30)}),
    "run4": Scene(lambda house: trick_roem("S7 S8 S9 ST".split(), "H", house), {50: 50, 0: 0, 100: 100}),
    "stuk": Scene(lambda house: roem_after(house, 3), {20: (20, 40), 0: (20, 20), 40: (20, 60)}),
    "four_jacks": Scene(lambda house: trick_roem(JACKS, "H", house), {200: 200, 100: 100, 0: 0}),
    "four_others": Scene(lambda house: trick_roem(NINES, "H", house), {100: 100, 200: 200, 0: 0}),
    "four_kind_ranks": Scene(
        lambda house: [trick_roem(cards, "H", house) for cards in (JACKS, NINES, TENS)],
        {"all": [200, 100, 100], "TJQKA": [200, 0, 100], "none": [0, 0, 0]},
    ),
    "roem_mode": Scene(
        lambda house: (table(house, 1).phase == CLAIMING, roem_after(house, 1)),
        {"auto": (False, (20, 0)), "declare": (True, (0, 0))},
    ),
    "false_roem": Scene(
        lambda house: roem_after(house, 1, (100,)), {"to_opponents": (0, 100), "ignored": (0, 0)}, CLAIMED
    ),
    "stuk_always": Scene(lambda house: roem_after(house, 3, (0, 0, 0)), {True: (0, 20), False: (0, 0)}, CLAIMED),
    "nat_on_tie": Scene(lambda house: deal_score(81, 81, variant=house)["nat"], {True: True, False: False}),
    "pit_bonus": Scene(
        lambda house: deal_score(162, 0, playing_tricks=8, variant=house)["playing"], {100: 262, 90: 252, 0: 162}
    ),
    "counter_pit_bonus": Scene(
        lambda house: deal_score(0, 162, playing_tricks=0, variant=house)["defending"], {100: 262, 0: 162, 200: 362}
    ),
    "renege_mode": Scene(lambda house: len(lawful(table(house, 2, "HK"))), {"prevent": 1, "penalty": 6}),
    "renege_points": Scene(reneged, {162: (0, 302), 0: (0, 140), 100: (0, 240)}, PENALTY),
    "renege_bonus": Scene(reneged, {100: (0, 302), 0: (0, 202), 50: (0, 252)}, PENALTY),
    "renege_roem": Scene(reneged, {"all": (0, 302), "winner_only": (0, 282), "none": (0, 262)}, PENALTY),
    "match_end": Scene(first_over, {"deals": (16, 0), "target": (0, 1500)}),
    "deals": Scene(first_over, {16: (16, 0), 1: (1, 0), 4: (4, 0)}),
    "target": Scene(first_over, {1500: (0, 1500), 300: (0, 300), 3000: (0, 3000)}, {"match_end": "target"}),
    "tie_break": Scene(lambda house: over(house, 16, 900, 900), {"draw": True, "extra_deal": False}),
    "open_hands": Scene(
        lambda house: int((view(new(house, 0), np.array([2]))["hands"] != 0).sum()), {False: 1, True: 4}
    ),
}
"""A scene for every option, in the order of `Variant`."""

VALUES = [(name, value) for name, scene in SCENES.items() for value in scene.answers]


@pytest.mark.parametrize(("name", "value"), VALUES, ids=[f"{name}={value}" for name, value in VALUES])
def test_every_value_of_every_option_makes_a_difference(name: str, value: Any) -> None:
    scene = SCENES[name]
    found = scene.ask(Variant(**{**scene.house, name: value}))
    assert found == scene.answers[value]
    others = [answer for other, answer in scene.answers.items() if other != value]
    assert found not in others


def test_every_option_and_every_value_has_its_scene() -> None:
    fields = {field.name: field for field in dataclasses.fields(Variant)}
    assert list(SCENES) == list(fields)
    for name, scene in SCENES.items():
        assert fields[name].default in scene.answers, name
        if name in CHOICES:
            assert sorted(map(str, scene.answers)) == sorted(CHOICES[name]), name
        elif name in RANGES and RANGES[name][1] < 10:
            least, most = RANGES[name]
            assert sorted(scene.answers) == list(range(least, most + 1)), name
        else:
            assert len(scene.answers) >= 3, name


def test_r1_5_all_packets_are_dealt_from_one_pack() -> None:
    """The first eight cards of the pack, which in one packet all go to forehand, by the seat that else gets them."""

    def first_eight(packets: str) -> list[int]:
        whole, dealt = (new(Variant(deal_packets=size), 0, dealer=0)[0].hands for size in ("8", packets))
        return [(int(whole[1]) & int(dealt[(1 + seat) & 3])).bit_count() for seat in range(4)]

    assert first_eight("8") == [8, 0, 0, 0]
    assert first_eight("4-4") == [4, 4, 0, 0]
    assert first_eight("3-2-3") == [3, 3, 2, 0]
    assert first_eight("2-3-3") == [2, 2, 2, 2]
    assert first_eight("1-1-1-1-1-1-1-1") == [2, 2, 2, 2]
    assert first_eight("5-3") == [5, 3, 0, 0]

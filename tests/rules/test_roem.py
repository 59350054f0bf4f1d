"""R5: all tricks with all trumps against an exhaustive list, and what follows from the rules."""

import csv
import gzip
import itertools
import random
from pathlib import Path

from klaverjas_env.notation import card_names, parse_card
from klaverjas_env.questions import trick_roem as asked
from klaverjas_env.rules.roem import four_kind_roem, run_roem, stuk_roem, trick_roem
from klaverjas_env.rules.variant import Variant

TABLE = Path(__file__).parents[1] / "data" / "roem_exhaustive.csv.gz"
DEFAULT = Variant().record()
JACKS_100 = Variant(four_jacks=100).record()
"""The house rules of the table: the default but for four jacks, 100 as in source 001."""


def test_r5_4_every_trick_with_every_trump() -> None:
    bits = {name: 1 << parse_card(name) for name in card_names(0xFFFFFFFF)}
    seen = set()
    dearer = set()
    with gzip.open(TABLE, "rt") as file:
        for cards, trump, roem in csv.reader(file):
            trick = bits[cards[:2]] | bits[cards[2:4]] | bits[cards[4:6]] | bits[cards[6:]]
            suit = "CDHS".index(trump)
            seen.add((trick, suit))
            assert trick_roem(trick, suit, JACKS_100) == int(roem), (cards, trump)
            if trick_roem(trick, suit, DEFAULT) != int(roem):
                dearer.add(cards)
    assert dearer == {"CJDJHJSJ"}
    assert len(seen) == 143_840 == 35_960 * 4


def test_r5_4_the_order_of_play_does_not_matter() -> None:
    draw = random.Random(5)
    tricks = [draw.sample(card_names(0xFFFFFFFF), 4) for _ in range(20)]
    for trick in [*tricks, ["S9", "D7", "SJ", "ST"], ["HK", "HQ", "HA", "HJ"]]:
        assert len({asked(order, "H") for order in itertools.permutations(trick)}) == 1


def test_r5_1_a_run_of_four_does_not_count_as_three_too() -> None:
    assert asked(["S7", "S8", "S9", "ST"], "H") == 50
    assert asked(["S7", "S8", "S9", "ST"], "H", "amsterdams, run3=30, run4=60") == 60
    assert asked(["S7", "S8", "S9", "SQ"], "H", "amsterdams, run3=30") == 30


def test_r5_1_no_run_across_suits_or_around_the_ace() -> None:
    assert asked(["CQ", "CK", "CA", "D7"], "H") == 20
    assert asked(["CK", "CA", "D7", "D8"], "H") == 0
    assert asked(["CK", "CA", "C7", "D8"], "H") == 0


def test_r5_2_stuk_has_its_own_price() -> None:
    assert asked(["HQ", "HK", "C7", "D7"], "H", "amsterdams, stuk=0") == 0
    assert asked(["HQ", "HK", "C7", "D7"], "S") == 0


def test_r5_3_four_of_a_kind_by_house() -> None:
    jacks, nines, tens = ([f"{suit}{rank}" for suit in "CDHS"] for rank in "J9T")
    assert [asked(cards, "H") for cards in (jacks, nines, tens)] == [200, 100, 100]
    assert [asked(c, "H", "amsterdams, four_jacks=100, four_others=80") for c in (jacks, nines, tens)] == [100, 80, 80]
    assert [asked(c, "H", "amsterdams, four_kind_ranks=TJQKA") for c in (jacks, nines, tens)] == [200, 0, 100]
    assert [asked(c, "H", "amsterdams, four_kind_ranks=none") for c in (jacks, nines, tens)] == [0, 0, 0]


def test_r5_4_is_the_sum_of_its_three_parts() -> None:
    draw = random.Random(6)
    for _ in range(300):
        suit, trick = draw.randrange(4), 0
        for card in draw.sample(range(32), 4):
            trick |= 1 << card
        parts = run_roem(trick, DEFAULT) + stuk_roem(trick, suit, DEFAULT) + four_kind_roem(trick, DEFAULT)
        assert trick_roem(trick, suit, DEFAULT) == parts

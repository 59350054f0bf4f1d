"""Deals from (seed, deal number): the generator's published answers, a golden deal, and uniformity."""

import numpy as np
import pytest

from klaverjas_env.game import new
from klaverjas_env.notation import card_names, position
from klaverjas_env.rng import DOMAIN_DEALER, GENERATOR, draw, philox, shuffle, table_seed

KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]
"""Random123's kat_vectors for philox4x32-10: counter, key, words."""


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN_ANSWERS)
def test_philox_gives_the_published_answers(
    counter: tuple[int, ...], key: tuple[int, int], words: tuple[int, ...]
) -> None:
    numbers = [np.uint64(word) for word in counter]
    found = philox(numbers[0], numbers[1], numbers[2], numbers[3], np.uint64(key[0] | key[1] << 32))
    assert tuple(int(word) for word in found) == words


def test_the_golden_deal_stands_for_ever() -> None:
    assert GENERATOR == "klaverjas-deals-v1"
    assert position(new("amsterdams", seed=2026, deal_number=7)) == GOLDEN_UTRECHTS
    assert position(new("rotterdams/stock-verplicht", seed=2**63 - 1)) == GOLDEN_STOCK


def test_hands_do_not_depend_on_the_house_rules() -> None:
    games = [new(variant, seed=9)[0] for variant in ("amsterdams", "rotterdams/stock-zoeker")]
    assert list(games[0].hands) == list(games[1].hands)


def test_neighbouring_deals_and_seeds_differ() -> None:
    texts = {str(new(seed=seed, deal_number=number)["hands"]) for seed in range(20) for number in range(20)}
    assert len(texts) == 400


def test_every_card_goes_to_every_hand_equally_often() -> None:
    n = 4_000
    held = np.zeros((4, 32))
    for number in range(n):
        hands = new(seed=1, deal_number=number, dealer=0)[0].hands
        assert sum(int(hand) for hand in hands) == 0xFFFFFFFF
        held += (hands[:, None] >> np.arange(32)) & 1
    chi_squared = (((held - n / 4) ** 2) / (n / 4)).sum()
    assert 50 < chi_squared < 150  # 93 degrees of freedom: about four deviations either side


def test_a_shuffle_puts_every_item_first_equally_often() -> None:
    n = 4_000
    first = np.zeros(20)
    for seed in range(n):
        items = np.arange(20)
        shuffle(seed, 0, 1, items, 16)
        assert sorted(items) == list(range(20))
        first[items[0]] += 1
    assert (((first - n / 20) ** 2) / (n / 20)).sum() < 45  # 19 degrees of freedom


def test_the_first_dealer_is_any_seat() -> None:
    counts = np.bincount([draw(seed, 0, DOMAIN_DEALER, 4) for seed in range(4_000)], minlength=4)
    assert len(counts) == 4
    assert abs(counts - 1_000).max() < 120


def test_table_seeds_are_distinct_and_fit_63_bits() -> None:
    seeds = [table_seed(5, table) for table in range(2_000)]
    assert len(set(seeds)) == 2_000
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_hands_come_in_eights() -> None:
    assert [len(card_names(int(hand))) for hand in new(seed=3)[0].hands] == [8, 8, 8, 8]


GOLDEN_UTRECHTS = (
    "kj1:amsterdams/utrechts dealer:1 "
    "hands:C7C9CJDJHJHQSTSQ/CTCKD9DAH8H9HASA/C8D7DTH7HKS7S8SJ/CQCAD8DQDKHTS9SK turn:2 deal:2026/7"
)
GOLDEN_STOCK = (
    "kj1:rotterdams/stock-verplicht dealer:1 "
    "hands:C7C9D9DTDJHTHQHK/D7D8DQHJS7S9SQSK/CJCQCKDKDAH9STSA/C8CTCAH7H8HAS8SJ "
    "stock:CCCCHHSHHSDSDDCDDCSHS turn:2 deal:9223372036854775807/0"
)

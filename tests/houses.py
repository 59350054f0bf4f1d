"""House rules for tests: random combinations of options that can be played."""

import dataclasses
import random

from klaverjas_env.rules.variant import CHOICES, RANGES, Variant, VariantError

PRICES = {
    "last_trick": (0, 10, 20),
    "run3": (20, 0, 30),
    "run4": (50, 0, 60),
    "stuk": (20, 0, 30),
    "four_jacks": (200, 100, 0),
    "four_others": (100, 0, 200),
    "pit_bonus": (100, 90, 0),
    "counter_pit_bonus": (100, 0, 200),
    "renege_points": (162, 0, 200),
    "renege_bonus": (100, 0, 50),
}
"""Prices worth trying, the usual one first."""
PACKETS = ("3-2-3", "4-4", "8", "2-3-3", "1-1-1-1-1-1-1-1")


def random_house(draw: random.Random) -> Variant:
    """Every option drawn on its own, again until the combination can be played; matches are short."""
    while True:
        options: dict[str, object] = {}
        for field in dataclasses.fields(Variant):
            name = field.name
            if field.type is bool:
                options[name] = draw.random() < 0.5
            elif name in CHOICES:
                options[name] = draw.choice(CHOICES[name])
            elif name in PRICES:
                options[name] = draw.choice(PRICES[name])
            elif name == "deal_packets":
                options[name] = draw.choice(PACKETS)
            elif name == "target":
                options[name] = draw.choice((1, 300, 1500))
            else:
                least, most = RANGES[name]
                options[name] = draw.randint(least, min(most, 4))
        try:
            return Variant(**options)  # type: ignore[arg-type]
        except VariantError:
            continue

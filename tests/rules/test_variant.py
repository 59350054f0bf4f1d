"""R0: house rules as text, as a value, as a record and as a hash."""

import dataclasses
import random

import pytest

from klaverjas_env.rules.variant import ALIASES, CHOICES, PRESETS, VARIANT, Variant, VariantError, preset


def random_variant(draw: random.Random) -> Variant:
    """Every option drawn on its own."""
    options: dict[str, object] = {}
    for field in dataclasses.fields(Variant):
        if field.name == "nat_on_tie":
            options[field.name] = draw.random() < 0.5
        elif field.name in CHOICES:
            options[field.name] = draw.choice(CHOICES[field.name])
        else:
            options[field.name] = draw.randint(1, 1000)
    return Variant(**options)  # type: ignore[arg-type]


VARIANTS = [*PRESETS.values(), *(random_variant(random.Random(seed)) for seed in range(50))]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_text_and_record_are_inverses(variant: Variant) -> None:
    assert Variant.parse(str(variant)) == variant
    assert Variant.parse(str(variant).replace(" ", "")) == variant
    assert Variant.from_record(variant.record()) == variant
    assert Variant.of(variant) is variant


def test_presets_print_as_their_names() -> None:
    assert {str(variant) for variant in PRESETS.values()} == set(PRESETS)
    assert all(preset(alias) == PRESETS[name] for alias, name in ALIASES.items())


def test_the_default_is_amsterdams_utrechts() -> None:
    assert Variant.of(None) == Variant() == Variant.parse("") == Variant.parse("amsterdams")
    assert str(Variant()) == "amsterdams/utrechts"


def test_options_alone_change_the_default() -> None:
    assert Variant.parse("four_jacks=100, nat_on_tie=false") == Variant(four_jacks=100, nat_on_tie=False)


def test_r6_1_presets_differ_as_documented() -> None:
    assert preset("rotterdams") == Variant(partner_exempt="none")
    assert preset("online-rotterdams") == Variant(partner_exempt="none", undertrump="forced", counter_pit_bonus=0)
    assert preset("amsterdams/stock-zoeker") == Variant(trump_mode="stock", all_pass="forced_choice")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("amsterdam", "amsterdams"),
        ("roterdams", "rotterdams"),
        ("amsterdams, four_jack=100", "four_jacks"),
        ("amsterdams, undertrump=forbiden", "forbidden"),
        ("amsterdams, undertrump", "name=value"),
        ("amsterdams, four_jacks=100, four_jacks=200", "twice"),
        ("amsterdams, four_jacks=much", "whole number"),
        ("amsterdams, four_jacks=-1", "from 0 to 1000"),
        ("amsterdams, deals=0", "from 1 to 10000"),
        ("amsterdams, nat_on_tie=1", "true, false"),
        ("four_jacks=100, amsterdams", "preset first"),
    ],
)
def test_a_wrong_text_names_what_is_meant(text: str, says: str) -> None:
    with pytest.raises(VariantError, match=says):
        Variant.parse(text)


@pytest.mark.parametrize(
    "options",
    [{"four_jacks": True}, {"four_jacks": 1.5}, {"nat_on_tie": 1}, {"nat_on_tie": "True"}, {"trump_mode": "free"}],
    ids=str,
)
def test_a_wrong_value_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(VariantError):
        Variant(**options)  # type: ignore[arg-type]


def test_of_refuses_other_types() -> None:
    with pytest.raises(VariantError, match="not int"):
        Variant.of(3)  # type: ignore[arg-type]


def test_the_record_has_one_field_for_each_option() -> None:
    assert VARIANT.names == tuple(field.name for field in dataclasses.fields(Variant))


def test_the_rules_hash_tells_house_rules_apart() -> None:
    assert len({variant.rules_hash for variant in VARIANTS}) == len(set(VARIANTS))
    assert Variant.parse("four_jacks=200").rules_hash == Variant().rules_hash
    assert len(Variant().rules_hash) == 16

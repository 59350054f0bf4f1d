"""R0: which house rules are played, as one value with named presets."""

import dataclasses
import difflib
import functools
import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

LAW: Final = "klaverjas-law-v2"
"""Frozen name of the meaning of the options; part of every rules hash."""

_FLAG: Final = ("False", "True")

CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "first_dealer": ("random", "0", "1", "2", "3"),
    "redeal_dealer": ("same", "next"),
    "trump_mode": ("forehand", "stock", "free"),
    "first_bidder": ("forehand", "dealer"),
    "all_pass": ("forced_turned", "forced_choice", "redeal"),
    "forced_seat": ("first", "last"),
    "stock_skip_passed": _FLAG,
    "choice_excludes_passed": _FLAG,
    "first_deal_clubs": _FLAG,
    "must_hold_trump": _FLAG,
    "partner_exempt": ("none", "winning", "winning_trump"),
    "undertrump": ("forbidden", "forced", "allowed"),
    "undertrump_partner": ("forbidden", "allowed"),
    "four_kind_ranks": ("all", "TJQKA", "none"),
    "roem_mode": ("auto", "declare"),
    "false_roem": ("to_opponents", "ignored"),
    "stuk_always": _FLAG,
    "nat_on_tie": _FLAG,
    "renege_mode": ("prevent", "penalty"),
    "renege_roem": ("all", "winner_only", "none"),
    "match_end": ("deals", "target"),
    "tie_break": ("draw", "extra_deal"),
    "open_hands": _FLAG,
}
"""The values of every option that is not a number; a value is stored in a game record as its place in the tuple."""

MAX_POINTS: Final = 1000
"""The largest price that a house may put on a bonus."""
RANGES: Final[dict[str, tuple[int, int]]] = {
    "stock_rounds": (1, 4),
    "stock_jokers": (0, 3),
    "deals": (1, 10_000),
    "target": (1, 1_000_000),
}
"""Least and most of the numbers that are not prices; prices go from 0 to `MAX_POINTS`."""


class VariantError(ValueError):
    """A house rule that does not exist or cannot be played; the text says which and names the nearest that can."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The house rules of a table. Defaults are `amsterdams/utrechts`; sources are those of RULES.md."""

    deal_packets: str = "3-2-3"
    """R1.5: packets in which the cards are dealt (source 003). Makes no difference but to seeded deals."""
    first_dealer: str = "random"
    """R1.5: who deals first: drawn from the seed, or seat 0 to 3."""
    redeal_dealer: str = "same"
    """R2.8: who deals again when all have passed: the `same` dealer (so that all deal equally often) or the `next`."""
    trump_mode: str = "forehand"
    """R2: `forehand` (Utrechts; sources 002, 003), `stock` (a turned card; source 000) or `free` (each passes or names
    a suit; NKU, KBN)."""
    first_bidder: str = "forehand"
    """R2.3, `stock` and `free`: who speaks first, `forehand` or the `dealer` (NKU)."""
    stock_rounds: int = 1
    """R2.7, `stock` only: rounds of passing or playing, each on a newly turned card (2 in the program of 000)."""
    all_pass: str = "forced_turned"
    """R2.4, R2.5, R2.8: when all pass, the first speaker plays on the next turned suit (`forced_turned`, "verplicht";
    `stock` only), on a suit of choice (`forced_choice`, "zoeker"), or the cards are dealt again (`redeal`)."""
    forced_seat: str = "first"
    """R2.9: who is forced when nobody plays of free will: the `first` speaker, or the `last`, who may not pass."""
    stock_skip_passed: bool = True
    """R2.4: whether cards are turned until a suit comes that has not been passed on."""
    choice_excludes_passed: bool = True
    """R2.5: whether the chooser may not name a suit that all have passed on."""
    first_deal_clubs: bool = True
    """R2.10, `stock` only: the first deal of a match offers clubs (source 000)."""
    stock_jokers: int = 0
    """R2.11, `stock` only: jokers in the pile; when one is turned the first speaker must name a suit."""
    must_hold_trump: bool = False
    """R2.12: whether a suit may be named only by a player who holds a card of it."""
    partner_exempt: str = "winning"
    """R3.5: when a void player need not trump: `none` (Rotterdams), while the partner is `winning` (Amsterdams), or
    only while the partner is `winning_trump` (source 000 to the letter)."""
    undertrump: str = "forbidden"
    """R3.9: whether a void player who cannot beat the winning trump may play a lower one while side cards are held."""
    undertrump_partner: str = "forbidden"
    """R3.6: whether an exempt player may play below the partner's trump."""
    last_trick: int = 10
    """R6.1: points for the last trick."""
    run3: int = 20
    """R5.1: roem for three in a row."""
    run4: int = 50
    """R5.1: roem for four in a row."""
    stuk: int = 20
    """R5.2: roem for king and queen of trump."""
    four_jacks: int = 200
    """R5.3: roem for four jacks (source 003; 100 in source 001)."""
    four_others: int = 100
    """R5.3: roem for four of another rank."""
    four_kind_ranks: str = "all"
    """R5.3: which ranks count as four of a kind."""
    roem_mode: str = "auto"
    """R5.5: roem counts by itself (`auto`; source 003) or when it is claimed (`declare`; sources 000, 001)."""
    false_roem: str = "to_opponents"
    """R5.7: a false claim goes to the other side (source 000) or is `ignored`."""
    stuk_always: bool = True
    """R5.6: with `declare`, stuk counts without a claim (source 001)."""
    nat_on_tie: bool = True
    """R6.2: whether an equal score is nat."""
    pit_bonus: int = 100
    """R6.4: for the playing side when it takes all tricks."""
    counter_pit_bonus: int = 100
    """R6.5: for the defenders when they take all tricks (tegenpit; 0 in source 001)."""
    renege_mode: str = "prevent"
    """R6.7: a card against R3 cannot be played (`prevent`), or ends the deal at once (`penalty`; verzaken)."""
    renege_points: int = 162
    """R6.7: what the other side gets for the cards."""
    renege_bonus: int = 100
    """R6.7: and on top of it."""
    renege_roem: str = "all"
    """R6.7: and of the roem so far: `all`, its own (`winner_only`), or `none`."""
    match_end: str = "deals"
    """R6.6: a match ends after a number of `deals` or when a side has the `target`."""
    deals: int = 16
    """R6.6: deals in a match (a boompje is 16)."""
    target: int = 1500
    """R6.6: points that end a match; looked at after every deal."""
    tie_break: str = "draw"
    """R6.8: a tie at the end is a `draw`, or brings an `extra_deal`."""
    open_hands: bool = False
    """R1.6: everybody sees all hands ("open spel"; source 000)."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            _check_option(field.name, getattr(self, field.name))
        _check_together(self)

    @classmethod
    @functools.lru_cache(maxsize=256)
    def parse(cls, text: str) -> "Variant":
        """A variant from a preset name, then options by field name: `amsterdams, four_jacks=100`.

        Either part may be left out; `str(variant)` is the inverse. Raises VariantError.
        """
        parts = [part.strip() for part in text.split(",")] if text.strip() else []
        base = cls()
        if parts and "=" not in parts[0]:
            base = preset(parts.pop(0))
        options: dict[str, Any] = {}
        for part in parts:
            name, separator, value = (piece.strip() for piece in part.partition("="))
            if not separator:
                raise VariantError(
                    f"variant {text!r}: {part!r} is not an option; write the preset first, then name=value"
                )
            if name in options:
                raise VariantError(f"variant {text!r}: option {name!r} is given twice")
            options[name] = _read_option(name, value)
        return dataclasses.replace(base, **options)

    @classmethod
    def of(cls, value: "str | Variant | None") -> "Variant":
        """The variant that a caller means by a text, a variant, or nothing (the default)."""
        if value is None:
            return cls()
        if isinstance(value, Variant):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        raise VariantError(f"a variant is a text such as 'rotterdams' or a Variant, not {type(value).__name__}")

    def __str__(self) -> str:
        def distance(name: str) -> int:
            return len(_differences(PRESETS[name], self))

        nearest = min(PRESETS, key=distance)
        return ", ".join([nearest, *_differences(PRESETS[nearest], self)])

    @property
    def rules_hash(self) -> str:
        """Sixteen hex digits that name the whole set of options; equal for equal house rules."""
        return _rules_hash(self)

    def record(self) -> np.record:
        """The variant as a numpy record of dtype `VARIANT`, as it stands inside a game."""
        row = np.zeros(1, dtype=VARIANT)
        for field in dataclasses.fields(self):
            row[field.name] = _code(field.name, getattr(self, field.name))
        record: np.record = row[0]
        return record

    @classmethod
    def from_record(cls, record: Any) -> "Variant":
        """The variant that stands inside a game record."""
        return _of_codes(record.item())


@functools.lru_cache(maxsize=256)
def _rules_hash(variant: Variant) -> str:
    options = json.dumps({"law": LAW, **dataclasses.asdict(variant)}, sort_keys=True)
    return hashlib.sha256(options.encode()).hexdigest()[:16]


@functools.lru_cache(maxsize=256)
def _of_codes(codes: tuple[int, ...]) -> Variant:
    """The variant whose options have these numbers, in the order of the fields."""
    options: dict[str, Any] = {}
    for field, code in zip(dataclasses.fields(Variant), codes, strict=True):
        if field.type is bool:
            options[field.name] = bool(code)
        elif field.name == "deal_packets":
            options[field.name] = "-".join(str(code))
        elif field.name in CHOICES:
            options[field.name] = CHOICES[field.name][code]
        else:
            options[field.name] = code
    return Variant(**options)


VARIANT: Final = np.dtype((np.record, [(field.name, np.int64) for field in dataclasses.fields(Variant)]))
"""The dtype of a variant: one int64 for each option."""


def _nearest(name: str, known: list[str]) -> str:
    return difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]


def _names() -> list[str]:
    return [field.name for field in dataclasses.fields(Variant)]


def _check_name(name: str) -> None:
    if name not in _names():
        raise VariantError(f"unknown option {name!r}; did you mean {_nearest(name, _names())!r}?")


def _read_option(name: str, text: str) -> Any:
    """The value of an option from its text."""
    _check_name(name)
    if CHOICES.get(name) == _FLAG:
        if text.lower() not in ("true", "false"):
            raise VariantError(f"{name}={text!r} is not one of true, false")
        return text.lower() == "true"
    if name in CHOICES or name == "deal_packets":
        return text
    try:
        return int(text)
    except ValueError:
        raise VariantError(f"{name}={text!r} is not a whole number") from None


def _check_option(name: str, value: Any) -> None:
    if name == "deal_packets":
        _check_packets(value)
        return
    if name in CHOICES:
        if str(value) not in CHOICES[name] or (CHOICES[name] == _FLAG) is not isinstance(value, bool):
            raise VariantError(
                f"{name}={value!r} is not one of {', '.join(CHOICES[name])};"
                f" did you mean {_nearest(str(value), list(CHOICES[name]))!r}?"
            )
        return
    least, most = RANGES.get(name, (0, MAX_POINTS))
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise VariantError(f"{name}={value!r} is not a whole number from {least} to {most}")


def _check_packets(value: Any) -> None:
    packets = value.split("-") if isinstance(value, str) else []
    if not packets or any(packet not in list("12345678") for packet in packets) or sum(map(int, packets)) != 8:
        raise VariantError(f"deal_packets={value!r} are not packets of eight cards in all; write 3-2-3, 4-4 or 8")


def _check_together(variant: Variant) -> None:
    """Refuse options that cannot be played beside each other."""
    if variant.trump_mode == "free" and variant.all_pass == "forced_turned":
        raise VariantError(
            "trump_mode=free turns no cards, so all_pass=forced_turned cannot be; write all_pass=forced_choice"
        )
    if variant.forced_seat == "last" and variant.all_pass == "redeal":
        raise VariantError("forced_seat=last lets nobody pass out a deal, so all_pass=redeal cannot be; leave one out")
    if variant.forced_seat == "last" and variant.trump_mode == "stock" and variant.all_pass == "forced_choice":
        raise VariantError(
            "with a turned card the last speaker must play on its suit, so forced_seat=last and all_pass=forced_choice"
            " cannot be; write all_pass=forced_turned or forced_seat=first"
        )
    if variant.roem_mode == "declare":
        for name, usual in _CLAIMABLE.items():
            if getattr(variant, name) not in usual:
                raise VariantError(
                    f"roem_mode=declare has claims of 0 to 200 only, so {name}={getattr(variant, name)} cannot be;"
                    f" write one of {', '.join(map(str, usual))}"
                )


_CLAIMABLE: Final = {
    "run3": (20, 0),
    "run4": (50, 0),
    "stuk": (20, 0),
    "four_jacks": (200, 100, 0),
    "four_others": (100, 200, 0),
}
"""Prices that the claims of the action layout can express."""


def _code(name: str, value: Any) -> int:
    if name == "deal_packets":
        return int(value.replace("-", ""))
    return CHOICES[name].index(str(value)) if name in CHOICES else int(value)


def _differences(base: Variant, other: Variant) -> list[str]:
    """The options, as `name=value`, in which `other` differs from `base`."""
    return [f"{name}={getattr(other, name)}" for name in _names() if getattr(base, name) != getattr(other, name)]


_ROTTERDAMS: Final[dict[str, object]] = {"partner_exempt": "none"}
_FREE: Final[dict[str, object]] = {"trump_mode": "free", "all_pass": "forced_choice"}
_CHOICE_OF_TRUMP: Final[dict[str, dict[str, object]]] = {
    "utrechts": {},
    "stock-verplicht": {"trump_mode": "stock", "all_pass": "forced_turned"},
    "stock-zoeker": {"trump_mode": "stock", "all_pass": "forced_choice"},
    "stock-2x-verplicht": {"trump_mode": "stock", "stock_rounds": 2, "all_pass": "forced_turned"},
    "stock-2x-opnieuw": {"trump_mode": "stock", "stock_rounds": 2, "all_pass": "redeal"},
    "vrij": _FREE,
}
"""How trump is chosen, by the second half of a preset's name."""

_OPTIONS: Final[dict[str, dict[str, object]]] = {
    **{f"amsterdams/{name}": options for name, options in _CHOICE_OF_TRUMP.items()},
    **{f"rotterdams/{name}": {**_ROTTERDAMS, **options} for name, options in _CHOICE_OF_TRUMP.items()},
    "nku": {**_ROTTERDAMS, **_FREE, "first_bidder": "dealer", "four_jacks": 100, "roem_mode": "declare"},
    "kbn": {**_FREE, "roem_mode": "declare"},
    "reglement": {**_ROTTERDAMS, "four_jacks": 100, "counter_pit_bonus": 0, "roem_mode": "declare"},
    "english": {"four_kind_ranks": "none"},
    "quizje-amsterdams": {},
    "quizje-rotterdams": {**_ROTTERDAMS, "undertrump": "forced"},
    "online-rotterdams": {**_ROTTERDAMS, "undertrump": "forced", "counter_pit_bonus": 0},
    "bga": {
        **_ROTTERDAMS,
        "undertrump": "forced",
        "trump_mode": "stock",
        "stock_rounds": 2,
        "all_pass": "redeal",
        "redeal_dealer": "next",
        "stock_jokers": 3,
        "four_kind_ranks": "TJQKA",
        "match_end": "target",
    },
    "000-letterlijk": {"partner_exempt": "winning_trump", "undertrump_partner": "allowed", "roem_mode": "declare"},
    "twents": {"trump_mode": "stock", "all_pass": "forced_turned", "stock_skip_passed": False},
}

PRESETS: Final[dict[str, Variant]] = {
    name: Variant(**options)  # type: ignore[arg-type]
    for name, options in _OPTIONS.items()
}
"""The named house rules; the first is the default."""

ALIASES: Final = {"amsterdams": "amsterdams/utrechts", "rotterdams": "rotterdams/utrechts"}


def preset(name: str) -> Variant:
    """The preset with this name or alias; VariantError names the nearest one otherwise."""
    found = PRESETS.get(ALIASES.get(name, name))
    if found is None:
        known = [*PRESETS, *ALIASES]
        nearest = _nearest(name, known)
        raise VariantError(f"unknown preset {name!r}; did you mean {nearest!r}? Known: {', '.join(known)}")
    return found

"""R0: which house rules are played, as one value with named presets."""

import dataclasses
import difflib
import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

LAW: Final = "klaverjas-law-v1"
"""Frozen name of the meaning of the options; part of every rules hash."""

CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "trump_mode": ("forehand", "stock"),
    "all_pass": ("forced_turned", "forced_choice"),
    "partner_exempt": ("none", "winning", "winning_trump"),
    "undertrump": ("forbidden", "forced", "allowed"),
    "undertrump_partner": ("forbidden", "allowed"),
    "four_kind_ranks": ("all", "TJQKA", "none"),
    "nat_on_tie": ("False", "True"),
}
"""The values of every option that is not a number; a value is stored in a game record as its place in the tuple."""

MAX_POINTS: Final = 1000
"""The largest price that a house may put on a bonus."""
MAX_DEALS: Final = 10_000


class VariantError(ValueError):
    """A house rule that does not exist or cannot be played; the text says which and names the nearest that can."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The house rules of a table. Defaults are `amsterdams/utrechts`; sources are those of RULES.md."""

    trump_mode: str = "forehand"
    """R2: `forehand` (Utrechts; sources 002, 003) or `stock` (a turned card; source 000)."""
    all_pass: str = "forced_turned"
    """R2.4, R2.5, `stock` only: when all pass, forehand plays on the next turned suit (`forced_turned`, "verplicht") or
    on a suit of choice (`forced_choice`, "zoeker")."""
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
    nat_on_tie: bool = True
    """R6.2: whether an equal score is nat."""
    pit_bonus: int = 100
    """R6.4: for the playing side when it takes all tricks."""
    counter_pit_bonus: int = 100
    """R6.5: for the defenders when they take all tricks (tegenpit; 0 in source 001)."""
    deals: int = 16
    """R6.6: deals in a match (a boompje is 16)."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            _check_option(field.name, getattr(self, field.name))

    @classmethod
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
        options = json.dumps({"law": LAW, **dataclasses.asdict(self)}, sort_keys=True)
        return hashlib.sha256(options.encode()).hexdigest()[:16]

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
        options: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            code = int(record[field.name])
            if field.type is bool:
                options[field.name] = bool(code)
            elif field.name in CHOICES:
                options[field.name] = CHOICES[field.name][code]
            else:
                options[field.name] = code
        return cls(**options)


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
    if name == "nat_on_tie":
        if text.lower() not in ("true", "false"):
            raise VariantError(f"nat_on_tie={text!r} is not one of true, false")
        return text.lower() == "true"
    if name in CHOICES:
        return text
    try:
        return int(text)
    except ValueError:
        raise VariantError(f"{name}={text!r} is not a whole number") from None


def _check_option(name: str, value: Any) -> None:
    if name in CHOICES:
        if str(value) not in CHOICES[name] or (name == "nat_on_tie") is not isinstance(value, bool):
            raise VariantError(
                f"{name}={value!r} is not one of {', '.join(CHOICES[name])};"
                f" did you mean {_nearest(str(value), list(CHOICES[name]))!r}?"
            )
        return
    least, most = (1, MAX_DEALS) if name == "deals" else (0, MAX_POINTS)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise VariantError(f"{name}={value!r} is not a whole number from {least} to {most}")


def _code(name: str, value: Any) -> int:
    return CHOICES[name].index(str(value)) if name in CHOICES else int(value)


def _differences(base: Variant, other: Variant) -> list[str]:
    """The options, as `name=value`, in which `other` differs from `base`."""
    return [f"{name}={getattr(other, name)}" for name in _names() if getattr(base, name) != getattr(other, name)]


_ROTTERDAMS: Final = {"partner_exempt": "none"}
_VERPLICHT: Final = {"trump_mode": "stock", "all_pass": "forced_turned"}
_ZOEKER: Final = {"trump_mode": "stock", "all_pass": "forced_choice"}

PRESETS: Final[dict[str, Variant]] = {
    name: Variant(**options)  # type: ignore[arg-type]
    for name, options in {
        "amsterdams/utrechts": {},
        "rotterdams/utrechts": _ROTTERDAMS,
        "amsterdams/stock-verplicht": _VERPLICHT,
        "rotterdams/stock-verplicht": {**_ROTTERDAMS, **_VERPLICHT},
        "amsterdams/stock-zoeker": _ZOEKER,
        "rotterdams/stock-zoeker": {**_ROTTERDAMS, **_ZOEKER},
        "online-rotterdams": {**_ROTTERDAMS, "undertrump": "forced", "counter_pit_bonus": 0},
    }.items()
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

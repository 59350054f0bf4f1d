"""A match that begins with a deal of the caller's choice: the options of `reset` as a game."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from klaverjas_env.game import NO_SEAT, new
from klaverjas_env.records.deal import record_of, setup
from klaverjas_env.records.form import KEYS, RecordError, under
from klaverjas_env.rules.variant import Variant

OPTIONS: Final = ("deal", *(key for key in KEYS if key not in ("variant", "rules_hash", "seats", "result")))
"""The options of `reset` that choose a deal: a record, and the fields of one."""


def given_deal(variant: Variant, options: Mapping[str, Any], seed: int) -> np.ndarray:
    """The game, `GAME` [1], at which the deal of `options` stands; what they leave open is that of the deal of `seed`.

    Raises RecordError for a deal that is malformed, against the law, or played to its end.
    """
    fields = {key: value for key, value in options.items() if key in OPTIONS and key != "deal"}
    if "deal" in options:
        record = {**under(options["deal"], variant), **fields}
    else:
        record = {**_dealt(variant, seed, fields.get("dealer")), **fields}
    if variant.trump_mode == "stock":
        record["turned"] = _whole_pile(record.get("turned", []), _dealt(variant, seed)["turned"])
    games = setup(record)
    if games["to_act"][0] == NO_SEAT:
        raise RecordError("options['deal']: this deal has been played to its end, there is nothing left to decide")
    return games


def _dealt(variant: Variant, seed: int, dealer: Any = None) -> dict[str, Any]:
    """The record of the first deal of `seed`, dealt by `dealer`."""
    if dealer not in (None, 0, 1, 2, 3):
        dealer = None  # the record that it goes into is refused with the reason
    return record_of(new(variant, seed, 0, dealer))


def _whole_pile(known: Any, pile: list[str]) -> Any:
    """The suits that are known, then those of `pile` that are left: a deal that is played on may turn any of them."""
    if not isinstance(known, list | tuple):
        return known
    left = list(pile)
    if known and known[0] != "C" and left.count("C") > 5:
        left.remove("C")  # the clubs that are offered in a first deal (R2.10) lie on top or not at all
    for suit in known:
        if suit in left:
            left.remove(suit)
    return [*known, *left]

"""The form of a record of a deal: what a JSON-able object must look like before the law is asked.

A record is an object as `records/deal.py` describes it. `read` checks every key, name and number of it and builds the
deal as it was dealt; whether the bids and plays obey the law is found out when they are played.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from klaverjas_env.notation import (
    SEAT_WORDS,
    SUIT_WORDS,
    NotationError,
    given_deal,
    parse_bid,
    parse_card,
    parse_claim,
    parse_suit,
    parse_turned,
)
from klaverjas_env.questions import PIT_WORDS
from klaverjas_env.rules.bidding import JOKER, LOW_CARDS
from klaverjas_env.rules.cards import CLUBS
from klaverjas_env.rules.variant import Variant, VariantError

KEYS: Final = (
    "variant",
    "rules_hash",
    "seats",
    "dealer",
    "hands",
    "turned",
    "bids",
    "contract",
    "plays",
    "claims",
    "result",
)
RESULT_KEYS: Final = ("score", "nat", "pit", "reneged")
_OF_A_SUIT: Final = LOW_CARDS // 4
_LONGEST_NAME: Final = 40


class RecordError(ValueError):
    """A record of a deal that is malformed or that the law does not allow."""


@dataclass(frozen=True)
class Step:
    """A bid, a play or a claim of a record, not yet checked by the law."""

    where: str
    """Its place in the record, for messages."""
    seat: int | None
    """The seat it is given to; None where the record leaves that to the law."""
    action: int


@dataclass(frozen=True)
class Deal:
    """A record whose form has been checked."""

    games: np.ndarray
    """`GAME` [1], dealt and before its first bid."""
    bids: list[Step]
    contract: tuple[int, int] | None
    """(declarer, trump)"""
    plays: list[Step]
    claims: list[Step]
    result: dict[str, Any] | None
    """The keys of the result that are given; None where it is null."""


def read(record: Mapping[str, Any]) -> Deal:
    """The deal of a record, its form checked; what does not hold raises a `RecordError` with its place."""
    _check_object(record)
    check_keys("record", record, KEYS, ("dealer", "hands"))
    variant = read_variant("variant", record)
    check_rules_hash("rules_hash", record, variant)
    read_names("seats", record.get("seats", SEAT_WORDS))
    turned = _turned(record, variant)
    hands = _hands(record["hands"])
    return Deal(
        games=given_deal(variant, read_seat("dealer", record["dealer"]), hands, turned),
        bids=_steps_of(record, "bids", "bid"),
        contract=_contract(record.get("contract")),
        plays=_steps_of(record, "plays", "card"),
        claims=_steps_of(record, "claims", "claim"),
        result=_result(record.get("result", {})),
    )


def under(record: Mapping[str, Any], variant: Variant) -> dict[str, Any]:
    """The record of the same deal for other house rules: without the hash and the result that hung on its own."""
    _check_object(record)
    kept = {key: value for key, value in record.items() if key not in ("rules_hash", "result")}
    return {**kept, "variant": str(variant)}


def _check_object(record: Any) -> None:
    if not isinstance(record, Mapping):
        raise RecordError(f"a record is an object with {', '.join(KEYS)}, not {type(record).__name__}")


def read_variant(where: str, record: Mapping[str, Any]) -> Variant:
    """R0: the house rules that a record or a header names."""
    try:
        return Variant.of(record.get("variant"))
    except VariantError as error:
        raise RecordError(f"{where}: {error} (R0)") from None


def check_rules_hash(where: str, record: Mapping[str, Any], variant: Variant) -> None:
    """R0: refuse a record or a header that was made under other rules than its variant now means."""
    if record.get("rules_hash", variant.rules_hash) != variant.rules_hash:
        raise RecordError(
            f"{where}: {record['rules_hash']!r} is not that of {str(variant)!r}, {variant.rules_hash!r}; it was made"
            " under other rules (R0)"
        )


def read_names(where: str, value: Any) -> tuple[str, ...]:
    """Four names that can be shown: no control characters."""
    names = tuple(value) if isinstance(value, list | tuple) else ()
    if len(names) != 4 or not all(
        isinstance(n, str) and n.isprintable() and 0 < len(n) <= _LONGEST_NAME for n in names
    ):
        raise RecordError(
            f"{where}: {value!r} is not four names of 1 to {_LONGEST_NAME} printable letters, for the seats"
            f" {', '.join(SEAT_WORDS)}"
        )
    return names


def check_keys(where: str, given: Mapping[Any, Any], known: Iterable[str], needed: Iterable[str]) -> None:
    """Refuse an object with a key that is not known, naming the nearest, or without one that is needed."""
    for key in given:
        if key not in known:
            nearest = difflib.get_close_matches(str(key), list(known), n=1, cutoff=0.0)[0]
            raise RecordError(f"{where}: unknown key {key!r}; did you mean {nearest!r}? Known: {', '.join(known)}")
    for key in needed:
        if key not in given:
            raise RecordError(f"{where}: the key {key!r} is missing; needed are {', '.join(needed)}")


def _list(where: str, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise RecordError(f"{where}: {value!r} is not a list")
    return list(value)


def read_seat(where: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 4:
        raise RecordError(f"{where}: {value!r} is not a seat; seats are the numbers 0 south, 1 west, 2 north, 3 east")
    return value


def _named(where: str, parse: Any, name: Any) -> int:
    """What `parse` makes of a name, its error with the place in the record."""
    try:
        number: int = parse(name)
    except NotationError as error:
        raise RecordError(f"{where}: {error}") from None
    return number


def _hands(value: Any) -> list[int]:
    """The four hands as card sets: R1.5, each card of the pack once and eight to a seat."""
    lists = _list("hands", value)
    if len(lists) != 4:
        raise RecordError(f"hands: {len(lists)} hands; a deal has four, for seats 0..3 (R1.5)")
    hands = [0, 0, 0, 0]
    holder: dict[int, str] = {}
    for seat, names in enumerate(lists):
        for place, name in enumerate(_list(f"hands[{seat}]", names)):
            where = f"hands[{seat}][{place}]"
            card = _named(where, parse_card, name)
            if card in holder:
                raise RecordError(f"{where}: {name} stands already at {holder[card]}; every card exists once (R1.5)")
            holder[card] = where
            hands[seat] |= 1 << card
    for seat, hand in enumerate(hands):
        if hand.bit_count() != 8:
            raise RecordError(
                f"hands[{seat}]: {hand.bit_count()} cards; give the eight that were dealt, and what has been played in"
                " 'plays' (R1.5)"
            )
    return hands


def _turned(record: Mapping[str, Any], variant: Variant) -> list[int]:
    """The known suits of the pile: R2.2, five cards of each suit."""
    letters = _list("turned", record.get("turned", []))
    if letters and variant.trump_mode != "stock":
        raise RecordError(
            f"turned: no card is turned in {str(variant)!r}; leave 'turned' out or play a stock variant (R2.2)"
        )
    suits = [_named(f"turned[{i}]", parse_turned, letter) for i, letter in enumerate(letters)]
    for suit in range(4):
        # The clubs offered in a first deal come on top of those in the pile (R2.10).
        most = _OF_A_SUIT + (suits[:1] == [suit] == [CLUBS] and variant.first_deal_clubs)
        if suits.count(suit) > most:
            raise RecordError(f"turned: {suits.count(suit)} {SUIT_WORDS[suit]}; the pile holds {most} of a suit (R2.2)")
    if suits.count(JOKER) > variant.stock_jokers:
        raise RecordError(f"turned: {suits.count(JOKER)} jokers; this house has {variant.stock_jokers} (R2.11)")
    return suits


def _contract(value: Any) -> tuple[int, int] | None:
    """(declarer, trump) of a contract."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise RecordError(f"contract: {value!r} is not an object such as {{'declarer': 1, 'trump': 'H'}}")
    check_keys("contract", value, ("declarer", "trump"), ("declarer", "trump"))
    return read_seat("contract.declarer", value["declarer"]), _named("contract.trump", parse_suit, value["trump"])


def _result(value: Any) -> dict[str, Any] | None:
    """What is given of a result, its form checked; nothing else equals a score in Python and in JSON."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise RecordError(f"result: {value!r} is not an object such as {{'score': [82, 80]}}, or null")
    check_keys("result", value, RESULT_KEYS, ())
    result = dict(value)
    if "score" in result:
        result["score"] = _list("result.score", result["score"])
        if len(result["score"]) != 2 or any(type(points) is not int for points in result["score"]):
            raise RecordError(f"result.score: {result['score']!r} is not two whole numbers")
    if "nat" in result and not isinstance(result["nat"], bool):
        raise RecordError(f"result.nat: {result['nat']!r} is not true or false")
    if result.get("pit") not in PIT_WORDS.values():
        raise RecordError(f"result.pit: {result['pit']!r} is not 'playing', 'defending' or null")
    if result.get("reneged") is not None:
        read_seat("result.reneged", result["reneged"])
    return result


def _steps_of(record: Mapping[str, Any], key: str, kind: str) -> list[Step]:
    """The bids, plays or claims of a record."""
    return [_step(f"{key}[{i}]", item, kind) for i, item in enumerate(_list(key, record.get(key, [])))]


def _step(where: str, item: Any, kind: str) -> Step:
    """A bid, a play or a claim: a name (of a claim, the points), [seat, name], or an object."""
    parse = {"card": parse_card, "bid": parse_bid, "claim": parse_claim}[kind]
    if isinstance(item, Mapping):
        check_keys(where, item, ("seat", kind), ("seat", kind))
        item = [item["seat"], item[kind]]
    if isinstance(item, list | tuple):
        if len(item) != 2:
            raise RecordError(f"{where}: {list(item)!r} is not [seat, {kind}]")
        return Step(where, read_seat(f"{where} seat", item[0]), _named(where, parse, item[1]))
    return Step(where, None, _named(where, parse, item))

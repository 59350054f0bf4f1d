"""A deal as a JSON-able record: played again position by position, set up in its middle, and written down.

    {"variant": "rotterdams",                     optional; a text for `Variant.parse`
     "dealer": 0,                                 seat 0..3
     "hands": [["C7", ...], [...], [...], [...]], the eight cards dealt to each seat 0..3
     "turned": ["S", "H"],                        optional, trump_mode stock: suits turned from the pile, in order,
                                                  and J for a joker
     "bids": ["pass", "play"],                    optional; also the suit that is named, or [seat, bid]
     "contract": {"declarer": 1, "trump": "H"},   optional; given without bids, or what the bids lead to
     "plays": ["C7", "CA"],                       optional; also [seat, card] or {"seat": 0, "card": "C7"}
     "claims": [0, 20]}                           optional, roem_mode declare: roem claimed, trick by trick; who leads
                                                  on without a claim has claimed nothing

A position in the middle of a deal is the deal as it was dealt with the plays so far; hands are always the eight cards
dealt. A record that is malformed or breaks the law is refused with a `RecordError`: where, why, the rule, the position.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from klaverjas_env.game import CLAIM, CLAIMING, DEAL_OVER, NO_SEAT, PASS, PLAYING, apply, legal, set_contract
from klaverjas_env.notation import (
    SEAT_WORDS,
    SUIT_WORDS,
    NotationError,
    action_name,
    action_names,
    card_name,
    card_names,
    given_deal,
    parse_bid,
    parse_card,
    parse_claim,
    parse_suit,
    parse_turned,
    position,
    record_in,
    suit_name,
    turned_name,
    turned_unknown,
)
from klaverjas_env.questions import PIT_WORDS, why_not
from klaverjas_env.rules.bidding import JOKER, LOW_CARDS, STOCK
from klaverjas_env.rules.cards import CLUBS, NO_SUIT
from klaverjas_env.rules.roem import DECLARE
from klaverjas_env.rules.variant import Variant, VariantError
from klaverjas_env.view import dealt_hand

KEYS: Final = ("variant", "dealer", "hands", "turned", "bids", "contract", "plays", "claims")
_OF_A_SUIT: Final = LOW_CARDS // 4


class RecordError(ValueError):
    """A record of a deal that is malformed or that the law does not allow."""


@dataclass(frozen=True, eq=False)
class Position:
    """One moment of a deal."""

    game: np.ndarray
    """`GAME` [1], the caller's own copy."""
    to_act: int | None
    """The seat whose turn it is; None when the deal is over or passed out."""
    legal: list[str]
    """The names of the actions it may take."""
    action: str | None
    """The action that the record takes here; None where the record ends."""
    score: tuple[int, int] | None = None
    """Of a finished deal: the score of south/north and of west/east."""
    nat: bool | None = None
    """Of a finished deal: whether the playing side was nat."""
    pit: str | None = None
    """Of a finished deal: the side, `playing` or `defending`, that took all tricks."""


@dataclass(frozen=True)
class _Step:
    where: str
    seat: int | None
    action: int


@dataclass(frozen=True)
class _Deal:
    """A record whose form has been checked; `games` stands before its first bid."""

    games: np.ndarray
    bids: list[_Step]
    contract: tuple[int, int] | None
    plays: list[_Step]
    claims: list[_Step]


def replay(record: Mapping[str, Any]) -> Iterator[Position]:
    """The positions of a record: one before each bid and play, and the one at which the record ends.

    A malformed record is refused at once, an illegal bid or play when the replay comes to it.
    """
    return _positions(_read(record))


def setup(record: Mapping[str, Any]) -> np.ndarray:
    """The game, `GAME` [1], at which a record ends: after all its bids and plays."""
    deal = _read(record)
    for step in _steps(deal):
        apply(deal.games[0], step.action)
    return deal.games


def record_of(games: np.ndarray) -> dict[str, Any]:
    """The record of the deal in `games`, `GAME` [1] with all hands known; `setup` is the inverse.

    The seed and the match around the deal are not part of a record.
    """
    game = record_in(games)
    hands = [card_names(int(dealt_hand(game, seat))) for seat in range(4)]
    for seat, hand in enumerate(hands):
        if len(hand) != 8:
            raise RecordError(f"the hand of {SEAT_WORDS[seat]} is hidden; a record needs the game itself, not a view")
    record: dict[str, Any] = {
        "variant": str(Variant.from_record(game.rules)),
        "dealer": int(game.dealer),
        "hands": hands,
        "bids": [action_name(int(bid)) for bid in game.bids[: game.n_bids]],
        "plays": [card_name(int(card)) for card in game.plays[: game.n_plays]],
    }
    if game.rules.trump_mode == STOCK:
        record["turned"] = [turned_name(int(suit)) for suit in game.stock if suit != NO_SUIT]
    if game.trump != NO_SUIT:
        record["contract"] = {"declarer": int(game.declarer), "trump": suit_name(int(game.trump))}
    if game.rules.roem_mode == DECLARE:
        record["claims"] = [int(claim) for claim in game.claims if claim >= 0]
    return record


def _positions(deal: _Deal) -> Iterator[Position]:
    game = deal.games[0]
    for step in _steps(deal):
        yield _position(deal.games, action_name(step.action))
        apply(game, step.action)
    yield _position(deal.games, None)


def _position(games: np.ndarray, action: str | None) -> Position:
    game = games[0]
    over = game.phase == DEAL_OVER
    return Position(
        game=games.copy(),
        to_act=int(game.to_act) if game.to_act != NO_SEAT else None,
        legal=action_names(int(legal(game))),
        action=action,
        score=(int(game.score[0]), int(game.score[1])) if over else None,
        nat=bool(game.nat) if over else None,
        pit=PIT_WORDS[int(game.pit)] if over else None,
    )


def _steps(deal: _Deal) -> Iterator[_Step]:
    """The bids and plays in order, each checked when its turn has come; whoever takes them must apply each."""
    game = deal.games[0]
    for step in deal.bids:
        if game.phase == PLAYING:
            trump, declarer = SUIT_WORDS[game.trump], SEAT_WORDS[game.declarer]
            raise _refused(
                step.where, f"the contract stands already: {trump} by {declarer}; leave this bid out", "R2.3", game
            )
        _check(game, step, "R2.3")
        if turned_unknown(game, step.action):
            why = f"the suit that is turned next is not known; give it in 'turned' after the {game.drawn} suits used"
            raise _refused(step.where, why, "R2.4", game)
        yield step
    _settle_contract(game, deal)
    yield from _plays_and_claims(game, deal)


def _plays_and_claims(game: Any, deal: _Deal) -> Iterator[_Step]:
    """The plays, and after each trick its claim; silence before the next lead claims nothing (R5.5)."""
    claims = list(deal.claims)
    for step in deal.plays:
        if game.phase == CLAIMING:
            yield _checked_claim(game, claims.pop(0) if claims else _Step("claims", None, CLAIM))
        if game.phase not in (PLAYING, DEAL_OVER):
            raise _refused(step.where, "there is no contract yet; give 'contract', or bids that make one", "R2", game)
        _check(game, step, "R2.6" if game.n_plays < 4 else "R4.1")
        yield step
    if game.phase == CLAIMING and claims:
        yield _checked_claim(game, claims.pop(0))
    if claims:
        raise _refused(claims[0].where, "there is no trick whose roem could be claimed", "R5.5", game)


def _checked_claim(game: Any, step: _Step) -> _Step:
    _check(game, step, "R5.5")
    return step


def _settle_contract(game: Any, deal: _Deal) -> None:
    """Fix the given contract, or compare it with the one that the bids made."""
    if deal.contract is None:
        return
    if not deal.bids:
        set_contract(game, *deal.contract)
    elif game.phase != PLAYING:
        raise _refused("contract", "the bids do not end in a contract; complete them or leave them out", "R2", game)
    elif deal.contract != (game.declarer, game.trump):
        made = {"declarer": int(game.declarer), "trump": suit_name(int(game.trump))}
        raise _refused("contract", f"the bids make {made}; correct one or leave one out", "R2", game)


def _check(game: Any, step: _Step, turn_rule: str) -> None:
    """Refuse a step out of turn or against the law."""
    name = action_name(step.action)
    if step.seat is not None and step.seat != game.to_act and game.to_act != NO_SEAT:
        why = f"{name} is given to {_seat(step.seat)}, but it is the turn of {_seat(int(game.to_act))}"
        raise _refused(step.where, why, turn_rule, game)
    refusal = why_not(game, step.action)
    if refusal is not None:
        who = f" by {_seat(int(game.to_act))}" if game.to_act != NO_SEAT else ""
        taken = "played" if step.action < PASS else "bid" if step.action < CLAIM else "claimed"
        raise _refused(step.where, f"{name} may not be {taken}{who}: {refusal[0]}", refusal[1], game)


def _seat(seat: int) -> str:
    return f"seat {seat} ({SEAT_WORDS[seat]})"


def _refused(where: str, why: str, rule: str, game: Any) -> RecordError:
    return RecordError(f"{where}: {why} ({rule}); position {position(game)}")


def _read(record: Mapping[str, Any]) -> _Deal:
    """The deal of a record, its form checked."""
    if not isinstance(record, Mapping):
        raise RecordError(f"a record is an object with {', '.join(KEYS)}, not {type(record).__name__}")
    _check_keys("record", record, KEYS, ("dealer", "hands"))
    try:
        variant = Variant.of(record.get("variant"))
    except VariantError as error:
        raise RecordError(f"variant: {error} (R0)") from None
    turned = _turned(record, variant)
    hands = _hands(record["hands"])
    return _Deal(
        games=given_deal(variant, _read_seat("dealer", record["dealer"]), hands, turned),
        bids=_steps_of(record, "bids", "bid"),
        contract=_contract(record.get("contract")),
        plays=_steps_of(record, "plays", "card"),
        claims=_steps_of(record, "claims", "claim"),
    )


def _check_keys(where: str, given: Mapping[Any, Any], known: Iterable[str], needed: Iterable[str]) -> None:
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


def _read_seat(where: str, value: Any) -> int:
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
    _check_keys("contract", value, ("declarer", "trump"), ("declarer", "trump"))
    return _read_seat("contract.declarer", value["declarer"]), _named("contract.trump", parse_suit, value["trump"])


def _steps_of(record: Mapping[str, Any], key: str, kind: str) -> list[_Step]:
    """The bids, plays or claims of a record."""
    return [_step(f"{key}[{i}]", item, kind) for i, item in enumerate(_list(key, record.get(key, [])))]


def _step(where: str, item: Any, kind: str) -> _Step:
    """A bid, a play or a claim: a name (of a claim, the points), [seat, name], or an object."""
    parse = {"card": parse_card, "bid": parse_bid, "claim": parse_claim}[kind]
    if isinstance(item, Mapping):
        _check_keys(where, item, ("seat", kind), ("seat", kind))
        item = [item["seat"], item[kind]]
    if isinstance(item, list | tuple):
        if len(item) != 2:
            raise RecordError(f"{where}: {list(item)!r} is not [seat, {kind}]")
        return _Step(where, _read_seat(f"{where} seat", item[0]), _named(where, parse, item[1]))
    return _Step(where, None, _named(where, parse, item))

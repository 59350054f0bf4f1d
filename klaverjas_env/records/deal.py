"""A deal as a JSON-able record: played again position by position, set up in its middle, and written down.

    {"variant": "rotterdams",                     optional; a text for `Variant.parse`
     "rules_hash": "73e03c432a42a6d3",            optional; refused when it is not that of the variant
     "seats": ["Anna", "Bas", "Cor", "Dirk"],     optional; who sit south, west, north and east
     "dealer": 0,                                 seat 0..3
     "hands": [["C7", ...], [...], [...], [...]], the eight cards dealt to each seat 0..3
     "turned": ["S", "H"],                        optional, trump_mode stock: suits turned from the pile, in order,
                                                  and J for a joker
     "bids": ["pass", "play"],                    optional; also the suit that is named, or [seat, bid]
     "contract": {"declarer": 1, "trump": "H"},   optional; given without bids, or what the bids lead to
     "plays": ["C7", "CA"],                       optional; also [seat, card] or {"seat": 0, "card": "C7"}
     "claims": [0, 20],                           optional, roem_mode declare: roem claimed, trick by trick; who leads
                                                  on without a claim has claimed nothing
     "result": {"score": [0, 162], "nat": true,   optional, of a finished deal, or null of an unfinished one: what the
                "pit": null, "reneged": null}}    deal must lead to; score of south/north and west/east, pit the side
                                                  `playing` or `defending`, reneged the seat

`python -m klaverjas_env.replay FILE` checks a file of such records, and shows one; see `records/files.py`.

A position in the middle of a deal is the deal as it was dealt with the plays so far; hands are always the eight cards
dealt. A record that is malformed or breaks the law is refused with a `RecordError`: where, why, the rule, the position.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from klaverjas_env.game import CLAIM, CLAIMING, DEAL_OVER, NO_SEAT, PASS, PLAYING, apply, legal, set_contract
from klaverjas_env.notation import (
    SEAT_WORDS,
    SUIT_WORDS,
    action_name,
    action_names,
    card_name,
    card_names,
    position,
    record_in,
    suit_name,
    turned_name,
    turned_unknown,
)
from klaverjas_env.questions import PIT_WORDS, why_not
from klaverjas_env.records.form import Deal, RecordError, Step, read
from klaverjas_env.rules.bidding import STOCK
from klaverjas_env.rules.cards import NO_SUIT
from klaverjas_env.rules.roem import DECLARE
from klaverjas_env.rules.variant import Variant
from klaverjas_env.view import dealt_hand


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


def replay(record: Mapping[str, Any]) -> Iterator[Position]:
    """The positions of a record: one before each bid and play, and the one at which the record ends.

    A malformed record is refused at once, an illegal bid or play when the replay comes to it.
    """
    return _positions(read(record))


def setup(record: Mapping[str, Any], match: np.ndarray | None = None) -> np.ndarray:
    """The game, `GAME` [1], at which a record ends: after all its bids and plays.

    With `match`, `GAME` [1] about to be bid, the deal is played there: the record must be of that deal, and the score
    is added to that match.
    """
    deal = read(record)
    if match is not None:
        _check_same_deal(deal.games[0], match[0])
        deal = dataclasses.replace(deal, games=match.copy())
    for step in _steps(deal):
        apply(deal.games[0], step.action)
    return deal.games


def record_of(games: np.ndarray) -> dict[str, Any]:
    """The record of the deal in `games`, `GAME` [1] with all hands known; `setup` is the inverse.

    The seed, the match around the deal and its result are not part of such a record (`files.deal_record` adds them).
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


def _positions(deal: Deal) -> Iterator[Position]:
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


def _steps(deal: Deal) -> Iterator[Step]:
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
    _check_result(game, deal.result)


def _plays_and_claims(game: Any, deal: Deal) -> Iterator[Step]:
    """The plays, and after each trick its claim; silence before the next lead claims nothing (R5.5)."""
    claims = list(deal.claims)
    for step in deal.plays:
        if game.phase == CLAIMING:
            yield _checked_claim(game, claims.pop(0) if claims else Step("claims", None, CLAIM))
        if game.phase not in (PLAYING, DEAL_OVER):
            raise _refused(step.where, "there is no contract yet; give 'contract', or bids that make one", "R2", game)
        _check(game, step, "R2.6" if game.n_plays < 4 else "R4.1")
        yield step
    if game.phase == CLAIMING and claims:
        yield _checked_claim(game, claims.pop(0))
    if claims:
        raise _refused(claims[0].where, "there is no trick whose roem could be claimed", "R5.5", game)


def result_of(game: Any) -> dict[str, Any] | None:
    """R6: the result of a finished deal as a record has it; None of any other."""
    if game.phase != DEAL_OVER:
        return None
    return {
        "score": [int(score) for score in game.score],
        "nat": bool(game.nat),
        "pit": PIT_WORDS[int(game.pit)],
        "reneged": int(game.reneged) if game.reneged != NO_SEAT else None,
    }


def _check_result(game: Any, given: dict[str, Any] | None) -> None:
    """Refuse a result that the deal does not lead to."""
    found = result_of(game)
    if given and found is None:
        raise _refused("result", "the deal is not finished, so it has none; leave it out or give all plays", "R6", game)
    if given is None and found is not None:
        raise _refused("result", "null is for an unfinished deal, and this one has a score; leave it out", "R6", game)
    for key, value in (given or {}).items():
        if found is not None and value != found[key]:
            raise _refused(f"result.{key}", f"{value!r} is given, and the deal leads to {found[key]!r}", "R6", game)


def _check_same_deal(given: Any, dealt: Any) -> None:
    """Refuse a record, read into `given`, of another deal than `dealt`; a pile may be known in part."""
    if Variant.from_record(given.rules) != Variant.from_record(dealt.rules):
        told, wanted = (str(Variant.from_record(game.rules)) for game in (given, dealt))
        raise RecordError(f"variant: the deal has {told!r}, its match {wanted!r}; a table keeps its house rules (R0)")
    if given.dealer != dealt.dealer:
        raise RecordError(f"dealer: {_seat(int(given.dealer))} is given; {_seat(int(dealt.dealer))} deals now (R6.6)")
    if not np.array_equal(given.hands, dealt.hands):
        raise RecordError(f"hands: they are not those of deal {dealt.deal_number} of seed {dealt.seed} (R1.5)")
    known = given.stock != NO_SUIT
    if not np.array_equal(given.stock[known], dealt.stock[known]):
        raise RecordError(f"turned: they are not those of deal {dealt.deal_number} of seed {dealt.seed} (R2.2)")


def _checked_claim(game: Any, step: Step) -> Step:
    _check(game, step, "R5.5")
    return step


def _settle_contract(game: Any, deal: Deal) -> None:
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


def _check(game: Any, step: Step, turn_rule: str) -> None:
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

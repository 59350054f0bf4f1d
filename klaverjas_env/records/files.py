"""Files of deals and of whole matches: written, read back exactly, and checked line by line.

A file is JSON, one object a line, in UTF-8; blank lines do not count. There are three kinds of lines:

    {"match": {"variant": "rotterdams",          a match (boompje) begins; its deals follow in order
               "rules_hash": "...",              optional; refused when it is not that of the variant
               "seats": ["Anna", "Bas", ...],    optional; who sit south, west, north and east
               "seed": 7, "deal_number": 0}}     optional; the deals are then those of this seed, from this number on
    {"dealer": 0, "hands": [...], ...}           a deal, as `records/deal.py` describes it; in a match variant and seats
                                                 may be left out, and deals that were passed out stand among the others
    {"end": {"totals": [1520, 1340],             optional; the match ends here: the points of south/north and
             "deals": 16}}                       west/east, and how many deals were scored

Deals outside a match stand by themselves. In a match the dealer, the number of deals, the seeded cards and the totals
are checked as well; after a fault the rest of that match is skipped, because it hangs on what went before.
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO

import numpy as np

from klaverjas_env.files import write_whole
from klaverjas_env.game import DEAL_OVER, begin_bidding, deal_ended, match_over, new, next_deal
from klaverjas_env.notation import SEAT_WORDS, record_in
from klaverjas_env.records.deal import record_of, result_of, setup
from klaverjas_env.records.form import KEYS, RecordError, check_rules_hash, read_names, read_variant
from klaverjas_env.rules.variant import Variant
from klaverjas_env.view import dealt_hand

MAX_LINE: Final = 1_000_000
"""The longest line that is read, in bytes; a deal takes about a thousand."""
MATCH_KEYS: Final = ("variant", "rules_hash", "seats", "seed", "deal_number")
END_KEYS: Final = ("totals", "deals")
_DEALT_KEYS: Final = ("variant", "dealer", "hands", "turned", "rules_hash")
_LONGEST_FAULT: Final = 1500
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, eq=False)
class Entry:
    """What one line of a file is found to be: a deal that holds, or a fault."""

    line: int
    """The number of the line, from 1."""
    fault: str | None = None
    """Why the line does not hold."""
    games: np.ndarray | None = None
    """`GAME` [1] at the end of the deal; in a match with the match so far."""
    record: Mapping[str, Any] | None = None
    """The record of the deal, its variant and seats filled in."""


@dataclass
class _Match:
    """A match while its lines are read or written."""

    variant: Variant
    seats: tuple[str, ...] = SEAT_WORDS
    seed: int | None = None
    deal_number: int = 0
    games: np.ndarray | None = None
    """The last deal, at its end."""
    broken: bool = False
    """Whether a line did not hold, so that the rest cannot be checked."""

    def complete(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The record of a deal with what the match says once for all deals: the variant and who play."""
        if "seats" in record and record["seats"] != list(self.seats):
            raise RecordError(f"seats: {record['seats']!r} are given; at this match sit {list(self.seats)!r}")
        return {"variant": str(self.variant), **record, "seats": list(self.seats)}

    def add(self, record: Mapping[str, Any]) -> np.ndarray:
        """Play the next deal of the match: `GAME` [1] at its end. Raises RecordError, and is then as before."""
        if self.games is not None and not deal_ended(self.games[0]):
            raise RecordError("the deal before this one is not finished, so no other can follow in its match (R6.6)")
        if self.games is not None and match_over(self.games[0]):
            raise RecordError(f"the match is over after {self.games[0].deals_played} deals; no deal can follow (R6.6)")
        self.games = setup(record, self._opening(record))
        return self.games

    def _opening(self, record: Mapping[str, Any]) -> np.ndarray:
        """The next deal about to be bid: from the seed where it is known, else with the cards of the record."""
        given = setup({key: record[key] for key in _DEALT_KEYS if key in record})
        if self.games is None:
            games = new(self.variant, self.seed or 0, self.deal_number, int(given[0].dealer))
        else:
            games = self.games.copy()
            next_deal(games[0])
        if self.seed is None:
            games["hands"] = given["hands"]
            games["stock"] = given["stock"]
            begin_bidding(games[0])
        return games

    def check_end(self, end: Any) -> None:
        """Refuse an end line that the deals did not lead to."""
        _check_object("end", end, END_KEYS)
        game = None if self.games is None else self.games[0]
        found: dict[str, Any] = {
            "totals": [0, 0] if game is None else [int(points) for points in game.totals],
            "deals": 0 if game is None else int(game.deals_played),
        }
        for key, value in end.items():
            if value != found[key] or type(value) is not type(found[key]):
                raise RecordError(f"end.{key}: {value!r} is given, and the deals lead to {found[key]!r} (R6.6)")


def deal_record(games: np.ndarray) -> dict[str, Any]:
    """The record of the deal in `games`, `GAME` [1], with the hash of its rules and, when it is finished, its result.

    Add "seats" to it where it should say who played.
    """
    record = record_of(games)
    game = record_in(games)
    record["rules_hash"] = Variant.from_record(game.rules).rules_hash
    if game.phase == DEAL_OVER:
        record["result"] = result_of(game)
    return record


def write_deals(out: TextIO, deals: Iterable[np.ndarray]) -> None:
    """Write deals, each `GAME` [1], that stand by themselves."""
    for games in deals:
        _write(out, deal_record(games))


def write_match(out: TextIO, deals: Iterable[np.ndarray], seats: Sequence[str] = SEAT_WORDS) -> None:
    """Write a match from its deals, each `GAME` [1] at its end, passed-out ones among them; the last may be unfinished.

    The seed is written when the first deal was dealt from it. A deal that does not follow in the match is refused with
    a RecordError before it is written, so what is written can be read back exactly.
    """
    match: _Match | None = None
    for games in deals:
        if match is None:
            match = _match_of(games, seats)
            _write(out, {"match": _header(match)})
        record = deal_record(games)
        played = match.add(record)
        if _bare(played, match.seed is not None) != _bare(games, match.seed is not None):
            raise RecordError(f"deal {games[0].deal_number} does not follow in its match: its ledger differs (R6.6)")
        _write(out, record)
    if match is None or match.games is None:
        raise RecordError("a match has at least one deal; none was given")
    game = match.games[0]
    _write(out, {"end": {"totals": [int(points) for points in game.totals], "deals": int(game.deals_played)}})


def save_deals(path: Path, deals: Iterable[np.ndarray]) -> None:
    """Write a file of deals, as `write_deals` does, whole or not at all."""
    _save(path, lambda out: write_deals(out, deals))


def save_match(path: Path, deals: Iterable[np.ndarray], seats: Sequence[str] = SEAT_WORDS) -> None:
    """Write a file of one match, as `write_match` does, whole or not at all."""
    _save(path, lambda out: write_match(out, deals, seats))


def entries(stream: BinaryIO) -> Iterator[Entry]:
    """What the lines of a file are: every deal and every fault, in order. Keeps no more than one line in memory."""
    match: _Match | None = None
    for number, line in _lines(stream):
        if line is not None and not line.strip():
            continue
        try:
            record = _parsed(line)
            if "match" in record:
                match = _Match(Variant(), broken=True)  # what stays when the header does not hold
                match = _read_header(record)
            elif match is not None and match.broken:
                match = None if "end" in record else match
            elif "end" in record:
                _check_object("line", record, ("end",))
                ended, match = match, None
                if ended is None:
                    raise RecordError("end: there is no match that could end here")
                ended.check_end(record["end"])
            else:
                whole = record if match is None else match.complete(record)
                games = setup(whole) if match is None else match.add(whole)
                yield Entry(number, games=games, record=whole)
        except (RecordError, RecursionError) as error:
            fault = "the objects and lists are nested too deep" if isinstance(error, RecursionError) else str(error)
            if match is not None:
                match.broken = True
                fault += "; the rest of this match is not checked"
            yield Entry(number, fault=_short(fault))


def read_deals(stream: BinaryIO) -> Iterator[np.ndarray]:
    """The deals of a file, each `GAME` [1] at its end; the first fault raises a RecordError with its line."""
    for entry in entries(stream):
        if entry.games is None:
            raise RecordError(f"line {entry.line}: {entry.fault}")
        yield entry.games


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Numbered lines; None for one that is too long, which is passed over in pieces."""
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) <= MAX_LINE:
            yield number, line
            continue
        yield number, None
        while line and not line.endswith(b"\n"):
            line = stream.readline(_CHUNK)


def _parsed(line: bytes | None) -> Mapping[str, Any]:
    """The object of a line."""
    if line is None:
        raise RecordError(f"the line is longer than {MAX_LINE} bytes; a deal takes about a thousand")
    try:
        value = json.loads(line.decode(), parse_constant=_no_number, object_pairs_hook=_object)
    except RecordError:
        raise
    except UnicodeDecodeError:
        raise RecordError("the line is not text in UTF-8") from None
    except ValueError as error:
        raise RecordError(f"the line is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise RecordError(f"a line is an object with {', '.join(KEYS)}, or 'match' or 'end', not {value!r}")
    return value


def _no_number(name: str) -> None:
    raise RecordError(f"{name} is not JSON, and nothing in a record is infinite or not a number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise RecordError(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def _check_object(where: str, value: Any, known: tuple[str, ...]) -> None:
    if not isinstance(value, Mapping):
        raise RecordError(f"{where}: {value!r} is not an object with {', '.join(known)}")
    for key in value:
        if key not in known:
            raise RecordError(f"{where}: unknown key {key!r}; known are {', '.join(known)}")


def _read_header(record: Mapping[str, Any]) -> _Match:
    """The match that a line begins."""
    _check_object("line", record, ("match",))
    header = record["match"]
    _check_object("match", header, MATCH_KEYS)
    variant = read_variant("match.variant", header)
    check_rules_hash("match.rules_hash", header, variant)
    seats = read_names("match.seats", header.get("seats", SEAT_WORDS))
    numbers = {key: _number(f"match.{key}", header[key]) for key in ("seed", "deal_number") if key in header}
    return _Match(variant, seats, numbers.get("seed"), numbers.get("deal_number", 0))


def _number(where: str, value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise RecordError(f"{where}: {value!r} is not a whole number from 0 to 2^63 - 1")
    return value


def _match_of(games: np.ndarray, seats: Sequence[str]) -> _Match:
    """The match whose first deal is in `games`."""
    game = record_in(games)
    match = _Match(Variant.from_record(game.rules), read_names("seats", seats))
    dealt = new(match.variant, int(game.seed), int(game.deal_number), int(game.dealer))[0]
    same = all(dealt_hand(game, seat) == dealt.hands[seat] for seat in range(4))
    if same and np.array_equal(game.stock, dealt.stock):
        match.seed, match.deal_number = int(game.seed), int(game.deal_number)
    return match


def _header(match: _Match) -> dict[str, Any]:
    header: dict[str, Any] = {"variant": str(match.variant), "rules_hash": match.variant.rules_hash}
    if match.seats != SEAT_WORDS:
        header["seats"] = list(match.seats)
    if match.seed is not None:
        header |= {"seed": match.seed, "deal_number": match.deal_number}
    return header


def _bare(games: np.ndarray, seeded: bool) -> bytes:
    """A game without what a file does not keep: a seed that is not told, and a score from before the match."""
    bare = games.copy()
    names = [] if seeded else ["seed", "deal_number"]
    for name in names + ([] if games[0].phase == DEAL_OVER else ["score", "nat", "pit"]):
        bare[name] = 0
    return bare.tobytes()


def _save(path: Path, write: Callable[[TextIO], None]) -> None:
    def fill(file: BinaryIO) -> None:
        out = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        write(out)
        out.flush()
        out.detach()

    write_whole(path, fill)


def _write(out: TextIO, line: dict[str, Any]) -> None:
    out.write(json.dumps(line) + "\n")


def _short(text: str) -> str:
    """A fault without the middle where a hostile line makes it long."""
    half = _LONGEST_FAULT // 2
    return text if len(text) <= _LONGEST_FAULT else f"{text[:half]} [...] {text[-half:]}"

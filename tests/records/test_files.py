"""Files of deals and matches: written and read back exactly, checked line by line, of any size and from anybody."""

import io
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest

from klaverjas_env.game import DEAL_OVER, PASSED_OUT, apply, deal_ended, legal, match_over, new, next_deal
from klaverjas_env.records.deal import record_of
from klaverjas_env.records.files import (
    MAX_LINE,
    deal_record,
    entries,
    read_deals,
    save_deals,
    save_match,
    write_deals,
    write_match,
)
from klaverjas_env.records.form import RecordError
from klaverjas_env.rules.variant import PRESETS, Variant
from tests.houses import random_house

NAMES = ["Anna", "Bas", "Cor", "Dirk"]


def random_match(variant: Variant | str, seed: int, deals: int = 40) -> Iterator[np.ndarray]:
    """The deals of a match at their ends, passed-out ones among them, at most so many."""
    draw = random.Random(seed)
    games = new(variant, seed)
    for _ in range(deals):
        while not deal_ended(games[0]):
            actions = int(legal(games[0]))
            apply(games[0], draw.choice([action for action in range(45) if actions >> action & 1]))
        yield games.copy()
        if match_over(games[0]):
            return
        next_deal(games[0])


def stream(*lines: Any) -> BinaryIO:
    """A file whose lines are objects, or text as it is."""
    return io.BytesIO("".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines).encode())


def written(write: Callable[..., None], *arguments: Any) -> str:
    out = io.StringIO()
    write(out, *arguments)
    return out.getvalue()


def faults(file: BinaryIO) -> list[tuple[int, str]]:
    return [(entry.line, entry.fault) for entry in entries(file) if entry.fault is not None]


def match_lines(variant: str = "amsterdams", seed: int = 3) -> list[Any]:
    text = written(write_match, random_match(variant, seed), NAMES)
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("variant", [*PRESETS, *(str(random_house(random.Random(i))) for i in range(30))])
def test_a_match_is_written_and_read_back_exactly(variant: str) -> None:
    deals = list(random_match(variant, seed=11))
    text = written(write_match, deals, NAMES)
    again = list(read_deals(io.BytesIO(text.encode())))
    assert len(again) == len(deals)
    for game, read in zip(deals, again, strict=True):
        if game[0].phase == DEAL_OVER:
            assert read.tobytes() == game.tobytes()
        else:
            assert game[0].phase == PASSED_OUT
            assert record_of(read) == record_of(game)
    assert written(write_match, again, NAMES) == text


@pytest.mark.parametrize("variant", [*PRESETS, *(str(random_house(random.Random(i))) for i in range(30))])
def test_deals_by_themselves_are_written_and_read_back_exactly(variant: str) -> None:
    deals = list(random_match(variant, seed=12, deals=3))
    text = written(write_deals, deals)
    read = list(read_deals(io.BytesIO(text.encode())))
    assert [record_of(games) for games in read] == [record_of(games) for games in deals]
    assert written(write_deals, read) == text


def test_an_unfinished_deal_may_stand_last() -> None:
    first, second = list(random_match("rotterdams", 5))[:2]
    next_deal(first[0])
    text = written(write_match, [*random_match("rotterdams", 5, deals=1), first], NAMES)
    *_, last = read_deals(io.BytesIO(text.encode()))
    assert last.tobytes() == first.tobytes()
    assert record_of(last)["hands"] == record_of(second)["hands"]


def test_a_match_of_given_hands_has_no_seed() -> None:
    deals = [games.copy() for games in random_match("amsterdams", 4)]
    for games in deals:
        games["seed"] = 99
    lines = [json.loads(line) for line in written(write_match, deals).splitlines()]
    assert "seed" not in lines[0]["match"]
    found = list(read_deals(stream(*lines)))
    assert found[-1][0].totals.tolist() == deals[-1][0].totals.tolist()


def test_a_record_says_who_played_under_which_rules_and_with_what_result() -> None:
    header, deal, *_, end = match_lines("nku")
    variant = Variant.parse("nku")
    assert header["match"] == {
        "variant": "nku",
        "rules_hash": variant.rules_hash,
        "seats": NAMES,
        "seed": 3,
        "deal_number": 0,
    }
    assert {"variant", "rules_hash", "dealer", "hands", "bids", "contract", "plays", "claims", "result"} == set(deal)
    assert set(deal["result"]) == {"score", "nat", "pit", "reneged"}
    assert end["end"]["deals"] == 16


def test_in_a_match_the_deals_need_not_repeat_what_the_match_says() -> None:
    _, *deals, end = match_lines()
    bare = [{k: v for k, v in deal.items() if k not in ("variant", "rules_hash", "result")} for deal in deals]
    found = list(entries(stream({"match": {"seats": NAMES}}, *bare, end)))
    assert not [entry.fault for entry in found if entry.fault]
    assert all(entry.record is not None and entry.record["seats"] == NAMES for entry in found)
    assert found[-1].games is not None
    assert found[-1].games[0].totals.tolist() == end["end"]["totals"]


def test_blank_lines_do_not_count_and_several_matches_follow_each_other() -> None:
    lines = match_lines()
    found = list(entries(stream("", *lines, "  ", *match_lines("rotterdams", 9), deal_record(new("amsterdams", 1)))))
    assert len(found) == 33
    assert not [entry.fault for entry in found if entry.fault]


Damage = Callable[[list[Any]], None]


def set_at(place: int, key: str, value: Any) -> Damage:
    """Damage to a line of a match: a key of the object in it."""

    def damage(lines: list[Any]) -> None:
        target = lines[place]
        for inner in ("match", "end"):
            target = target.get(inner, target)
        target[key] = value

    return damage


DAMAGED: list[tuple[Damage, int, str]] = [
    (set_at(0, "variant", "amsterdam"), 1, "match.variant: .*did you mean 'amsterdams'"),
    (set_at(0, "variant", "amsterdams, target=-5"), 1, "target=-5 is not a whole number from"),
    (set_at(0, "rules_hash", "0" * 16), 1, "match.rules_hash: .*made under other rules"),
    (set_at(0, "seats", ["Anna", "Bas"]), 1, "match.seats: .*four names"),
    (set_at(0, "seats", ["Anna", "Bas", "Cor", "\x1b[2J"]), 1, "match.seats: .*printable"),
    (set_at(0, "seed", -1), 1, "match.seed: -1 is not a whole number"),
    (set_at(0, "seed", 2.5), 1, "match.seed: 2.5 is not a whole number"),
    (set_at(0, "seed", 8), 2, "hands: they are not those of deal 0 of seed 8"),
    (set_at(0, "players", NAMES), 1, "match: unknown key 'players'"),
    (lambda lines: lines[3].update(dealer=lines[3]["dealer"] ^ 1), 4, "dealer: .*deals now"),
    (set_at(3, "dealer", 7), 4, "dealer: 7 is not a seat"),
    (set_at(3, "variant", "rotterdams"), 4, "(variant|rules_hash): "),
    (set_at(3, "seats", NAMES[::-1]), 4, "seats: .*at this match sit"),
    (set_at(3, "result", {"score": [0, 0]}), 4, "result.score: .*the deal leads to"),
    (set_at(3, "result", None), 4, "result: null is for an unfinished deal"),
    (set_at(3, "plays", ["C7"] * 32), 4, "plays"),
    (lambda lines: lines.__delitem__(2), 3, "dealer: .*deals now"),
    (lambda lines: lines.insert(17, lines[16]), 18, "the match is over after 16 deals"),
    (set_at(-1, "totals", [1, 2]), 18, r"end.totals: \[1, 2\] is given, and the deals lead to"),
    (set_at(-1, "deals", 15), 18, "end.deals: 15 is given"),
    (set_at(-1, "deals", True), 18, "end.deals: True is given"),
]


@pytest.mark.parametrize(("damage", "line", "says"), DAMAGED)
def test_a_damaged_match_is_told_with_its_line_and_once(damage: Damage, line: int, says: str) -> None:
    lines = match_lines()
    damage(lines)
    ((number, fault),) = faults(stream(*lines))
    assert number == line
    assert re.search(says, fault)
    with pytest.raises(RecordError, match=f"line {line}: "):
        list(read_deals(stream(*lines)))


def test_after_a_fault_the_next_match_is_checked_again() -> None:
    damaged = match_lines()
    damaged[5]["dealer"] = 9
    found = list(entries(stream(*damaged, *match_lines("rotterdams", 2))))
    assert [(entry.line, entry.fault is None) for entry in found[:5]] == [(i, i < 6) for i in range(2, 7)]
    assert len(found) == 5 + 16
    assert "rest of this match is not checked" in str(found[4].fault)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ('{"dealer": 0, "hands"', "not JSON"),
        ("[1, 2]", "a line is an object"),
        ('{"dealer": NaN}', "NaN is not JSON"),
        ('{"dealer": 1, "dealer": 2}', "the key 'dealer' stands twice"),
        ("[" * 100_000, "nested too deep|not JSON"),
        ('{"dealer": ' + "9" * 5000 + "}", "not JSON|not a seat|missing"),
        ('{"end": {}}', "no match that could end here"),
        ("x" * (MAX_LINE + 1), "longer than 1000000 bytes"),
    ],
    ids=lambda value: value[:20],
)
def test_a_line_that_is_no_record(line: str, says: str) -> None:
    good = deal_record(new("amsterdams", 1))
    first, fault, last = entries(stream(good, line, good))
    assert (first.fault, last.fault) == (None, None)
    assert (fault.line, last.line) == (2, 3)
    assert re.search(says, str(fault.fault))
    assert len(str(fault.fault)) < 2000


@pytest.mark.parametrize(
    ("line", "says"),
    [('{"match": 3}', "match: 3 is not an object"), ('{"match": {}, "dealer": 0}', "line: unknown key 'dealer'")],
)
def test_what_follows_a_header_that_does_not_hold_is_not_judged(line: str, says: str) -> None:
    deal = deal_record(new("amsterdams", 1))
    fault, after = entries(stream(line, deal, {"end": {}}, deal))
    assert re.search(says, str(fault.fault))
    assert (fault.line, after.line, after.fault) == (1, 4, None)


def test_bytes_that_are_no_text() -> None:
    (entry,) = entries(io.BytesIO(b"\xff\xfe\x00"))
    assert (entry.line, entry.fault) == (1, "the line is not text in UTF-8")


def test_a_line_of_a_hundred_megabytes_is_passed_over_in_pieces() -> None:
    class Endless(io.RawIOBase):
        """A file whose first line is a hundred megabytes that nobody holds."""

        left = 100 * 2**20
        asked_most = 0

        def readline(self, size: int | None = -1) -> bytes:
            assert size is not None
            assert size > 0
            self.asked_most = max(self.asked_most, size)
            piece = min(size, self.left)
            self.left -= piece
            return b"x" * piece if self.left else b"x" * max(piece - 1, 0) + b"\n" if piece else b""

    file = Endless()
    (entry,) = entries(file)  # type: ignore[arg-type]
    assert "longer than" in str(entry.fault)
    assert file.asked_most <= MAX_LINE + 1


def test_a_file_is_saved_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    deals = list(random_match("amsterdams", 6))
    save_match(path, deals, NAMES)
    before = path.read_bytes()
    assert before.decode() == written(write_match, deals, NAMES)
    with pytest.raises(RecordError, match=r"dealer: .*deals now"):
        save_match(path, [deals[0], deals[2]], NAMES)
    assert path.read_bytes() == before
    save_deals(path, deals[:2])
    assert path.read_text() == written(write_deals, deals[:2])
    assert list(tmp_path.iterdir()) == [path]


def test_a_match_without_deals_is_refused() -> None:
    with pytest.raises(RecordError, match="at least one deal"):
        written(write_match, [])

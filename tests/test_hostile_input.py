"""Malformed and hostile input at every door: each gets a clear error and changes nothing."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from klaverjas_env import IllegalActionError, RecordError, Variant, VariantError, explain, klaverjas_v0
from klaverjas_env.bots import make_bot
from klaverjas_env.bots.network import BotError, NetworkBot, encode
from klaverjas_env.envs.vector import VectorGames
from klaverjas_env.game import ACTIONS, GAME, new
from klaverjas_env.notation import NotationError, from_position, position
from klaverjas_env.observation import N_OBSERVATION
from klaverjas_env.records.deal import record_of, setup
from klaverjas_env.records.files import MAX_LINE, entries, read_deals
from klaverjas_env.rules.cards import NO_CARD
from klaverjas_env.view import view

ALL_CLUBS_FOUR_TIMES = "/".join(["C7C8C9CTCJCQCKCA"] * 4)
RELEASED = Path(__file__).parents[1] / "checkpoints" / "released" / "amsterdams.onnx"


def dealt() -> dict[str, Any]:
    """The record of a deal before its first bid."""
    return record_of(new("amsterdams", seed=5))


def with_hands(change: Callable[[list[list[str]]], object]) -> dict[str, Any]:
    record = dealt()
    change(record["hands"])
    return record


def line_with(name: str, value: str) -> str:
    """A position line with another value of a field."""
    fields = position(new("amsterdams", seed=5)).split(" ")
    changed = [f"{name}:{value}" if field.startswith(f"{name}:") else field for field in fields]
    assert changed != fields
    return " ".join(changed)


def read_file(content: bytes) -> None:
    list(read_deals(io.BytesIO(content)))


def a_trained_bot() -> NetworkBot:
    pytest.importorskip("onnxruntime")
    return NetworkBot(RELEASED)


def bot_of_another_layout(folder: Path) -> Path:
    """The released bot with another layout on its card."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load(RELEASED)
    for entry in model.metadata_props:
        if entry.key == "card":
            entry.value = json.dumps({**json.loads(entry.value), "observation": "klaverjas-observation-v0"})
    path = folder / "other.onnx"
    onnx.save(model, path)
    return path


def not_a_model(folder: Path) -> Path:
    path = folder / "evil.onnx"
    path.write_bytes(b"\x80\x04cos\nsystem\n(S'true'\ntR.")
    return path


def bot_on_nan() -> None:
    observation, action_mask, _ = encode(view(new("amsterdams", 1), np.array([1])))
    observation[0, 3] = np.nan
    a_trained_bot().logits(observation, action_mask)


def bot_on_half_a_row() -> None:
    a_trained_bot().logits(np.zeros((1, N_OBSERVATION // 2), dtype=np.float32), np.ones((1, 45), dtype=np.int8))


def env_reset_with(record: Any) -> None:
    env = klaverjas_v0.env("amsterdams")
    env.reset(seed=1, options={"deal": record})


HOSTILE: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "a card that is none": (
        lambda: setup(with_hands(lambda hands: hands[0].__setitem__(0, "Z9"))),
        RecordError,
        r"hands\[0\]\[0\]: 'Z9' is not a card",
    ),
    "a card twice": (
        lambda: setup(with_hands(lambda hands: hands[0].__setitem__(0, hands[1][0]))),
        RecordError,
        "every card exists once",
    ),
    "nine cards": (
        lambda: setup(with_hands(lambda hands: hands[0].append(hands[1].pop()))),
        RecordError,
        r"hands\[0\]: 9 cards; give the eight that were dealt",
    ),
    "three hands": (lambda: setup(with_hands(lambda hands: hands.pop())), RecordError, "3 hands; a deal has four"),
    "a seat that is none": (lambda: setup({**dealt(), "dealer": 4}), RecordError, "dealer: 4 is not a seat"),
    "a bid out of turn": (lambda: setup({**dealt(), "bids": [[2, "S"]]}), RecordError, "it is the turn of seat"),
    "a play without a contract": (lambda: setup({**dealt(), "plays": ["C7"]}), RecordError, "no contract yet"),
    "an unknown key": (lambda: setup({**dealt(), "__class__": "os.system"}), RecordError, "unknown key '__class__'"),
    "rules of another version": (
        lambda: setup({**dealt(), "rules_hash": "deadbeefdeadbeef"}),
        RecordError,
        "made under other rules",
    ),
    "a record of no object": (lambda: setup(42), RecordError, "a record is an object"),  # type: ignore[arg-type]
    "a truncated record": (
        lambda: read_file(json.dumps(dealt()).encode()[:-20]),
        RecordError,
        "line 1: the line is not JSON",
    ),
    "a line of 100 MB": (
        lambda: read_file(b"[" * (100 * 2**20)),
        RecordError,
        f"line 1: the line is longer than {MAX_LINE} bytes",
    ),
    "a line that is no text": (lambda: read_file(b"\xff\xfe\x00\x01"), RecordError, "line 1: .*not text in UTF-8"),
    "a line nested without end": (
        lambda: read_file(b"[" * 500_000),
        RecordError,
        "line 1: .*(nested too deep|not JSON)",
    ),
    "an infinite number": (lambda: read_file(b'{"dealer": -Infinity}'), RecordError, "line 1: -Infinity is not JSON"),
    "a position of another notation": (lambda: from_position("kj9:x"), NotationError, "kj1"),
    "a position with a card twice": (
        lambda: from_position(line_with("hands", ALL_CLUBS_FOUR_TIMES)),
        NotationError,
        "C7.*(twice|already|once)",
    ),
    "a position cut short": (
        lambda: from_position(position(new("amsterdams", 5))[:-30]),
        NotationError,
        "kj1|missing|cards|field",
    ),
    "an unknown preset": (lambda: Variant.parse("amsterdam"), VariantError, "did you mean 'amsterdams'"),
    "an unknown option": (lambda: Variant.parse("amsterdams, four_jack=1"), VariantError, "did you mean 'four_jacks'"),
    "a negative target": (
        lambda: Variant.parse("amsterdams, target=-1500"),
        VariantError,
        "target=-1500 is not a whole",
    ),
    "a target of 10^30": (lambda: Variant.parse(f"target={10**30}"), VariantError, "is not a whole number"),
    "packets of nothing": (lambda: Variant.parse("deal_packets=3--5"), VariantError, "packets of eight cards"),
    "options that cannot be together": (
        lambda: Variant.parse("amsterdams/vrij, all_pass=forced_turned"),
        VariantError,
        "all_pass=forced_turned cannot be; write all_pass=forced_choice",
    ),
    "an unknown bot": (lambda: make_bot("greedly"), BotError, "greedy"),
    "a bot that is not there": (lambda: make_bot("nowhere/bot.onnx"), BotError, "no such file"),
    "a net answering for NaN": (bot_on_nan, BotError, r"observation\[0, 3\] is nan"),
    "half an observation": (bot_on_half_a_row, BotError, rf"a bot reads float32 \[N, {N_OBSERVATION}\]"),
    "a batch of no table": (lambda: VectorGames(0), ValueError, "at least one table"),
    "a negative seed": (lambda: VectorGames(1, seed=-1), ValueError, "seed=-1 is not a whole number"),
    "a batch of another size": (lambda: VectorGames(2).restore(b"\0" * 7), ValueError, "records of 2 games"),
    "a deal for the environment with nine cards": (
        lambda: env_reset_with(with_hands(lambda hands: hands[0].append(hands[1].pop()))),
        RecordError,
        "9 cards",
    ),
    "a question about a card that is none": (
        lambda: explain("C1", ["C7"], [], "C", 0),
        NotationError,
        "'C1' is not",
    ),
}


@pytest.mark.parametrize(("attack", "error", "says"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_input_gets_a_clear_error(attack: Callable[[], object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as refused:
        attack()
    assert len(str(refused.value)) < 2_000


def test_at_least_twenty() -> None:
    assert len(HOSTILE) >= 20


def test_a_bot_file_of_another_layout_or_of_no_model(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    with pytest.raises(BotError, match=r"'klaverjas-observation-v0', this version plays 'klaverjas-observation-v\d'"):
        NetworkBot(bot_of_another_layout(tmp_path))
    with pytest.raises(BotError, match="is not an ONNX model"):
        NetworkBot(not_a_model(tmp_path))


@pytest.mark.parametrize("action", [-1, 45, 10**9, 0, 44])
def test_an_illegal_action_changes_no_table(action: int) -> None:
    tables = VectorGames(3, "amsterdams", seed=4)
    before = tables.games.tobytes(), tables.observation.tobytes(), tables.action_mask.tobytes()
    actions = tables.random_actions(np.random.default_rng(1))
    actions[1] = action
    with pytest.raises(ValueError, match=f"table 1: action {action} is not legal"):
        tables.step(actions)
    assert (tables.games.tobytes(), tables.observation.tobytes(), tables.action_mask.tobytes()) == before


@pytest.mark.parametrize("action", [-1, 45, 0, 44, "C7", 1.5, float("nan"), [1], None])
def test_an_illegal_action_changes_no_match(action: Any) -> None:
    env = klaverjas_v0.raw_env("amsterdams")
    env.reset(seed=4)
    before = env.game.tobytes(), dict(env.rewards), env.agent_selection
    with pytest.raises((IllegalActionError, ValueError, TypeError)):
        env.step(action)
    assert (env.game.tobytes(), dict(env.rewards), env.agent_selection) == before


def test_a_deal_that_is_refused_leaves_the_match_as_it_was() -> None:
    env = klaverjas_v0.raw_env("amsterdams")
    env.reset(seed=4)
    before = env.game.tobytes()
    given: list[Any] = [{**dealt(), "dealer": 9}, {"hands": []}, 3]
    for record in given:
        with pytest.raises(RecordError):
            env.reset(options={"deal": record})
        assert env.game.tobytes() == before


def test_what_a_file_says_is_never_run() -> None:
    (entry,) = entries(io.BytesIO(b'{"match": {"variant": "__import__(\'os\').abort()"}}'))
    assert "unknown preset" in str(entry.fault)


def test_a_view_gives_nothing_away_and_is_no_position() -> None:
    seen = view(new("amsterdams", 5), np.array([1]))
    assert seen.dtype == GAME
    with pytest.raises(RecordError, match="is hidden"):
        record_of(seen)
    assert int((seen[0].plays != NO_CARD).sum()) == 0
    assert ACTIONS

"""The trainer as a user meets it: a short run, resuming, stopping, exporting, and what it refuses."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from klaverjas_env.bots.network import BotError, NetworkBot
from klaverjas_env.game import new
from klaverjas_env.view import view
from training.checkpoint import LATEST, CheckpointError, load, load_bot, save
from training.config import Config
from training.export import main as export_main
from training.ppo import Trainer, main

SMALL = {
    "tables": 32,
    "steps": 8,
    "minibatch": 128,
    "total_decisions": 32 * 8 * 6,
    "width": 16,
    "depth": 2,
    "threads": 1,
    "evaluate_every": 0,
    "evaluate_pairs": 4,
    "final_pairs": 4,
}
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


def options(folder: Path, **more: object) -> list[str]:
    return [word for name, value in {"folder": folder, **SMALL, **more}.items() for word in (f"--{name}", str(value))]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short finished run."""
    folder = tmp_path_factory.mktemp("runs")
    assert main(options(folder, run="r")) == 0
    return folder / "r"


def test_a_run_leaves_checkpoint_bot_card_settings_and_figures(finished: Path) -> None:
    for name in (LATEST, "bot.onnx", "bot.json", "config.toml", "provenance.json"):
        assert (finished / name).is_file(), name
    assert any((finished / "events").iterdir())
    card = json.loads((finished / "bot.json").read_text())
    assert card["license"] == "MIT"
    assert card["observation"] == "klaverjas-observation-v2"
    assert card["training"]["decisions"] == SMALL["total_decisions"]
    assert set(card["measured"]) == set(Config().opponent_names) >= {"lennard"}


def test_the_exported_bot_plays_as_the_checkpoint(finished: Path) -> None:
    exported, trained = NetworkBot(finished / "bot.onnx"), load_bot(finished)
    games = np.concatenate([new(seed=seed) for seed in range(50)])
    views = view(games, games["to_act"])
    assert (exported.act_many(views) == trained.act_many(views)).all()


def test_an_exported_bot_plays_without_torch(finished: Path) -> None:
    script = f"""
import sys
sys.modules["torch"] = None
from klaverjas_env.bots import make_bot
from klaverjas_env.game import new
from klaverjas_env.view import view
game = new(seed=1)
action = make_bot({str(finished / "bot.onnx")!r}).act(view(game, game["to_act"]))
assert 34 <= action <= 37, action
"""
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, timeout=120)


def test_a_resumed_run_ends_with_the_same_weights_as_one_never_stopped(tmp_path: Path, finished: Path) -> None:
    trainer = Trainer(load(finished).config)
    for _ in range(3):
        trainer.train_one_update()
    save(tmp_path / "half" / LATEST, trainer.checkpoint())
    assert main(["--resume", str(tmp_path / "half")]) == 0
    whole, halves = load(finished).state, load(tmp_path / "half").state
    for name in ("actor", "critic", "average"):
        for key, value in whole[name].items():
            assert torch.equal(value, halves[name][key]), (name, key)
    assert torch.equal(whole["games"], halves["games"])


def test_an_existing_run_is_not_overwritten(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (finished / LATEST).read_bytes()
    assert main(options(finished.parent, run="r")) == 2
    assert "--resume" in capsys.readouterr().err
    assert (finished / LATEST).read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--variant", "rotterdam"], "rotterdams"),
        (["--tables", "0"], "tables"),
        (["--opponents", "lennard, gredy"], "greedy"),
        (["--resume", "no/such/run"], "no such file"),
        (["--config", "no/such.toml"], "cannot be read"),
    ],
)
def test_bad_arguments_end_with_one_clear_line(
    arguments: list[str], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert word in error
    assert error.count("\n") == 1


def test_ctrl_c_saves_and_the_run_goes_on(tmp_path: Path) -> None:
    arguments = options(tmp_path, run="c", total_decisions=10**9, max_minutes=0)
    process = subprocess.Popen(
        [sys.executable, "-m", "training.ppo", *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    events = tmp_path / "c" / "events"
    deadline = time.monotonic() + 120
    while not events.is_dir() and time.monotonic() < deadline:
        time.sleep(0.2)
    time.sleep(2.0)
    process.send_signal(signal.SIGINT)
    output, error = process.communicate(timeout=120)
    assert process.returncode == 0, error.decode()
    assert b"--resume" in output
    assert load(tmp_path / "c").update > 0


def test_a_checkpoint_with_code_in_it_is_refused(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (print, ("must not run",))

    torch.save({"format": Trap()}, tmp_path / "trap.pt")
    with pytest.raises(CheckpointError, match="damaged or no checkpoint"):
        load(tmp_path / "trap.pt")


def test_a_damaged_or_foreign_bot_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"not a model")
    with pytest.raises(BotError, match="not an ONNX model"):
        NetworkBot(tmp_path / "bad.onnx")
    with pytest.raises(BotError, match="no such file"):
        NetworkBot(tmp_path / "none.onnx")


def test_a_bot_of_another_layout_is_refused_with_both_names(tmp_path: Path, finished: Path) -> None:
    import onnx

    model = onnx.load(str(finished / "bot.onnx"))
    card = json.loads(model.metadata_props[0].value) | {"observation": "klaverjas-observation-v1"}
    onnx.helper.set_model_props(model, {"card": json.dumps(card)})
    onnx.save(model, str(tmp_path / "old.onnx"))
    with pytest.raises(BotError, match=r"observation-v1.*observation-v2"):
        NetworkBot(tmp_path / "old.onnx")


def test_export_by_hand_and_its_errors(tmp_path: Path, finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export_main([str(finished), str(tmp_path / "mine.onnx")]) == 0
    assert (tmp_path / "mine.json").is_file()
    assert export_main([str(tmp_path / "none")]) == 2
    assert "no such file" in capsys.readouterr().err


def test_the_default_settings_fit_one_another() -> None:
    config = Config()
    assert config.batch % config.minibatch == 0

"""The command that shows a deal of a file and checks the file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from klaverjas_env.records.files import save_match
from klaverjas_env.replay import main
from tests.records.test_files import NAMES, random_match


@pytest.fixture
def match(tmp_path: Path) -> Path:
    path = tmp_path / "match.jsonl"
    save_match(path, random_match("nku", 21), NAMES)
    return path


def test_a_deal_is_shown_trick_by_trick(match: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(match), "--deal", "3"]) == 0
    out = capsys.readouterr().out
    assert "nku; " in out
    assert "are trump, made by" in out
    for trick in range(1, 9):
        assert f"\n{trick}. " in out
    assert all(name in out for name in NAMES)
    assert "score: south/north" in out
    assert out.endswith("16 deals hold; no faults\n")


def test_line_and_reason_of_what_does_not_hold(match: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = match.read_text().splitlines()
    deal = json.loads(lines[4])
    deal["result"]["score"][0] += 1
    match.write_text("\n".join([*lines[:4], json.dumps(deal), *lines[5:]]))
    assert main([str(match)]) == 1
    out = capsys.readouterr().out
    assert "line 5: result.score: " in out
    assert "3 deals hold; 1 faults" in out


def test_a_truncated_file(match: Path, capsys: pytest.CaptureFixture[str]) -> None:
    match.write_bytes(match.read_bytes()[:-400])
    assert main([str(match)]) == 1
    assert "line 17: the line is not JSON" in capsys.readouterr().out


def test_many_faults_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("[]\n" * 50)
    assert main([str(path)]) == 1
    out = capsys.readouterr().out
    assert out.count("line ") == 20 + 20  # each names its line, and says what a line is
    assert "and 30 faults more" in out


@pytest.mark.parametrize("arguments", [["--deal", "17"], ["--deal", "0"]])
def test_a_deal_that_is_not_there(match: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(match), *arguments]) == 2
    assert "the deals are 1 to 16" in capsys.readouterr().err


def test_a_file_that_is_not_there_or_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.jsonl")]) == 2
    assert "No such file" in capsys.readouterr().err
    (tmp_path / "empty.jsonl").write_text("\n")
    assert main([str(tmp_path / "empty.jsonl")]) == 1
    assert "holds no deal" in capsys.readouterr().out


def test_the_command_runs_without_a_warning(match: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "klaverjas_env.replay", str(match)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "16 deals hold" in done.stdout

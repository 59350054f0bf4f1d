"""The ladder: the same figures however it was played, stopping, ratings, resuming after a kill, and what it refuses."""

import dataclasses
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from klaverjas_env.bots import Bot, make_bot
from klaverjas_env.rules.variant import Variant
from training.duels import PAIR, Duel, play_duel
from training.evaluate import evaluate
from training.figures import Estimate
from training.ladder import main
from training.ladder_report import labels_of, report, tables
from training.ladder_store import Goal, LadderError, Pairing, Store, settings_of
from training.rating import ELO_PER_POINT, Margins, elo, fit

ROOT = Path(__file__).parents[2]
FIELD = ("random", "greedy", "lennard")


@pytest.fixture(autouse=True, scope="module")
def _signals() -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


def ladder(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def figures(folder: Path) -> dict[str, Any]:
    """A ladder's report without clock, date and machine."""
    found = json.loads((folder / "report.json").read_text())
    for bot in found["bots"]:
        del bot["seconds_per_decision"]
    return {name: found[name] for name in ("settings", "goal", "anchor", "residual", "bots", "pairings")}


def files(folder: Path) -> list[Path]:
    return sorted((folder / "deals").rglob("*.npz"))


def played_here(folder: Path, bots: Sequence[str], n: int, goal: Goal, stretch: int = 7, **options: Any) -> Store:
    """A ladder played in this process, in stretches of `stretch` deals."""
    settings = settings_of(
        bots, "amsterdams", options.get("seed", 0), options.get("contract", "bid"), options.get("roles", False)
    )
    store = Store.create(folder, settings, goal)
    players: list[Bot] = [make_bot(name, settings.seed) for name in bots]
    for pairing in store.pairings():
        pair = (players[pairing.a], players[pairing.b])
        for first in range(0, n, stretch):
            duel = play_duel(
                pair,
                Variant.parse(settings.variant),
                first,
                min(stretch, n - first),
                settings.seed,
                settings.contract,
                settings.roles,
            )
            store.write(pairing, duel, 1.0)
    return store


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a ladder that was never stopped."""
    folder = tmp_path_factory.mktemp("ladders") / "whole"
    assert ladder(*FIELD, "--pairs", 150, "--min-pairs", 20, "--seed", 3, "--out", folder) == 0
    return folder


# --- the same figures however it was played --------------------------------------------------------------------------


def test_the_ladder_says_what_evaluate_says(whole: Path) -> None:
    for pairing in figures(whole)["pairings"]:
        result = evaluate(pairing["a"], pairing["b"], pairs=150, seed=3)
        assert pairing["pairs"] == 150
        assert pairing["margin"] == {"mean": result.points_per_deal, "ci95": result.ci95}
        assert pairing["boompje"] == dataclasses.asdict(result.boompje)
        assert (pairing["side_a"], pairing["side_b"]) == (
            dataclasses.asdict(result.side_a),
            dataclasses.asdict(result.side_b),
        )


def test_cores_and_stretches_change_no_figure(whole: Path, tmp_path: Path) -> None:
    words = ["--pairs", 150, "--min-pairs", 20, "--seed", 3, "--processes", 1]
    assert ladder(*FIELD, *words, "--out", tmp_path / "a") == 0
    assert figures(tmp_path / "a") == figures(whole)
    store = played_here(tmp_path / "b", FIELD, 160, Goal(150, 0.0, 20), seed=3)
    found = json.loads(json.dumps(report(store.settings, store.goal, store.pairings())))
    for pairing, same in zip(found["pairings"], figures(whole)["pairings"], strict=True):
        assert pairing == same


def test_more_bots_and_more_pairs_join_a_ladder_that_is_there(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "l"
    assert (
        ladder("--processes", 1, "random", "greedy", "--pairs", 40, "--min-pairs", 20, "--seed", 3, "--out", folder)
        == 0
    )
    before = {path: path.read_bytes() for path in files(folder)}
    assert ladder("--processes", 1, "lennard", "--resume", folder, "--pairs", 150) == 0
    assert figures(folder) == figures(whole)
    assert all(path.read_bytes() == content for path, content in before.items())


def test_a_bot_is_measured_alike_as_a_and_as_b(tmp_path: Path) -> None:
    one = played_here(tmp_path / "a", ("greedy", "random"), 30, Goal(30, 0.0, 20), contract="chooser", roles=True)
    other = played_here(tmp_path / "b", ("random", "greedy"), 30, Goal(30, 0.0, 20), contract="chooser", roles=True)
    found, turned = (report(store.settings, store.goal, store.pairings()) for store in (one, other))
    for bot in found["bots"]:
        same = next(b for b in turned["bots"] if b["name"] == bot["name"])
        assert bot["side"] == same["side"]
    assert found["pairings"][0]["roles_a"] == turned["pairings"][0]["roles_b"]
    assert found["pairings"][0]["side_a"] == turned["pairings"][0]["side_b"]
    text = tables(found)
    for word in ("greedy", "klaverjas-chooser-v1", "declarer", "partner", "defence", "± ", "boompjes", "Elo"):
        assert word in text


# --- stopping --------------------------------------------------------------------------------------------------------


def rows(margins: Sequence[int], first: int = 0) -> Duel:
    """Deals in which A made so many points more, in both seatings."""
    made = np.zeros(len(margins), dtype=PAIR)
    made["deal"] = np.arange(first, first + len(margins))
    made["score"][:, :, 0] = np.array(margins)[:, None]
    return Duel(made, (1, 1), (0.0, 0.0))


def test_looks_are_fixed_and_end_at_the_most_pairs() -> None:
    assert list(Goal(300, 1.0, 100).looks()) == [100, 125, 157, 197, 247, 300]
    assert list(Goal(50, 1.0, 100).looks()) == [50]


def test_a_pairing_stops_at_the_first_look_that_is_narrow_enough() -> None:
    luck = np.random.default_rng(5).normal(3, 60, 4000).astype(int).tolist()
    goal = Goal(4000, 4.0, 100)
    widths = {n: 1.96 * np.std(luck[:n], ddof=1) / math.sqrt(n) for n in goal.looks()}
    stop = min(n for n, width in widths.items() if width <= 4.0)
    assert 500 < stop < 1500
    for stretch in (1, 33, 4000):
        pairing = Pairing(0, 0, 1, goal)
        for first in range(0, 4000, stretch):
            pairing.add(rows(luck[first : first + stretch], first), 1.0)
        assert pairing.settled
        assert len(pairing.rows) == stop
    late = Pairing(0, 0, 1, goal)
    for first in reversed(range(0, 4000, 100)):  # handed in the wrong way round
        assert not late.settled
        late.add(rows(luck[first : first + 100], first), 1.0)
    assert (late.settled, len(late.rows)) == (True, stop)


def test_stopping_by_width_covers_the_truth_19_times_of_20() -> None:
    random = np.random.default_rng(1)
    covered = []
    for _ in range(400):
        pairing = Pairing(0, 0, 1, Goal(4000, 6.0, 100))
        pairing.add(rows(random.normal(7, 60, 1500).round().astype(int).tolist()), 1.0)
        margins = pairing.rows["score"][:, 0, 0]
        covered.append(abs(margins.mean() - 7) <= 1.96 * margins.std(ddof=1) / math.sqrt(len(margins)))
    assert 0.92 < np.mean(covered) < 0.98


def test_a_pairing_hands_out_every_deal_once_and_none_beyond_its_look() -> None:
    pairing = Pairing(0, 0, 1, Goal(200, 1.0, 100))
    pairing.add(rows([1, 5] * 5, 40), 1.0)
    taken = [pairing.take(64) for _ in range(4)]
    assert taken == [(0, 40), (50, 50), None, None]
    assert pairing.complete == 0


def test_until_and_pairs_on_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "l"
    assert (
        ladder(
            "--processes",
            1,
            "random",
            "lennard",
            "--until",
            12,
            "--min-pairs",
            20,
            "--contract",
            "random",
            "--out",
            folder,
        )
        == 0
    )
    (pairing,) = figures(folder)["pairings"]
    assert pairing["margin"]["ci95"] <= 12
    assert pairing["pairs"] in set(Goal(100_000, 12, 20).looks())
    assert ladder("--processes", 1, "--resume", folder, "--until", 9) == 0
    (finer,) = figures(folder)["pairings"]
    assert finer["margin"]["ci95"] <= 9
    assert finer["pairs"] > pairing["pairs"]


# --- ratings ---------------------------------------------------------------------------------------------------------


def test_margins_that_add_up_give_back_their_ratings() -> None:
    truth = [0.0, 30.0, -12.0, 55.0]
    random = np.random.default_rng(2)
    pairings = [Margins(a, b, random.normal(0, 60, 500)) for a in range(4) for b in range(a + 1, 4) if (a, b) != (0, 3)]
    exact = [Margins(p.a, p.b, p.values - p.values.mean() + truth[p.a] - truth[p.b]) for p in pairings]
    fitted = fit(4, 0, exact)
    assert [rating.mean for rating in fitted.ratings if rating] == pytest.approx(truth)
    assert fitted.residual == pytest.approx(0)


def test_the_rating_of_a_round_robin_is_the_mean_margin_against_the_field() -> None:
    random = np.random.default_rng(3)
    pairings = [Margins(a, b, random.normal(10 * a, 60, 200)) for a in range(4) for b in range(a + 1, 4)]
    means = np.zeros((4, 4))
    for pairing in pairings:
        means[pairing.a, pairing.b] = pairing.values.mean()
        means[pairing.b, pairing.a] = -pairing.values.mean()
    expected = means.mean(axis=1)
    fitted = fit(4, 1, pairings)
    assert [rating.mean for rating in fitted.ratings if rating] == pytest.approx(expected - expected[1])
    assert fitted.residual > 0


def test_a_thin_pairing_hardly_moves_a_rating() -> None:
    many = [Margins(a, b, np.array([10.0, -10.0] * 1000) + 20 * (b - a)) for a, b in ((0, 1), (0, 2))]
    thin = Margins(1, 2, np.array([400.0, 400.0]))
    alone, both = (fit(3, 0, pairings).ratings for pairings in (many, [*many, thin]))
    for one, other in zip(alone, both, strict=True):
        assert one is not None
        assert other is not None
        assert abs(one.mean - other.mean) < 8


def test_intervals_of_ratings_cover_although_pairings_share_their_deals() -> None:
    """Bots whose margins share the luck of the deal: an interval that took them for independent would be wrong."""
    random = np.random.default_rng(4)
    truth = [0.0, 8.0, -5.0]
    covered, widths = [], []
    for _ in range(500):
        luck = random.normal(0, 50, (3, 300))
        pairings = []
        for a, b, n in ((0, 1, 300), (0, 2, 200), (1, 2, 120)):
            own = random.normal(0, 15, n)
            pairings.append(Margins(a, b, truth[a] - truth[b] + luck[a, :n] - luck[b, :n] + own))
        rating = fit(3, 0, pairings).ratings[1]
        assert rating is not None
        covered.append(abs(rating.mean - 8.0) <= rating.ci95)
        widths.append(rating.ci95)
    assert 0.92 < np.mean(covered) < 0.98
    assert np.ptp(widths) < np.mean(widths)


def test_a_bot_that_has_not_played_has_no_rating() -> None:
    fitted = fit(4, 0, [Margins(0, 1, np.array([1.0, 3.0])), Margins(2, 3, np.array([1.0, 3.0]))])
    assert fitted.ratings[2:] == [None, None]
    assert fitted.ratings[1] is not None
    assert fitted.ratings[1].mean == pytest.approx(-2)


def test_nobody_is_rated_before_the_anchor_has_played() -> None:
    assert fit(3, 0, [Margins(1, 2, np.array([1.0, 3.0]))]).ratings == [None, None, None]
    assert fit(3, 0, []).ratings == [None, None, None]


def test_the_scale_is_that_of_elo_odds_of_a_boompje_between_near_equals() -> None:
    chance = 0.5 * (1 + math.erf(4 * 0.5 / 125 / math.sqrt(2)))  # half a point a deal over 16 deals
    assert 400 * math.log10(chance / (1 - chance)) == pytest.approx(0.5 * ELO_PER_POINT, rel=1e-3)
    assert elo(Estimate(0.0, 1.0)) == Estimate(1000.0, ELO_PER_POINT)


def test_labels_are_short_where_they_may_be() -> None:
    assert labels_of(["greedy", "a/b/x.onnx", "a/b/run"]) == ["greedy", "x", "run"]
    assert labels_of(["a/x.onnx", "b/x.onnx"]) == ["a/x.onnx", "b/x.onnx"]


# --- killed, resumed, damaged ----------------------------------------------------------------------------------------


def begun(folder: Path, stop: signal.Signals) -> tuple[int, str]:
    """Begin the ladder of `whole` in a process of its own and stop it as soon as some deals are kept."""
    words = [*FIELD, "--pairs=150", "--min-pairs=20", "--seed=3", f"--out={folder}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "training.ladder", *words],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    patience = time.monotonic() + 240
    while not (folder / "deals").exists() or len(files(folder)) < 3:
        assert time.monotonic() < patience
        assert process.poll() is None
        time.sleep(0.002)
    if stop == signal.SIGKILL:
        process.kill()
    else:
        os.killpg(process.pid, stop)  # as the terminal does
    said = process.communicate(timeout=60)[1]
    return process.returncode, said


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_ladder_goes_on_to_the_figures_of_one_never_stopped(
    whole: Path, tmp_path: Path, stop: signal.Signals
) -> None:
    folder = tmp_path / "l"
    status, said = begun(folder, stop)
    assert status == (-9 if stop == signal.SIGKILL else 130), said
    if stop == signal.SIGINT:
        assert "Traceback" not in said
        assert f"--resume {folder}" in said
        assert (folder / "report.json").exists()
    kept = {path: path.stat().st_mtime_ns for path in files(folder)}
    assert kept
    assert ladder("--processes", 1, "--resume", folder) == 0
    assert figures(folder) == figures(whole)
    assert all(path.stat().st_mtime_ns == when for path, when in kept.items()), "a kept deal was played again"


def test_any_part_of_the_files_gives_the_figures_of_the_whole(whole: Path, tmp_path: Path) -> None:
    """Stretches come back in any order, so that a kill may leave holes."""
    store = played_here(tmp_path / "l", FIELD, 150, Goal(150, 0.0, 20), seed=3)
    for path in files(store.folder)[::2]:
        path.unlink()
    (store.folder / "deals" / "00-01" / ".00000000-7.npz.abc").write_bytes(b"half")
    assert ladder("--processes", 1, "--resume", store.folder) == 0
    assert figures(store.folder) == figures(whole)


def test_a_time_limit_leaves_a_ladder_to_go_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "l"
    assert ladder("--processes", 1, "random", "greedy", "--pairs", 50, "--minutes", 1e-9, "--out", folder) == 0
    assert "time is up" in capsys.readouterr().err
    assert figures(folder)["pairings"] == []
    assert ladder("--processes", 1, "--resume", folder) == 0
    assert figures(folder)["pairings"][0]["pairs"] == 50


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return played_here(tmp_path / "small", ("random", "greedy"), 20, Goal(20, 0.0, 20), contract="chooser").folder


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What the command says in the one line in which it refuses."""
    try:
        status = ladder(*arguments)
    except SystemExit as stop:
        status = int(stop.code or 0)
    said = capsys.readouterr()
    assert status == 2
    assert said.out == ""
    assert said.err.strip().splitlines()[-1].startswith("training.ladder: ")
    assert "Traceback" not in said.err
    return said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seed", "4"], ["seed is 4, was 0"]),
        (["--variant", "rotterdams"], ["variant is 'rotterdams/utrechts'", "was 'amsterdams/utrechts'"]),
        (["--contract", "random", "--seed", "1"], ["contract is 'random', was 'chooser'", "seed is 1"]),
        (["--roles"], ["roles is True, was False"]),
    ],
)
def test_other_settings_than_those_of_the_deals_are_named(
    small: Path, arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = (small / "settings.json").read_text()
    said = refused(capsys, "--resume", small, *arguments)
    for word in words:
        assert word in said
    assert (small / "settings.json").read_text() == before


def test_other_code_is_refused_unless_it_is_wanted(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads((small / "settings.json").read_text())
    content["played"]["code"] = ["0123456789abcdef"]
    (small / "settings.json").write_text(json.dumps(content))
    assert "--other-code" in refused(capsys, "--resume", small)
    assert ladder("--resume", small, "--other-code") == 0
    assert len(figures(small)["settings"]["code"]) == 2
    assert ladder("--resume", small) == 0, "once accepted, it stays so"


def test_a_bot_whose_file_has_changed_is_refused(tmp_path: Path) -> None:
    bot = tmp_path / "x.onnx"
    bot.write_bytes(b"one")
    Store.create(tmp_path / "l", settings_of(["random", str(bot)], "amsterdams", 0, "bid", False), Goal(20, 0.0, 20))
    bot.write_bytes(b"two")
    with pytest.raises(LadderError, match=r"x\.onnx' has changed"):
        Store.resume(tmp_path / "l", {}, [], False)


@pytest.mark.parametrize("harm", ["cut", "flip", "empty", "name"])
def test_a_damaged_file_of_deals_is_named(small: Path, harm: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = files(small)[1]
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0x10
    if harm == "name":
        path = path.rename(path.with_name("00000030-7.npz"))
    else:
        whole = path.read_bytes()
        path.write_bytes({"cut": whole[: len(whole) // 2], "flip": bytes(content), "empty": b""}[harm])
    said = refused(capsys, "--resume", small)
    assert path.name in said
    assert "is damaged" in said
    path.unlink()
    assert ladder("--resume", small) == 0


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": "x"}', '{"format": "klaverjas-ladder-v1"}'])
def test_damaged_settings_are_named(small: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (small / "settings.json").write_text(text)
    assert "settings.json" in refused(capsys, "--resume", small)


def test_deals_that_came_out_in_two_ways_are_refused() -> None:
    pairing = Pairing(0, 0, 1, Goal(20, 0.0, 20))
    pairing.add(rows([1, 2, 3]), 1.0)
    pairing.add(rows([2, 3, 4], 1), 1.0)
    with pytest.raises(LadderError, match="two ways"):
        pairing.add(rows([4, 4], 2), 1.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["random", "lenard"], ["'lenard'", "'lennard'"]),
        (["random", "missing.onnx"], ["missing.onnx", "no such file"]),
        (["random"], ["at least 2 bots"]),
        ([], ["at least 2 bots"]),
        (["random", "greedy", "random"], ["'random' is named twice"]),
        (["random", "greedy", "--variant", "amsterdam"], ["'amsterdams'"]),
        (["random", "greedy", "--contract", "none"], ["bid, chooser, random"]),
        (["random", "greedy", "--roles"], ["roles", "chooser"]),
        (["random", "greedy", "--pairs", "1"], ["pairs=1"]),
        (["random", "greedy", "--until", "-1"], ["until=-1"]),
        (["random", "greedy", "--until", "nan"], ["until=nan"]),
        (["random", "greedy", "--min-pairs", "1"], ["min_pairs=1"]),
        (["random", "greedy", "--minutes", "0"], ["minutes=0"]),
        (["random", "greedy", "--processes", "0"], ["processes=0"]),
        (["random", "greedy", "--seed", "-1"], ["seed=-1"]),
        (["--resume", "no/such/folder"], ["no/such/folder", "no ladder"]),
    ],
)
def test_bad_input_is_one_line_and_exit_status_2(
    arguments: list[str], words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = [] if "--resume" in arguments else ["--out", tmp_path / "l"]
    said = refused(capsys, *arguments, *folder)
    for word in words:
        assert word in said
    assert not (tmp_path / "l").exists()


def test_a_ladder_is_not_begun_in_the_folder_of_another(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"--resume {small}" in refused(capsys, "random", "greedy", "--out", small)


# --- pictures --------------------------------------------------------------------------------------------------------


def test_pictures_are_drawn_or_what_they_need_is_said(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ladder("--resume", small) == 0
    said = capsys.readouterr().err
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        assert "klaverjas-env[plots]" in said
        return
    for name in ("rating.png", "matrix.png"):
        assert (small / name).read_bytes().startswith(b"\x89PNG")

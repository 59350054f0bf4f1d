"""How strong many bots are: `python -m training.ladder BOT BOT... [--pairs N | --until 1.0]`.

A round robin: every two bots play the same frozen deals in both seatings, on all cores. What has been played is kept in
a folder; `--resume FOLDER` goes on after Ctrl-C, a crash or a time limit, with more bots or a finer interval, and its
figures are those of a ladder that was never stopped.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from klaverjas_env.files import write_json, write_text
from klaverjas_env.version import __version__
from training.duels import open_bot
from training.evaluate import CONTRACT_HELP, ROLES_HELP, Parser, check_settings
from training.figures import estimate, pair_margins
from training.ladder_report import labels_of, report, tables
from training.ladder_store import Goal, LadderError, Pairing, Settings, Store, settings_of
from training.plots import PlotError, draw
from training.provenance import commit, cores, machine
from training.stopping import stopped_by_signal
from training.workers import Stretch, WorkerError, Workers

STRETCH_SECONDS: Final = 5.0
"""About how long a worker plays before it hands in: what a kill can cost."""
FIRST_STRETCH: Final = 2
"""Pairs of the first stretch of a pairing, when nobody knows yet how fast its bots are."""
STRETCH_GROWTH: Final = 8
MAX_STRETCH: Final = 4096
PATIENCE: Final = 0.2
"""Seconds between two looks at the clock and for Ctrl-C."""

DEFAULT_PAIRS: Final = 1000
DEFAULT_MAX_PAIRS: Final = 100_000
"""The most pairs a pairing when `--until` says where to stop."""
DEFAULT_MIN_PAIRS: Final = 100


def stretch_of(pairing: Pairing, settings: Settings, workers: int) -> Stretch | None:
    """The next deals of a pairing, as many as take about `STRETCH_SECONDS`; None when none are left before its look."""
    if pairing.played == 0:
        most = FIRST_STRETCH
    else:
        per_second = pairing.played / max(pairing.seconds, 1e-9)
        most = max(1, min(int(STRETCH_SECONDS * per_second), STRETCH_GROWTH * pairing.played, MAX_STRETCH))
        # The deals up to a look are shared among the workers, which otherwise wait for one of them.
        most = min(most, max(1, math.ceil((pairing.wanted - pairing.complete) / workers)))
    taken = pairing.take(most)
    if taken is None:
        return None
    return Stretch(
        pairing=pairing.number,
        bots=(settings.bots[pairing.a], settings.bots[pairing.b]),
        variant=settings.variant,
        seed=settings.seed,
        contract=settings.contract,
        roles=settings.roles,
        first=taken[0],
        n=taken[1],
    )


def play(store: Store, pairings: Sequence[Pairing], processes: int, stop: Callable[[], bool]) -> bool:
    """Play until every pairing is settled; returns False when told to stop before. Raises WorkerError.

    All pairings come to a look before any goes on to the next, so that a ladder that is stopped has measured them
    evenly.
    """
    if all(pairing.settled for pairing in pairings):
        return True
    labels = labels_of(store.settings.bots)
    workers = Workers(processes)
    try:
        while True:
            for pairing in sorted(pairings, key=lambda pairing: pairing.wanted):
                while workers.idle > 0 and (stretch := stretch_of(pairing, store.settings, processes)) is not None:
                    workers.give(stretch)
            if workers.at_work == 0:
                return True
            if stop():
                return False
            for played in workers.finished(PATIENCE):
                pairing = pairings[played.stretch.pairing]
                store.write(pairing, played.duel, played.seconds)
                pairing.add(played.duel, played.seconds)
                if pairing.settled:
                    _say(f"{_standing(pairing, labels)}; {sum(p.settled for p in pairings)} of {len(pairings)} settled")
    finally:
        workers.stop()


def _standing(pairing: Pairing, labels: Sequence[str]) -> str:
    """One pairing in a few words."""
    margin = estimate(pair_margins(pairing.rows))
    return f"{labels[pairing.a]} against {labels[pairing.b]} {margin} ({len(pairing.rows)} pairs)"


def _say(text: str) -> None:
    print(f"{datetime.now():%H:%M:%S}  {text}", file=sys.stderr, flush=True)


def publish(store: Store, pairings: Sequence[Pairing]) -> dict[str, Any]:
    """Write report.json, report.md and, where matplotlib is there, rating.png and matrix.png; returns the report."""
    found = report(store.settings, store.goal, pairings) | {
        "command": command(store.settings, store.goal),
        "date": f"{datetime.now():%Y-%m-%d}",
        "machine": machine(),
        "version": __version__,
        "commit": commit(),
    }
    write_json(store.folder / "report.json", found)
    foot = f"{found['date']}, {found['machine']}: `{found['command']}`"
    write_text(store.folder / "report.md", f"{tables(found)}\n{foot}\n")
    try:
        draw(found, store.folder)
    except PlotError as error:
        _say(str(error))
    return found


def command(settings: Settings, goal: Goal) -> str:
    """The command that plays this ladder."""
    words = ["python -m training.ladder", *settings.bots, f"--variant '{settings.variant}'", f"--seed {settings.seed}"]
    words += [f"--contract {settings.contract}", *(["--roles"] if settings.roles else [])]
    words += [f"--until {goal.until:g}", f"--min-pairs {goal.min_pairs}"] if goal.until > 0 else []
    return " ".join([*words, f"--pairs {goal.pairs}"])


def _parser() -> Parser:
    parser = Parser(
        prog="python -m training.ladder",
        description="Rank bots by a round robin on the same deals.",
        argument_default=argparse.SUPPRESS,
    )
    parser.add_argument(
        "bots", nargs="*", metavar="BOT", help="names, exported .onnx files, checkpoints or folders of runs"
    )
    parser.add_argument(
        "--pairs", type=int, help="deals a pairing, each in both seatings (1000; with --until, at most)"
    )
    parser.add_argument("--until", type=float, help="stop a pairing when its 95 %% interval is ± so many points a deal")
    parser.add_argument("--min-pairs", type=int, help="deals a pairing before --until may stop it (default 100)")
    parser.add_argument("--minutes", type=float, help="stop everything after so many minutes")
    parser.add_argument("--seed", type=int, help="seed of the deals (default 0)")
    parser.add_argument("--variant", help='house rules (default "amsterdams")')
    parser.add_argument("--contract", help=CONTRACT_HELP.replace("%", "%%"))
    parser.add_argument("--roles", action="store_true", help=ROLES_HELP)
    parser.add_argument("--processes", type=int, help="how many play at once (default: all cores)")
    folder = parser.add_mutually_exclusive_group()
    folder.add_argument("--out", type=Path, help="folder of a new ladder (default: ladders/DATE-TIME)")
    folder.add_argument("--resume", type=Path, metavar="FOLDER", help="go on with a ladder; more bots may be named")
    parser.add_argument("--other-code", action="store_true", help="resume although the source has changed since")
    parser.add_argument("--json", action="store_true", help="print the report as one JSON object instead of tables")
    return parser


def open_store(asked: dict[str, Any]) -> Store:
    """The ladder that the command line asks for. Raises LadderError, BotError and other ValueErrors."""
    bots = asked.get("bots", [])
    if "resume" in asked:
        store = Store.resume(asked["resume"], asked, bots, asked.get("other_code", False))
    else:
        seed, contract, roles = asked.get("seed", 0), asked.get("contract", "bid"), asked.get("roles", False)
        check_settings(seed, contract, roles)
        for bot in bots:
            open_bot(bot, seed)
        settings = settings_of(bots, asked.get("variant", "amsterdams"), seed, contract, roles)
        until = asked.get("until", 0.0)
        goal = Goal(
            pairs=asked.get("pairs", DEFAULT_MAX_PAIRS if until > 0 else DEFAULT_PAIRS),
            until=until,
            min_pairs=asked.get("min_pairs", DEFAULT_MIN_PAIRS),
        )
        store = Store.create(asked.get("out", Path("ladders") / f"{datetime.now():%Y%m%d-%H%M%S}"), settings, goal)
    return store


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 0, also when the time is up; 130 after Ctrl-C; 2 for errors."""
    asked = vars(_parser().parse_args(arguments))
    try:
        processes = asked.get("processes", cores())
        minutes = asked.get("minutes", math.inf)
        if processes < 1 or not minutes > 0:
            raise LadderError(f"processes={processes}, minutes={minutes}: both must be above 0")
        store = open_store(asked)
        pairings = store.pairings()
        _say(f"ladder {store.folder}; Ctrl-C stops, --resume {store.folder} goes on")
        interrupted = stopped_by_signal()
        end = time.monotonic() + 60 * minutes
        done = play(store, pairings, processes, lambda: interrupted() or time.monotonic() >= end)
        found = publish(store, pairings)
    except (ValueError, OSError, WorkerError) as error:
        print(f"training.ladder: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    print(json.dumps(found) if asked.get("json") else tables(found), end="\n" if asked.get("json") else "")
    if not done:
        why = "stopped" if interrupted() else "the time is up"
        _say(f"{why}; go on with: python -m training.ladder --resume {store.folder}")
    return 130 if interrupted() else 0


if __name__ == "__main__":
    sys.exit(main())

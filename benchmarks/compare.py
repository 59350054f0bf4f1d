"""The bare engine of this tree beside that of another commit, in turns: `python -m benchmarks.compare REV`."""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MEASURE = """
import statistics, time
import numpy as np
from benchmarks.engine import HOUSE, TABLES, play_random
from klaverjas_env.game import new
games = np.concatenate([new(HOUSE, seed=table) for table in range(TABLES)])
play_random(games, 1, 1)
speeds = []
for turn in range(5):
    start = time.process_time()
    play_random(games, 100, turn + 1)
    speeds.append(100 * len(games) / (time.process_time() - start))
print(statistics.median(speeds))
"""
"""The same for both trees: the loop of random play of each, and processor time, which other jobs change least."""


def deals_per_second(tree: Path) -> float:
    """Random deals a second of the engine in `tree`: the median of five, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", MEASURE], cwd=tree, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("revision", help="the commit to compare with")
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", str(other), chosen.revision], cwd=ROOT, check=True)
        try:
            pairs = [(deals_per_second(ROOT), deals_per_second(other)) for _ in range(chosen.rounds)]
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(other)], cwd=ROOT, check=True)
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratios = sorted(mine / other for mine, other in pairs)
    print(f"this tree {ours:,.0f} deals/s, {chosen.revision} {theirs:,.0f} deals/s")
    print(f"ratio {statistics.median(ratios):.2f} (from {ratios[0]:.2f} to {ratios[-1]:.2f} over {len(pairs)} rounds)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Where a run came from: its settings, the commit and what was changed since."""

import contextlib
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import numpy as np

from klaverjas_env.files import write_json, write_text
from klaverjas_env.version import __version__


def commit() -> str | None:
    """The commit of the working tree, with `+` when it has changes; None outside a checkout."""
    head = _git("rev-parse", "HEAD")
    if head is None:
        return None
    return head.strip() + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")


def machine() -> str:
    """The processor and the number of its cores that this process may use."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{model}, {cores()} cores"


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def write_provenance(folder: Path, settings: str) -> None:
    """Write config.toml, provenance.json and, where the tree has changes, changes.diff into a run's folder."""
    write_text(folder / "config.toml", settings)
    write_json(
        folder / "provenance.json",
        {
            "version": __version__,
            "commit": commit(),
            "python": platform.python_version(),
            "torch": version("torch"),
            "numpy": np.__version__,
            "machine": platform.machine(),
        },
    )
    changes = _git("diff", "HEAD")
    if changes:
        write_text(folder / "changes.diff", changes)


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout

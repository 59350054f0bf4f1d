"""An environment of its own for each example: made once from its requirement file and kept in pytest's cache."""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
REQUIREMENTS: Final = ROOT / "examples" / "requirements"

INSTALL_SECONDS: Final = 1800
RUN_SECONDS: Final = 1800
"""How long an installation, and a run of an example, may take; most of it is a busy machine."""


def python_of(client: str, kept_in: Path) -> Path:
    """The interpreter of the environment of `client`, which is made under `kept_in` if it is not there yet."""
    requirements = REQUIREMENTS / f"{client}.txt"
    key = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = kept_in / f"{client}-{key}"
    python = folder / "bin" / "python"
    complete = folder / "complete"
    if not complete.exists():
        venv.create(folder, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--requirement", str(requirements)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{requirements.name} could not be installed:\n{done.stdout}{done.stderr}")
        complete.touch()
    return python


def run(python: Path, module: str, *arguments: str) -> str:
    """What a module of this repository prints, run in an environment; RuntimeError with all of it when it fails."""
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [str(python), "-W", "ignore", "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, **one_thread},
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{module} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout

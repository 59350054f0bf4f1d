"""The one file that knows numba: the `jit` decorator, its disk cache, and the plain-Python fallback.

`KLAVERJAS_JIT=0` turns compilation off: the same source then runs as ordinary Python, slowly, for coverage and
debugging. `KLAVERJAS_CACHE_DIR` moves the folder in which compiled code is kept.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

ENABLED = os.environ.get("KLAVERJAS_JIT", "1") != "0"


def _source_hash() -> str:
    """A digest of every source file of the package.

    numba keys its cache on a function's own file only: after a rule in another file changes, the stale rule would
    keep being played. A cache folder named by the whole source cannot be stale.
    """
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    """The folder for compiled code: the user's cache, or a temporary one where that cannot be written."""
    chosen = os.environ.get("KLAVERJAS_CACHE_DIR")
    base = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "klaverjas"
    folder = base / _source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.mkdtemp(prefix="klaverjas-"))


if ENABLED:
    import numba

    _FOLDER = str(_cache_folder())

    def jit(function: Callable[P, R]) -> Callable[P, R]:
        """Compile `function` on its first call and keep the machine code on disk."""
        before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
        numba.config.CACHE_DIR = _FOLDER  # type: ignore[attr-defined]
        try:
            compiled: Callable[P, R] = numba.njit(cache=True, error_model="numpy")(function)
        finally:
            numba.config.CACHE_DIR = before  # type: ignore[attr-defined]
        return compiled

else:

    def jit(function: Callable[P, R]) -> Callable[P, R]:
        """Leave `function` as it is: plain Python, same results."""
        return function

"""The one file that knows numba: the `jit` decorators, their disk cache, and the plain-Python fallback.

`KLAVERJAS_JIT=0` turns compilation off: the same source then runs as ordinary Python, slowly, for coverage and
debugging. `KLAVERJAS_CACHE_DIR` moves the folder in which compiled code is kept.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

ENABLED = os.environ.get("KLAVERJAS_JIT", "1") != "0"


def source_hash() -> str:
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
    folder = base / source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.mkdtemp(prefix="klaverjas-"))


if ENABLED:
    import numba
    from numba.extending import intrinsic

    _FOLDER = str(_cache_folder())

    def _compile(function: Callable[P, R], **options: Any) -> Callable[P, R]:
        before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
        numba.config.CACHE_DIR = _FOLDER  # type: ignore[attr-defined]
        try:
            compiled: Callable[P, R] = numba.njit(cache=True, error_model="numpy", **options)(function)
        finally:
            numba.config.CACHE_DIR = before  # type: ignore[attr-defined]
        return compiled

    def jit(function: Callable[P, R]) -> Callable[P, R]:
        """Compile `function` on its first call and keep the machine code on disk."""
        # forceinline: the small functions of the law cost more to call than to run, and compile no slower inlined.
        return _compile(function, forceinline=True)

    def jit_writer(function: Callable[P, R]) -> Callable[P, R]:
        """`jit` for a function that writes into arrays that it is given, and makes none of its own.

        numba then counts no references to them: each count is an atomic instruction, and together they cost more than
        all that an observation writes.
        """
        return _compile(function, forceinline=True, _nrt=False)

    def jit_threaded(function: Callable[P, R]) -> Callable[P, R]:
        """`jit_writer` for a function that Python calls from several threads at once: it runs without the GIL."""
        return _compile(function, _nrt=False, nogil=True)

    def jit_large(function: Callable[P, R]) -> Callable[P, R]:
        """As `jit`, for a long function: compiled once instead of into every caller, and run without the GIL when
        Python calls it."""
        return _compile(function, nogil=True)

    def _counting(typing_context: Any, bits: Any) -> Any:
        """The machine's own instruction that counts bits; numba has no function for it."""

        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return numba.int64(numba.int64), build

    _population_count: Any = intrinsic(_counting)

    @jit
    def bit_count(bits: int) -> int:
        """How many bits of a number in 0..2^63-1 are set."""
        return int(_population_count(bits))

else:

    def jit(function: Callable[P, R]) -> Callable[P, R]:
        """Leave `function` as it is: plain Python, same results."""
        return function

    jit_writer = jit
    jit_threaded = jit
    jit_large = jit

    def bit_count(bits: int) -> int:
        """How many bits of a number in 0..2^63-1 are set."""
        return int(bits).bit_count()

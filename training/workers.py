"""Processes that play duels for the ladder, one thread each.

A worker knows its end of one pipe and no file: it plays the stretch of deals that it is given and sends back the rows.
When the process that gave the work dies, however it dies, the pipe breaks and the worker ends.
"""

import os
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Final

from klaverjas_env.bots import Bot
from klaverjas_env.rules.variant import Variant
from training.duels import Duel, open_bot, play_duel
from training.stopping import deaf_children

_LIBRARIES: Final = ("OMP", "MKL", "OPENBLAS", "NUMBA")
ONE_THREAD: Final = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}


class WorkerError(RuntimeError):
    """A bot or a worker that failed; the text says which and why."""


@dataclass(frozen=True)
class Stretch:
    """Deals `first` ... `first` + `n` - 1 of the pairing with number `pairing`."""

    pairing: int
    bots: tuple[str, str]
    variant: str
    seed: int
    contract: str
    roles: bool
    first: int
    n: int


@dataclass(frozen=True)
class Played:
    """A stretch and what happened in it."""

    stretch: Stretch
    duel: Duel
    seconds: float
    """How long it took, all in all."""


class Workers:
    """Some processes, idle or at work."""

    def __init__(self, processes: int) -> None:
        context = get_context("spawn")
        self._processes: dict[Connection, SpawnProcess] = {}
        self._at_work: dict[Connection, Stretch] = {}
        with _environment(ONE_THREAD), deaf_children():
            for _ in range(processes):
                ours, theirs = context.Pipe()
                process = context.Process(target=serve, args=(theirs,))
                process.start()
                theirs.close()
                self._processes[ours] = process

    @property
    def idle(self) -> int:
        """How many have nothing to do."""
        return len(self._processes) - len(self._at_work)

    @property
    def at_work(self) -> int:
        """How many play."""
        return len(self._at_work)

    def give(self, stretch: Stretch) -> None:
        """Let an idle worker play a stretch."""
        worker = next(connection for connection in self._processes if connection not in self._at_work)
        self._at_work[worker] = stretch
        try:
            worker.send(stretch)
        except OSError as error:
            raise WorkerError("a worker process died; was it killed for memory?") from error

    def finished(self, timeout: float | None) -> list[Played]:
        """What has been played, after waiting for at least one stretch or `timeout` seconds. Raises WorkerError."""
        played = []
        for connection in wait(list(self._at_work), timeout):
            assert isinstance(connection, Connection)
            stretch = self._at_work.pop(connection)
            try:
                answer = connection.recv()
            except (EOFError, OSError) as error:
                between = " and ".join(stretch.bots)
                raise WorkerError(f"the process that played {between} died; was it killed for memory?") from error
            if isinstance(answer, str):
                raise WorkerError(answer)
            played.append(Played(stretch, *answer))
        return played

    def stop(self) -> None:
        """End all workers at once; what they are playing is lost."""
        for connection, process in self._processes.items():
            process.terminate()
            connection.close()
        for process in self._processes.values():
            process.join()


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """The environment that children get, while they are started."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def serve(connection: Connection) -> None:
    """The life of a worker: play what comes down the pipe until it breaks."""
    bots: dict[str, Bot] = {}
    while True:
        try:
            stretch = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer: tuple[Duel, float] | str = _play(stretch, bots)
        except ValueError as error:
            answer = str(error)
        except Exception as error:
            traceback.print_exc()
            answer = f"{' or '.join(stretch.bots)} failed with {type(error).__name__}: {error}"
        try:
            connection.send(answer)
        except OSError:
            return


def _play(stretch: Stretch, bots: dict[str, Bot]) -> tuple[Duel, float]:
    """Play a stretch with the bots of this process; a new bot first plays a deal that is not on the clock, so that
    nothing is compiled on it."""
    fresh = [name for name in stretch.bots if name not in bots]
    for name in fresh:
        bots[name] = open_bot(name, stretch.seed)
    pair = (bots[stretch.bots[0]], bots[stretch.bots[1]])
    variant = Variant.parse(stretch.variant)
    if fresh:
        play_duel(pair, variant, stretch.first, 1, stretch.seed, stretch.contract)
    begun = time.perf_counter()
    duel = play_duel(pair, variant, stretch.first, stretch.n, stretch.seed, stretch.contract, stretch.roles)
    return duel, time.perf_counter() - begun

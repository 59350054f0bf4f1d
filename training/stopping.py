"""Ctrl-C as a question that a long job asks when it can stop cleanly."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def stopped_by_signal() -> Callable[[], bool]:
    """Whether Ctrl-C or a termination signal has come, as a question to ask; a second Ctrl-C breaks off at once."""
    received: list[int] = []

    def note(number: int, frame: object) -> None:
        received.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, note)
    signal.signal(signal.SIGTERM, note)
    return lambda: bool(received)


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes started meanwhile do not hear Ctrl-C, which a terminal sends to all; their parent decides."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

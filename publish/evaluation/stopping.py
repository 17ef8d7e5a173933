"""Ctrl-C while something runs: once to stop it and keep what there is, twice to leave at once."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

from receipts import terminal

INTERRUPTED = 130


@contextlib.contextmanager
def stopping() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into an event that asks to stop, and leave at once at the second.

    Only the main thread may, for it alone hears signals.
    """
    stop = threading.Event()

    def interrupted(number: int, frame: object) -> None:
        del frame
        if stop.is_set():
            _end_children()
            os._exit(INTERRUPTED)
        stop.set()
        if number == signal.SIGINT:
            terminal.say("\nStopping: what ran is kept. Press Ctrl-C again to leave at once.")

    wanted = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
    before: dict[int, Any] = {}
    for number in filter(None, wanted):
        before[number] = signal.signal(number, interrupted)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_children() -> None:
    import psutil

    with contextlib.suppress(psutil.Error):
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()

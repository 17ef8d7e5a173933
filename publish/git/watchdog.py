"""Ends a conversation that takes too long or falls silent, from outside whatever waits in it."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self


class Watchdog:
    """Calls `stop` once, from a thread of its own, when a limit is reached. A context manager.

    Attributes:
        expired: The limit in seconds that was reached, or None.
    """

    def __init__(self, limit: float, silence: float) -> None:
        self.expired: float | None = None
        self._limit, self._silence = limit, silence
        self._stops: list[Callable[[], None]] = []
        self._began = self._heard = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def on_expiry(self, stop: Callable[[], None]) -> None:
        """Add something to stop: it makes whoever waits on a process or a socket wake up."""
        self._stops.append(stop)

    def heard(self, count: int = 0, direction: str = "") -> None:
        """Take note that the other side is alive; fits dulwich's `report_activity`."""
        del count, direction
        self._heard = time.monotonic()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            left = min(self._began + self._limit, self._heard + self._silence) - time.monotonic()
            if left <= 0:
                break
            if self._ended.wait(left):
                return
        over = time.monotonic() - self._began >= self._limit
        self.expired = self._limit if over else self._silence
        for stop in self._stops:
            stop()

"""Locks between processes that the kernel releases when their holder ends, however it ends."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from receipts.errors import StoreError

if TYPE_CHECKING:
    from filelock import BaseFileLock

_FIRST_NOTICE = 1.0
_NEXT_NOTICE = 5.0
# Short, so that whoever waits gets a turn between two writes of a busy process.
_POLL_SECONDS = 0.02

Waiting = Callable[[float], None]


@contextlib.contextmanager
def held(path: str, *, limit: float, waiting: Waiting | None) -> Iterator[bool]:
    """Hold a lock, or say that it could not be had.

    The lock belongs to the open file. The file is never deleted: a process that waits for the old
    one and a process that makes a new one would both hold it.

    Args:
        path: The lock's file; its folder exists.
        limit: The most seconds to wait.
        waiting: Called with the seconds waited, after 1 s and then every 5 s.

    Yields:
        False when another process held it all the time.

    Raises:
        StoreError: The file cannot be made or opened.
    """
    from filelock import FileLock

    lock = FileLock(path, mode=0o600)
    if not _acquired(lock, path, limit=limit, waiting=waiting):
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def _acquired(lock: "BaseFileLock", path: str, *, limit: float, waiting: Waiting | None) -> bool:
    from filelock import Timeout

    began = time.monotonic()
    notice = _FIRST_NOTICE
    while True:
        patience = min(notice, limit) - (time.monotonic() - began)
        try:
            lock.acquire(timeout=max(0.0, patience), poll_interval=_POLL_SECONDS)
        except Timeout:
            waited = time.monotonic() - began
        except OSError as error:
            raise StoreError(f"Cannot lock {path}: {error.strerror or error}.") from error
        else:
            return True
        if waited >= limit:
            return False
        if waiting is not None and waited >= notice:
            waiting(waited)
        if waited >= notice:
            notice += _NEXT_NOTICE

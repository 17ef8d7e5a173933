"""One writer at a time, by locks that the system releases when a process ends.

The lock files stay: deleting a file that another process is about to lock lets two in.
"""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from receipts import terminal
from receipts.errors import StoreError
from receipts.files import make_private_dir
from store import paths

if TYPE_CHECKING:
    from pathlib import Path

    from filelock import FileLock

_QUIET_SECONDS = 1.0
_PATIENCE_SECONDS = 60.0


@contextlib.contextmanager
def alone(name: str, refusal: StoreError) -> Iterator[None]:
    """Hold a lock of this machine's state by name, or refuse at once where somebody has it.

    Raises:
        StoreError: `refusal`, or the state folder cannot be written.
    """
    from filelock import Timeout

    path, lock = _lock(name)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise refusal from None
    except OSError as error:
        raise StoreError(f"Cannot lock {path}: {error.strerror or error}.") from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def held(name: str) -> Iterator[None]:
    """Hold a lock of this machine's state by name, waiting for whoever has it.

    Raises:
        StoreError: It was not free for a minute, or the state folder cannot be written.
    """
    from filelock import Timeout

    path, lock = _lock(name)
    try:
        try:
            lock.acquire(timeout=_QUIET_SECONDS)
        except Timeout:
            terminal.say("Waiting for another receipts command to finish…")
            lock.acquire(timeout=_PATIENCE_SECONDS)
    except Timeout:
        raise StoreError(
            f"Another receipts command has held {path} for a minute.",
            "Let it finish or end it, then run the command again; do not delete the file.",
        ) from None
    except OSError as error:
        raise StoreError(f"Cannot lock {path}: {error.strerror or error}.") from error
    try:
        yield
    finally:
        lock.release()


def _lock(name: str) -> "tuple[Path, FileLock]":
    from filelock import FileLock

    paths.create_state_root()
    make_private_dir(paths.locks())
    path = paths.locks() / f"{name}.lock"
    return path, FileLock(path, mode=0o600)

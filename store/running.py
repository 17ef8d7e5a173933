"""A run that is going on, or that one can go on with: its folder, held by one process at a time."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from receipts import runid
from receipts.errors import StoreError, UsageError
from store import paths, runs

LOCK = "lock"
"""The file in a run's folder that its process holds locked for as long as it runs."""


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a run's folder for this process; the system lets go of it when the process ends.

    Raises:
        StoreError: Another process has it, or it cannot be locked.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise StoreError(
            f"The run {folder.name} is going on in another process.", "Wait for it, or end it."
        ) from None
    except OSError as error:
        raise StoreError(f"Cannot lock {folder}: {error.strerror or error}.") from error
    try:
        yield
    finally:
        lock.release()


def find(run_id: str) -> Path:
    """Return the folder of a run on this machine by its id, whether or not it has a receipt.

    Raises:
        UsageError: There is none of that id, or several.
    """
    if not runid.is_run_id(run_id):
        raise UsageError(f"{run_id!r} is not a run id.", "See `receipts list` for those there are.")
    roots = (paths.runs_root(), paths.self_checks())
    found = [
        folder / run_id
        for root in roots
        for folder in _folders(root)
        if not folder.name.startswith(runs.FILING_PREFIX) and (folder / run_id).is_dir()
    ]
    if not found:
        raise UsageError(
            f"There is no run {run_id} on this machine.", "See `receipts list` for those there are."
        )
    if len(found) > 1:
        listed = ", ".join(str(path) for path in found)
        raise UsageError(f"Several runs have the id {run_id}: {listed}.")
    return found[0]


def _folders(root: Path) -> list[Path]:
    try:
        names = [entry.name for entry in os.scandir(root) if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    return [root / name for name in sorted(names)]

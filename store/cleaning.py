"""What finished runs left on this machine that nobody needs for ever, and removing it.

Removed are the sandboxes of sessions, the copies of the skill that they were given, and the
transcripts. A run's receipt, `run.jsonl`, `files.json` and journal stay, so that nothing that was
measured is lost. A run that is going on is left alone.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from receipts import jsontext, runid
from receipts.errors import StoreError
from receipts.files import read_limited
from receipts.forms import is_digest
from store import paths, removal, running, runs
from store.removal import Failure, Told

PARTS = ("sandboxes", "staged", "transcripts")
"""The folders of a run that are removed."""

_RESULTS = (runs.RECEIPT, runs.SELF_CHECK)
_RECORDS = (*_RESULTS, "run.jsonl", "journal.jsonl", "files.json")
_DAY = 86_400.0


class Part(NamedTuple):
    """One of a run's folders; its size is a lower bound unless `whole`."""

    name: str
    bytes: int
    files: int
    whole: bool


@dataclass(frozen=True)
class Left:
    """What one run left.

    Attributes:
        path: The run's folder.
        run_id: Its id.
        last_used: When something was last recorded in it, in seconds since 1970.
        parts: The folders that are there of those that are removed.
        going_on: Why it is left alone, in words, or empty.
        finished: Whether it has a receipt, or what a self-check has in its place; a run without
            one can be continued, unless cleaned.
    """

    path: Path
    run_id: str
    last_used: float
    parts: tuple[Part, ...]
    going_on: str
    finished: bool

    @property
    def bytes(self) -> int:
        """How much it takes up on the disk, at the least."""
        return sum(part.bytes for part in self.parts)

    def skill_name(self) -> str:
        """Return the skill's name as its receipt says, or empty."""
        for result in _RESULTS:
            with suppress(StoreError, FileNotFoundError, jsontext.JsonError):
                data = read_limited(self.path / result, jsontext.LIMIT, follow_links=False)
                document: Any = jsontext.loads(data)
                name = document.get("skill_name") if isinstance(document, dict) else None
                return name if isinstance(name, str) else ""
        return ""


class Survey(NamedTuple):
    """What runs left, the one that was used longest ago first, and folders that were unreadable."""

    left: list[Left]
    unread: list[Failure]


def survey(told: Told) -> Survey:
    """Look through all runs of this machine.

    Args:
        told: Told how many more files were looked at.

    Raises:
        StoreError: The state folder is unusable.
    """
    found = Survey([], [])
    for root in (paths.runs_root(), paths.self_checks()):
        for digests in _folders(root, found.unread):
            if not is_digest(f"sha256:{digests.name}"):
                continue
            for run in _folders(digests, found.unread):
                if runid.is_run_id(run.name) and (left := _look_at(run, told)):
                    found.left.append(left)
    found.left.sort(key=lambda left: (left.last_used, left.run_id))
    return found


def chosen(
    left: Sequence[Left], *, older_than: float, keep: int, now: float | None = None
) -> list[Left]:
    """Return what is to be removed: of old runs, and of more until the rest is small enough.

    Args:
        left: What there is, the longest unused first.
        older_than: Seconds after which a run is old.
        keep: The most bytes that the rest may take up.
        now: The present, in seconds since 1970; for tests.
    """
    present = time.time() if now is None else now
    size = sum(one.bytes for one in left)
    found = []
    for one in left:
        if not one.going_on and (present - one.last_used > older_than or size > keep):
            found.append(one)
            size -= one.bytes
    return found


def remove(left: Left, told: Told) -> list[Failure]:
    """Remove what a run left, holding the run meanwhile, and return what could not be removed."""
    try:
        with running.held(left.path):
            return [
                failure
                for part in left.parts
                for failure in removal.remove(left.path / part.name, told)
            ]
    except StoreError as error:
        return [Failure(str(left.path), error.message.rstrip("."))]


def _folders(folder: Path, unread: list[Failure]) -> Iterator[Path]:
    """Yield the folders in a folder that are no links, by name."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return
    except OSError as error:
        unread.append(Failure(str(folder), error.strerror or str(error)))
        return
    yield from (folder / name for name in names)


def _look_at(run: Path, told: Told) -> Left | None:
    """Return what a run left, or None when that is nothing."""
    parts = tuple(
        Part(name, *removal.size_of(run / name, told)) for name in PARTS if _is_there(run / name)
    )
    if not parts:
        return None
    finished = any((run / result).exists() for result in _RESULTS)
    last_used = _last_used(run)
    return Left(run, run.name, last_used, parts, _going_on(run, finished, last_used), finished)


def _is_there(folder: Path) -> bool:
    return os.path.isdir(folder) and not os.path.islink(folder)


def _last_used(run: Path) -> float:
    """Return when something was last recorded in a run; without records, when it began."""
    times = []
    for name in _RECORDS:
        with suppress(OSError):
            times.append(os.lstat(run / name).st_mtime)
    if not times and runid.in_range(run.name):
        times.append(runid.to_time(run.name).timestamp())
    return max(times, default=0.0)


def _going_on(run: Path, finished: bool, last_used: float) -> str:  # noqa: FBT001 - its own caller
    """Return why a run may be going on, in words; empty when it is not."""
    if os.path.lexists(run / running.LOCK):
        try:
            with running.held(run):
                return ""
        except StoreError as error:
            return error.message.rstrip(".")
    # Other clients hold no lock.
    recent = max(last_used, _changed(run / "transcripts"), _changed(run / "sandboxes"))
    if not finished and time.time() - recent < _DAY:
        return f"The run {run.name} has no receipt yet and may be going on"
    return ""


def _changed(folder: Path) -> float:
    with suppress(OSError):
        return os.lstat(folder).st_mtime
    return 0.0

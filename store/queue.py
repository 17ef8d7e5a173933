"""Evaluations that wait to be run: `run/eval-queue.json`, which other clients write as well.

An item is known by its skill and the digest of the bytes that were queued. What is not understood
here, at any level, survives every rewrite, and an item of another form is named and stays.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from receipts import jsontext
from receipts.digest import content_digest
from receipts.errors import ReceiptsError, StoreError, UsageError
from receipts.files import make_private_dir, read_limited, write_atomic
from store import locks, paths, runs

WINDOWS = ("overnight", "later")
"""When an item is meant to be run."""

_SCHEMA = 2
_LIMIT = 8 << 20
_TEXTS = ("skill", "path", "contentHash", "requestedAt", "window")


class Queued(NamedTuple):
    """An evaluation that waits: of these bytes of a skill, which lie in this folder.

    `window` says when it is meant to be run, `last_error` why it failed the last time.
    """

    skill: str
    path: str
    digest: str
    requested_at: str
    window: str
    team: str | None = None
    last_error: str | None = None


class Listing(NamedTuple):
    """The items in order, and a sentence for each entry of the file that is none."""

    items: list[Queued]
    problems: list[str]


class Drained(NamedTuple):
    """What became of the items that were in the queue.

    Attributes:
        done: Those that were evaluated; they are gone.
        skipped: Those whose bytes had a receipt here already; they are gone too.
        failed: Those that failed or were refused; they remain, with the reason.
    """

    done: list[Queued]
    skipped: list[Queued]
    failed: list[Queued]

    @property
    def line(self) -> str | None:
        """The sentence about those that failed, if any did."""
        count = len(self.failed)
        return f"{count} queued evals failed; they remain queued." if count else None


def listed() -> Listing:
    """Return what waits.

    Raises:
        StoreError: The file cannot be read, or is of another version.
    """
    return _listing(_read())


def add(
    folder: str | os.PathLike[str],
    *,
    window: str,
    team: str | None = None,
    now: datetime | None = None,
) -> tuple[Queued, bool]:
    """Queue the bytes that a skill's folder holds now; say whether they were not queued before.

    Raises:
        UsageError: There is no such window.
        SkillError: The folder cannot be measured.
        StoreError: As `listed`, or the file cannot be written.
    """
    if window not in WINDOWS:
        raise UsageError(f"There is no window {window!r}.", f"Known: {', '.join(WINDOWS)}.")
    place = Path(os.path.realpath(folder))
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    requested = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
    item = Queued(place.name, str(place), content_digest(place), requested, window, team)
    with _changing() as entries:
        for entry in entries:
            known = _item(entry)
            if known is not None and _key(known) == _key(item):
                return known, False
        entries.append(_entry(item))
    return item, True


def remove(skill: str, digest: str | None = None) -> list[Queued]:
    """Take items of a skill out of the queue, only those of a digest if one is given.

    Returns:
        The items that are gone.

    Raises:
        StoreError: As `add`.
    """
    gone = []
    with _changing() as entries:
        for entry in list(entries):
            item = _item(entry)
            if item is not None and item.skill == skill and digest in (None, item.digest):
                entries.remove(entry)
                gone.append(item)
    return gone


def drain(evaluate: Callable[[Queued], None], said: Callable[[str], None]) -> Drained:
    """Evaluate what waits, an item after the other, and keep account of it.

    Args:
        evaluate: Runs one evaluation; any `ReceiptsError` says that it failed.
        said: Told a sentence about each item that was not evaluated.

    Raises:
        StoreError: Another process drains the queue, or as `add`.
    """
    result = Drained([], [], [])
    refusal = StoreError("The queue is being drained by another process.", "Wait for it to end.")
    with locks.alone("drain", refusal):
        for item in listed().items:
            if _key(item) not in map(_key, listed().items):
                continue  # somebody took it out meanwhile
            try:
                if _is_evaluated(item):
                    said(f"Already evaluated these exact bytes of {item.skill}.")
                    result.skipped.append(item)
                else:
                    evaluate(item)
                    result.done.append(item)
                remove(item.skill, item.digest)
            except ReceiptsError as error:
                said(f"{item.skill}: {error.message}")
                _remember(item, error.message)
                result.failed.append(item._replace(last_error=error.message))
    return result


def _is_evaluated(item: Queued) -> bool:
    """Say whether there is nothing to do for an item.

    Raises:
        SkillError: Its folder cannot be measured.
        StoreError: Its folder holds other bytes now.
    """
    receipts = [run.file.receipt for run in runs.runs_of(item.digest)]
    if any(one is not None and one.execution_status != "failed" for one in receipts):
        return True
    if content_digest(item.path) != item.digest:
        raise StoreError(
            f"The queued bytes of {item.skill} are no longer what is on disk; "
            "dequeue it and queue it again."
        )
    return False


def _remember(item: Queued, why: str) -> None:
    with _changing() as entries:
        for entry in entries:
            known = _item(entry)
            if known is not None and _key(known) == _key(item):
                entry["lastError"] = why


def _key(item: Queued) -> tuple[str, str]:
    return item.skill, item.digest


@contextmanager
def _changing() -> Iterator[list[Any]]:
    """Give the entries of the file to be changed in place, under its lock."""
    path = paths.queue_file()
    with locks.held("queue"):
        document = _read()
        before = jsontext.dump(document)
        yield document["items"]
        if (after := jsontext.dump(document)) != before:
            make_private_dir(path.parent)
            write_atomic(path.resolve(), after)


def _read() -> dict[str, Any]:
    path = paths.queue_file()
    try:
        document = jsontext.loads(read_limited(path, _LIMIT, follow_links=True), limit=_LIMIT)
    except FileNotFoundError:
        return {"schema": _SCHEMA, "items": []}
    except jsontext.JsonError as error:
        raise StoreError(
            f"{path} is {error}.", "Correct it by hand or move it away; it was left as it is."
        ) from error
    fields = document if isinstance(document, dict) else {}
    if fields.get("schema") != _SCHEMA or not isinstance(fields.get("items"), list):
        raise StoreError(
            f"{path} is no queue of schema {_SCHEMA}.",
            "Another version may have written it; move it away to start a new one.",
        )
    return fields


def _listing(document: dict[str, Any]) -> Listing:
    found = Listing([], [])
    for number, entry in enumerate(document["items"]):
        if (item := _item(entry)) is not None:
            found.items.append(item)
        else:
            found.problems.append(f"items[{number}] of the queue is no evaluation; left as it is.")
    return found


def _item(entry: object) -> Queued | None:
    """Return an entry of the file as an item, or None when it is none."""
    if not isinstance(entry, dict):
        return None
    texts = [entry.get(key) for key in _TEXTS]
    if not all(isinstance(text, str) and text for text in texts) or entry["window"] not in WINDOWS:
        return None
    skill, path, digest, requested_at, window = map(str, texts)
    team, error = (
        value if isinstance(value := entry.get(key), str) else None for key in ("team", "lastError")
    )
    return Queued(skill, path, digest, requested_at, window, team, error)


def _entry(item: Queued) -> dict[str, Any]:
    entry = {
        "skill": item.skill,
        "path": item.path,
        "contentHash": item.digest,
        "requestedAt": item.requested_at,
        "window": item.window,
    }
    return entry | ({"team": item.team} if item.team is not None else {})

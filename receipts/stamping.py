"""Receipts on their way to a team: stamped with their place, and known again afterwards.

A local receipt has neither skill id nor version. Attaching it to a published version sets both,
and moves its run id when another receipt has that second; every other byte stays as it was run.
"""

from typing import Any

from receipts.jsontext import JsonError, loads, set_members
from receipts.runid import is_run_id

_STAMPED = ("skill_id", "version", "run_id", "original_run_id")


def stamp(data: bytes, *, skill_id: str, version: str, run_id: str | None = None) -> bytes:
    """Return a receipt's bytes with its place set in them.

    Args:
        data: The receipt as it was run or read.
        skill_id: The skill's uuid in the team.
        version: The published version whose bytes it measured, such as `v3`.
        run_id: The run id it is to have, when it had to move. The one it was run under is then
            kept in `original_run_id`, through any number of moves.

    Raises:
        JsonError: The bytes are not a JSON map.
    """
    members: dict[str, Any] = {"skill_id": skill_id, "version": version}
    document = _map(data)
    if run_id is not None and run_id != document.get("run_id"):
        members["run_id"] = run_id
        if not _is_run_id(document.get("original_run_id")):
            members["original_run_id"] = document.get("run_id")
    return set_members(data, members)


def unstamped_equal(a: bytes, b: bytes) -> bool:
    """Say whether two receipts are of the same run, wherever each was stamped for.

    They are when their JSON is equal without skill id and version, and they were run under the
    same run id. Layout and the order of keys do not matter, and 1 equals 1.0. Bytes that are no
    JSON map equal only themselves.
    """
    if a == b:
        return True
    try:
        return _same(_unstamped(a), _unstamped(b))
    except JsonError:
        return False


def _map(data: bytes) -> dict[str, Any]:
    document = loads(data)
    if not isinstance(document, dict):
        raise JsonError("the document is not a map")
    return document


def _unstamped(data: bytes) -> dict[str, Any]:
    """Return a receipt without its stamp, under the run id that it was run with."""
    document = _map(data)
    original, current = document.get("original_run_id"), document.get("run_id")
    rest = {key: value for key, value in document.items() if key not in _STAMPED}
    return {**rest, "run_id": original if _is_run_id(original) else current}


def _is_run_id(value: object) -> bool:
    return isinstance(value, str) and is_run_id(value)


def _same(a: object, b: object) -> bool:
    """Compare two JSON values; unlike Python's own comparison, true is not 1."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    return isinstance(a, bool) == isinstance(b, bool) and a == b

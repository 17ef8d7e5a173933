"""Receipts on their way to a team: stamped with their place, and known again afterwards.

A local receipt has neither skill id nor version. Attaching it to a published version sets both,
and moves its run id when another receipt has that second; every other byte stays as it was run.
"""

import re
from typing import Any

from receipts.jsontext import JsonError, loads, set_members
from receipts.runid import is_run_id
from receipts.scrub.values import MARK

ROOM = 1024
"""More bytes than a stamp adds. A receipt is filed only if it can still be read with them."""

_STAMPED = ("skill_id", "version", "run_id", "original_run_id")
_NUMBER = re.compile(r" \([0-9]+\)\Z")  # behind keys of one map that scrubbing made equal


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
    same run id. Layout and the order of keys do not matter, and 1 equals 1.0. Neither does what was
    scrubbed from either, and by whose rules: `[redacted]` equals any text in its place. Bytes that
    are no JSON map equal only themselves.
    """
    if a == b:
        return True
    try:
        return _same(_unstamped(a), _unstamped(b))
    except JsonError:
        return False


def first_run_id(data: bytes) -> str | None:
    """Return the id that a receipt's run was run under, before any move; None when it has none.

    Two receipts of the same run have the same.
    """
    try:
        first = _unstamped(data)["run_id"]
    except JsonError:
        return None
    return first if _is_run_id(first) else None


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
        return _same_maps(a, b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, str) and isinstance(b, str):
        return _same_text(a, b)
    return isinstance(a, bool) == isinstance(b, bool) and a == b


def _same_maps(a: dict[str, Any], b: dict[str, Any]) -> bool:
    if len(a) != len(b):
        return False
    both = [key for key in a if key in b and MARK not in key]
    if not all(_same(a[key], b[key]) for key in both):
        return False
    # Scrubbing keeps the order of the keys, so that those which it changed are met in order.
    known = set(both)
    others = zip(
        (key for key in a if key not in known), (key for key in b if key not in known), strict=True
    )
    return all(_same_key(one, other) and _same(a[one], b[other]) for one, other in others)


def _same_key(a: str, b: str) -> bool:
    return _same_text(a, b) or _same_text(_unnumbered(a), _unnumbered(b))


def _unnumbered(key: str) -> str:
    return _NUMBER.sub("", key) if MARK in key else key


def _same_text(a: str, b: str) -> bool:
    """Say whether two texts can be the same one, scrubbed or not."""
    if a == b:
        return True
    pieces, others = a.split(MARK), b.split(MARK)
    if len(pieces) > 1 and len(others) > 1:
        # A mark of one may stand for all that the other has between its first and last mark.
        starts = pieces[0].startswith(others[0]) or others[0].startswith(pieces[0])
        return starts and (pieces[-1].endswith(others[-1]) or others[-1].endswith(pieces[-1]))
    return _fits(b, pieces) if len(pieces) > 1 else len(others) > 1 and _fits(a, others)


def _fits(text: str, pieces: list[str]) -> bool:
    """Say whether a text consists of these pieces, in order, with anything between them."""
    first, *middle, last = pieces
    if not text.startswith(first):
        return False
    place = len(first)
    for piece in middle:
        found = text.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return text.endswith(last) and place <= len(text) - len(last)

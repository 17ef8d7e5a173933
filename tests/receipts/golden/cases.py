"""Cases with known answers: a small part in the repository, all of them where they are."""

import json
from typing import Any

import pytest

from tests.shared import DATA, shared

GOLDEN = DATA / "golden"


def rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file of the repository's part."""
    return _read((GOLDEN / name).read_text("utf-8"))


def shared_rows(name: str) -> list[dict[str, Any]]:
    """Return every row of a file, or skip the test."""
    return _read(shared("golden", name).read_text("utf-8"))


def split(rows: list[dict[str, Any]], *, contested: bool) -> list[Any]:
    """Return the rows about which another reading is, or is not, defensible, as parameters."""
    return [pytest.param(row, id=row["id"]) for row in rows if row["contested"] is contested]


def _read(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n") if line]

"""The recorded cases: what another program wrote, and what it made of it."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.shared import shared


def folder() -> Path:
    """Return the folder of the recorded cases, or skip the test."""
    return shared("caliper")


def load(path: Path) -> Any:
    """Return a recorded document."""
    return json.loads(path.read_text("utf-8"))


def names(*parts: str) -> list[str]:
    """Return the recorded inputs of a kind; none where the cases are not on this machine."""
    try:
        place = shared("caliper", *parts)
    except pytest.skip.Exception:
        return []
    return sorted(
        path.stem
        for path in place.iterdir()
        if path.is_dir() or (path.suffix == ".json" and "." not in path.stem)
        if path.stem != "meta"
    )


def assert_same(ours: Any, theirs: Any, place: str = "") -> None:
    """Assert that documents have the same keys in the same order, and numbers within 1e-9."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        assert list(ours) == list(theirs), place
        for key, value in ours.items():
            assert_same(value, theirs[key], f"{place}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list):
        assert len(ours) == len(theirs), place
        for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(one, other, f"{place}[{index}]")
    elif isinstance(ours, float) and isinstance(theirs, float | int):
        assert math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-9), place
    else:
        assert ours == theirs, place
        assert type(ours) is type(theirs), place

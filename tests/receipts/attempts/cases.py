"""The recorded cases: what another program wrote, and what it made of it."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.shared import DATA, shared


def folder() -> Path:
    """Return the folder of all recorded cases, or of the few that are kept here."""
    try:
        return shared("caliper")
    except pytest.skip.Exception:
        return DATA / "caliper"


def load(path: Path) -> Any:
    """Return a recorded document."""
    return json.loads(path.read_text("utf-8"))


def names(kind: str) -> list[str]:
    """Return the names of the recorded cases of a kind."""
    return sorted(
        path.stem
        for path in (folder() / kind).iterdir()
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


# Which warnings the reference gave, by a word of its sentences.
_WORDS = {
    "comparing different specs": "spec",
    "pass@k not directly comparable": "k",
    "stopped before every attempt ran": "interrupted",
    "different skill neighbourhoods": "neighbourhood",
    "different MCP servers": "mcp",
    "changed between runs": "drift",
    "different judges": "judge",
}


def assert_as_recorded(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Assert that a comparison holds what the reference made of it, and its kinds of warnings."""
    extra = ours.pop("extra")
    assert extra["warning_kinds"] == [_kind(text) for text in theirs["warnings"]]
    assert len(ours["warnings"]) == len(theirs["warnings"])
    assert_same(ours | {"warnings": []}, theirs | {"warnings": []})


def _kind(text: str) -> str:
    for words, kind in _WORDS.items():
        if words in text:
            return kind
    # The last two kinds are told apart by what they name.
    assert "user customizations" in text
    return "user-customizations" if "portable" in text or "only" in text else "cross-backend"

"""Writes eval assets for tests, and reads them."""

from pathlib import Path

import pytest

from receipts.arms.assets import Assets, load
from receipts.errors import EvalError


def write(evals: Path, files: dict[str, str | bytes]) -> None:
    """Write files below a folder of eval assets."""
    for path, content in files.items():
        place = evals / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)


def case(evals: Path, text: str, name: str = "cases/a.yaml") -> Assets:
    """Write a case, and load all that is there."""
    write(evals, {name: text})
    return load(evals)


def refused(evals: Path) -> list[str]:
    """Return the problems that end a reading, one a line."""
    with pytest.raises(EvalError) as caught:
        load(evals)
    assert caught.value.exit_code == 2
    assert "\x1b" not in caught.value.message
    heading, *problems = caught.value.message.split("\n  ")
    return problems or [heading]

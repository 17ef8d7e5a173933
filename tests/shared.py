"""Where the cases with known answers lie."""

import os
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"


def shared(*parts: str) -> Path:
    """Return a path below the shared cases, or skip the test when they are not on this machine."""
    root = Path(os.environ.get("SHARED_DIR", Path(__file__).parent.parent.parent / "shared"))
    path = root.joinpath("cases", *parts)
    if not path.exists():
        pytest.skip(f"{path} does not exist: set SHARED_DIR to run over every shared case")
    return path

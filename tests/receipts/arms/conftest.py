from pathlib import Path

import pytest


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    """The folder of a skill without assets."""
    folder = tmp_path / "skill" / "evals"
    (folder / "cases").mkdir(parents=True)
    return folder


@pytest.fixture
def sandbox(tmp_path: Path) -> Path:
    """The folder that a session worked in."""
    folder = tmp_path / "sandbox"
    folder.mkdir()
    return folder

from pathlib import Path

import pytest

from tests.members import Member


@pytest.fixture
def ada(tmp_path: Path) -> Member:
    return Member(tmp_path, "ada")


@pytest.fixture
def bob(tmp_path: Path) -> Member:
    return Member(tmp_path, "bob")


@pytest.fixture
def acme(ada: Member) -> Path:
    """A team of ada's on this disk; the path of its repository."""
    ada.ok("team", "create", "acme")
    return ada.state / "repositories" / "acme.git"

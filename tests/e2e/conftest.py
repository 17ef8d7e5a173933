from collections.abc import Callable
from pathlib import Path

import pytest

from receipts import cli
from tests.members import Member, Ran

Typed = Callable[..., Ran]


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Return what runs a command line in this process, in a home that is empty."""
    monkeypatch.chdir(home)
    monkeypatch.setenv("RECEIPTS_HOME", str(home / "state"))

    def run(*words: str | Path) -> Ran:
        code = cli.run([*map(str, words)])
        return Ran(code, *capsys.readouterr())

    return run


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

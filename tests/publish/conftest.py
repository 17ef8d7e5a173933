import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from publish import teams
from publish.git import TreeView, create_bare
from publish.git.objects import ObjectStore
from publish.snapshot import Snapshot
from tests.publish import samples
from tests.publish.git.samples import put_commit
from tests.publish.samples import Files

ReadTree = Callable[[Files], Snapshot]


class Machine:
    """One member's machine, in this process: what runs while it is used runs as this member."""

    def __init__(self, folder: Path, handle: str, patch: pytest.MonkeyPatch) -> None:
        self.handle = handle
        self.home = folder / handle
        self.state = self.home / "state"
        self.library = self.home / ".claude" / "skills"
        self._patch = patch
        self.home.mkdir()
        config = self.home / ".gitconfig"
        config.write_text(f"[user]\n\tname = {handle.title()}\n\temail = {handle}@example.com\n")

    def use(self) -> None:
        """Become this member."""
        self._patch.setenv("HOME", str(self.home))
        self._patch.setenv("USERPROFILE", str(self.home))
        self._patch.setenv("RECEIPTS_HOME", str(self.state))
        self._patch.setenv("GIT_CONFIG_GLOBAL", str(self.home / ".gitconfig"))

    def skill(self, name: str = "tdd", **files: str) -> Path:
        """Write a skill into a folder that is no library and return it."""
        folder = self.home / "skills" / name
        texts = {"SKILL.md": f"---\nname: {name}\ndescription: d\n---\n# {name}\n", **files}
        for path, text in texts.items():
            place = folder / path.replace("__", "/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())
        return folder


@contextlib.contextmanager
def reading(folder: Path) -> Iterator[ReadTree]:
    """Yield a function that commits files of any name and mode, and reads them as a team."""
    repository = folder / "tree.git"
    create_bare(repository)
    store = ObjectStore(os.path.join(repository, "objects"))

    def read(files: Files) -> Snapshot:
        commit = put_commit(repository, samples.build(repository, files))
        return Snapshot(TreeView(store, commit))

    with contextlib.closing(store):
        yield read


@pytest.fixture
def read_tree(tmp_path: Path) -> Iterator[ReadTree]:
    """Return a function that commits files of any name and mode, and reads them as a team."""
    with reading(tmp_path) as read:
        yield read


@pytest.fixture
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Become ada, on a machine without a team."""
    machine = Machine(tmp_path, "ada", monkeypatch)
    machine.use()
    return machine


@pytest.fixture
def bob(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Prepare bob's machine; it is used when a test says so."""
    return Machine(tmp_path, "bob", monkeypatch)


@pytest.fixture
def acme(ada: Machine) -> Path:
    """Make ada's team acme on this disk, and return the path of its repository."""
    done = teams.create("acme", remote=None, handle="ada", license=None, require_category=False)
    return Path(done.entry.remote)

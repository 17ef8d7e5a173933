import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from publish import repository, teams
from publish.git import TreeView, bare, create_bare
from publish.git.objects import ObjectStore
from publish.snapshot import Snapshot
from store import config
from tests.publish import samples
from tests.publish.git.samples import git, put_commit
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


class Hosted:
    """A team repository of whatever files a test commits, as the machine in use last fetched it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "hosted.git"
        create_bare(self.path)

    def put(self, files: Files) -> None:
        """Commit exactly these files on top of what was there, join if need be, and fetch."""
        self.commit(files)
        if not config.teams():
            teams.join(str(self.path), handle=None, name=None)
        for entry in config.teams():
            with repository.fetched(entry.name):
                pass

    def commit(self, files: Files) -> None:
        """Commit exactly these files on top of what was there, as a teammate's push would."""
        tip = bare.read_ref(str(self.path), bare.MAIN)
        put_commit(self.path, samples.build(self.path, files), *([tip] if tip else []))

    def clone(self) -> Path:
        """Check the repository out anew beside it, and return the work tree."""
        place = self.path.parent / "clone"
        shutil.rmtree(place, ignore_errors=True)
        self.git("clone", "-q", str(self.path), str(place))
        return place

    def git(self, *arguments: str) -> str:
        """Run git in the repository and return what it prints."""
        return git(self.path, *arguments).decode().strip()


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
def host(ada: Machine, tmp_path: Path) -> Callable[[str], Hosted]:
    """Return a function that hosts a repository as a team of ada's, which is not fetched yet."""

    def host(name: str) -> Hosted:
        hosted = Hosted(tmp_path / name)
        entry = {"remote": str(hosted.path), "handle": ada.handle}
        config.update(lambda document: document["teams"].update({name: entry}))
        return hosted

    return host


@pytest.fixture
def bob(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Prepare bob's machine; it is used when a test says so."""
    return Machine(tmp_path, "bob", monkeypatch)


@pytest.fixture
def hosted(ada: Machine, tmp_path: Path) -> Hosted:
    """Return a repository that nobody has made a team of, on ada's machine without a team."""
    return Hosted(tmp_path)


@pytest.fixture
def acme(ada: Machine) -> Path:
    """Make ada's team acme on this disk, and return the path of its repository."""
    done = teams.create("acme", remote=None, handle="ada", license=None, require_category=False)
    return Path(done.entry.remote)

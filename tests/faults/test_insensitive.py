"""A home on a file system that takes `A` and `a` for one name, and knows no executable bit."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from receipts.digest import content_digest
from tests.members import Member
from tests.publish.git.samples import git

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts an image")

_SCRIPT = "#!/bin/sh\ntrue\n"


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Mount an exFAT image of 64 MB; its driver runs as a program, so no kernel need know it."""
    folder = tmp_path_factory.mktemp("exfat")
    image, place = folder / "image", folder / "disk"
    place.mkdir()
    image.touch()
    os.truncate(image, 64 << 20)
    device = ""
    try:
        _run("mkfs.exfat", str(image))
        device = _run("losetup", "--find", "--show", str(image)).strip()
        _run("mount.exfat-fuse", device, str(place))
    except (OSError, subprocess.CalledProcessError) as error:
        if device:
            _run("losetup", "--detach", device)
        pytest.skip(f"missing part: a file system that ignores case, as an image: {error}")
    yield place
    _run("umount", str(place))
    _run("losetup", "--detach", device)


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.fixture
def ada(disk: Path) -> Iterator[Member]:
    """A member at home there, whose library is found under any spelling."""
    member = Member(disk, "ada")
    (disk / "Probe").touch()
    assert (disk / "pROBE").exists()
    yield member
    for path in disk.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.fixture
def bob(tmp_path: Path) -> Member:
    """A member on an ordinary file system."""
    return Member(tmp_path, "bob")


def test_the_whole_job(tmp_path: Path, ada: Member, bob: Member) -> None:
    remote = tmp_path / "acme.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    bob.ok("team", "create", "acme", "--remote", remote, "--handle", "bob")
    ada.ok("team", "join", remote, "--handle", "ada")
    skill = ada.skill("tdd", {"run.sh": _SCRIPT, "Notes.md": "n\n"})
    assert os.stat(skill / "SKILL.md").st_mode & 0o111  # every file is, there
    ada.ok("publish", skill, "--category", "testing")
    ada.evaluate(skill)
    attached = ada.json("publish", skill)
    assert attached["digest"] == content_digest(skill)
    modes = git(remote, "ls-tree", "-r", "--format=%(objectmode)", "main").split()
    assert set(modes) == {b"100644"}  # nobody set a bit, and so none is published
    assert "Nothing to publish" in ada.ok("publish", skill)

    bob.ok("sync")
    bob.ok("install", "tdd")
    theirs = bob.library / "tdd"
    assert content_digest(theirs) == content_digest(skill)
    (theirs / "run.sh").chmod(0o755)
    (theirs / "Notes.md").write_text("more\n")
    bob.ok("publish", theirs)
    assert git(remote, "ls-tree", "main", "skills/tdd/v2/run.sh").startswith(b"100755")

    assert "new version tdd v2" in ada.ok("sync")
    ada.ok("install", "tdd@v1")
    assert "v2" in ada.ok("install", "tdd")
    assert not (ada.state / "aside").exists()  # nothing of hers was in the way
    assert content_digest(ada.library / "tdd") == content_digest(theirs)
    again = ada.ok("install", "tdd")
    assert "already installed" in again
    assert "executable bit" not in again
    [card] = [card for card in ada.json("cards")["cards"] if card["path"]]
    assert (card["state"], card["version"]) == ("stale", "v2")
    ada.ok("unpublish", "tdd", "--yes")
    assert git(remote, "ls-tree", "--name-only", "main", "skills/") == b""
    assert "tdd was removed" in bob.ok("sync")


def test_names_that_are_one_there(tmp_path: Path, ada: Member) -> None:
    ada.ok("team", "create", "acme", "--handle", "ada")
    taken = ada.run("team", "create", "ACME", "--handle", "ada")
    assert taken.code == 2
    assert "already belongs to a team called acme" in taken.err
    # The state folder under another spelling is the same state.
    ada.environment["RECEIPTS_HOME"] = str(ada.state.with_name("STATE"))
    assert ada.ok("team", "status").startswith("acme")
    skill = ada.skill("tdd")
    ada.ok("publish", skill, "--category", "testing")
    ada.ok("install", "tdd")
    ada.environment["RECEIPTS_HOME"] = str(ada.state)
    assert ada.json("cards")["cards"][0]["version"] == "v1"


def test_a_version_that_cannot_stand_there_is_refused_whole(tmp_path: Path, ada: Member) -> None:
    remote = tmp_path / "acme.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    ada.ok("team", "create", "acme", "--remote", remote, "--handle", "ada")
    ada.ok("publish", ada.skill("tdd", {"a.md": "a\n"}), "--category", "testing")
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", str(remote), str(work))
    twins = work / "skills" / "tdd" / "v2"
    shutil.copytree(work / "skills" / "tdd" / "v1", twins)
    (twins / "A.md").write_text("A\n")
    git(work, "add", "-A")
    git(work, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "twins")
    git(work, "push", "-q")
    ada.run("sync")
    refused = ada.run("install", "tdd")
    assert refused.code == 1
    assert "A.md" in refused.err
    assert "a.md" in refused.err
    with contextlib.suppress(FileNotFoundError):
        assert list(ada.library.iterdir()) == []
    ada.ok("install", "tdd@v1")
    assert (ada.library / "tdd" / "a.md").read_text() == "a\n"

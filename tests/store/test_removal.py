"""Trees as sandboxes leave them: sized and removed, and nothing outside them touched."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from store import removal
from store.removal import Failure, remove, size_of
from tests.parts import require_part
from tests.store.samples import ROOT

posix = pytest.mark.skipif(os.name != "posix", reason="permissions, links and pipes of POSIX")
_DEEP = 2300  # folders in each other; their path is longer than any system takes


def ignore(_: int) -> None:
    """Be told, and do nothing about it."""


@pytest.fixture
def top(tmp_path: Path) -> Path:
    place = tmp_path / "sandboxes"
    (place / "arm-a" / "src").mkdir(parents=True)
    (place / "arm-a" / "src" / "x").write_bytes(b"x" * 5000)
    (place / "arm-b").mkdir()
    return place


def test_a_tree_is_sized_and_removed(top: Path) -> None:
    found = size_of(top, ignore)
    assert (found.files, found.whole) == (4, True)
    assert 5000 <= found.bytes < 64 << 10
    assert remove(top, ignore) == []
    assert not top.exists()
    assert top.parent.exists()


def test_what_is_not_there_is_nothing(tmp_path: Path) -> None:
    assert remove(tmp_path / "gone", ignore) == []
    assert size_of(tmp_path / "gone", ignore) == (0, 0, False)


def test_every_file_is_told_of(top: Path) -> None:
    for number in range(1203):
        (top / "arm-b" / str(number)).touch()
    counts: list[int] = []
    assert size_of(top, counts.append).files == sum(counts) == 1207
    assert len(counts) > 2
    counts.clear()
    remove(top, counts.append)
    assert sum(counts) >= 1207


@posix
def test_links_are_removed_and_not_followed(top: Path) -> None:
    outside = top.parent / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    targets = [str(outside), str(outside / "kept"), "/", "..", "nowhere", "self"]
    for number, target in enumerate(targets):
        (top / f"link{number}").symlink_to(target)
        (top / "arm-a" / "src" / f"link{number}").symlink_to(target)
    assert size_of(top, ignore).files == 16
    assert remove(top, ignore) == []
    assert not top.exists()
    assert (outside / "kept").read_text() == "kept"


@posix
def test_a_link_in_the_place_of_the_tree_is_all_that_goes(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (tmp_path / "top").symlink_to(outside)
    assert remove(tmp_path / "top", ignore) == []
    assert not os.path.lexists(tmp_path / "top")
    assert os.listdir(outside) == ["kept"]


@posix
def test_pipes_and_sockets_are_not_opened(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(top / "pipe")
    monkeypatch.chdir(top)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
    assert size_of(top, ignore).whole
    assert remove(top, ignore) == []
    assert not top.exists()


@posix
def test_folders_deeper_than_any_path_are_removed(top: Path) -> None:
    here = os.open(top, os.O_RDONLY)
    for _ in range(_DEEP):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("f", os.O_CREAT, dir_fd=here))
    os.close(here)
    assert not size_of(top, ignore).whole
    assert remove(top, ignore) == []
    assert not top.exists()


def test_names_that_are_no_text(top: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(top) + b"/\xff\n")).mkdir()
    except OSError:
        pytest.skip("this file system holds only UTF-8 names")
    assert remove(top, ignore) == []


def test_what_a_killed_removal_left_goes_with_the_next(top: Path) -> None:
    (top / ".removing-0badcafe-1" / "x").mkdir(parents=True)
    assert remove(top, ignore) == []
    assert not top.exists()


def as_nobody(code: str, place: Path) -> str:
    """Run Python in a folder as a user without rights, who owns all that is below it."""
    require_part(os.geteuid() == 0, "root, to become another user")
    script = (
        f"import os, sys\nsys.path[:] = {sys.path!r}\nfrom store import removal\n"
        f"os.setgroups([]); os.setgid(65534); os.setuid(65534)\n{code}"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    return done.stdout


def give_away(top: Path) -> None:
    for folder, _, files in os.walk(top.parent):
        for place in (folder, *(os.path.join(folder, name) for name in files)):
            os.chown(place, 65534, 65534, follow_symlinks=False)


@posix
def test_folders_without_permissions_are_opened_first(top: Path) -> None:
    require_part(os.geteuid() == 0, "root, to become another user")
    (top / "arm-a" / "shut" / "below").mkdir(parents=True)
    (top / "arm-a" / "shut" / "below" / "f").touch()
    give_away(top)
    for path in ("arm-a/shut/below", "arm-a/shut", "arm-a/src", "arm-a"):
        (top / path).chmod(0o555 if path.endswith("src") else 0)
    code = "print(removal.size_of('sandboxes', lambda _: None).whole)\n"
    code += "print(removal.remove('sandboxes', lambda _: None), os.path.exists('sandboxes'))"
    assert as_nobody(code, top.parent) == "False\n[] False\n"


@posix
def test_what_belongs_to_somebody_else_is_named_and_the_rest_goes(top: Path) -> None:
    require_part(os.geteuid() == 0, "root, to become another user")
    give_away(top)
    theirs = top / "arm-b"
    for name in ("one", "two"):
        (theirs / name).touch()
    os.chown(theirs, 0, 0)
    code = "for one in removal.remove('sandboxes', lambda _: None): print(one.path, one.why)"
    lines = as_nobody(code, top.parent).splitlines()
    assert sorted(lines) == [f"sandboxes/arm-b/{name} Permission denied" for name in ("one", "two")]
    assert os.listdir(top) == ["arm-b"]


@pytest.fixture
def mounted(top: Path) -> Iterator[Path]:
    """Mount another file system inside the tree."""
    place = top / "arm-a" / "src" / "mnt"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "tmpfs", str(place)]
    done = subprocess.run(command, capture_output=True)
    require_part(done.returncode == 0, "the right to mount a tmpfs")
    yield place
    subprocess.run(["umount", "-l", str(place)], capture_output=True)
    for folder, _, _ in os.walk(top):  # where the folder was moved to
        if os.path.ismount(folder):
            subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
def test_another_file_system_is_left_alone(top: Path, mounted: Path) -> None:
    (mounted / "precious").touch()
    (failure,) = remove(top, ignore)
    assert failure.path.endswith("/mnt")
    assert failure.why == "is on another file system"
    assert os.listdir(failure.path) == ["precious"]


def test_a_system_that_skips_names_while_a_folder_changes(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as HFS+; here a listing leaves out every second name, as long as there are two."""
    for number in range(40):
        (top / "arm-b" / str(number)).touch()
    whole = removal._entries

    def skipping(folder: str) -> Iterator["os.DirEntry[str]"]:
        entries = list(whole(folder))
        yield from entries if folder == str(top) else entries[::2]

    monkeypatch.setattr(removal, "_entries", skipping)
    assert remove(top, ignore) == []
    assert not top.exists()


def test_a_failure_reads_as_a_pair() -> None:
    assert Failure("a", "why") == ("a", "why")

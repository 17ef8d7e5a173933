"""Which files of a folder count, and what is refused, by name and without waiting for it."""

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from receipts import folder
from receipts.digest import measure
from receipts.errors import SkillError
from receipts.folder import Found, LeftOut
from tests.parts import require_part

posix = pytest.mark.skipif(os.name != "posix", reason="these are files of POSIX systems")


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    root = tmp_path / "s"
    (root / "docs").mkdir(parents=True)
    (root / "SKILL.md").write_text("---\nname: s\n---\n")
    (root / "docs" / "a.md").write_text("a\n")
    return root


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("SKILL.md", True),
        ("evals/a.yaml", False),
        ("evals", False),
        ("evals.md", True),
        ("Evals/a", True),
        ("docs/evals/a", True),
        (".git", False),
        (".git/HEAD", False),
        (".gitignore", True),
        ("vendor/.git/x", True),
        (".skillhub/x", False),
        ("a/.skillhub/x", True),
        (".DS_Store", False),
        ("a/b/.DS_Store", False),
        (".DS_Store/x", True),
        ("a/Thumbs.db", False),
        ("a/thumbs.db", True),
    ],
)
def test_what_counts(path: str, counts: bool) -> None:
    assert (folder.reason_left_out(path) is None) == counts


def test_the_walk_says_what_it_left_out_and_may_take_assets_along(skill: Path) -> None:
    for path in ("evals/cases/a.yaml", "evals/.DS_Store", ".git/HEAD", "docs/Thumbs.db"):
        (skill / path).parent.mkdir(parents=True, exist_ok=True)
        (skill / path).touch()

    def seen(*, with_evals: bool) -> tuple[list[str], list[str]]:
        found = list(folder.walk(skill, with_evals=with_evals))
        return (
            sorted(item.path for item in found if isinstance(item, Found)),
            sorted(item.path for item in found if isinstance(item, LeftOut)),
        )

    assert seen(with_evals=False) == (
        ["SKILL.md", "docs/a.md"],
        [".git/", "docs/Thumbs.db", "evals/"],
    )
    assert seen(with_evals=True) == (
        ["SKILL.md", "docs/a.md", "evals/cases/a.yaml"],
        [".git/", "docs/Thumbs.db", "evals/.DS_Store"],
    )


def link(place: Path) -> None:
    place.symlink_to("a.md")


def dangling(place: Path) -> None:
    place.symlink_to("/nowhere/at/all")


def loop(place: Path) -> None:
    place.symlink_to(place.name)


def linked_folder(place: Path) -> None:
    place.symlink_to(place.parent.parent, target_is_directory=True)


def pipe(place: Path) -> None:
    os.mkfifo(place)


def unix_socket(place: Path) -> None:
    here = Path.cwd()
    os.chdir(place.parent)  # a socket's address has no room for long paths
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(place.name)
    finally:
        os.chdir(here)


def device(place: Path) -> None:
    require_part(os.geteuid() == 0, "root, to make a device")
    try:
        os.mknod(place, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero: endless
    except PermissionError:
        require_part(False, "the right to make a device")


@posix
@pytest.mark.parametrize("make", [link, dangling, loop, linked_folder])
def test_links_are_refused_by_name(skill: Path, make: Callable[[Path], None]) -> None:
    make(skill / "docs" / "x")
    with pytest.raises(SkillError, match=r"^Skill folder contains symlink docs/x\."):
        measure(skill)
    (skill / "docs" / "x").rename(skill / "evals")  # what does not count may be one
    assert len(measure(skill).files) == 2


@posix
@pytest.mark.parametrize("make", [pipe, unix_socket, device])
def test_what_is_no_file_is_refused_by_name(skill: Path, make: Callable[[Path], None]) -> None:
    make(skill / "docs" / "x")
    with pytest.raises(SkillError, match=r"contains docs/x, which is not a regular file\."):
        measure(skill)


@posix
@pytest.mark.parametrize("make", [link, dangling, loop, linked_folder, pipe, unix_socket, device])
@pytest.mark.parametrize("read", [folder.read, folder.hash_file])
def test_a_file_that_became_something_else_is_refused_without_waiting(
    skill: Path, make: Callable[[Path], None], read: Callable[[Found], object]
) -> None:
    make(skill / "docs" / "x")
    with pytest.raises(SkillError, match="docs/x"):
        read(Found("docs/x", str(skill / "docs" / "x")))


@pytest.mark.parametrize("read", [folder.read, folder.hash_file, folder.size])
def test_a_file_that_vanished_is_named(skill: Path, read: Callable[[Found], object]) -> None:
    (skill / "docs" / "a.md").unlink()
    with pytest.raises(SkillError, match=r"Cannot read docs/a\.md: No such file"):
        read(Found("docs/a.md", str(skill / "docs" / "a.md")))


@posix
def test_a_folder_that_vanishes_during_the_walk_is_named(skill: Path) -> None:
    for name in ("b", "c"):
        (skill / name).mkdir()
        (skill / name / "x").touch()
    walk = folder.walk(skill)
    next(walk)
    for name in ("b/x", "c/x", "docs/a.md"):
        (skill / name).unlink()
    for name in ("b", "c", "docs"):
        (skill / name).rmdir()
    with pytest.raises(SkillError, match=r"Cannot read folder (b|c|docs)/: No such file"):
        list(walk)


@posix
@pytest.mark.parametrize(
    ("broken", "what"),
    [
        ("docs/a.md", "docs/a.md"),
        ("docs", "folder docs/"),
        ("", "folder s"),
        ("..", "folder s"),
    ],
)
def test_what_another_user_may_not_read_is_named(skill: Path, broken: str, what: str) -> None:
    require_part(os.geteuid() == 0, "root, to become another user")
    skill.parent.chmod(0o755)
    (skill / broken).chmod(0)
    # Everything is imported before, and the place entered: nobody may read where we live.
    script = f"""
import os, sys
sys.path[:] = {sys.path!r}
from receipts import digest, errors, jsyaml
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    digest.measure("s")
except errors.SkillError as error:
    print(error.message)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=skill.parent, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == (f"Cannot read {what}: Permission denied.\n", "")


@posix
def test_a_name_that_is_not_utf_8_is_refused_and_shown(skill: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(skill / "docs") + b"/\xff.md")).touch()
    except OSError:
        pytest.skip("this file system holds only UTF-8 names")
    with pytest.raises(SkillError) as refused:
        measure(skill)
    assert refused.value.message == r"The file name b'docs/\xff.md' is not valid UTF-8."


@pytest.mark.parametrize(
    ("name", "what"), [("gone", "does not exist"), ("s/SKILL.md", "is not a folder")]
)
def test_what_is_no_folder_is_said(skill: Path, name: str, what: str) -> None:
    with pytest.raises(SkillError, match=rf"{name} {what}\."):
        list(folder.walk(skill.parent / name))


@posix
def test_the_folder_itself_may_be_reached_by_a_link(skill: Path) -> None:
    (skill.parent / "link").symlink_to("s")
    assert measure(skill.parent / "link") == measure(skill)


@posix
def test_deep_folders_need_no_deep_stack(skill: Path) -> None:
    here = os.open(skill, os.O_RDONLY)
    try:
        for _ in range(1200):  # beyond Python's recursion limit
            os.mkdir("d", dir_fd=here)
            here, above = os.open("d", os.O_RDONLY, dir_fd=here), here
            os.close(above)
        os.close(os.open("x", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    finally:
        os.close(here)
    try:
        measured = measure(skill)
    finally:
        subprocess.run(["rm", "-rf", skill / "d"], check=True)  # shutil's rmtree recurses
    assert [file.path.count("/") for file in measured.files] == [0, 1200, 1]

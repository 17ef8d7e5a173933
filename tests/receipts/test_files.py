"""Whole files or none: with real files, real limits, real users and real pipes."""

import os
import resource
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from receipts.errors import StoreError
from receipts.files import make_private_dir, read_limited, rename_new, write_atomic

NOBODY = 65534
IMPORTS = """\
import sys
from receipts.errors import StoreError
from receipts.files import make_private_dir, read_limited, write_atomic
"""


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def as_nobody(code: str, *arguments: Path) -> subprocess.CompletedProcess[str]:
    """Run Python as a user without rights; root itself may write everywhere."""
    if os.getuid() != 0:
        pytest.skip("needs root, to run a process as a user without rights")
    drop = f"import os\nos.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n"
    return subprocess.run(
        [sys.executable, "-c", IMPORTS + drop + code, *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_file_is_written_with_its_mode_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        write_atomic(tmp_path / "a", b"one", mode=0o644)
    finally:
        os.umask(old)
    assert (tmp_path / "a").read_bytes() == b"one"
    assert mode_of(tmp_path / "a") == 0o644
    write_atomic(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert mode_of(tmp_path / "a") == 0o600
    assert os.listdir(tmp_path) == ["a"]


def test_a_name_as_long_as_names_may_be_can_be_written(tmp_path: Path) -> None:
    write_atomic(tmp_path / ("n" * 255), b"x")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"x"


def test_a_relative_name_is_written_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_atomic("plain", b"x")
    assert (tmp_path / "plain").read_bytes() == b"x"


def test_a_folder_in_the_place_of_the_file_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(StoreError, match=r"Cannot write .*a: is a directory"):
        write_atomic(tmp_path / "a", b"x")
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_in_the_place_of_a_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(StoreError, match=r"Cannot make the folder .*a: file exists"):
        make_private_dir(tmp_path / "a" / "b")
    with pytest.raises(StoreError, match=r"Cannot write .*b: not a directory"):
        write_atomic(tmp_path / "a" / "b", b"x")


def test_a_link_is_replaced_and_its_target_kept(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"kept")
    (tmp_path / "link").symlink_to("target")
    write_atomic(tmp_path / "link", b"new")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"kept"


def test_a_file_over_the_size_limit_leaves_the_old_bytes_and_no_temporary(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a", b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(StoreError, match="larger than is allowed here"):
            write_atomic(tmp_path / "a", b"x" * 20_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_full_disk_is_said_with_what_to_do() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full, a disk that is always full")
    with (
        open("/dev/full", "wb", buffering=0) as full,
        pytest.raises(OSError, match="space") as said,
    ):
        full.write(b"x")
    from receipts.files import _explained

    with pytest.raises(StoreError) as error, _explained("/data/receipt.json"):
        raise said.value
    assert str(error.value) == (
        "Cannot write /data/receipt.json: the disk is full. "
        "Free some space, then run the command again."
    )


def test_missing_rights_are_said_and_nothing_is_left(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    code = (
        "for act in (lambda: write_atomic(sys.argv[1] + '/a', b'x'),\n"
        "            lambda: make_private_dir(sys.argv[1] + '/b'),\n"
        "            lambda: read_limited(sys.argv[1] + '/secret', 9, follow_links=False)):\n"
        "    try: act()\n"
        "    except StoreError as error: print(error.message)\n"
    )
    write_atomic(tmp_path / "secret", b"s")
    done = as_nobody(code, tmp_path)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        f"Cannot write {tmp_path}/a: permission denied.",
        f"Cannot make the folder {tmp_path}/b: permission denied.",
        f"{tmp_path}/secret cannot be read: permission denied.",
    ]
    assert os.listdir(tmp_path) == ["secret"]


def test_folders_are_private_at_every_level_and_made_once(tmp_path: Path) -> None:
    make_private_dir(tmp_path / "a" / "b")
    make_private_dir(tmp_path / "a" / "b")
    assert mode_of(tmp_path / "a") == mode_of(tmp_path / "a" / "b") == 0o700


def test_a_rename_never_lands_on_anything(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "file").write_bytes(b"new")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("nowhere")
    for taken in ("folder", "file", "link"):
        assert not rename_new(source, tmp_path / taken)
    assert os.listdir(tmp_path / "folder") == []
    assert rename_new(source, tmp_path / "free")
    assert (tmp_path / "free" / "file").read_bytes() == b"new"
    assert not source.exists()


def test_a_rename_that_cannot_happen_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"Cannot write .*target: no such file"):
        rename_new(tmp_path / "absent", tmp_path / "target")


@pytest.mark.skipif(sys.platform != "linux", reason="the files of /proc are Linux's")
def test_a_file_that_holds_more_than_its_size_is_read_whole() -> None:
    with open("/proc/cpuinfo", "rb") as file:
        whole = file.read()
    assert os.stat("/proc/cpuinfo").st_size == 0
    read = read_limited("/proc/cpuinfo", len(whole) + 1000, follow_links=True)
    assert read[:9] == whole[:9]
    assert len(read) > 100
    with pytest.raises(StoreError, match="more than the 5 bytes"):
        read_limited("/proc/cpuinfo", 5, follow_links=True)


def test_reading_is_limited_to_regular_files_of_a_size(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert read_limited(tmp_path / "file", 5, follow_links=False) == b"12345"
    with pytest.raises(StoreError, match="more than the 4 bytes"):
        read_limited(tmp_path / "file", 4, follow_links=False)
    with pytest.raises(FileNotFoundError):
        read_limited(tmp_path / "absent", 5, follow_links=False)
    with pytest.raises(StoreError, match="is a folder"):
        read_limited(tmp_path, 5, follow_links=False)
    with pytest.raises(StoreError, match="cannot be read: not a directory"):
        read_limited(tmp_path / "file" / "below", 5, follow_links=False)


def test_reading_follows_links_only_when_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "loop").symlink_to("loop")
    assert read_limited(tmp_path / "link", 5, follow_links=True) == b"1"
    with pytest.raises(StoreError, match="is a symbolic link"):
        read_limited(tmp_path / "link", 5, follow_links=False)
    with pytest.raises(StoreError, match="cannot be read"):
        read_limited(tmp_path / "loop", 5, follow_links=True)


def test_reading_does_not_wait_for_a_pipe_or_socket(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="not a regular file"):
        read_limited(tmp_path / "pipe", 5, follow_links=True)
    with socket.socket(socket.AF_UNIX) as listener:
        old = os.getcwd()
        os.chdir(tmp_path)  # a socket's path may have 108 bytes only
        try:
            listener.bind("socket")
        finally:
            os.chdir(old)
        with pytest.raises(StoreError, match="cannot be read"):
            read_limited(tmp_path / "socket", 5, follow_links=True)
    with pytest.raises(StoreError, match="not a regular file"):
        read_limited("/dev/zero", 5, follow_links=True)


def test_a_writer_killed_at_any_instant_leaves_old_or_new(tmp_path: Path) -> None:
    target = tmp_path / "file"
    write_atomic(target, b"0" * 100_000)
    code = (
        "import itertools, sys\n"
        "from receipts.files import write_atomic\n"
        "print('ready', flush=True)\n"
        "for n in itertools.count():\n"
        "    write_atomic(sys.argv[1], str(n % 10).encode() * 100_000)\n"
    )
    for wait in range(25):
        with subprocess.Popen(
            [sys.executable, "-c", code, str(target)],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            for _ in range(wait * 200):
                pass
            writer.kill()
        data = target.read_bytes()
        assert len(data) == 100_000
        assert len(set(data)) == 1

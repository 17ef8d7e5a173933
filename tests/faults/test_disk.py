"""Disks that are full, out of inodes or read-only, and files that may not grow."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.mortal import Died, Mortal
from tests.faults.scenarios import SCENARIOS, Scenario
from tests.faults.stage import Stage
from tests.parts import NIGHTLY, require_part

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")

_PAGE = 4096
_STRIDE = 1 if NIGHTLY else 3
_PAGES = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)[::_STRIDE]
_INODES = (0, 1, 2, 3, 5, 8, 13, 21, 34)[::_STRIDE]
_BYTES = (600, 800, 1000, 1400, 2000, 3000)[::_STRIDE]
_WHY_FULL = ("disk is full", "No space left", "The disk is full")
_WHY_READ_ONLY = ("read-only", "Read-only")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 24 MB and 4,000 files."""
    place = tmp_path / "disk"
    place.mkdir()
    options = "size=24m,nr_inodes=4000,mode=700"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True
    )
    require_part(mounted.returncode == 0, "the right to mount a tmpfs")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@contextlib.contextmanager
def full(disk: Path, *, pages: int) -> Iterator[None]:
    """Fill a disk but for so many pages of 4 kB."""
    ballast = disk / "ballast"
    free = os.statvfs(disk).f_bavail * _PAGE
    with ballast.open("wb") as stream:
        os.posix_fallocate(stream.fileno(), 0, max(free - pages * _PAGE, 1))
    yield
    ballast.unlink()


@contextlib.contextmanager
def out_of_inodes(disk: Path, *, left: int) -> Iterator[None]:
    """Use up a disk's inodes but for so many."""
    folder = disk / "ballast"
    folder.mkdir()
    for number in range(os.statvfs(disk).f_favail - left):
        (folder / str(number)).touch()
    yield
    shutil.rmtree(folder)


def _assert_said(failed: Died, why: tuple[str, ...], where: str) -> None:
    assert failed.code == 1, f"{where}: {failed}"
    _assert_one_error(failed, where)
    # The repository lies on the same disk, and what its server says is passed on.
    passed_on = "The remote refused the push: un" in failed.err
    assert passed_on or any(text in failed.err for text in why), f"{where}: {failed}"


def _assert_one_error(failed: Died, where: str) -> None:
    errors = len(re.findall(r"^error: |not refreshed — ", failed.err, re.MULTILINE))
    assert errors == 1, f"{where}: {failed}"
    assert not re.search(r"unexpected \w+Error|defect", failed.err), f"{where}: {failed}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_full_disk(scenario: Scenario, disk: Path, tmp_path: Path, mortal: Mortal) -> None:
    stage = Stage(scenario, tmp_path, mortal, live=disk / "live")
    assert stage.run().code == 0
    end = stage.end()
    failures = 0
    for pages in _PAGES:
        where = f"{pages} pages left"
        stage.restore()
        with full(disk, pages=pages):
            ran = stage.run()
            if ran.code == 0:
                continue
            _assert_said(ran, _WHY_FULL, where)
            stage.assert_readable(where)
        failures += 1
        stage.assert_finished(stage.run(), end, where)
    assert failures


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_no_inodes(scenario: Scenario, disk: Path, tmp_path: Path, mortal: Mortal) -> None:
    stage = Stage(scenario, tmp_path, mortal, live=disk / "live")
    assert stage.run().code == 0
    end = stage.end()
    for left in _INODES:
        where = f"{left} inodes left"
        stage.restore()
        with out_of_inodes(disk, left=left):
            ran = stage.run()
            if ran.code == 0:
                continue
            _assert_said(ran, _WHY_FULL, where)
            stage.assert_readable(where)
        stage.assert_finished(stage.run(), end, where)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_read_only_disk(scenario: Scenario, disk: Path, tmp_path: Path, mortal: Mortal) -> None:
    stage = Stage(scenario, tmp_path, mortal, live=disk / "live")
    before = stage.end()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    ran = stage.run()
    _assert_said(ran, _WHY_READ_ONLY, scenario.name)
    stage.assert_readable(scenario.name)
    assert stage.end() == before
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    assert stage.run().code == 0


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_files_that_may_not_grow(scenario: Scenario, tmp_path: Path, mortal: Mortal) -> None:
    stage = Stage(scenario, tmp_path, mortal)
    assert stage.run().code == 0
    end = stage.end()
    for largest in _BYTES:
        where = f"{largest} bytes allowed"
        stage.restore()
        ran = stage.run(largest=largest)
        if ran.code == 0:
            continue
        assert ran.code == 1, f"{where}: {ran}"
        _assert_one_error(ran, where)
        stage.assert_readable(where)
        stage.assert_finished(stage.run(), end, where)

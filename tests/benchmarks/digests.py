"""The digest of a folder, as a library call in a warm process, beside `sha256sum` as a process."""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from receipts.digest import measure
from tests.benchmarks.results import Must, Result, at_most, compared
from tests.benchmarks.timing import Side, interleaved
from tests.benchmarks.world import World

_SMALL = 4096


def results(world: World) -> Iterator[Result]:
    """Time the digest of many small files, and of a few large ones."""
    sizes = world.sizes
    small = world.scratch("small-files")
    for number in range(sizes.small_files - 1):
        place = small / f"part-{number % 20:02}"
        place.mkdir(exist_ok=True)
        (place / f"file-{number:04}.md").write_bytes(os.urandom(_SMALL // 2).hex().encode())
    _add_skill_md(small)
    every = 'exec find "$0" -type f -print0 | xargs -0 sha256sum'
    yield _beside("digest-small", small, every, at_most(0.7), sizes.rounds_of(2))

    large = world.scratch("large-files")
    block = os.urandom(1 << 20)
    for number in range(sizes.large_files):
        with (large / f"data-{number}.bin").open("wb") as file:
            for _ in range(sizes.large_bytes >> 20):
                file.write(block)
    yield _beside("digest-large", large, 'exec sha256sum "$0"/*', at_most(0.3), sizes.rounds)


def _add_skill_md(folder: Path) -> None:
    head = b"---\nname: skill\ndescription: Does something.\n---\n"
    (folder / "SKILL.md").write_bytes(head.ljust(_SMALL, b"\n"))


def _beside(row: str, folder: Path, shell: str, must: Must, rounds: int) -> Result:
    command = ["sh", "-c", shell, str(folder)]
    _check_same_hashes(folder, command)
    runs = interleaved(
        {
            "ours": Side(lambda: measure(folder)),
            "theirs": Side(lambda: subprocess.run(command, capture_output=True, check=True)),
        },
        rounds,
    )
    return compared(row, "", must, runs["ours"], runs["theirs"])


def _check_same_hashes(folder: Path, command: list[str]) -> None:
    """Raise unless both sides hash the same files to the same hashes."""
    printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    theirs = {line[66:]: line[:64] for line in printed.splitlines()}
    ours = {str(folder / file.path): file.sha256 for file in measure(folder).files}
    if (skill_md := folder / "SKILL.md").exists():  # hashed by us in its canonical form
        ours[str(skill_md)] = hashlib.sha256(skill_md.read_bytes()).hexdigest()
    assert ours == theirs

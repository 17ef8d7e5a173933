"""Commands from the start of their process to its end, beside a Python that only imports click."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from receipts.digest import content_digest
from tests.benchmarks.results import Result, at_most, compared
from tests.benchmarks.samples import skill
from tests.benchmarks.timing import Side, interleaved
from tests.benchmarks.world import World

_HEAVY = {"pydantic", "dulwich", "cryptography", "rich"}


def results(world: World) -> Iterator[Result]:
    """Time `receipts --version`, and `receipts digest` of a skill of five files."""
    folder = world.scratch("five-files")
    extra = {"assets/a.txt": b"a\n", "assets/b.txt": b"b\n"}
    for path, data in {**skill(0).files, **extra}.items():
        place = folder / path
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
    assert _output([*command(), "digest", str(folder)]).split() == [content_digest(folder)]
    for row, arguments, most in (
        ("start-version", ["--version"], 1.2),
        ("start-digest", ["digest", str(folder)], 1.6),
    ):
        assert _heavy(arguments) == set()
        ours, theirs = [*command(), *arguments], [sys.executable, "-c", "import click"]
        runs = interleaved(
            {"ours": Side(_running(ours)), "theirs": Side(_running(theirs))},
            world.sizes.rounds_of(3),
        )
        yield compared(row, "", at_most(most), runs["ours"], runs["theirs"])


def command() -> list[str]:
    """Return the command as it was installed beside this Python."""
    script = Path(sys.executable).with_name("receipts")
    return [str(script)] if script.exists() else [sys.executable, "-m", "receipts"]


def _running(words: list[str]) -> Callable[[], object]:
    return lambda: _output(words)


def _output(words: list[str]) -> str:
    return subprocess.run(words, capture_output=True, check=True, text=True).stdout


def _heavy(arguments: list[str]) -> set[str]:
    """Return which of the large dependencies a command imports."""
    watched = [sys.executable, "-X", "importtime", "-m", "receipts", *arguments]
    listed = subprocess.run(watched, capture_output=True, check=True, text=True).stderr
    names = {line.rpartition("|")[2].strip() for line in listed.splitlines()}
    return {name.partition(".")[0] for name in names} & _HEAVY

"""What an evaluation takes from around the skill: its neighbours, and the files that it names."""

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from publish.evaluation.request import STAGED
from receipts import digest, skillmd
from receipts.arms import dependencies
from receipts.errors import EvalError

_DEPENDENCIES = "dependencies"
_READ = 256 << 10


class Surroundings(NamedTuple):
    """What is around a skill.

    Attributes:
        catalogue: Name and description of the skills beside it, itself included.
        dependencies: The files outside of it that sessions are given, by relative path.
        missing: The files that it names and that are nowhere.
    """

    catalogue: Mapping[str, str]
    dependencies: Mapping[str, Path]
    missing: tuple[str, ...]


def take(source: Path, run: Path, said: Callable[[str], None]) -> Surroundings:
    """Look around a skill, and copy what it names outside of its folder into a run's; say so.

    A copy, so that an edit meanwhile gives no two sessions different files.

    Raises:
        ReceiptsError: SKILL.md cannot be read, or a copy cannot be made.
    """
    found = dependencies.find(source)
    for line in found.lines:
        said(line)
    try:
        for path, place in found.staged.items():
            target = run / STAGED / _DEPENDENCIES / path
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.copy(place, target, follow_symlinks=False)
    except OSError as error:
        raise EvalError(
            f"Cannot copy {error.filename or 'a dependency'}: {error.strerror}."
        ) from error
    return Surroundings(_catalogue(source), taken(run), found.missing)


def taken(run: Path) -> Mapping[str, Path]:
    """Return the files that were copied into a run's folder, by relative path."""
    top = run / STAGED / _DEPENDENCIES
    return {
        Path(where, name).relative_to(top).as_posix(): Path(where, name)
        for where, _, names in os.walk(top)
        for name in sorted(names)
    }


def _catalogue(source: Path) -> dict[str, str]:
    neighbours: list[Path] = []
    with suppress(OSError):
        neighbours = [entry for entry in source.parent.iterdir() if entry.is_dir()]
    found = {}
    for folder in {source, *neighbours}:
        with suppress(OSError):
            text = (folder / digest.SKILL_MD).read_bytes()[:_READ].decode("utf-8", "replace")
            described = (skillmd.fields(text) or {}).get("description")
            found[folder.name] = described if isinstance(described, str) else ""
    return found

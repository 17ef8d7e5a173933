"""Copies of a skill: the bytes that a run measures, and what a session finds of them.

A run works on a copy taken at its start, so that an edit meanwhile changes neither what is measured
nor what the receipt names.
"""

import os
import shutil
from pathlib import Path

from receipts import folder
from receipts.errors import EvalError
from receipts.folder import Found

_NOT_FOR_SESSIONS = ("evals", "fixtures")
_EXECUTABLE = 0o700
_PLAIN = 0o600


def take(source: Path, target: Path) -> None:
    """Copy a skill with its evaluation assets into a new folder, but for what never counts.

    Raises:
        SkillError: The folder holds a link, a device or an unreadable file.
        EvalError: The copy cannot be written.
    """
    walked = folder.walk(source, with_evals=True)
    files = [found for found in walked if isinstance(found, Found)]
    try:
        target.mkdir(mode=0o700, parents=True)
        for found in files:
            place = Path(folder.locate(target, found.path))
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _copy(found.location, place)
    except OSError as error:
        raise EvalError(f"Cannot copy {source}: {error.strerror or error}.") from error


def give(skill: Path, target: Path) -> None:
    """Copy a staged skill to where an agent looks for it, without its evaluation assets.

    Raises:
        OSError: It cannot be written.
    """
    top = os.fspath(skill)

    def left_out(where: str, names: list[str]) -> list[str]:
        is_top = os.fspath(where) == top
        return [name for name in names if is_top and name in _NOT_FOR_SESSIONS]

    shutil.copytree(skill, target, ignore=left_out)


def _copy(source: str, target: Path) -> None:
    shutil.copyfile(source, target, follow_symlinks=False)
    runnable = os.name == "posix" and os.stat(source, follow_symlinks=False).st_mode & 0o100
    os.chmod(target, _EXECUTABLE if runnable else _PLAIN)

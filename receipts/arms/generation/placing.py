"""Generated files put into a skill's `evals/`: all of them or none, and never over another file."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from receipts.arms.assets.triggers import FILE as TRIGGERS_FILE
from receipts.arms.generation import CASES
from receipts.errors import EvalError
from receipts.files import rename_new, sync_folder, write_atomic
from receipts.folder import LEFT_OUT_ANYWHERE

_PLAIN = 0o644
_ORDER = (CASES, TRIGGERS_FILE)


def refuse_taken(evals: Path) -> None:
    """Refuse a folder of cases that holds something else: it could not be filled in one step.

    Raises:
        EvalError: It does; it names one such thing.
    """
    try:
        names = set(os.listdir(evals / CASES)) - set(LEFT_OUT_ANYWHERE)
    except FileNotFoundError:
        return
    except OSError as error:
        raise EvalError(f"Cannot read {evals / CASES}: {error.strerror}.") from error
    if names:
        raise EvalError(
            f"{evals / CASES} holds no case, but {min(names)}, so no cases are generated there.",
            "Move it out of that folder, write a case yourself, or pass --no-gen.",
        )


def put(files: Mapping[str, bytes], skill: Path) -> None:
    """Put files into the `evals/` of a skill, the cases first.

    They are staged beside the skill and renamed into their places. When one of these is taken by
    then, or cannot be written, what went in is taken out again.

    Args:
        files: Contents by path below `evals/`: of one or both of `cases/…` and `triggers.yaml`.
        skill: The skill's folder.

    Raises:
        EvalError: A place is taken.
        StoreError: Something cannot be written.
    """
    stage = _staged(files, skill)
    evals = skill / "evals"
    is_new = not evals.exists()
    placed: list[str] = []
    try:
        evals.mkdir(exist_ok=True)
        for name in _ORDER:
            if (stage / name).exists():
                _give_way(evals / name)
                if not rename_new(stage / name, evals / name):
                    raise EvalError(
                        f"{evals / name} is there meanwhile, so nothing was written.",
                        "Run the command again.",
                    )
                placed.append(name)
        sync_folder(skill)
    except BaseException as error:
        for name in placed:
            os.rename(evals / name, stage / name)
        if is_new and evals.is_dir():
            evals.rmdir()
        if isinstance(error, OSError):
            raise EvalError(f"Cannot write {evals}: {error.strerror}.") from error
        raise
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _staged(files: Mapping[str, bytes], skill: Path) -> Path:
    try:
        # A name with a dot first is no skill's.
        stage = Path(tempfile.mkdtemp(prefix=f".{skill.name}.generated-", dir=skill.parent))
    except OSError as error:
        raise EvalError(
            f"Cannot write beside {skill}, where generated files are staged: {error.strerror}.",
            "Give your user the right to write there, or pass --no-gen.",
        ) from error
    try:
        for path, data in files.items():
            (stage / path).parent.mkdir(exist_ok=True)
            write_atomic(stage / path, data, _PLAIN)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise
    return stage


def _give_way(place: Path) -> None:
    """Remove a folder of cases that holds nothing but what desktops leave behind."""
    if place.is_dir() and not set(os.listdir(place)) - set(LEFT_OUT_ANYWHERE):
        shutil.rmtree(place)

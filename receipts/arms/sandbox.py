"""A session's sandbox: a fresh folder, filled in a fixed order, from which nothing escapes.

Fixture, files, setup, skill, dependencies. Whatever a case brings is checked when it is loaded;
here it is checked again against what is really there, for a setup may have made links.
"""

import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from receipts import processes
from receipts.agents import Agent, bound, plain_environment
from receipts.arms import staging
from receipts.arms.assets import Case
from receipts.arms.plan import Arm
from receipts.errors import EvalError

SETUP_SECONDS = 60.0
_STDERR_SHOWN = 500
_RUNNABLE = 0o755


class Sandbox(NamedTuple):
    """Where a session works, and the home that it has there and nowhere else."""

    folder: Path
    home: Path


class SeedError(Exception):
    """A sandbox could not be made; `kind` is `setup` or `staging`."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


def new(run: Path) -> Sandbox:
    """Make an empty sandbox in a run's folder, under a name that says nothing about its arm.

    Raises:
        SeedError: It cannot be made.
    """
    parent = run / "sandboxes"
    try:
        parent.mkdir(mode=0o700, exist_ok=True)
        bound(parent)
        folder = Path(tempfile.mkdtemp(prefix="arm-", dir=parent))
        home = folder.with_name(f"{folder.name}.home")
        home.mkdir(mode=0o700)
    except OSError as error:
        raise SeedError("staging", f"cannot make a sandbox: {error.strerror or error}") from error
    return Sandbox(folder, home)


@contextlib.contextmanager
def temporary(run: Path) -> Iterator[Sandbox]:
    """Make an empty sandbox that is removed again, in the run's folder like every other.

    What a killed process leaves, which may hold a link to the user's login, goes with the run.

    Raises:
        EvalError: It cannot be made.
    """
    try:
        sandbox = new(run)
    except SeedError as error:
        raise EvalError(f"The run in {run} cannot go on: {error.detail}.") from error
    try:
        yield sandbox
    finally:
        shutil.rmtree(sandbox.folder, ignore_errors=True)
        shutil.rmtree(sandbox.home, ignore_errors=True)


def seed(
    sandbox: Sandbox,
    case: Case,
    arm: Arm,
    skill_name: str,
    agent: Agent,
    dependencies: Mapping[str, Path],
    stop: threading.Event,
) -> None:
    """Fill a sandbox for a session of this case in this arm.

    Raises:
        SeedError: Something of it failed; the sandbox is left as it is, to be looked at.
    """
    try:
        if case.fixture:
            _copy_fixture(case.fixture, sandbox.folder)
        for path, text in case.files.items():
            _write(sandbox.folder, path, text)
        if case.setup:
            _set_up(sandbox, case.setup, stop)
        _refuse_taken(sandbox.folder, agent.skills_folder)
        if arm.skill:
            target = sandbox.folder / agent.skills_folder / skill_name
            staging.give(arm.skill, target)
            for path, source in dependencies.items():
                _bring(sandbox.folder, path, source)
    except (OSError, shutil.Error) as error:
        # What copies a tree says it with whole lists of paths.
        reason = getattr(error, "strerror", None) or "it cannot be copied"
        raise SeedError("staging", f"{reason} ({_name_of(error)})") from error


def inside(folder: Path, path: str) -> Path:
    """Return where a relative path of a case lies, which is inside the folder or an error.

    Raises:
        SeedError: A link on the way leads out of it.
    """
    place = folder / path
    real = os.path.realpath(place.parent)
    top = os.path.realpath(folder)
    if real != top and not real.startswith(top + os.sep):
        raise SeedError("staging", f"{path} leads out of the sandbox")
    return place


def _copy_fixture(fixture: Path, folder: Path) -> None:
    for where, folders, files in os.walk(fixture):
        for name in [*folders, *files]:
            if os.path.islink(os.path.join(where, name)):
                raise SeedError("staging", f"the fixture holds a symlink: {name}")
    shutil.copytree(fixture, folder, dirs_exist_ok=True)


def _write(folder: Path, path: str, text: str) -> None:
    place = inside(folder, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_symlink():
        raise SeedError("staging", f"{path} is a symlink")
    place.write_bytes(text.encode("utf-8", "surrogatepass"))
    if path.endswith(".sh") or path.replace("\\", "/").split("/")[0] == "bin":
        place.chmod(_RUNNABLE)


def _set_up(sandbox: Sandbox, script: str, stop: threading.Event) -> None:
    ended = processes.run(
        processes.shell(script),
        folder=sandbox.folder,
        environment=plain_environment(sandbox.home),
        timeout=SETUP_SECONDS,
        stop=stop,
    )
    if ended.how == "exited" and ended.exit_code == 0:
        return
    stderr = ended.stderr.strip()[-_STDERR_SHOWN:]
    how = {
        "exited": f"rc={ended.exit_code}",
        "timeout": f"killed after {SETUP_SECONDS:g} s",
        "disk-full": "killed: the disk was running full",
        "stopped": "stopped",
        "too-much-output": "killed: it wrote too much",
        "not-started": "could not be started",
    }[ended.how]
    raise SeedError("setup", f"setup failed ({how}): {stderr}".rstrip(": "))


def _refuse_taken(folder: Path, skills_folder: str) -> None:
    """Refuse a sandbox in which the place of skills is taken, in any arm: one arm may have none."""
    first = skills_folder.split("/", maxsplit=1)[0]
    for name in os.listdir(folder):
        if name.lower() == first.lower():
            raise SeedError("staging", f"the case made {name}, which is where skills are staged")


def _bring(folder: Path, path: str, source: Path) -> None:
    place = inside(folder, path)
    if os.path.lexists(place):
        return  # what the case itself brings comes first
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(
            source, place, ignore=shutil.ignore_patterns("node_modules", ".git", "__tests__")
        )
    else:
        shutil.copy(source, place, follow_symlinks=False)


def _name_of(error: Exception) -> str:
    """Return what an error is about without the folders above it, which name the person."""
    name = getattr(error, "filename", None)
    return Path(str(name)).name if name else type(error).__name__

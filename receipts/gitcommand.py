"""Runs git on this side of the team: for a skill at a commit, and for where a folder is versioned.

Unattended, bounded in time and output, with nothing left running, and in the scope of no repository
but the one around the folder that is named.
"""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from receipts import gitenvironment, processes
from receipts.errors import ReceiptsError
from receipts.terminal import one_line

NETWORK_SECONDS = 120.0
FETCH_SECONDS = 900.0
LOCAL_SECONDS = 120.0
_OUTPUT_LIMIT = 64 << 20
# No hook of the user's runs, nothing is tidied or recursed into, and a silent line is given up.
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "advice.detachedHead=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "protocol.version=2",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
)
# Large files of an extension would be fetched from wherever the repository says.
_QUIET = {"GIT_LFS_SKIP_SMUDGE": "1", "SSH_ASKPASS_REQUIRE": "never"}
_OFFLINE = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}


class Done(NamedTuple):
    """How git ended.

    Attributes:
        code: Its exit code; None when it was ended or could not be started.
        output: What it wrote to stdout.
        why: Why it failed, in one line; empty when it did not.
    """

    code: int | None
    output: bytes
    why: str

    def __bool__(self) -> bool:
        return self.code == 0


def run(
    arguments: Sequence[str],
    *,
    folder: Path,
    timeout: float = LOCAL_SECONDS,
    network: bool = False,
    stdin: bytes | None = None,
    stop: threading.Event | None = None,
    limit: int = _OUTPUT_LIMIT,
) -> Done:
    """Run one git command.

    Args:
        arguments: What follows `git`.
        folder: The folder to run in.
        timeout: The most seconds.
        network: Whether it may reach another machine, or another repository on this one.
        stdin: What it reads.
        stop: Ends it as soon as it is set.
        limit: The most bytes of stdout.

    Raises:
        ReceiptsError: git is not installed.
    """
    git = gitenvironment.git_path()
    if git is None:
        raise ReceiptsError("git is not installed.", "Install git.")
    environment = gitenvironment.base_environment() | _QUIET
    environment |= _ssh(git, folder, environment) if network else _OFFLINE
    before = [part for setting in _SETTINGS for part in ("-c", setting)]
    return _run([git, *before, *arguments], folder, environment, timeout, stdin, stop, limit)


def _run(
    command: list[str],
    folder: Path,
    environment: Mapping[str, str],
    timeout: float,
    stdin: bytes | None,
    stop: threading.Event | None,
    limit: int,
) -> Done:
    output = bytearray()
    ended = processes.run(
        command,
        folder=folder,
        environment=environment,
        timeout=timeout,
        stop=stop,
        stdin=stdin,
        on_output=output.extend,
        limit=limit,
    )
    why = {
        "timeout": f"it did not end within {timeout:g} seconds",
        "stopped": "it was stopped",
        "disk-full": "the disk is full",
        "too-much-output": "it holds too much to be listed",
        "not-started": f"it cannot be started: {one_line(ended.stderr)}",
    }.get(ended.how, "" if ended.exit_code == 0 else _last_words(ended.stderr))
    return Done(ended.exit_code, bytes(output), why)


def _ssh(git: str, folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what keeps ssh from asking: options for the ssh that the user chose."""
    asked = [git, "config", "--get", "core.sshCommand"]
    done = _run(asked, folder, environment, LOCAL_SECONDS, None, None, _OUTPUT_LIMIT)
    configured = done.output.decode("utf-8", "replace").strip()
    command = gitenvironment.ssh_command(dict(environment), configured)
    return {"GIT_SSH_COMMAND": command} if command else {}


def _last_words(stderr: str) -> str:
    """Return the line that says why: the first that git calls fatal, else the last."""
    lines = [one_line(line) for line in stderr.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    found = (fatal or lines[-1:] or ["it gave no reason"])[0]
    return found.removeprefix("fatal: ").removeprefix("error: ")

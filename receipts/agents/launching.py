"""Starting an agent's program, wherever it is, and asking for its version."""

import os
import re
import shutil
import tempfile
from pathlib import Path

from receipts import processes, scrub
from receipts.agents.environment import plain_environment
from receipts.errors import EvalError

SECONDS = 15.0


def program(name: str, variable: str) -> str:
    """Return the path of an agent's program: the one that a variable names, or the one on PATH.

    Raises:
        EvalError: There is none.
    """
    named = os.environ.get(variable)
    found = shutil.which(named or name)
    if found is None:
        what = f"{variable} names {named}, which" if named else f"`{name}`"
        raise EvalError(
            f"{what} is not runnable (not found) — is it installed and on PATH?",
            f"Install it, or name it with {variable}.",
        )
    return os.path.abspath(found)


def version(path: str, name: str, least: tuple[int, ...]) -> str:
    """Return what a program prints for `--version`.

    Raises:
        EvalError: It does not run within 15 seconds, or is older than `least`.
    """
    with tempfile.TemporaryDirectory(prefix="receipts-version-") as folder:
        home = Path(folder)
        output = home / "version"
        ended = processes.run(
            [path, "--version"],
            folder=home,
            environment=plain_environment(home),
            timeout=SECONDS,
            output=output,
        )
        text = output.read_bytes()[:1000].decode("utf-8", "replace").strip()
    if ended.how != "exited" or ended.exit_code != 0 or not text:
        why = scrub.scrub(ended.stderr).strip()[-200:] or ended.how
        raise EvalError(
            f"`{name}` is not runnable ({why}) — is it installed and on PATH?",
            f"Try `{name} --version` yourself.",
        )
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", text)
    if found and tuple(map(int, found.groups())) < least:
        wanted = ".".join(map(str, least))
        raise EvalError(f"`{name}` is {text}, and at least {wanted} is needed.", "Update it.")
    return text.splitlines()[0]

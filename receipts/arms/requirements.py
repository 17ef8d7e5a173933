"""`requires`: whether this machine has the tools that a case names, asked before any session."""

import threading
from pathlib import Path

from receipts import processes
from receipts.agents import plain_environment

_SECONDS = 30.0
_MODULE = "python3:"


def missing(requires: tuple[str, ...], home: Path, stop: threading.Event) -> tuple[str, ...]:
    """Return those of the tools that are not there, as an agent's own commands would find them.

    A tool is a bare name that is a command, or `python3:<module>`, a module that Python imports.
    """
    return tuple(tool for tool in requires if not _is_there(tool, home, stop))


def _is_there(tool: str, home: Path, stop: threading.Event) -> bool:
    if tool.startswith(_MODULE):
        script = "import importlib, sys; importlib.import_module(sys.argv[1])"
        arguments = ["python3", "-c", script, tool.removeprefix(_MODULE)]
    else:
        arguments = [*processes.shell('command -v -- "$1" >/dev/null'), "sh", tool]
    ended = processes.run(
        arguments, folder=home, environment=plain_environment(home), timeout=_SECONDS, stop=stop
    )
    return ended.how == "exited" and ended.exit_code == 0

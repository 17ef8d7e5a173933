"""The agent that acts in the demonstration of an evaluation, and its way to the scripted model."""

import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

from publish.demo.stage import write
from receipts import agents
from receipts.agents.environment import passed_on
from receipts.errors import EvalError

BUILT_IN = "built-in"
_TITLES = {"claude": "Claude Code", "codex": "Codex"}
# Looks as the agents expect a key to look, and opens nothing.
_KEY = "sk-ant-not-a-real-key-0123456789"
_CODEX_CONFIG = """\
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
"""


class Actor(NamedTuple):
    """An agent that acts.

    Attributes:
        name: `claude`, `codex` or `built-in`.
        spec: What `receipts eval --agent` takes.
        title: What to call it.
    """

    name: str
    spec: str
    title: str


def choose(name: str | None) -> Actor:
    """Return the agent of that name; without one, the first that this machine can run.

    Raises:
        EvalError: It cannot be run.
    """
    if name is not None:
        return _built_in() if name == BUILT_IN else _installed(name)
    for each in _TITLES:
        try:
            return _installed(each)
        except EvalError:
            continue
    return _built_in()


def environment(url: str) -> dict[str, str]:
    """Return what leads any of the agents to a scripted model, but for Codex's own file.

    The built-in agent is run with the Python that runs us.
    """
    python = os.path.dirname(os.path.abspath(sys.executable))
    return {
        **passed_on(("RECEIPTS_CLAUDE", "RECEIPTS_CODEX")),
        "PATH": os.pathsep.join([python, os.environ.get("PATH", os.defpath)]),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": _KEY,
        "SCRIPTED_KEY": _KEY,
        "RECEIPTS_AGENT_ENV": "ANTHROPIC_BASE_URL",
    }


def configure_codex(home: Path, url: str) -> None:
    """Write the file from which Codex knows its model's endpoint."""
    write(home / ".codex" / "config.toml", _CODEX_CONFIG.format(url=url))


def _installed(name: str) -> Actor:
    number = re.search(r"\d[\w.]*", agents.find(name).version())
    return Actor(name, name, f"{_TITLES[name]} {number[0] if number else ''}".rstrip())


def _built_in() -> Actor:
    # -P: no module is looked for in the sandbox that it runs in.
    python = os.path.basename(sys.executable)
    spec = f"command:{python} -P -m receipts.scripted.agent"
    return Actor(BUILT_IN, spec, "a small one that is built in")

"""The environment of an agent: built from what it needs, never inherited.

Everything that is passed on is listed here and in docs/reference/agents.md.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

PLAIN = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    # What a program needs to start on Windows.
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMDATA",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
)
NETWORK = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
)

_SECRET = re.compile(r"KEY|TOKEN|SECRET|HEADER|PASSWORD", re.IGNORECASE)
_SHORTEST_SECRET = 6


def plain_environment(home: Path) -> dict[str, str]:
    """Return what a case's own commands run in: a fresh home, and nothing that logs anybody in."""
    temporary = home / "tmp"
    temporary.mkdir(mode=0o700, parents=True, exist_ok=True)
    return passed_on(PLAIN) | {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "TERM": "dumb",
        # The boundary is no repository, and git is not to look for one above it.
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary)),
    }


def agent_environment(home: Path, names: Iterable[str], fixed: Mapping[str, str]) -> dict[str, str]:
    """Return what an agent runs in.

    Args:
        home: Its fresh home.
        names: The variables that log it in and lead to its endpoint.
        fixed: What is set for every session.
    """
    return plain_environment(home) | passed_on(NETWORK) | passed_on(names) | dict(fixed)


def bound(folder: Path) -> None:
    """Mark a folder as the end of where agents look upwards for skills and instructions.

    They stop at the root of a git repository, and take any `.git` for one. Without a mark, a
    sandbox below a home would see what is installed there for the person.

    Raises:
        OSError: It cannot be marked.
    """
    (folder / ".git").mkdir(mode=0o700, exist_ok=True)


def passed_on(names: Iterable[str]) -> dict[str, str]:
    """Return those of the variables that are set here and not empty."""
    return {name: value for name in names if (value := os.environ.get(name))}


def secrets_in(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of an environment that nothing said about a session may repeat."""
    found = []
    for name, value in environment.items():
        if _SECRET.search(name) and len(value) >= _SHORTEST_SECRET:
            found += [value, *(line.partition(":")[2].strip() for line in value.splitlines())]
    return tuple(value for value in found if len(value) >= _SHORTEST_SECRET)


def link_login(login: Path, target: Path) -> None:
    """Make an agent's login readable in its fresh home, by a link: a copy would go stale.

    A login that is not there is none; the agent will say so.
    """
    if not login.is_file():
        return
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.path.lexists(target):
        target.symlink_to(login)

"""Remotes of every kind, and what a member has to set up to reach them."""

import contextlib
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.parts import NIGHTLY
from tests.servers.smart_http import Meddle, basic, smart_http

KINDS = ("path", "file", "git", "http", "https", "ssh")
SAMPLE = ("path", "http", "ssh")
"""What every run takes of them: no server, one connection for each request, and ssh."""
TAKEN = KINDS if NIGHTLY else SAMPLE
WITHOUT_GIT = "path, without git"
_USER, _PASSWORD = "team", "s3cr3t-Zk9qLw2x"


class Remote(NamedTuple):
    """A remote: its address, the repository behind it, and what its members set up."""

    url: str
    repository: Path
    environment: dict[str, str]
    git_config: str


def serve(
    kind: str,
    repository: Path,
    request: pytest.FixtureRequest,
    stack: contextlib.ExitStack,
    meddle: Meddle | None = None,
) -> Remote:
    """Serve a repository in one of the `KINDS`, or to members without git, until a stack ends.

    Args:
        kind: How it is reached.
        repository: The repository.
        request: Asks for the servers that the whole session shares.
        stack: Ends the others.
        meddle: Looks at each HTTP request first.
    """
    environment, config = dict[str, str](), ""
    if kind == "file":
        url = f"file://{repository}"
    elif kind == "git":
        url = f"{request.getfixturevalue('daemon_url')}{repository}"
    elif kind == "http":
        url = stack.enter_context(smart_http(meddle=meddle)).url_of(repository)
    elif kind == "https":
        certificate = request.getfixturevalue("certificate")
        access = basic(_USER, _PASSWORD)
        server = stack.enter_context(smart_http(access, meddle, certificate.pair))
        url = server.url_of(repository)
        passwords = repository.parent / "passwords"
        passwords.write_text(server.url.replace("://", f"://{_USER}:{_PASSWORD}@") + "\n")
        config = (
            f"[credential]\n\thelper = store --file {passwords}\n"
            f"[http]\n\tsslCAInfo = {certificate.public}\n\tsslCAPath = {certificate.folder}\n"
        )
    elif kind == "ssh":
        ssh = request.getfixturevalue("ssh_server")
        url = f"{ssh.url}{repository}"
        environment["GIT_SSH_COMMAND"] = ssh.command
    else:
        url = str(repository)
        if kind == WITHOUT_GIT:
            environment["PATH"] = str(repository.parent)
    return Remote(url, repository, environment, config)

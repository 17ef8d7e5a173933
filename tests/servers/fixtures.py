"""Fixtures: a bare team repository behind each kind of remote."""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from publish.git import create_bare
from tests.parts import require_part
from tests.servers.certificates import Certificate, self_signed
from tests.servers.daemons import SshServer, git_daemon, ssh_agent, sshd, sshd_path
from tests.servers.smart_http import smart_http

MEMORY = Path("/dev/shm")
KINDS = ("path", "file", "git", "http", "ssh")


class TeamServer(NamedTuple):
    """A remote: how it is reached, and the repository behind it, for the test to look into."""

    kind: str
    url: str
    repository: Path

    def git(self, *arguments: str) -> str:
        """Run git in the repository behind the remote and return what it prints."""
        done = subprocess.run(
            ["git", "-C", str(self.repository), *arguments],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def hook(self, name: str, script: str) -> None:
        """Install a server-side hook."""
        hooks = self.repository / "hooks"
        hooks.mkdir(exist_ok=True)
        (hooks / name).write_text(f"#!/bin/sh\n{script}\n")
        (hooks / name).chmod(0o755)


@pytest.fixture(scope="session")
def daemon_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a git daemon for the whole session."""
    require_part(shutil.which("git") is not None, "git")
    log = tmp_path_factory.mktemp("daemon") / "log"
    with git_daemon(tmp_path_factory.getbasetemp(), log, MEMORY) as url:
        yield url


@pytest.fixture(scope="session")
def ssh_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    """Run an sshd for the whole session."""
    require_part(sshd_path() is not None, "sshd (Debian: openssh-server)")
    require_part(shutil.which("ssh-keygen") is not None, "ssh-keygen")
    with sshd(tmp_path_factory.mktemp("ssh") / "sshd") as server:
        yield server


@pytest.fixture(scope="session")
def agent_socket(ssh_server: SshServer) -> Iterator[Path]:
    """Run an agent that holds the user's key; return the socket that it is asked on."""
    require_part(shutil.which("ssh-agent") is not None, "ssh-agent (Debian: openssh-client)")
    with ssh_agent(ssh_server.folder / "user") as path:
        yield path


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """Make a certificate for this machine and for `team.invalid`, which only a proxy finds."""
    require_part(shutil.which("openssl") is not None, "openssl")
    return self_signed(tmp_path_factory.mktemp("certificate"), "team.invalid")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make an empty team repository that takes pushes."""
    require_part(shutil.which("git") is not None, "git")
    path = tmp_path / "server" / "team.git"
    create_bare(path)
    command = ["git", "-C", str(path), "config", "http.receivepack", "true"]
    subprocess.run(command, check=True)
    return path


@pytest.fixture(params=KINDS)
def team_server(
    request: pytest.FixtureRequest, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TeamServer]:
    """Serve a team repository, once in each way there is."""
    with contextlib.ExitStack() as stack:
        kind = str(request.param)
        if kind == "path":
            url = str(repository)
        elif kind == "file":
            url = f"file://{repository}"
        elif kind == "git":
            url = f"{request.getfixturevalue('daemon_url')}{repository}"
        elif kind == "http":
            url = stack.enter_context(smart_http()).url_of(repository)
        else:
            server: SshServer = request.getfixturevalue("ssh_server")
            monkeypatch.setenv("GIT_SSH_COMMAND", server.command)
            url = f"{server.url}{repository}"
        yield TeamServer(kind, url, repository)

"""Servers that are programs of their own: git daemon and sshd."""

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_STARTED_SECONDS = 10.0
_TRIES = 5


def free_port() -> int:
    """Return a port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(command: Sequence[str], port: int, log: Path) -> Iterator[None]:
    """Run a server until the end of the block; it has answered once when the block begins."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            _wait_for(process, port, log)
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(_STARTED_SECONDS)


def _wait_for(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + _STARTED_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if process.poll() is not None:
            break
        time.sleep(0.02)
    raise RuntimeError(f"the server did not start: {log.read_text(errors='replace')}")


@contextlib.contextmanager
def git_daemon(root: Path, log: Path, *more: Path) -> Iterator[str]:
    """Serve every repository below some folders; yields the address of the file system's root."""
    for attempt in range(_TRIES):
        port = free_port()
        command = ["git", "daemon", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}"]
        command += ["--export-all", "--enable=receive-pack", "--max-connections=0"]
        command += [str(folder) for folder in (root, *more)]
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(running(command, port, log))
            except RuntimeError:  # somebody else took the port meanwhile
                if attempt == _TRIES - 1:
                    raise
                continue
            yield f"git://127.0.0.1:{port}"
            return


class SshServer(NamedTuple):
    """An sshd: the address of the file system's root, and the command that logs in to it.

    `folder` is the home of whoever logs in; it also holds the key `user` and the hosts `known`.
    """

    url: str
    command: str
    folder: Path

    @property
    def known(self) -> Path:
        """The file that names the server's key."""
        return self.folder / "known"

    @property
    def host(self) -> str:
        """`user@host`, for ssh."""
        return self.url.removeprefix("ssh://").rpartition(":")[0]

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.url.rpartition(":")[2])


def sshd_path() -> str | None:
    """Return where sshd is, or None."""
    return shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


@contextlib.contextmanager
def sshd(folder: Path) -> Iterator[SshServer]:
    """Run an sshd with keys of its own that lets this user in, and would ask for a password."""
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(command, check=True)
    if os.geteuid() == 0:  # where it wants to give up its rights
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    port = free_port()
    (folder / "config").write_text(
        f"""\
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication yes
KbdInteractiveAuthentication no
PermitRootLogin yes
MaxStartups 500:30:1000
KexAlgorithms curve25519-sha256
AcceptEnv GIT_PROTOCOL
SetEnv HOME={folder} GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL={folder}/none
"""
    )
    key = (folder / "host.pub").read_text()
    (folder / "known").write_text(f"[127.0.0.1]:{port} {key}")
    program = sshd_path() or "sshd"
    command = [program, "-D", "-e", "-f", str(folder / "config")]
    with running(command, port, folder / "log"):
        yield SshServer(
            f"ssh://{getpass.getuser()}@127.0.0.1:{port}",
            f"ssh -F none -i {folder}/user -o IdentitiesOnly=yes "
            f"-o UserKnownHostsFile={folder}/known -o GlobalKnownHostsFile=none",
            folder,
        )


@contextlib.contextmanager
def ssh_agent(key: Path) -> Iterator[Path]:
    """Run an agent that holds a key; yields the socket that it is asked on."""
    # A short path: the name of a socket may have about a hundred characters.
    with tempfile.TemporaryDirectory(prefix="agent", dir="/tmp") as folder:
        place = Path(folder, "socket")
        process = subprocess.Popen(
            ["ssh-agent", "-D", "-a", str(place)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        try:
            deadline = time.monotonic() + _STARTED_SECONDS
            while not place.exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            environment = {**os.environ, "SSH_AUTH_SOCK": str(place)}
            command = ["ssh-add", "-q", str(key)]
            subprocess.run(command, env=environment, check=True, stdin=subprocess.DEVNULL)
            yield place
        finally:
            process.terminate()
            process.wait(_STARTED_SECONDS)

"""Servers that are programs of their own: git daemon and sshd."""

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
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
def git_daemon(root: Path, log: Path) -> Iterator[str]:
    """Serve every repository below a folder; yields the address of the file system's root."""
    for attempt in range(_TRIES):
        port = free_port()
        command = ["git", "daemon", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}"]
        command += ["--export-all", "--enable=receive-pack", "--max-connections=0", str(root)]
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
    """An sshd: the address of the file system's root, and the command that logs in to it."""

    url: str
    command: str
    known: Path


def sshd_path() -> str | None:
    """Return where sshd is, or None."""
    return shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


@contextlib.contextmanager
def sshd(folder: Path) -> Iterator[SshServer]:
    """Run an sshd with keys of its own that lets this user in."""
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
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
MaxStartups 500:30:1000
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
            folder / "known",
        )

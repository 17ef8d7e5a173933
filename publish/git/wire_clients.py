"""dulwich's clients with what they lack: limits on time, our environment for their children."""

import contextlib
import os
import shlex
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, NamedTuple

from dulwich.client import (
    GitClient,
    SSHGitClient,
    SSHVendor,
    SubprocessGitClient,
    SubprocessWrapper,
    TCPGitClient,
)
from dulwich.protocol import Protocol

from publish.git import classify, environment, process, settings
from publish.git.remote import Remote, existing
from publish.git.settings import Setting
from publish.git.watchdog import Watchdog
from receipts.errors import RemoteError

if TYPE_CHECKING:
    from urllib3.connection import HTTPConnection


# From this size on git packs a file without holding it in memory, as it would half a gigabyte.
_STREAMED = Setting("core.bigfilethreshold", "16m", own=True)


class Connection(NamedTuple):
    """A client, the path to give it, and what its child process wrote on stderr so far."""

    client: GitClient
    path: bytes
    stderr: Callable[[], str]


@contextlib.contextmanager
def connect(remote: Remote, watchdog: Watchdog, *, pushing: bool) -> Iterator[Connection]:
    """Yield a client for a remote that the watchdog can end at any moment.

    Raises:
        RemoteError: The user's configuration asks for what only git can do.
        TeamError: git's configuration cannot be read.
        UsageError: It rewrites the address into none.
    """
    if environment.git_path() is None:
        remote = _rewritten(remote, pushing=pushing)
    with tempfile.TemporaryFile() as stderr:
        children = _Children(remote, watchdog, stderr)
        client = _client(remote, watchdog, children)
        path = existing(remote.path) if remote.is_local else _path_there(remote)
        try:
            yield Connection(client, os.fsencode(path), lambda: process.tail(stderr))
        finally:
            client.close()
            children.end()


def _rewritten(remote: Remote, *, pushing: bool) -> Remote:
    """Apply `insteadOf` and `pushInsteadOf`, as git does where there is one."""
    url = settings.here().rewritten(remote.url, pushing=pushing)
    if url == remote.url:
        return remote
    other = Remote.parse(url)
    if other.is_local:
        raise RemoteError(
            f"git's configuration sends {remote} to a folder, which needs git.", "Install git."
        )
    return other


def _path_there(remote: Remote) -> str:
    """Return the path as the other side takes it: `/~/team` begins in the user's home."""
    is_home = remote.kind in ("ssh", "git") and remote.path.startswith("/~")
    return remote.path[1:] if is_home else remote.path


def _client(remote: Remote, watchdog: Watchdog, children: "_Children") -> GitClient:
    if remote.is_local:
        return _FolderClient(children, watchdog)
    if remote.kind == "git":
        return _SocketClient(remote, children, watchdog)
    if remote.kind == "ssh":
        return _SshClient(remote, children, watchdog)
    from publish.git import wire_http

    def watch(connection: "HTTPConnection") -> None:
        opened = connection.sock
        children.on_end(connection.close)
        watchdog.heard()
        if opened is not None:
            watchdog.on_expiry(lambda: _shut(opened))

    return wire_http.client(remote, watch, watchdog.heard)


class _Children:
    """The processes and connections of a conversation; they end with it."""

    def __init__(self, remote: Remote, watchdog: Watchdog, stderr: IO[bytes]) -> None:
        self._remote, self._watchdog, self._stderr = remote, watchdog, stderr
        self._started: list[subprocess.Popen[bytes]] = []
        self._closes: list[Callable[[], None]] = []

    def start(self, command: Sequence[str], env: dict[str, str]) -> "_Pipe":
        try:
            child = process.start(command, env=env, stdin=subprocess.PIPE, stderr=self._stderr)
        except OSError as error:
            raise classify.cannot_run(command[0], self._remote, error) from error
        self._started.append(child)
        self._watchdog.on_expiry(lambda: process.end(child))
        return _Pipe(child)

    def own(self, protocol: Protocol) -> Protocol:
        """Close a protocol at the end: dulwich leaves it open when the first answer is an error."""
        self.on_end(protocol.close)
        return protocol

    def on_end(self, close: Callable[[], None]) -> None:
        self._closes.append(close)

    def end(self) -> None:
        for close in self._closes:
            with contextlib.suppress(OSError, ValueError):
                close()
        for child in self._started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(process.CONNECT_SECONDS)
            process.end(child)


class _Pipe(SubprocessWrapper):
    """A child's pipes, written to until everything is written."""

    def __init__(self, child: "subprocess.Popen[bytes]") -> None:
        super().__init__(child)
        self.write = self._write_all  # type: ignore[assignment]

    def _write_all(self, data: bytes) -> int:
        stream, rest = self.proc.stdin, memoryview(data)
        while stream and rest:
            rest = rest[stream.write(rest) :]
        return len(data)

    def close(self, timeout: int | None = 60) -> None:
        """Close both pipes; whoever started the child waits for it."""
        del timeout
        for stream in (self.proc.stdin, self.proc.stdout):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()


class _FolderClient(SubprocessGitClient):
    """Speaks to `git upload-pack` and `git receive-pack` on this machine, whose hooks then run."""

    def __init__(self, children: _Children, watchdog: Watchdog) -> None:
        super().__init__(report_activity=watchdog.heard)
        self._children = children

    def _connect(
        self, cmd: bytes, path: bytes | str, protocol_version: int | None = None
    ) -> tuple[Protocol, Callable[[], bool], IO[bytes] | None]:
        del protocol_version
        git = environment.git_path() or "git"
        env = environment.base_environment()
        env |= settings.as_environment([_STREAMED], env)
        pipe = self._children.start([git, cmd.decode(), os.fsdecode(path)], env)
        protocol = Protocol(
            pipe.read, pipe.write, pipe.close, report_activity=self._report_activity
        )
        return self._children.own(protocol), pipe.can_read, None


class _SshClient(SSHGitClient):
    """ssh, whose connection ends with the conversation however that ends."""

    def __init__(self, remote: Remote, children: _Children, watchdog: Watchdog) -> None:
        super().__init__(
            remote.host,
            port=remote.port,
            username=remote.user or None,
            vendor=_SshVendor(children),
            report_activity=watchdog.heard,
        )
        self._children = children

    def _connect(
        self, cmd: bytes, path: str | bytes, protocol_version: int | None = None
    ) -> tuple[Protocol, Callable[[], bool], IO[bytes] | None]:
        protocol, can_read, _ = super()._connect(cmd, path, protocol_version)
        return self._children.own(protocol), can_read, None


class _SocketClient(TCPGitClient):
    """git:// with limits on connecting, on silence and on the whole."""

    def __init__(self, remote: Remote, children: _Children, watchdog: Watchdog) -> None:
        super().__init__(remote.host, port=remote.port, report_activity=watchdog.heard)
        self._children, self._watchdog = children, watchdog

    def _connect(
        self, cmd: bytes, path: str | bytes, protocol_version: int | None = None
    ) -> tuple[Protocol, Callable[[], bool], IO[bytes] | None]:
        del protocol_version  # the oldest will do: one branch is all that is asked for
        path = path.encode() if isinstance(path, str) else path
        connection = socket.create_connection(
            (self._host, self._port), timeout=process.CONNECT_SECONDS
        )
        connection.settimeout(process.SILENCE_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._watchdog.on_expiry(lambda: _shut(connection))
        stream = connection.makefile("rb")

        def write(data: bytes) -> int:
            connection.sendall(data)
            return len(data)

        def close() -> None:
            stream.close()
            connection.close()

        protocol = Protocol(stream.read, write, close, report_activity=self._report_activity)
        self._children.own(protocol)
        protocol.send_cmd(b"git-" + cmd, path, b"host=" + self._host.encode("idna"))
        return protocol, lambda: _can_read(connection), None


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _can_read(connection: socket.socket) -> bool:
    import select

    return bool(select.select([connection], [], [], 0)[0])


class _SshVendor(SSHVendor):
    """Runs the system's ssh, which knows the user's configuration, agent and keys."""

    def __init__(self, children: _Children) -> None:
        self._children = children

    def run_command(
        self,
        host: str,
        command: bytes,
        username: str | None = None,
        port: int | None = None,
        password: str | None = None,
        key_filename: str | None = None,
        ssh_command: str | None = None,
        protocol_version: int | None = None,
    ) -> _Pipe:
        """Start a git command on a host."""
        del password, key_filename, ssh_command, protocol_version  # never given: ssh knows best
        env = environment.base_environment()
        configured = settings.here().get("core.sshcommand", own=True)
        quiet = environment.ssh_command(env, configured)
        chosen = quiet or env.get("GIT_SSH_COMMAND") or configured
        chosen = chosen or shlex.quote(env.get("GIT_SSH") or "ssh")
        where = ["-p", str(port)] if port else []
        target = f"{username}@{host}" if username else host
        return self._children.start(
            [*shlex.split(chosen), "-x", *where, "--", target, command.decode()], env
        )

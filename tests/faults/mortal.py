"""Runs `receipts` in processes that kill themselves at a chosen step.

Started as a program, this is a server: it imports everything once, then forks for each request, so
that a thousand deaths take a minute. A step is anything that changes a file, takes a lock, starts
a program or writes to one: what another process can see.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_STEPS = frozenset(
    {
        "os.rename",
        "os.remove",
        "os.rmdir",
        "os.mkdir",
        "os.link",
        "os.symlink",
        "os.chmod",
        "os.truncate",
        "fcntl.flock",
        "subprocess.Popen",
        "socket.connect",
    }
)


class Died(NamedTuple):
    """How a command ended: `code` is negative when a signal ended it; `steps` that it took."""

    code: int
    steps: int
    out: str
    err: str


class Mortal(NamedTuple):
    """The server's standard input and output."""

    send: Callable[[str], object]
    receive: Callable[[], str]

    def run(
        self,
        arguments: list[str],
        environment: dict[str, str],
        folder: Path,
        *,
        output: Path,
        death: int | None = None,
        torn: bool = False,
        largest: int | None = None,
    ) -> Died:
        """Run a command.

        Args:
            arguments: What follows `receipts`.
            environment: All of it.
            folder: Where to run it.
            output: A folder for what it prints.
            death: The step to die at, counted from 0; None lives.
            torn: Die only while a file is brought to the disk, with half of it there; `death`
                counts these steps alone.
            largest: The most bytes that a file may have, as `ulimit -f` sets it.
        """
        request = {
            "arguments": arguments,
            "environment": environment,
            "folder": str(folder),
            "death": -1 if death is None else death,
            "torn": torn,
            "output": str(output),
            "largest": largest,
        }
        self.send(json.dumps(request) + "\n")
        return Died(**json.loads(self.receive()))


class _Steps:
    """Counts steps in a forked child and ends it at one of them."""

    def __init__(self, death: int, *, torn: bool) -> None:
        self.death, self.torn, self.count = death, torn, 0

    def take(self, descriptor: int | None = None) -> None:
        if self.torn != (descriptor is not None):
            return
        if self.count == self.death:
            if descriptor is not None:
                os.ftruncate(descriptor, os.fstat(descriptor).st_size // 2)
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1

    def install(self) -> None:
        sys.addaudithook(self._audit)
        real = os.fsync

        def fsync(descriptor: Any) -> None:
            number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
            if not os.path.isdir(f"/proc/self/fd/{number}"):
                self.take(number if self.torn else None)
            real(descriptor)

        os.fsync = fsync  # type: ignore[assignment]
        from dulwich.protocol import Protocol

        write = Protocol.write_pkt_line

        def write_pkt_line(protocol: Protocol, line: bytes | None) -> None:
            self.take()
            write(protocol, line)

        Protocol.write_pkt_line = write_pkt_line  # type: ignore[method-assign, assignment]

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _STEPS or (event == "open" and (arguments[2] or 0) & _WRITING):
            self.take()


def _serve() -> None:
    _import_everything()
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(_forked(request)), flush=True)


def _import_everything() -> None:
    import importlib
    import pkgutil

    for name in ("receipts", "store", "publish"):
        for module in pkgutil.walk_packages([str(Path(__file__).parents[2] / name)], f"{name}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in ("dulwich.client", "filelock", "rich.table", "rich.console"):
        importlib.import_module(name)


def _forked(request: dict[str, Any]) -> dict[str, Any]:
    out, err = (Path(request["output"], name) for name in ("out", "err"))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _be_the_command(request, out, err, writer)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        counted = pipe.read()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return {
        "code": code,
        "steps": int(counted or 0),
        "out": out.read_text("utf-8", "replace"),
        "err": err.read_text("utf-8", "replace"),
    }


def _be_the_command(request: dict[str, Any], out: Path, err: Path, writer: int) -> None:
    from receipts import cli

    null = os.open(os.devnull, os.O_RDONLY)
    for number, target in ((0, null), (1, _fresh(out)), (2, _fresh(err))):
        os.dup2(target, number)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    if request["largest"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["largest"], resource.RLIM_INFINITY))
    steps = _Steps(request["death"], torn=request["torn"])
    steps.install()
    try:
        code = cli.run(request["arguments"])
    except BaseException:  # noqa: BLE001 - the child must not go on as the server
        import traceback

        traceback.print_exc()
        code = 99
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(writer, str(steps.count).encode())
    os._exit(code)


def _fresh(file: Path) -> int:
    return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)


if __name__ == "__main__":
    _serve()

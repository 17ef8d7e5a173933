"""The largest process of a command, in a team of many receipts."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.members import Server
from tests.benchmarks.results import Must, Result
from tests.benchmarks.starting import command
from tests.benchmarks.world import World, using
from tests.store import samples

_KIND = "path"
_WATCHER = Path(__file__).with_name("watcher.py")
_MOST = Must(least=False, figure=300, unit=" MB")


def results(world: World) -> Iterator[Result]:
    """Measure sync for the first time and again, cards and publish."""
    server = Server(world, world.sizes.many, "memory")
    first = world.machine("memory-first", {_KIND: server.address(_KIND)})
    with using(first):
        yield _measured("sync, the first", ["sync"])
        yield _measured("cards", ["cards", "--team"])
        server.commit_aside()
        yield _measured("sync", ["sync"])
        skill, path = _evaluated_skill(world, server, first)
        yield _measured("publish", ["publish", str(skill)])
    server.check()
    assert path in server.files()


def _evaluated_skill(world: World, server: Server, state: Path) -> tuple[Path, str]:
    """Return a published skill of which this machine has a new receipt, and its place to be."""
    of, path, data = server.receipts.take()
    folder = world.scratch("published") / of.name
    for name, content in of.files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    samples.put(state, data, of.digest, Path(path).stem)
    return folder, path


def _measured(what: str, arguments: list[str]) -> Result:
    watched = [sys.executable, str(_WATCHER), *command(), *arguments]
    done = subprocess.run(watched, stdout=subprocess.PIPE, check=True, text=True)
    peak = int(done.stdout) / 1024
    return Result("memory", what, peak, _MOST, peak, None, unit="MB")

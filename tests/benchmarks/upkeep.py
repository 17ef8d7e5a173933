"""One mirror after thousands of writes and syncs, beside a fresh one of the same team."""

import os
from collections.abc import Iterator
from pathlib import Path

from publish.git import Mirror, Remote, fetch
from publish.snapshot import Snapshot
from publish.teamcards import team_card
from tests.benchmarks.members import BRANCH, Machine, Server, check_trees
from tests.benchmarks.results import Must, Result, at_most, compared
from tests.benchmarks.timing import Side, interleaved
from tests.benchmarks.world import World

_KIND = "path"


def results(world: World) -> Iterator[Result]:
    """Write very often, a teammate's commit in between, then read."""
    server = Server(world, world.sizes.few, "upkeep")
    machine = Machine(server, (_KIND,))
    for _ in range(world.sizes.writes):
        server.commit_aside()
        machine.sync(_KIND)
        machine.write(_KIND)
    worn, fresh = machine.mirror(_KIND), world.scratch("fresh") / "team.git"
    remote = Remote.parse(server.address(_KIND))
    with Mirror.open(fresh, remote) as mirror:
        fetch(mirror)
    check_trees(server, (worn, BRANCH), (fresh, BRANCH))
    server.check()

    open_files: list[int] = []
    sides = {
        "ours": Side(lambda: open_files.append(_read(worn, remote))),
        "theirs": Side(lambda: _read(fresh, remote)),
    }
    runs = interleaved(sides, world.sizes.rounds_of(0.5))
    yield compared("upkeep", "reading", at_most(1.3), runs["ours"], runs["theirs"])
    packs = len(list((worn / "objects" / "pack").glob("*.pack")))
    yield _counted("packs", packs, 49)
    yield _counted("open files", max(open_files), 299)


def _counted(what: str, count: int, most: int) -> Result:
    return Result("upkeep", what, count, Must(False, most, f" {what}"), count, None, unit=what)


def _read(place: Path, remote: Remote) -> int:
    """Read every card of a mirror from nothing; return how many files are open meanwhile."""
    with Mirror.open(place, remote) as mirror:
        snapshot = Snapshot(mirror.view())
        for name in snapshot.skills():
            assert team_card("team", snapshot, name).receipt
        return len(os.listdir("/proc/self/fd"))

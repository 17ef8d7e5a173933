"""One receipt committed and pushed, beside git in a full clone, git plumbing, and a bare push.

Each side fetches what the others pushed since its last turn, as teammates do.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from tests.benchmarks.members import BRANCH, FullClone, Machine, Plumbing, Server, check_trees
from tests.benchmarks.results import Result, at_most, compared, times_faster
from tests.benchmarks.timing import Side, Spent, interleaved, wall
from tests.benchmarks.world import KINDS, Team, World

# Where the installed git is the transport, most of the time is its own.
_FASTER = {"path": 3.5, "git": 3.5, "http": 1.5, "ssh": 1.5}


class _Place(NamedTuple):
    """A server, and those who write to it."""

    server: Server
    ours: Machine
    plumbing: Plumbing

    @classmethod
    def of(cls, world: World, size: Team, name: str) -> "_Place":
        server = Server(world, size, name)
        return cls(server, Machine(server), Plumbing(server))

    def sides(self, kind: str, size: str) -> dict[str, Side]:
        self.plumbing.use(kind)
        return {
            f"ours {size}": Side(partial(self.ours.write, kind)),
            f"push {size}": Side(self.plumbing.push, before=self.plumbing.prepare),
        }


def results(world: World) -> Iterator[Result]:
    """Time writes over each transport, and how they grow with the repository."""
    few = _Place.of(world, world.sizes.few, "writing-few")
    many = _Place.of(world, world.sizes.many, "writing-many")
    clone = FullClone(many.server)
    for kind in KINDS:
        clone.use(kind)
        sides = {
            **few.sides(kind, "few"),
            **many.sides(kind, "many"),
            "clone": Side(clone.write),
            "plumbing": Side(many.plumbing.write),
        }
        runs = interleaved(sides, world.sizes.rounds)
        ours = runs["ours many"]
        yield compared("write-clone", kind, times_faster(_FASTER[kind]), ours, runs["clone"])
        yield compared("write-plumbing", kind, times_faster(1.3), ours, runs["plumbing"])
        yield _growth(kind, runs)
        many.ours.sync(kind)
        clone.fetch()
        trees = [(clone.folder, "origin/main"), (many.ours.mirror(kind), BRANCH)]
        check_trees(many.server, *trees)
        few.server.check()
        many.server.check()


def _growth(kind: str, runs: dict[str, list[Spent]]) -> Result:
    growth = {
        side: [
            Spent(many.wall / few.wall, 0)
            for many, few in zip(runs[f"{side} many"], runs[f"{side} few"], strict=True)
        ]
        for side in ("ours", "push")
    }
    of_ours, of_push = wall(growth["ours"]), wall(growth["push"])
    return Result(
        "write-growth",
        kind,
        of_ours / of_push,
        at_most(1.0),
        of_ours,
        of_push,
        unit="× as long",
        rounds=len(growth["ours"]),
    )

"""Sync beside `git fetch`, with nothing new and with one new commit; and the first clone."""

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from publish.git import Mirror, Remote, fetch
from tests.benchmarks.members import BRANCH, FullClone, Machine, Server, check_trees
from tests.benchmarks.results import Result, at_most, compared
from tests.benchmarks.timing import Side, interleaved
from tests.benchmarks.world import KINDS, World
from tests.publish.git.samples import git


def results(world: World) -> Iterator[Result]:
    """Time what is fetched over each transport."""
    server = Server(world, world.sizes.many, "fetching")
    ours, clone = Machine(server), FullClone(server)
    for kind in KINDS:
        clone.use(kind)
        ours.sync(kind)
        clone.fetch()
        sides = {"ours": Side(partial(ours.sync, kind)), "theirs": Side(clone.fetch)}
        runs = interleaved(sides, world.sizes.rounds_of(2))
        yield compared("sync-nothing", kind, at_most(1.0), runs["ours"], runs["theirs"])
        runs = interleaved(sides, world.sizes.rounds, before_each=server.commit_aside)
        yield compared("sync-one", kind, at_most(0.9), runs["ours"], runs["theirs"])
        trees = [(ours.mirror(kind), BRANCH), (clone.folder, "origin/main")]
        check_trees(server, *trees)


def first_clones(world: World) -> Iterator[Result]:
    """Time the first clone over each transport; a folder's through its transport, not by links."""
    server = Server(world, world.sizes.some, "first-clone")
    places = {side: world.folder / "clones" / f"first-{side}.git" for side in ("ours", "theirs")}

    def clear(place: Path) -> None:
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(exist_ok=True)

    for kind in ("file", *KINDS[1:]):
        url = server.address(kind)
        sides = {
            "ours": Side(partial(_clone, places["ours"], url), partial(clear, places["ours"])),
            "theirs": Side(
                partial(git, world.folder, "clone", "-q", "--bare", url, str(places["theirs"])),
                partial(clear, places["theirs"]),
            ),
        }
        runs = interleaved(sides, world.sizes.rounds_of(0.5))
        yield compared("first-clone", kind, at_most(1.3), runs["ours"], runs["theirs"])
        check_trees(server, *((place, BRANCH) for place in places.values()))
        git(places["ours"], "fsck", "--connectivity-only")


def _clone(place: Path, url: str) -> None:
    with Mirror.open(place, Remote.parse(url)) as mirror:
        fetch(mirror)

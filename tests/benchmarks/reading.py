"""The cards of a team, beside reading the same files in a work tree."""

import json
import os
import shutil
from collections.abc import Iterator

from publish import repository
from publish.showing import all_cards
from receipts.receipt import Receipt
from store import config
from store.cards import SCORED, Card
from tests.benchmarks.members import FullClone, Machine, Server
from tests.benchmarks.results import Result, at_most, compared, times_faster
from tests.benchmarks.timing import Side, interleaved
from tests.benchmarks.world import World, using
from tests.publish.git.samples import git

_KIND = "path"


def results(world: World) -> Iterator[Result]:
    """Time the cards of a team: the first time, again, and after one new receipt."""
    team = _Team(world)
    sides = {
        "tree": Side(team.read_tree),
        "first": Side(team.cards, before=team.forget),
        "unchanged": Side(team.cards, before=team.remember),
        "one-new": Side(team.cards, before=team.receive_one),
    }
    runs = interleaved(sides, world.sizes.rounds_of(0.5))
    yield compared("cards-first", "", at_most(4), runs["first"], runs["tree"])
    for side, times in (("unchanged", 10), ("one-new", 8)):
        yield compared(f"cards-{side}", "", times_faster(times), runs[side], runs["first"])
    team.check()


class _Team:
    """A machine that has fetched a team of many skills, and a full clone of the same."""

    def __init__(self, world: World) -> None:
        self._server = Server(world, world.sizes.some, "cards")
        self._machine = Machine(self._server, (_KIND,))
        self._clone = FullClone(self._server)
        self._cache = self._machine.state / "cache"
        self._kept = world.scratch("known") / "cache"
        self.forget()
        self.cards()
        shutil.copytree(self._cache, self._kept)

    def cards(self) -> list[Card]:
        """Do what `receipts cards --team` does, up to the printing."""
        with using(self._machine.state):
            cards, problems = all_cards(None, "team")
        assert problems == []
        return cards

    def forget(self) -> None:
        """Be a machine that has just cloned."""
        shutil.rmtree(self._cache, ignore_errors=True)

    def remember(self) -> None:
        """Be a machine that has shown the cards before, and knows all that there is."""
        self.forget()
        shutil.copytree(self._kept, self._cache)
        self.cards()
        shutil.rmtree(self._kept)
        shutil.copytree(self._cache, self._kept)

    def receive_one(self) -> None:
        """Be one that knows all but one receipt."""
        self.remember()
        self._server.commit_aside()
        with using(self._machine.state), repository.opened(config.team(_KIND)) as opened:
            opened.fetch()

    def read_tree(self) -> int:
        """Read and parse every receipt in the work tree, and read every file of a version."""
        count = 0
        for top, parse in (("evals", json.loads), ("skills", bytes.decode)):
            for folder, _, names in os.walk(self._clone.folder / top):
                for name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        parse(file.read())
                    count += 1
        return count

    def check(self) -> None:
        """Raise unless each card shows the newest receipt that a work tree has of its skill."""
        git(self._clone.folder, "pull", "-q")
        assert self.read_tree() > len(self.cards()) == len(self._server.receipts.skills)
        for card in self.cards():
            assert card.state == SCORED
            assert card.receipt is not None
            receipt = Receipt.model_validate_json(card.receipt)
            folder = self._clone.folder / "evals" / str(receipt.skill_id) / "v1"
            assert card.receipt == max(folder.iterdir()).read_bytes()

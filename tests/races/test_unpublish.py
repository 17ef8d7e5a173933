"""A skill is unpublished while a receipt of it is on its way: either may be first.

The receipt is attached by a publish, which publishes the skill again where it finds it gone, as it
would have done a moment later; or shared at the end of an evaluation, which then shares nothing.
"""

import contextlib
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest

from publish.git import TreeView
from publish.git.objects import ObjectStore
from publish.snapshot import Snapshot
from tests.members import Ran
from tests.races.gate import Gate
from tests.races.team import Command, Team, Worker, evaluated, publish, together

ROUNDS = 4
_LONGEST_SECONDS = 60.0


class Race(NamedTuple):
    """Ada, who unpublishes; bob, whose receipt is on its way; and the gate at the remote."""

    team: Team
    ada: Worker
    bob: Worker
    gate: Gate

    def prepare(self, number: int) -> str:
        """Let bob publish a skill and evaluate it; return its name."""
        name = f"skill-{number}"
        skill = self.bob.member.skill(name)
        self.bob.ok(publish(self.bob, name), evaluated(self.bob, number, skill))
        return name

    def second_while_first_is_held(
        self, first: tuple[Worker, Command], second: tuple[Worker, Command], subject: str
    ) -> tuple[Ran, Ran]:
        """Start one command, and run the other while the push of the first waits at the remote."""
        self.gate.hold(subject)
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(first[0].ok, first[1])
            wait_until(lambda: self.gate.has_arrived)
            [other] = second[0].ok(second[1])
            [ran] = held.result()
        self.gate.open()
        return ran, other


@pytest.fixture
def race(team: Team) -> Race:
    return Race(team, team.join("ada"), team.join("bob"), Gate(team.remote.repository))


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _LONGEST_SECONDS
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def attach(worker: Worker, name: str, how: str) -> Command:
    """Return the command that brings a receipt to the team."""
    command = publish(worker, name)
    return command if how == "publish" else ["share", command[1]]


def skills_and_receipts(team: Team) -> dict[str, int]:
    """Return how many receipts each skill has; fail on any that belongs to no skill that is there.

    The same is asked of the entries in the members' profiles.
    """
    with contextlib.closing(ObjectStore(os.path.join(team.remote.repository, "objects"))) as store:
        snapshot = Snapshot(TreeView(store, team.git("rev-parse", "main").strip().encode()))
        ids = {snapshot.skill_id(name): name for name in snapshot.skills()}
    found = dict.fromkeys(ids.values(), 0)
    for path in team.paths("evals"):
        found[ids[path.split("/")[1]]] += 1
    for path in team.paths("people"):
        assert {entry["id"] for entry in team.document(path)["profile"]} <= set(ids)
    return found


@pytest.mark.parametrize("kind", ["path", "http"])
@pytest.mark.parametrize("how", ["publish", "share"])
def test_the_receipt_lands_first(race: Race, how: str) -> None:
    """The unpublishing that was built without the receipt is made again, and removes it too."""
    name = race.prepare(0)
    removed, _ = race.second_while_first_is_held(
        (race.ada, ["unpublish", name, "--yes", "--json"]),
        (race.bob, attach(race.bob, name, how)),
        "unpublish",
    )
    assert json.loads(removed.out)["receipts"] == 1
    assert skills_and_receipts(race.team) == {"tdd": 0}
    race.team.check(race.ada, race.bob)


@pytest.mark.parametrize("kind", ["path", "http"])
@pytest.mark.parametrize("how", ["publish", "share"])
def test_the_unpublishing_lands_first(race: Race, how: str) -> None:
    name = race.prepare(0)
    attached, _ = race.second_while_first_is_held(
        (race.bob, attach(race.bob, name, how)),
        (race.ada, ["unpublish", name, "--yes", "--json"]),
        "bob: ",
    )
    if how == "publish":
        assert json.loads(attached.out)["minted"]
        assert skills_and_receipts(race.team) == {"tdd": 0, name: 1}
    else:
        assert "not a published version, so nothing was shared" in attached.out
        assert skills_and_receipts(race.team) == {"tdd": 0}
    race.team.check(race.ada, race.bob)


@pytest.mark.parametrize("kind", ["path", "http"])
@pytest.mark.parametrize("how", ["publish", "share"])
def test_both_pushes_meet(race: Race, how: str) -> None:
    """Both are built on one tip, and the remote decides which of them is first."""
    for number in range(ROUNDS):
        name = race.prepare(number)
        race.gate.meet()
        answers = together(
            [
                (race.ada, [["unpublish", name, "--yes"]]),
                (race.bob, [attach(race.bob, name, how)]),
            ]
        )
        assert race.gate.have_met
        race.gate.open()
        assert [ran.code for [ran] in answers] == [0, 0], answers
        last_was_bob = race.team.authors()[-1] == "bob"
        assert skills_and_receipts(race.team).get(name) == (1 if last_was_bob else None)
    race.team.check(race.ada, race.bob)

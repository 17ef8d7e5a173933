"""Publishing while a sync fetches: what is fetched is whole, and everything is told once."""

import contextlib
import itertools
import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.members import Ran
from tests.races.remotes import SAMPLE, serve
from tests.races.team import Command, Team, Worker, evaluated, publish, together
from tests.servers.smart_http import Handler

RECEIPTS = 6
_LONGEST_SECONDS = 60


def _news(worker: Worker) -> Counter[str]:
    """Sync, and return how many receipts of whom are told as new."""
    [ran] = worker.ok(["sync", "--json"])
    [team] = json.loads(ran.out)["teams"]
    assert team["unreadable"] == []
    told = Counter[str]()
    for item in team["new_receipts"]:
        told[item["by"]] += sum(item["verdicts"].values())
    return told


@pytest.mark.parametrize("kind", SAMPLE)
def test_everything_is_told_once(team: Team) -> None:
    """One process of bob's syncs all the time, while ada, and another of his own, publish.

    What he publishes himself is no news, or, where a sync was under way just then, news once.
    """
    ada, bob = team.join("ada"), team.join("bob")
    syncing = team.worker(bob.member)
    assert not _news(syncing)
    told, done = Counter[str](), threading.Event()

    def work() -> list[list[Ran]]:
        try:
            return together([(worker, _publishing(worker)) for worker in (ada, bob)])
        finally:
            done.set()

    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(work)
        while not done.is_set():
            told += _news(syncing)
        for ran in itertools.chain(*working.result()):
            assert ran.code == 0, ran
    told += _news(syncing)
    assert told["ada"] == RECEIPTS
    assert told["bob"] <= RECEIPTS
    assert not _news(syncing)
    assert len(team.receipts()) == len(team.commits()) == 2 * RECEIPTS
    team.check(ada, bob)


def _publishing(worker: Worker) -> list[Command]:
    pairs = ((evaluated(worker, number), publish(worker)) for number in range(RECEIPTS))
    return list(itertools.chain(*pairs))


@pytest.mark.parametrize("kind", ["http"])
def test_a_push_between_the_references_and_the_objects_of_a_fetch(
    kind: str,
    request: pytest.FixtureRequest,
    repository: Path,
    tmp_path: Path,
    stack: contextlib.ExitStack,
) -> None:
    """The sync has been told one tip, and receives its objects when there is a newer one."""
    asked, landed = threading.Event(), threading.Event()

    def hold(handler: Handler) -> bool:
        handler.body.seek(0)
        if handler.headers.get("X-Hold") and b"command=fetch" in handler.body.read():
            asked.set()
            landed.wait(_LONGEST_SECONDS)
        return False

    team = Team(serve(kind, repository, request, stack, hold), tmp_path, stack)
    ada, bob = team.join("ada"), team.join("bob")
    assert not _news(bob)
    ada.ok(evaluated(ada, 0), publish(ada), evaluated(ada, 1))
    with (bob.member.home / ".gitconfig").open("a") as config:
        config.write("[http]\n\textraHeader = X-Hold: yes\n")
    with ThreadPoolExecutor(1) as pool:
        syncing = pool.submit(_news, bob)
        assert asked.wait(_LONGEST_SECONDS)
        ada.ok(publish(ada))
        landed.set()
        assert syncing.result() == {"ada": 1}
    team.check(bob)
    assert _news(bob) == {"ada": 1}
    team.check(bob)

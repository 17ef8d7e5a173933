"""The remote's repository is repacked and collected all the time while members publish and sync."""

import contextlib
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parts import NIGHTLY
from tests.races.remotes import TAKEN, WITHOUT_GIT
from tests.races.team import Team, evaluated, publish, together

WRITERS, COMMITS = 3, 12 if NIGHTLY else 4
_FEWEST_ROUNDS = 2
# What hosts and administrators run. `gc --prune=now` is not among them: git's own pushes do not
# survive it either, and the guide says so.
_MAINTENANCE = (
    ["repack", "-a", "-d", "-b", "-q"],
    ["pack-refs", "--all"],
    ["gc", "--quiet"],
    ["repack", "-A", "-d", "-b", "-q", "--unpack-unreachable=1.hour.ago"],
    ["commit-graph", "write", "--reachable"],
    ["gc", "--quiet", "--aggressive", "--prune=1.hour.ago"],
    ["prune-packed", "-q"],
)


@contextlib.contextmanager
def maintained(repository: Path) -> Iterator[list[int]]:
    """Maintain a repository without a pause; yields a list that grows with every round."""
    git = shutil.which("git") or "git"
    done, ended = list[int](), threading.Event()
    failures = []

    def work() -> None:
        while not ended.is_set():
            for command in _MAINTENANCE:
                ran = subprocess.run([git, "-C", str(repository), *command], capture_output=True)
                if ran.returncode != 0:
                    failures.append((command, ran.stderr))
            done.append(len(done))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield done
    finally:
        ended.set()
        thread.join()
    assert failures == []


@pytest.mark.parametrize("kind", [*TAKEN, WITHOUT_GIT])
def test_publishing_meanwhile(team: Team) -> None:
    writers = [team.join(f"w{number}") for number in range(WRITERS)]
    jobs = []
    for worker in writers:
        commands = []
        for number in range(COMMITS):
            commands += [evaluated(worker, number), publish(worker), ["sync", "--json"]]
        jobs.append((worker, commands))
    with maintained(team.remote.repository) as rounds:
        answers = together(jobs)
    assert len(rounds) >= _FEWEST_ROUNDS
    for ran in (ran for answer in answers for ran in answer):
        assert (ran.code, "error" in ran.err, "damaged" in ran.err) == (0, False, False), ran
    assert all(json.loads(ran.out)["teams"] for answer in answers for ran in answer[2::3])
    assert len(team.receipts()) == len(team.commits()) == WRITERS * COMMITS
    team.check(*writers)

"""Eight members publish at once, all they can: nothing lost, nothing twice, nobody starved."""

import json
import statistics
from collections import Counter

import pytest

from tests.parts import NIGHTLY
from tests.races.remotes import TAKEN
from tests.races.team import Team, evaluated, publish, second, together

WRITERS = 8
COMMITS = 25 if NIGHTLY else 3
_MOST_TIMES_THE_MEDIAN = 6


def waits(authors: list[str]) -> list[int]:
    """Return how many commits of others landed between each writer's last commit and its next.

    Counted are the waits that began while everybody was still writing: those who are left at the
    end have fewer to wait for.

    Args:
        authors: Who made each commit, oldest first.
    """
    whole = min(len(authors) - authors[::-1].index(author) for author in set(authors))
    last = dict.fromkeys(authors, -1)
    found = []
    for place, author in enumerate(authors):
        if last[author] < whole:
            found.append(place - last[author] - 1)
        last[author] = place
    return found


@pytest.mark.parametrize(
    ("kind", "machine"),
    [*((kind, None) for kind in TAKEN), ("path", "shared")],
)
def test_many_writers(team: Team, machine: str | None) -> None:
    """Every writer is a process with its own home, state and mirror; it publishes without a pause.

    They all add receipts to one version, each the n-th of them made in the same second as all the
    others' n-th. `shared` are writers of one user on one machine, who take turns; the others know
    of each other by nothing but the remote, and race.

    Fairness is counted in commits, not in seconds: a wait is the number of commits of others that
    landed between one of a writer's and its next. Since a writer publishes again at once, these
    are the turns that it was passed over. A loaded machine makes everybody's attempts longer, and
    nobody's turn later. The worst writer's longest wait may be six times the median of all waits.
    A line would have every wait at seven. Chance alone does not keep to the limit: among eight the
    longest of 200 waits is then about 40, and the median 5.
    """
    workers = [team.join(f"w{number}", machine=machine) for number in range(WRITERS)]
    jobs = []
    for worker in workers:
        commands = []
        for number in range(COMMITS):
            commands += [evaluated(worker, number), publish(worker)]
        jobs.append((worker, commands))
    commits = []
    for answers in together(jobs):
        for ran in answers:
            assert (ran.code, "error" in ran.err) == (0, False), ran
        commits += [json.loads(ran.out)["commit"] for ran in answers[1::2]]
    assert sorted(commits) == sorted(team.commits())
    team.check(*workers)

    runs = Counter(
        (found["provenance"]["runner_handle"], found.get("original_run_id", found["run_id"]))
        for found in team.receipts()
    )
    expected = [(w.member.handle, second(number)) for w in workers for number in range(COMMITS)]
    assert runs == Counter(expected)
    found = waits(team.authors())
    assert max(found) <= _MOST_TIMES_THE_MEDIAN * statistics.median(found), team.authors()

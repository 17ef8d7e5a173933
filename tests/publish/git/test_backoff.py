"""Who gives way to whom after a lost race."""

import os
import time
from pathlib import Path

import pytest

from publish.git import Change, File, Mirror, Remote, TreeView, Written, backoff, safe_write
from tests.publish.git.samples import AUTHOR, add, allow, put_commit, put_object, put_tree

DRAWS = range(50)


def test_who_was_passed_by_more_waits_less() -> None:
    least, most = [], []
    for passed in range(backoff.OVERDUE + 3):
        waits = [backoff.pause(passed, 0.5) for _ in DRAWS]
        least.append(min(waits))
        most.append(max(waits))
    # Four attempts at first, less by an eighth of that each time, then as good as nothing.
    for passed in range(backoff.OVERDUE):
        whole = 2.0 * (1 - passed / 8)
        assert 0.8 * whole <= least[passed] <= most[passed] <= whole + 0.025
    assert max(most[backoff.OVERDUE :]) <= 0.025


def test_nobody_gives_way_for_long() -> None:
    assert max(backoff.pause(0, 1000.0) for _ in DRAWS) <= 3.025


def test_a_rest_is_kept_in_the_mirror(tmp_path: Path) -> None:
    mirror = str(tmp_path)
    assert backoff.left_to_rest(mirror) == 0.0
    backoff.rest(mirror, 1000.0)
    assert 0.0 < backoff.left_to_rest(mirror) <= 3.0


@pytest.mark.parametrize("away", [-3600.0, -0.001, 3600.0])
def test_a_rest_that_is_over_or_of_another_clock(tmp_path: Path, away: float) -> None:
    mirror = str(tmp_path)
    backoff.rest(mirror, 1.0)
    then = time.time() + away
    os.utime(tmp_path / "resting", (then, then))
    assert backoff.left_to_rest(mirror) == 0.0


def test_a_mirror_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    backoff.rest(str(tmp_path / "gone"), 1.0)
    assert backoff.left_to_rest(str(tmp_path / "gone")) == 0.0


def _write_while_others_push(mirror: Mirror, repository: Path, commits: int) -> Written:
    """Publish a file; so many times, somebody else pushes just before."""
    left = list(range(commits))

    def build(view: TreeView) -> Change:
        if left:
            blob = put_object(repository, 3, b"%d\n" % left.pop())
            tree = put_tree(repository, (b"100644", b"other", blob))
            put_commit(repository, tree, view.commit or b"")
        return Change({b"ours": File(b"ours\n")}, "ours")

    return safe_write(mirror, build, author=AUTHOR, guard=allow)


@pytest.mark.parametrize("losses", [0, 2])
@pytest.mark.usefixtures("home")
def test_only_who_won_a_race_rests(repository: Path, tmp_path: Path, losses: int) -> None:
    with Mirror.open(tmp_path / "mirror.git", Remote.parse(str(repository))) as mirror:
        add(mirror, "first")
        assert not (tmp_path / "mirror.git" / "resting").exists()
        written = _write_while_others_push(mirror, repository, losses)
        assert written.attempts == losses + 1
        assert (tmp_path / "mirror.git" / "resting").exists() == (losses > 0)

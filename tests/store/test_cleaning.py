"""What runs left is found, chosen by age and size, and removed; receipts and running runs stay."""

import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from receipts import cli
from store import cleaning, locks, running, runs
from store.cleaning import Left, chosen, remove, survey
from tests.store.samples import DIGEST, OTHER, ROOT, RUN, put, receipt

DAY = 86_400
OLD, OLDER = "20260901T000000Z", "20260801T000000Z"
KEPT = ("receipt.json", "run.jsonl", "files.json", "journal.jsonl", "generated")
Called = Callable[..., tuple[int, str, str]]


def ignore(_: int) -> None:
    """Be told, and do nothing about it."""


def used(place: Path, days: float) -> Path:
    """Make a run one that was last used so many days ago."""
    moment = time.time() - days * DAY
    for entry in sorted(place.rglob("*"), reverse=True):
        os.utime(entry, (moment, moment), follow_symlinks=False)
    return place


def run_of(
    state: Path,
    run_id: str = OLD,
    *,
    days: float = 40,
    digest: str = DIGEST,
    finished: bool = True,
    bytes_each: int = 5000,
) -> Path:
    place = put(state, receipt(digest, run_id), digest, run_id)
    (place / "generated").mkdir()
    for name in KEPT[1:4]:
        (place / name).write_text("{}\n")
    for part in cleaning.PARTS:
        (place / part / "a").mkdir(parents=True)
        (place / part / "a" / "f").write_bytes(b"x" * bytes_each)
    if not finished:
        (place / runs.RECEIPT).unlink()
    return used(place, days)


def left_in(place: Path) -> set[str]:
    return {entry.name for entry in place.iterdir()} & {*cleaning.PARTS}


def ids(left: list[Left]) -> list[str]:
    return [one.run_id for one in left]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Called:
    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = cli.run(["clean", *arguments])
        return code, *capsys.readouterr()

    return run


class TestSurvey:
    def test_nothing_is_nothing(self, state: Path) -> None:
        assert survey(ignore) == ([], [])
        assert not state.exists()

    def test_the_longest_unused_comes_first(self, state: Path) -> None:
        run_of(state, OLD, days=40)
        run_of(state, OLDER, days=3, digest=OTHER)
        found, unread = survey(ignore)
        assert (ids(found), unread) == ([OLD, OLDER], [])
        assert [part.name for part in found[0].parts] == ["sandboxes", "staged", "transcripts"]
        assert all(part.whole and part.bytes >= 5000 and part.files == 2 for part in found[0].parts)
        assert found[0].skill_name() == "deploy-check"
        assert 40 * DAY - 60 < time.time() - found[0].last_used < 40 * DAY + 600

    def test_runs_that_left_nothing_are_none(self, state: Path) -> None:
        put(state, receipt())
        (put(state, receipt(OTHER), OTHER) / "generated").mkdir()
        assert survey(ignore).left == []

    def test_self_checks_are_found_too(self, state: Path) -> None:
        place = run_of(state)
        aside = state / "evals" / "self" / place.parent.name
        aside.mkdir(parents=True)
        place.rename(aside / place.name)
        assert [one.path for one in survey(ignore).left] == [aside / place.name]

    def test_links_are_not_followed_at_any_level(self, state: Path, tmp_path: Path) -> None:
        outside = run_of(tmp_path / "other")
        place = run_of(state)
        (state / "evals/local" / ("ef" * 32)).symlink_to(outside.parent)
        (place.parent / OLDER).symlink_to(outside)
        for part in cleaning.PARTS:
            used(place / part, 40)
            (place / f"{part}-moved").symlink_to(outside / part)
        (place / "staged").rename(place / "was-staged")
        (place / "staged").symlink_to(outside / "staged")
        (found,) = survey(ignore).left
        assert [part.name for part in found.parts] == ["sandboxes", "transcripts"]
        assert remove(found, ignore) == []
        assert left_in(outside) == {*cleaning.PARTS}
        assert (outside / "staged" / "a" / "f").exists()

    def test_folders_of_other_names_are_none(self, state: Path) -> None:
        place = run_of(state)
        place.rename(place.parent / "yesterday")
        run_of(state, digest=OTHER).parent.rename(state / "evals/local/abc")
        assert survey(ignore).left == []

    def test_a_run_without_any_record_began_with_its_id(self, state: Path) -> None:
        place = run_of(state, finished=False)
        for name in KEPT[1:4]:
            (place / name).unlink()
        (found,) = survey(ignore).left
        assert found.last_used == 1788220800  # the second that its id names
        place.rename(place.parent / "99999999T999999Z")
        (found,) = survey(ignore).left
        assert found.last_used == 0


class TestGoingOn:
    def test_a_run_whose_lock_is_held_is_left_alone(self, state: Path) -> None:
        place = run_of(state)
        hold = (
            "import sys\nfrom pathlib import Path\nfrom store import running\n"
            "with running.held(Path(sys.argv[1])):\n    print('held', flush=True)\n    input()\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", hold, str(place)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as holder:
            assert holder.stdout is not None
            holder.stdout.readline()
            (found,) = survey(ignore).left
            assert found.going_on == f"The run {OLD} is going on in another process"
            assert chosen([found], older_than=0, keep=0) == []
            (failure,) = remove(found, ignore)  # had it begun since it was looked at
            assert failure == (str(place), found.going_on)
            assert left_in(place) == {*cleaning.PARTS}
            holder.kill()
        (found,) = survey(ignore).left
        assert found.going_on == ""
        assert ids(chosen([found], older_than=0, keep=0)) == [OLD]

    def test_looking_makes_no_lock(self, state: Path) -> None:
        place = run_of(state)
        survey(ignore)
        assert not (place / running.LOCK).exists()

    def test_without_a_lock_a_young_run_without_receipt_may_be_going_on(self, state: Path) -> None:
        place = run_of(state, finished=False)
        (place / "transcripts" / "now.jsonl").touch()
        (found,) = survey(ignore).left
        assert "has no receipt yet and may be going on" in found.going_on
        used(place, 2)
        (found,) = survey(ignore).left
        assert (found.going_on, found.finished) == ("", False)


class TestChosen:
    def left(self, name: str, days: float, size: int, going_on: str = "") -> Left:
        part = cleaning.Part("sandboxes", size, 1, True)
        return Left(Path(name), name, -days * DAY, (part,), going_on, True)

    def choose(self, *left: Left, days: float = 30, keep: int = 1000) -> list[str]:
        return ids(chosen(left, older_than=days * DAY, keep=keep, now=0))

    def test_old_ones_go(self) -> None:
        runs = self.left("a", 40, 1), self.left("b", 31, 1), self.left("c", 29, 1)
        assert self.choose(*runs) == ["a", "b"]

    def test_more_go_until_the_rest_is_small_enough(self) -> None:
        runs = self.left("a", 3, 500), self.left("b", 2, 500), self.left("c", 1, 400)
        assert self.choose(*runs) == ["a"]
        assert self.choose(*runs, keep=899) == ["a", "b"]
        assert self.choose(*runs, keep=0) == ["a", "b", "c"]
        assert self.choose(*runs, keep=1400) == []

    def test_what_age_takes_counts_for_the_size(self) -> None:
        runs = self.left("a", 40, 900), self.left("b", 2, 1000)
        assert self.choose(*runs) == ["a"]

    def test_what_is_going_on_stays_and_counts(self) -> None:
        runs = self.left("a", 40, 900, "going on"), self.left("b", 2, 50), self.left("c", 1, 900)
        assert self.choose(*runs) == ["b", "c"]


def test_receipts_and_records_stay(state: Path) -> None:
    place = run_of(state)
    before = {name: (place / name).stat().st_mtime_ns for name in KEPT}
    (found,) = survey(ignore).left
    assert remove(found, ignore) == []
    assert {entry.name for entry in place.iterdir()} == {*KEPT, running.LOCK}
    assert {name: (place / name).stat().st_mtime_ns for name in KEPT} == before
    assert survey(ignore).left == []
    assert [run.run_id for run in runs.all_runs()] == [OLD]


class TestCommand:
    def test_it_lists_first_and_removes_with_yes(self, state: Path, call: Called) -> None:
        old = run_of(state)
        young = run_of(state, RUN, days=2, digest=OTHER)
        code, out, err = call("--yes")
        assert (code, err) == (0, "")
        first, last = out.splitlines()
        assert first.startswith(f"{OLD}  deploy-check  40 days  sandboxes ")
        assert ", staged " in first
        assert ", transcripts " in first
        assert last.startswith("Removed ")
        assert " of 1 run; " in last
        assert last.endswith(" of 1 run stay.")
        assert (left_in(old), left_in(young)) == (set(), {*cleaning.PARTS})
        assert call("--yes")[1].startswith("Nothing to remove; ")

    def test_a_dry_run_removes_nothing(self, state: Path, call: Called) -> None:
        place = run_of(state)
        code, out, _ = call("--dry-run")
        assert code == 0
        assert out.splitlines()[-1].startswith("Would remove ")
        assert left_in(place) == {*cleaning.PARTS}

    def test_without_a_terminal_it_lists_refuses_and_names_the_flag(
        self, state: Path, call: Called
    ) -> None:
        place = run_of(state)
        for more in ((), ("--json",)):
            code, out, err = call(*more)
            assert code == 1
            assert bool(out) is not bool(more)
            assert "There is no terminal to ask on." in err
            assert "--yes" in err
            assert left_in(place) == {*cleaning.PARTS}

    def test_age_and_size_can_be_given(self, state: Path, call: Called) -> None:
        run_of(state, days=3)
        assert call("--dry-run")[1].startswith("Nothing to remove")
        assert "Would remove" in call("--dry-run", "--older-than", "2d")[1]
        assert "Would remove" in call("--dry-run", "--keep-size", "1K")[1]
        for wrong in (("--older-than", "soon"), ("--keep-size", "much")):
            code, _, err = call(*wrong)
            assert (code, f"{wrong[1]!r} is no" in err) == (2, True)

    def test_an_unfinished_run_is_said_to_be_lost_for_continuing(
        self, state: Path, call: Called
    ) -> None:
        run_of(state, finished=False)
        assert "unfinished: it could not be continued then" in call("--dry-run")[1]

    def test_json(self, state: Path, call: Called) -> None:
        place = run_of(state)
        recent = run_of(state, RUN, digest=OTHER, finished=False)
        (recent / "sandboxes" / "new").touch()
        code, out, err = call("--yes", "--json")
        document = json.loads(out)
        assert (code, err) == (0, "")
        (run,) = document.pop("runs")
        assert document == {
            "dry_run": False,
            "bytes": run["bytes"],
            "left_alone": [
                {
                    "path": str(recent),
                    "why": f"The run {RUN} has no receipt yet and may be going on",
                }
            ],
            "unread": [],
            "failures": [],
        }
        assert (run["run_id"], run["skill"], run["path"]) == (OLD, "deploy-check", str(place))
        assert [part["name"] for part in run["parts"]] == [*cleaning.PARTS]
        assert left_in(place) == set()

    def test_running_runs_are_named(self, state: Path, call: Called) -> None:
        place = run_of(state)
        with running.held(place):
            code, _, err = call("--yes")
        assert code == 0
        assert err == f"left alone: The run {OLD} is going on in another process.\n"
        assert left_in(place) == {*cleaning.PARTS}

    @pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
    def test_what_stays_is_named_and_fails(self, state: Path, call: Called) -> None:
        from tests.parts import require_part

        place = run_of(state)
        inside = place / "sandboxes" / "a" / "mnt"
        inside.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(inside)], capture_output=True)
        require_part(done.returncode == 0, "the right to mount a tmpfs")
        try:
            used(place, 40)
            code, _, err = call("--yes")
        finally:
            subprocess.run(["umount", "-l", str(inside)], check=True)
        assert code == 1
        assert err == f"could not be removed: {inside}: is on another file system\n"
        assert left_in(place) == {"sandboxes"}

    def test_hostile_names_are_made_printable(self, state: Path, call: Called) -> None:
        run_of(state)
        (state / "evals/local" / ("ab" * 32) / OLD / "receipt.json").write_bytes(
            receipt(DIGEST, OLD, skill_name="\x1b[2J\nRemoved")
        )
        first = call("--dry-run", "--older-than", "0d")[1].splitlines()[0]
        assert first.split("  ")[1] == "\\x1b[2J Removed"

    @pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
    @pytest.mark.parametrize(("typed", "code"), [(b"y\n", 0), (b"\n", 1)])
    def test_on_a_terminal_it_asks_and_shows_progress(
        self, state: Path, typed: bytes, code: int
    ) -> None:
        place = run_of(state)
        for number in range(3000):
            (place / "sandboxes" / str(number)).touch()
        used(place, 40)
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "receipts", "clean"],
            cwd=ROOT,
            env={**os.environ, "TERM": "dumb"},
            stdin=follower,
            stdout=subprocess.PIPE,
            stderr=follower,
        )
        os.close(follower)
        os.write(leader, typed)
        assert process.stdout is not None
        out = process.stdout.read().decode()
        process.stdout.close()
        said = b""
        while chunk := _read(leader):
            said += chunk
        os.close(leader)
        assert process.wait() == code
        assert b"Receipts stay. [y/N]" in said
        assert out.startswith(OLD)
        assert left_in(place) == (set() if code == 0 else {*cleaning.PARTS})


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""


def test_the_store_is_not_locked_meanwhile(state: Path) -> None:
    """Removing a million files must not keep an evaluation from starting."""
    run_of(state)
    (found,) = survey(ignore).left
    told: list[Any] = []

    def probe(count: int) -> None:
        with locks.held("runs"):
            told.append(count)

    assert remove(found, probe) == []
    assert told

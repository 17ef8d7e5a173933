"""Runs that are limited, interrupted or killed, and go on."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.e2e.arms.conftest import Bench, running

SLOW = """\
task: |
  {name}
  DO sleep {seconds}
  DO skilled write o.txt x
checks:
  - file_exists: o.txt
"""


def started(bench: Bench, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "receipts", *bench.arguments(*options)],
        cwd=bench.member.home,
        env=bench.member.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(bench: Bench, sessions: int) -> None:
    """Wait until so many sessions have ended, as the journal says."""
    wait_until(bench, '"kind": "session"', sessions)


def wait_until(bench: Bench, record: str, count: int) -> None:
    """Wait until the journal holds so many records of a kind."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for run in bench.runs:
            journal = run / "journal.jsonl"
            if journal.exists() and journal.read_text().count(record) >= count:
                return
        time.sleep(0.05)
    pytest.fail("the sessions did not come")


def test_a_limit_of_sessions_leaves_a_partial_receipt_that_can_go_on(bench: Bench) -> None:
    for name in ("a", "b", "c"):
        bench.case(name, SLOW.format(name=name, seconds=0))
    done = bench.run("--max-sessions", "4", "--parallel", "1")
    assert done.code == 0
    assert done.out.splitlines()[0] == "verdict: PASS [partial — 2/3 scored]"
    assert bench.receipt()["limits"] == {"reached": "--max-sessions 4 is reached"}
    first = bench.runs[0]
    before = (first / "receipt.json").read_bytes()
    again = bench.resume(first.name)
    assert again.code == 0, again
    assert again.out.splitlines()[0] == "verdict: PASS"
    assert len(bench.sessions) == 6
    assert (first / "receipt.json").read_bytes() == before
    assert bench.receipt()["provenance"]["resumed_from"] == first.name
    complete = bench.resume(bench.runs[-1].name)
    assert complete.code == 2
    assert "is complete; there is nothing to continue" in complete.err


def test_what_was_continued_is_not_paid_for_again(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.case(name, SLOW.format(name=name, seconds=0))
    limited = bench.run("--max-sessions", "2", "--parallel", "1")
    first = bench.runs[0].name
    assert f"Continue with: receipts eval --resume {first}\n" in limited.err
    spent = bench.resume(first, "--max-sessions", "2")
    assert spent.code == 2
    assert spent.err == (
        f"error: The run {first} has started 2 sessions, and --max-sessions counts them too.\n"
        "  Give more than 2, or leave it out.\n"
    )
    assert bench.resume(first).code == 0
    again = bench.resume(first)
    assert again.code == 2
    assert f"was already continued, as {bench.runs[-1].name}." in again.err
    assert len(bench.sessions) == 4


def test_a_self_check_goes_on_and_is_complete_then(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.case(name, SLOW.format(name=name, seconds=0))
    limited = bench.run("--aa", "--max-sessions", "2", "--parallel", "1")
    [run] = bench.member.state.glob("evals/self/*/*")
    assert f"receipts eval --resume {run.name}" in limited.err
    again = bench.resume(run.name)
    assert again.code == 0, again
    assert len(bench.sessions) == 4
    assert "is complete; there is nothing to continue" in bench.resume(run.name).err
    listed = bench.member.json("clean", "--older-than", "0d", "--dry-run", "--json")
    assert [(one["skill"], one["finished"]) for one in listed["runs"]] == [("tdd", True)]


def test_a_limit_of_dollars_is_refused_where_no_cost_is_named(bench: Bench) -> None:
    bench.case("a", SLOW.format(name="a", seconds=0))
    bench.member.environment["RECEIPTS_CODEX"] = sys.executable  # it is not run
    done = bench.member.run("eval", bench.skill, "--agent", "codex", "--max-cost", "1")
    assert done.code == 2
    assert "The agent codex does not say what a session costs" in done.err


def test_a_limit_without_room_for_one_comparison_is_refused(bench: Bench) -> None:
    bench.case("a", SLOW.format(name="a", seconds=0))
    done = bench.run("--max-sessions", "1")
    assert done.code == 2
    assert done.err.endswith(
        "error: --max-sessions leaves room for 1, and one repetition of a case takes 2: "
        "baseline, candidate.\n  Give 2 or more.\n"
    )
    assert bench.sessions == []
    assert bench.runs == []


def test_a_cleaned_run_is_not_continued(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.case(name, SLOW.format(name=name, seconds=0))
    bench.run("--max-sessions", "2", "--parallel", "1")
    bench.member.ok("clean", "--older-than", "0d", "--yes")
    again = bench.resume(bench.runs[0].name)
    assert again.code == 2
    assert again.err == (
        f"error: The run {bench.runs[0].name} cannot be continued: its folder `staged` is gone.\n"
        "  `receipts clean` removes it from old runs; start a new run.\n"
    )


def test_a_second_attempt_counts_against_the_limit_of_a_run_that_goes_on(bench: Bench) -> None:
    bench.case("a", "task: |\n  a\n  DO fail\n")
    bench.case("b", SLOW.format(name="b", seconds=0))
    first = bench.run("--max-sessions", "4", "--parallel", "1")
    assert first.code == 2
    assert len(bench.sessions) == 4
    bench.resume(bench.runs[0].name, "--max-sessions", "5")
    assert len(bench.sessions) == 4  # half of b would be worth nothing
    again = bench.resume(bench.runs[-1].name, "--max-sessions", "6")
    assert len(bench.sessions) == 6, again


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_attempt_counts_though_its_process_was_killed_before_the_next(bench: Bench) -> None:
    bench.case("a", "task: |\n  a\n  DO sleep 0.5\n  DO fail\n")
    process = started(bench, "--parallel", "1")
    wait_until(bench, '"kind": "attempt"', 1)
    process.kill()
    process.communicate(timeout=60)
    bench.resume(bench.runs[0].name, "--max-sessions", "3")
    journal = (bench.runs[0] / "journal.jsonl").read_text()
    assert journal.count('"kind": "attempt"') == 3


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_one_ctrl_c_ends_the_sessions_and_keeps_what_ran(bench: Bench) -> None:
    bench.case("a", SLOW.format(name="a", seconds=0))
    bench.case("b", SLOW.format(name="b", seconds=60))
    process = started(bench)
    wait_for(bench, 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Stopping: what ran is kept." in err
    assert out.splitlines()[0] == "verdict: PASS [partial — 1/2 scored]"
    assert "interrupted after" in bench.receipt()["limits"]["reached"]
    assert f"receipts eval --resume {bench.runs[0].name}" in err
    assert running(str(bench.log)) == []


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_before_anything_is_scored_leaves_no_receipt(bench: Bench) -> None:
    bench.case("b", SLOW.format(name="b", seconds=60))
    process = started(bench)
    deadline = time.monotonic() + 60
    while len(bench.sessions) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Nothing was scored" in err
    assert list(bench.member.state.glob("evals/local/*/*/receipt.json")) == []


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_killed_run_is_named_and_goes_on_without_repeating_a_session(bench: Bench) -> None:
    bench.case("a", SLOW.format(name="a", seconds=0))
    bench.case("b", SLOW.format(name="b", seconds=3))
    process = started(bench)
    wait_for(bench, 2)
    process.kill()
    process.communicate(timeout=60)
    [run] = bench.runs
    listed = bench.member.run("list")
    assert run.name in listed.err
    assert f"continue it with `receipts eval --resume {run.name}`" in listed.err
    before = bench.sessions.count("a")
    done = bench.resume(run.name)
    assert done.code == 0, done
    assert done.out.splitlines()[0] == "verdict: PASS"
    assert bench.sessions.count("a") == before == 2
    assert bench.receipt()["run_id"] == run.name
    assert "resumed_from" not in bench.receipt()["provenance"]


def test_a_run_that_is_going_on_is_left_alone(bench: Bench) -> None:
    bench.case("a", SLOW.format(name="a", seconds=5))
    process = started(bench)
    deadline = time.monotonic() + 60
    while not (bench.runs and (bench.runs[0] / "journal.jsonl").exists()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    done = bench.resume(bench.runs[0].name)
    assert done.code == 1
    assert "is going on in another process" in done.err
    out, _ = process.communicate(timeout=60)
    assert out.startswith("verdict: PASS")


def test_two_evaluations_of_one_skill_at_once_are_two_runs(bench: Bench) -> None:
    bench.case("a", SLOW.format(name="a", seconds=1))
    both = [started(bench), started(bench)]
    for process in both:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert out.startswith("verdict: PASS")
    assert len(bench.runs) == 2
    assert (
        len({json.loads((run / "receipt.json").read_bytes())["run_id"] for run in bench.runs}) == 2
    )

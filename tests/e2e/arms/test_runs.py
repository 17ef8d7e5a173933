"""`receipts eval` through the command line, with a scripted command as the agent."""

import json
from pathlib import Path

import pytest

from receipts import check, report
from receipts.digest import content_digest
from receipts.receipt import read_receipt
from tests.e2e.arms.conftest import Bench

WINS = "task: |\n  wins\n  DO skilled write out.txt x\nchecks:\n  - file_exists: out.txt\n"
TIES = "task: |\n  ties\n  DO say hello\nchecks:\n  - transcript_mentions: hello\n"


def test_a_run_ends_in_the_report_a_run_tree_and_one_receipt(bench: Bench) -> None:
    bench.case("wins", WINS)
    bench.case("ties", TIES)
    done = bench.run("--k", "3")
    assert done.code == 0, done
    assert done.out.splitlines()[:5] == [
        "verdict: PASS",
        "why: wins on execution checks; 3 ties",
        "candidate-vs-baseline: +50% net lift (3W / 0L / 3T over 6 comparisons, sign test p=0.250)",
        "arm scores: baseline 0.50 · candidate 1.00",
        "case-runs passed: baseline 3/6 · candidate 6/6",
    ]
    assert "  wins rep0 candidate-vs-baseline: win (checks)" in done.err.splitlines()
    document = bench.receipt()
    assert document["content_digest"] == content_digest(bench.skill)
    assert (document["version"], document["skill_id"]) == (None, None)
    assert document["provenance"]["cases"] == ["ties", "wins"]
    assert document["uninformative_checks"] == [
        {"case": "ties", "check": "transcript_mentions:hello", "result": "passed"}
    ]
    receipt = read_receipt((bench.runs[0] / "receipt.json").read_bytes()).receipt
    assert receipt is not None
    assert check.problems(receipt) == []
    assert report.report_lines(receipt) == done.out.splitlines()[:6]
    lines = [json.loads(line) for line in (bench.runs[0] / "run.jsonl").read_bytes().splitlines()]
    assert [line.get("kind", "meta") for line in lines] == (
        ["meta"] + ["execution"] * 6 + ["arm"] * 12
    )
    assert len(bench.sessions) == 12
    shown = bench.member.ok("show", bench.skill)
    assert shown.splitlines()[0] == "verdict: PASS"


def test_a_dead_arm_is_named_and_its_row_is_in_no_number(bench: Bench) -> None:
    bench.case("dies", "task: |\n  dies\n  DO skilled fail\nchecks:\n  - file_absent: x\n")
    bench.case("ties", TIES)
    done = bench.run()
    assert done.code == 0
    assert done.out.splitlines()[0] == "verdict: NEUTRAL [partial — 1/2 scored]"
    assert "  dies rep0 candidate: agent run failed, retrying once: " in done.err
    assert "  dies rep0 candidate: agent run failed twice, scoring empty: " in done.err
    assert "  dies rep0 candidate-vs-baseline: tie (candidate-run-failed)" in done.err
    document = bench.receipt()
    [dead] = document["dead_arms"]
    assert (dead["arm"], dead["case"], dead["rep"]) == ("candidate", "dies", 0)
    assert "it broke" in dead["reason"]
    assert document["arm_scores"] == {"baseline": 1.0, "candidate": 1.0}
    assert document["comparisons"]["candidate-vs-baseline"]["tie"] == 1
    assert bench.sessions.count("dies") == 3
    transcripts = {path.name for path in (bench.runs[0] / "transcripts").iterdir()}
    assert {"dies.candidate.0.jsonl", "dies.candidate.0.attempt-1.jsonl"} <= transcripts


def test_a_session_that_fails_once_is_tried_again(bench: Bench) -> None:
    bench.case(
        "flaky",
        "task: |\n  flaky\n  DO fail 1\n  DO write a.txt x\nchecks:\n  - file_exists: a.txt\n",
    )
    done = bench.run("--parallel", "1")
    assert done.code == 0
    assert "dead_arms" not in bench.receipt()
    assert len(bench.sessions) == 3


def test_when_every_arm_dies_the_run_failed_and_says_so(bench: Bench) -> None:
    bench.case("dies", "task: |\n  dies\n  DO fail\nchecks:\n  - file_absent: x\n")
    done = bench.run()
    assert done.code == 2
    assert done.out.splitlines()[:2] == [
        "verdict: NEUTRAL [failed — 0/1 scored]",
        "why: no execution comparisons ran",
    ]
    assert bench.receipt()["execution_status"] == "failed"


def test_a_timeout_is_not_retried_and_nothing_of_it_is_left(bench: Bench) -> None:
    bench.case(
        "slow",
        "task: |\n  slow\n  DO skilled sleep 60\nchecks:\n  - file_absent: x\n"
        "timeout_minutes: 0.02\n",
    )
    done = bench.run()
    assert "  slow rep0 candidate: timed out, not retried: " in done.err
    assert bench.sessions.count("slow") == 2
    assert bench.receipt()["dead_arms"][0]["reason"] == "agent run timed out after 1200ms"


def test_a_repetition_whose_setup_fails_leaves_the_others(bench: Bench, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    bench.case(
        "setup",
        "task: |\n  setup\n  DO skilled write a.txt x\nchecks:\n  - file_exists: a.txt\n"
        f"setup: |\n  echo x >> {counter}\n  test $(wc -l < {counter}) -ne 5\n",
    )
    done = bench.run("--k", "3", "--parallel", "1")
    assert done.code == 0
    assert "  setup: ABORTED (setup) — setup failed (rc=1)" in done.err
    assert "dropped (setup): setup — repetition 3: setup failed (rc=1)" in done.out
    assert "verdict: PASS [partial — 2/3 scored]" in done.out
    assert bench.receipt()["comparisons"]["candidate-vs-baseline"]["win"] == 2
    assert len(bench.sessions) == 4  # no arm of a repetition runs when another cannot


def test_a_missing_tool_skips_the_case_before_any_session(bench: Bench) -> None:
    bench.case(
        "needy", WINS.replace("wins", "needy") + "requires: [no-such-tool, sh, 'python3:nix_da']\n"
    )
    bench.case("ties", TIES)
    done = bench.run()
    assert "  needy: SKIPPED (environment) — missing no-such-tool, python3:nix_da" in done.err
    assert "skipped (environment): needy — missing no-such-tool, python3:nix_da" in done.out
    assert bench.sessions == ["ties", "ties"]
    assert bench.receipt()["environment_skips"] == {"needy": ["no-such-tool", "python3:nix_da"]}


def test_what_is_evaluated_is_the_copy_taken_at_the_start(bench: Bench) -> None:
    before = content_digest(bench.skill)
    target = bench.skill / "SKILL.md"
    bench.case(
        "edits", f"task: |\n  edits\n  DO append {target} more\nchecks:\n  - file_absent: x\n"
    )
    done = bench.run()
    assert done.code == 0
    assert "changed while it was evaluated" in done.err
    document = bench.receipt()
    assert document["content_digest"] == before != content_digest(bench.skill)
    assert document["changed_during_run"] == {"content": True, "evals": False}


def test_a_private_run_shares_neither_cost_nor_skill_lists(bench: Bench) -> None:
    bench.case("ties", TIES)
    assert bench.run("--private").code == 0
    document = bench.receipt()
    assert set(document["provenance"]["arm_skill_lists"].values()) == {None}
    assert {means["cost_usd"] for means in document["efficiency"].values()} == {None}


def test_the_baseline_against_itself_files_no_receipt(bench: Bench) -> None:
    bench.case("wins", WINS)
    done = bench.run("--aa", "--k", "2")
    assert done.code == 0
    assert "candidate-vs-baseline: +0% net lift (0W / 0L / 2T" in done.out
    assert "No receipt was filed." in done.out
    assert bench.runs == []
    assert len(list(bench.member.state.glob("evals/self/*/*/aa.json"))) == 1


def test_a_suite_shares_one_session_and_pins_the_sign_test(bench: Bench) -> None:
    cases = "\n".join(
        f"  - name: part{i}\n    checks:\n      - file_exists: out.txt" for i in range(4)
    )
    (bench.skill / "evals").mkdir()
    (bench.skill / "evals" / "suite.yaml").write_text(
        f"task: |\n  suite\n  DO skilled write out.txt x\ncases:\n{cases}\n"
    )
    done = bench.run("--k", "2")
    assert done.code == 0, done
    assert "(8W / 0L / 0T over 8 comparisons, sign test p=1.000)" in done.out
    assert len(bench.sessions) == 4
    assert bench.receipt()["provenance"]["cases"] == ["suite"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--case", "win"], "No eval case named win for tdd."),
        (["--triggers-only", "--execution-only"], "cannot be used together"),
        (["--triggers-only", "--no-gen"], "There is nothing to run for tdd"),
        (["--agent", "nobody"], "There is no agent 'nobody'."),
        (["--agent", "command:no-such-program"], "is not runnable (not found)"),
        (["--k", "0"], "0"),
        (["--max-cost", "nan"], "nan is no number of dollars."),
        (["--resume", "20260101T000000Z"], "--resume does not go together with a skill."),
    ],
)
def test_what_cannot_run_says_so_before_anything_is_spent(
    bench: Bench, options: list[str], says: str
) -> None:
    bench.case("wins", WINS)
    done = bench.run(*options)
    assert done.code == 2, done
    assert says in done.err
    assert bench.sessions == []
    assert bench.runs == []

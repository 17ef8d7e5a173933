"""What becomes of an evaluation's receipt in a team, and which version is the incumbent."""

import json
from pathlib import Path

from tests.e2e.arms.conftest import Bench
from tests.e2e.repositories import committed, receipts_in

CASE = "task: |\n  a\n  DO skilled write out.txt x\nchecks:\n  - file_exists: out.txt\n"
LOSES = "task: |\n  a\n  DO skilled write out.txt x\nchecks:\n  - file_absent: out.txt\n"


def test_the_receipt_of_a_published_version_goes_to_the_team(bench: Bench, acme: Path) -> None:
    bench.case("a", CASE)
    first = bench.run()
    assert first.code == 0, first
    assert first.out.splitlines()[-1] == (
        "These bytes are not a published version, so nothing was shared. To share these results, "
        "publish the skill again: receipts publish ~/skills/tdd"
    )
    bench.member.ok("publish", bench.skill)
    assert len(receipts_in(acme)) == 1
    second = bench.run()
    assert second.out.splitlines()[-1] == "Published this receipt to acme for Version 1 of tdd."
    assert len(receipts_in(acme)) == 2
    shared = json.loads(committed(acme, receipts_in(acme)[-1]))
    assert (shared["version"], shared["provenance"]["runner_handle"]) == ("v1", "ada")
    quiet = bench.run("--no-commit")
    assert "Published" not in quiet.out
    assert len(receipts_in(acme)) == 2
    bench.member.ok("publish", bench.skill)
    assert len(receipts_in(acme)) == 3  # not now is not never


def test_a_failed_run_says_what_to_do(bench: Bench, acme: Path) -> None:
    bench.case("a", LOSES)
    done = bench.run()
    assert done.code == 0
    assert done.out.splitlines()[0] == "verdict: FAIL"
    assert "This run's verdict is FAIL: evaluate a fix" in done.out.splitlines()[-1]


def test_the_incumbent_is_the_version_that_was_measured_last(bench: Bench, acme: Path) -> None:
    bench.case("a", CASE)
    bench.run()
    bench.member.ok("publish", bench.skill)
    skill_md = bench.skill / "SKILL.md"
    skill_md.write_text(skill_md.read_text() + "\nMore.\n")
    bench.member.ok("publish", bench.skill)  # version 2, which nothing measured
    skill_md.write_text(skill_md.read_text() + "\nEven more.\n")
    done = bench.run("--k", "2")
    assert done.code == 0, done
    assert "candidate-vs-incumbent: +0% net lift (0W / 0L / 2T" in done.out
    document = bench.receipt()
    assert document["expected_rows"] == 4
    assert document["provenance"]["incumbent_version"] == "v1"
    assert list(document["arm_scores"]) == ["baseline", "candidate", "incumbent"]
    assert document["skill_id"] is not None


def test_a_version_is_never_its_own_incumbent(bench: Bench, acme: Path) -> None:
    bench.case("a", CASE)
    bench.run()
    bench.member.ok("publish", bench.skill)
    done = bench.run()
    assert "incumbent" not in done.out


def test_a_team_that_cannot_be_reached_costs_the_run_nothing(bench: Bench, acme: Path) -> None:
    bench.case("a", CASE)
    acme.rename(acme.with_name("gone.git"))
    done = bench.run()
    assert done.code == 0, done
    assert "note: acme could not be refreshed" in done.err
    assert bench.receipt()["verdict"] == "PASS"

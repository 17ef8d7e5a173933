"""`receipts import` of what other tools measured: their results become receipts that say so."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from receipts.attempts import saving
from receipts.attempts.runfile import Beyond, Snapshot, SnapshotFile
from receipts.digest import content_digest
from tests.members import Member
from tests.receipts.attempts import samples


def installed(skill: Path, name: str | None = None) -> Snapshot:
    """Return what a run records of a skill that it installed."""
    files = {
        str(path.relative_to(skill)): SnapshotFile(
            hash=f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
        )
        for path in skill.rglob("*")
        if path.is_file()
    }
    return Snapshot(name=name or skill.name, path=str(skill / "SKILL.md"), files=files)


def save_run(member: Member, skill: Path, **fields: Any) -> Path:
    """Save a run of a skill beside another one, with one task that is usable three times."""
    task = samples.task("adds", "pass", "pass", "task_fail", "timeout")
    snapshots = (installed(skill), Snapshot(name="other", path="other/SKILL.md"))
    run = samples.run(task, snapshots=snapshots, k=4, cli_version="2.1", model="large", **fields)
    return Path(saving.save(run, member.home))


def receipt(member: Member, *arguments: str | Path) -> dict[str, Any]:
    """Import a result and return the receipt that was filed."""
    done = member.json("import", *arguments)
    document: dict[str, Any] = json.loads((Path(done["path"]) / "receipt.json").read_text())
    return document


def test_a_saved_run_becomes_a_receipt_that_says_declared(ada: Member) -> None:
    skill = ada.skill("tdd", {"notes/a.md": "a\n"})
    path = save_run(ada, skill)
    made = receipt(ada, path, "--skill", skill)
    assert made["method"] == "attempts"
    assert made["content_digest"] == content_digest(skill)
    assert made["run_id"] == "20260701T100000Z"
    assert made["source"] == {
        "tool": "caliper-eval",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    assert (made["verdict"], made["execution_status"]) == ("NEUTRAL", "complete")
    assert made["attribution"] == "success 66.7%, 2 of 3 usable attempts; no bar"
    block = made["attempts"]
    assert block["success"] == pytest.approx(2 / 3)
    (task,) = block["tasks"]
    assert task == {
        "name": "adds",
        "outcomes": ["pass", "pass", "task_fail", "timeout"],
        "usable": 3,
        "successes": 2,
        "score": task["score"],
        "activation": None,
    }
    assert (block["usage"]["attempts"], block["usage"]["unusable_attempts"]) == (4, 1)
    assert block["skills"] == ["tdd", "other"]
    provenance = made["provenance"]
    assert (provenance["k"], provenance["model"], provenance["cc_version"]) == (4, "large", "2.1")
    assert provenance["cases"] == ["adds"]
    shown = ada.run("show", skill)
    assert "declared by caliper-eval, not measured by receipts" in shown.err
    assert "verdict: NEUTRAL" in shown.out
    again = ada.json("import", path, "--skill", skill)
    assert again["already"] is True
    assert ada.run("verify", Path(again["path"]) / "receipt.json").code == 0
    assert "NEUTRAL" in ada.ok("list", "tdd")


@pytest.mark.parametrize(("bar", "verdict"), [(0.6, "PASS"), (0.7, "FAIL"), (None, "NEUTRAL")])
def test_a_run_of_ours_keeps_the_bar_that_it_was_held_to(
    bar: float | None, verdict: str, ada: Member
) -> None:
    skill = ada.skill("tdd")
    path = save_run(ada, skill)
    document = json.loads(path.read_text())
    document["receipts"] = Beyond(version="9.9", bar=bar).model_dump(mode="json")
    path.write_text(json.dumps(document))
    made = receipt(ada, path, "--skill", skill)
    assert (made["verdict"], made["attempts"]["bar"]) == (verdict, bar)
    assert (made["source"]["tool"], made["source"]["version"]) == ("receipts", "9.9")


def test_a_run_without_a_usable_attempt_measured_nothing(ada: Member) -> None:
    skill = ada.skill("tdd")
    run = samples.run(samples.task("a", "timeout"), snapshots=(installed(skill),))
    path = Path(saving.save(run, ada.home))
    made = receipt(ada, path, "--skill", skill)
    assert (made["verdict"], made["execution_status"]) == ("NEUTRAL", "failed")
    assert made["attempts"]["success"] is None


def test_a_skill_is_found_by_what_it_calls_itself(ada: Member) -> None:
    skill = ada.skill("folder", {"SKILL.md": "---\nname: tdd\ndescription: d\n---\n"})
    run = samples.run(samples.task("a", "pass"), snapshots=(installed(skill, "tdd"),))
    made = receipt(ada, saving.save(run, ada.home), "--skill", skill)
    assert made["skill_name"] == "folder"


def test_stored_numbers_that_the_attempts_contradict_are_named(ada: Member) -> None:
    skill = ada.skill("tdd")
    path = save_run(ada, skill)
    document = json.loads(path.read_text())
    document["aggregate"]["avg_score"] = 1
    path.write_text(json.dumps(document))
    done = ada.run("import", path, "--skill", skill)
    assert done.code == 0
    assert "warning: avg_score is stored as 1, and the attempts give 0.666667" in done.err


def test_a_run_of_other_bytes_is_refused(ada: Member) -> None:
    skill = ada.skill("tdd", {"a": "1", "b": "1", "c": "1"})
    path = save_run(ada, skill)
    for name in "abc":
        (skill / name).write_text("2")
    (skill / "d").write_text("2")
    done = ada.run("import", path, "--skill", skill)
    assert (done.code, done.out) == (1, "")
    assert "measured other bytes of tdd; what differs: a, b, c and 1 more." in done.err
    assert not (ada.state / "evals").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ablated": ["tdd"]}, "was run without tdd"),
        ({}, "did not have the skill tdd: it had none."),
    ],
)
def test_a_run_without_the_skill_is_refused(change: dict[str, Any], said: str, ada: Member) -> None:
    skill = ada.skill("tdd")
    path = saving.save(samples.run(samples.task("a", "pass"), **change), ada.home)
    done = ada.run("import", path, "--skill", skill)
    assert (done.code, done.out) == (1, "")
    assert said in done.err


def test_a_run_that_cannot_be_is_refused(ada: Member) -> None:
    path = ada.home / "run.json"
    path.write_text('{"run": {}, "task_results": [], "aggregate": {}}')
    done = ada.run("import", path, "--skill", ada.skill("tdd"))
    assert (done.code, done.out) == (1, "")
    assert "run.json is no saved run: run.spec is missing" in done.err


def test_secrets_in_a_run_do_not_reach_the_receipt(ada: Member) -> None:
    skill = ada.skill("tdd")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    run = samples.run(samples.task(f"uses {secret}", "pass"), snapshots=(installed(skill),))
    made = receipt(ada, saving.save(run, ada.home), "--skill", skill)
    assert secret not in json.dumps(made)


def entry(
    eval_id: int | str, configuration: str, passed: int, number: int = 1, **fields: Any
) -> Any:
    total = fields.pop("total", 4)
    result = {
        "pass_rate": round(passed / total, 2),
        "passed": passed,
        "failed": total - passed,
        "total": total,
        "time_seconds": 40.0 + passed,
        "tokens": 3000 + passed,
        "tool_calls": 5,
        "errors": 0,
    }
    return {
        "eval_id": eval_id,
        "eval_name": f"name-{eval_id}",
        "configuration": configuration,
        "run_number": number,
        "result": result | fields.pop("result", {}),
        "expectations": [
            {"text": f"expectation {index}", "passed": index < passed, "evidence": "seen"}
            for index in range(total)
        ],
        "notes": [],
        **fields,
    }


def benchmark(member: Member, runs: list[Any], **metadata: Any) -> Path:
    document = {
        "metadata": {
            "skill_name": "tdd",
            "skill_path": "/path/to/tdd",
            "executor_model": "large-1",
            "analyzer_model": "<model-name>",
            "timestamp": "2026-07-01T10:30:00Z",
            "evals_run": [1, 2],
            "runs_per_configuration": 2,
            **metadata,
        },
        "runs": runs,
        "run_summary": {},
        "notes": [],
    }
    path = member.home / "benchmark.json"
    path.write_text(json.dumps(document))
    return path


RUNS = [
    entry(1, "with_skill", 4), entry(1, "without_skill", 2),
    entry(1, "with_skill", 3, 2), entry(1, "without_skill", 3, 2),
    entry(2, "with_skill", 4), entry(2, "without_skill", 0),
    entry(2, "with_skill", 2, 2), entry(2, "without_skill", 1, 2),
]  # fmt: skip


def test_a_benchmark_becomes_a_receipt_of_arms(ada: Member) -> None:
    skill = ada.skill("tdd")
    path = benchmark(ada, RUNS)
    made = receipt(ada, path, "--skill", skill)
    assert made["content_digest"] == content_digest(skill)
    assert made["source"]["tool"] == "skill-creator"
    assert made["source"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert made["comparisons"] == {
        "candidate-vs-baseline": {"win": 3, "loss": 0, "tie": 1, "net_lift": 0.75, "sign_p": 0.25}
    }
    assert (made["expected_rows"], made["scored_rows"]) == (4, 4)
    assert made["arm_scores"] == {"baseline": 0.375, "candidate": 0.8125}
    assert made["case_runs"]["candidate"] == {"passed": 2, "total": 4}
    assert made["efficiency"]["baseline"]["duration_ms"] == 41500
    assert made["efficiency"]["baseline"]["tokens"] == 3001.5
    first, second, *_ = made["per_case"]
    assert (first["case"], first["rep"], second["rep"]) == ("name-1", 0, 1)
    assert first["outcomes"] == {"candidate-vs-baseline": "win"}
    assert first["arms"]["baseline"]["checks"][1:3] == [
        ["expectation 1", True],
        ["expectation 2", False],
    ]
    provenance = made["provenance"]
    assert (provenance["model"], provenance["k"]) == ("large-1", 2)
    assert provenance["cases"] == ["name-1", "name-2"]
    assert made["run_id"] == "20260701T103000Z"
    done = ada.run("import", path, "--skill", skill)
    assert done.err.startswith("warning: ")
    assert "does not say which bytes it measured" in done.err
    assert len(done.err.splitlines()) == 1
    shown = ada.run("show", skill, "--explain")
    assert "declared by skill-creator, not measured by receipts" in shown.err
    assert ada.run("verify", ada.state / "evals").code == 0


def test_what_a_benchmark_does_not_say_is_unknown(ada: Member) -> None:
    skill = ada.skill("tdd")
    path = benchmark(
        ada, RUNS[:2], skill_name="<skill-name>", executor_model="<model-name>", timestamp="soon"
    )
    made = receipt(ada, path, "--skill", skill)
    assert made["provenance"]["model"] == "unknown"


def test_what_cannot_be_paired_is_said_and_not_scored(ada: Member) -> None:
    skill = ada.skill("tdd")
    runs = [
        *RUNS[:2],
        entry(2, "with_skill", 4),
        entry(3, "old_skill", 4),
        entry("three", "with_skill", 1, eval_name="name-1"),
        entry("three", "without_skill", 2, result={"pass_rate": 0.9, "failed": 0}),
    ]
    done = ada.run("import", benchmark(ada, runs), "--skill", skill)
    assert done.code == 0
    for line in (
        "run 1 of eval three, without_skill: pass_rate is 0.9, and 2 of 4 passed",
        "run 1 of eval three, without_skill: passed and failed are 2, and total is 4",
        "1 run(s) of the configuration old_skill are left out",
        "1 run(s) have no partner",
    ):
        assert line in done.err
    made = json.loads(next(ada.state.rglob("receipt.json")).read_text())
    assert (made["execution_status"], made["expected_rows"]) == ("partial", 3)
    assert made["scored_rows"] == 2
    assert made["provenance"]["cases"] == ["eval 1", "eval three"]


def test_rates_that_are_not_counted_are_compared_as_they_are(ada: Member) -> None:
    skill = ada.skill("tdd")
    runs = [
        {"eval_id": 1, "configuration": name, "run_number": 7, "result": {"pass_rate": rate}}
        for name, rate in (("with_skill", 0.5), ("without_skill", 0.75))
    ]
    made = receipt(ada, benchmark(ada, runs), "--skill", skill)
    assert made["comparisons"]["candidate-vs-baseline"]["loss"] == 1
    assert made["per_case"][0]["arms"]["candidate"] == {"passed": False, "checks": []}
    assert made["efficiency"]["candidate"]["duration_ms"] is None


@pytest.mark.parametrize(
    ("runs", "metadata", "said"),
    [
        (RUNS[:1], {}, "compares nothing"),
        ([*RUNS, RUNS[0]], {}, "holds run 1 of eval 1, with_skill, twice"),
        (RUNS, {"skill_name": "ship"}, "is of the skill ship, and the folder holds tdd"),
        ([{"eval_id": 1}], {}, "is no benchmark: runs[0].configuration is missing"),
        ([entry(1, "with_skill", 4, result={"pass_rate": 1.5})], {}, "must be at most 1"),
    ],
)
def test_a_benchmark_that_cannot_be_used_is_refused(
    runs: list[Any], metadata: dict[str, Any], said: str, ada: Member
) -> None:
    done = ada.run("import", benchmark(ada, runs, **metadata), "--skill", ada.skill("tdd"))
    assert (done.code, done.out) == (1, "")
    assert said in done.err
    assert len(done.err.splitlines()) in (1, 2)

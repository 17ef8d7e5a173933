"""Publish as a whole: what one odd run, mode or category does to the rest of a publish."""

import json
from pathlib import Path
from typing import Any

import pytest

from publish import outcome, publishing
from publish.outcome import Published
from publish.publishing import Request
from receipts import jsontext
from receipts.digest import content_digest
from tests.publish.conftest import Machine
from tests.publish.teamwork import create, file, join, paths_in
from tests.store import samples

LAST = "99991231T235959Z"


def publish(skill: Path, **options: Any) -> Published:
    return publishing.publish(Request(skill, **options), lambda _: True)


def put(machine: Machine, skill: Path, run_id: str = samples.RUN, **fields: Any) -> bytes:
    """Leave a receipt of a skill's bytes in the local store, as an evaluator would."""
    digest = content_digest(skill)
    data = samples.receipt(digest, run_id, skill_name=skill.name, **fields)
    samples.put(machine.state, data, digest, run_id)
    return data


def receipts_in(repository: Path) -> list[Any]:
    paths = [path for path in paths_in(repository) if path.startswith("evals/")]
    return [json.loads(file(repository, path)) for path in paths]


def test_a_run_that_cannot_be_attached_is_named_and_keeps_nothing_back(
    ada: Machine, bob: Machine, acme: Path
) -> None:
    skill = ada.skill()
    put(ada, skill, LAST, attribution="ada's")
    publish(skill)
    bob.use()
    join(acme)
    skill = bob.skill()
    put(bob, skill)
    put(bob, skill, LAST, attribution="bob's")
    size = len(put(bob, skill, "20260917T000000Z", pad=""))
    place = bob.state / "evals/local" / content_digest(skill).removeprefix("sha256:")
    large = place / "20260917T000000Z" / "receipt.json"
    large.write_bytes(
        large.read_bytes().replace(b'"pad": ""', b'"pad": "%s"' % (b"x" * (jsontext.LIMIT - size)))
    )
    for first in (True, False):
        done = publish(skill)
        assert [run.run_id for run in done.plan.attached] == [samples.RUN] * first
        notes = [line for line in done.warnings if "was not attached" in line]
        assert len(notes) == 2
        assert notes[1].startswith("Run 20260917T000000Z was not attached: its receipt cannot be")
        assert notes[0].startswith(f"Run {LAST} was not attached: the team has another of that id")
    assert outcome.lines(done)[0].startswith("Nothing to publish: tdd is identical to Version 1")
    assert len(receipts_in(acme)) == 2


def test_a_run_is_attached_once_whatever_each_publish_knew_to_be_secret(
    ada: Machine, acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = ada.skill()
    put(ada, skill, attribution="logged in with Tr0ub4dor-horse to server")
    monkeypatch.setenv("DEPLOY_PASSWORD", "Tr0ub4dor-horse")
    publish(skill)
    monkeypatch.delenv("DEPLOY_PASSWORD")
    assert publish(skill).commit is None
    [receipt] = receipts_in(acme)
    assert receipt["attribution"] == "logged in with [redacted] to server"


def test_a_run_that_moved_in_one_team_is_no_second_run_in_another(
    ada: Machine, bob: Machine, tmp_path: Path, acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = ada.skill()
    put(ada, skill, attribution="ada's")
    publish(skill)
    bob.use()
    join(acme)
    mine = bob.skill()
    put(bob, mine, attribution="bob's")
    [moved] = publish(mine).plan.attached
    assert moved.moved_from == samples.RUN
    cas = Machine(tmp_path, "cas", monkeypatch)
    cas.use()
    join(acme)
    theirs = cas.skill()
    digest = content_digest(theirs)
    samples.put(cas.state, moved.data, digest, moved.run_id)  # as an install seeds it
    other = Path(create("other").entry.remote)
    publish(theirs, team="other")
    bob.use()
    join(other)
    assert publish(mine, team="other").plan.attached == []
    assert [receipt["attribution"] for receipt in receipts_in(other)] == ["bob's"]


def test_a_changed_executable_bit_is_said_and_how_to_publish_it(ada: Machine, acme: Path) -> None:
    skill = ada.skill(run="x\n")
    assert not [line for line in publish(skill).warnings if "executable" in line]
    (skill / "run").chmod(0o755)
    for dry_run in (True, False):
        done = publish(skill, dry_run=dry_run)
        assert done.commit is None
        assert done.warnings == [
            "The executable bit of run is not as in Version 1, and was not published: it is no "
            "part of the bytes. Change a byte too, and the new version has it."
        ]
    with (skill / "run").open("a") as stream:
        stream.write("y\n")
    done = publish(skill)
    assert (done.plan.candidate.number, done.warnings) == (2, [])
    assert done.plan.candidate.files["run"].executable


def test_a_folder_without_the_teams_category_is_the_version_that_has_it(
    ada: Machine, bob: Machine
) -> None:
    acme = Path(create("acme", require_category=True).entry.remote)
    publish(ada.skill(), category="docs")
    bob.use()
    join(acme)
    skill = bob.skill()
    done = publish(skill)
    assert outcome.lines(done)[0].startswith("Nothing to publish: tdd is identical to Version 1")
    assert b"terum-category: docs" in (skill / "SKILL.md").read_bytes()
    with (skill / "SKILL.md").open("a") as stream:
        stream.write("more\n")
    assert publish(skill).plan.candidate.number == 2


def test_a_file_called_evals_is_in_no_version(ada: Machine, acme: Path) -> None:
    skill = ada.skill(evals="one\n")
    done = publish(skill)
    assert done.warnings == ["evals is a file, not a folder of assets; it was left out."]
    assert [path for path in paths_in(acme) if path.startswith("skills/tdd")] == [
        "skills/tdd/v1/SKILL.md"
    ]


def test_a_licence_that_gives_way_to_the_teams_is_said(ada: Machine, acme: Path) -> None:
    skill = ada.skill(**{"SKILL.md": "---\nname: tdd\ndescription: d\nlicense: MIT\n---\n"})
    said = (
        "SKILL.md says license: MIT; the team's policy makes it UNLICENSED, in the team and in "
        "your file."
    )
    assert said in publish(skill, dry_run=True).warnings
    assert said in publish(skill).warnings
    assert "license: UNLICENSED" in (skill / "SKILL.md").read_text()
    assert not [line for line in publish(skill).warnings if "license" in line]

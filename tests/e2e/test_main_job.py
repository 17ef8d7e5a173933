"""Publish with receipts attached, sync, install, cards: through the command line and real git."""

import json
import shutil
from pathlib import Path

import pytest

from receipts.digest import content_digest
from tests.e2e.repositories import committed, git, receipts_in, tree
from tests.members import Member
from tests.shared import DATA, shared


def test_a_receipt_is_stamped_and_nothing_else_in_it_changes(ada: Member, acme: Path) -> None:
    skill = ada.skill("tdd")
    document = ada.evaluate(skill, unknown={"kept": [1.0, 1e-7, "é"]})
    ada.ok("publish", skill)
    [path] = receipts_in(acme)
    skill_id = path.split("/")[1]
    stamped = json.loads(committed(acme, path))
    assert stamped == {**document, "skill_id": skill_id, "version": "v1"}
    assert list(stamped) == list(document)
    local = next(ada.state.glob("evals/local/*/*/receipt.json")).read_text()
    text = committed(acme, path).decode()
    changed = {tuple(pair) for pair in zip(local.split("\n"), text.split("\n"), strict=True)}
    assert {new.strip() for old, new in changed if old != new} == {
        f'"skill_id": "{skill_id}",',
        '"version": "v1",',
    }


def test_identical_bytes_never_mint_and_a_later_receipt_is_attached(
    ada: Member, acme: Path
) -> None:
    skill = ada.skill("tdd")
    ada.ok("publish", skill)
    again = ada.ok("publish", skill)
    assert again.strip() == (
        "Nothing to publish: tdd is identical to Version 1 and already in the acme marketplace."
    )
    ada.evaluate(skill)
    assert ada.ok("publish", skill).strip() == (
        "tdd is identical to Version 1, so no new version was minted; attached 1 eval run(s)."
    )
    assert len(receipts_in(acme)) == 1
    commits = git(acme, "log", "--format=%an <%ae> %s", "main").splitlines()
    assert commits == [
        "Ada <ada@example.com> ada: publish tdd",
        "Ada <ada@example.com> ada: publish tdd",
        "Ada <ada@example.com> ada: create acme",
    ]


def test_two_runs_of_one_second_are_both_kept(ada: Member, bob: Member, acme: Path) -> None:
    skill = ada.skill("tdd")
    ada.evaluate(skill)
    ada.ok("publish", skill)
    bob.ok("team", "join", acme)
    theirs = bob.skill("tdd")
    assert content_digest(theirs) == content_digest(skill)
    bob.evaluate(theirs, record=(0, 0, 3))
    done = bob.run("publish", theirs)
    assert done.code == 0
    assert "Run 20260916T042108Z was filed as 20260916T042109Z" in done.err
    first, second = receipts_in(acme)
    assert json.loads(committed(acme, first))["provenance"]["runner_handle"] == "ada"
    moved = json.loads(committed(acme, second))
    assert (moved["run_id"], moved["original_run_id"]) == ("20260916T042109Z", "20260916T042108Z")
    assert moved["provenance"]["runner_handle"] == "bob"
    assert "Nothing to publish" in bob.ok("publish", theirs)
    assert bob.run("verify", "--team", "acme").code == 0


def test_a_fail_is_asked_about_before_anything_changes(ada: Member, acme: Path) -> None:
    skill = ada.skill("tdd")
    ada.evaluate(skill, record=(0, 4, 1))
    before = (skill / "SKILL.md").read_bytes()
    tip = git(acme, "rev-parse", "main")
    asked = ada.run("publish", skill)
    assert asked.code == 1
    assert "Your latest eval of these exact bytes failed against an agent without the skill" in (
        asked.err
    )
    assert "--yes or --no" in asked.err
    refused = ada.run("publish", skill, "--no")
    assert (refused.code, refused.out) == (1, "")
    assert "Publish was cancelled." in refused.err
    assert (skill / "SKILL.md").read_bytes() == before
    assert git(acme, "rev-parse", "main") == tip
    assert "Published tdd as Version 1" in ada.ok("publish", skill, "--yes")


def test_only_the_newest_run_of_the_bytes_decides_the_question(ada: Member, acme: Path) -> None:
    skill = ada.skill("tdd")
    ada.evaluate(skill, record=(0, 4, 1), run_id="20260916T042108Z")
    ada.evaluate(skill, record=(4, 0, 1), run_id="20260917T042108Z")
    assert "Attached 2 eval run(s)." in ada.ok("publish", skill)


def test_dry_run_says_what_and_changes_nothing(ada: Member, acme: Path) -> None:
    skill = ada.skill("tdd", {"evals/cases/a.yaml": "task: x\n"})
    ada.evaluate(skill)
    before, tip = (skill / "SKILL.md").read_bytes(), git(acme, "rev-parse", "main")
    said = ada.ok("publish", skill, "--dry-run")
    assert "Would publish tdd as Version 1:" in said
    assert "skills/tdd/v1/SKILL.md" in said
    assert "skills/tdd/evals/cases/a.yaml" in said
    assert "20260916T042108Z.json" in said
    assert (skill / "SKILL.md").read_bytes() == before
    assert git(acme, "rev-parse", "main") == tip


def test_assets_travel_beside_the_version_and_do_not_count(ada: Member, acme: Path) -> None:
    skill = ada.skill("tdd", {"evals/cases/a.yaml": "task: x\n"})
    assert "Updated 1 eval asset file(s) for tdd." in ada.ok("publish", skill)
    (skill / "evals/cases/a.yaml").write_text("task: y\n")
    assert ada.ok("publish", skill).strip() == (
        "tdd is identical to Version 1, so no new version was minted; updated 1 eval asset file(s)."
    )
    assert committed(acme, "skills/tdd/evals/cases/a.yaml") == b"task: y\n"


def test_an_edit_makes_the_card_stale_and_names_the_file(ada: Member, acme: Path) -> None:
    skill = ada.skill("tdd", {"scripts/a.sh": "true\n"})
    ada.ok("library", "add", skill.parent)
    ada.evaluate(skill)
    [card] = ada.json("cards", "--library")["cards"]
    assert (card["state"], card["source"], card["version"]) == ("scored", "local", None)
    ada.ok("publish", skill)
    (skill / "scripts/a.sh").write_text("false\n")
    [card] = ada.json("cards", "--library")["cards"]
    assert (card["state"], card["receipt"]) == ("stale", None)
    assert card["reason"] == "scored at v1; since then scripts/a.sh changed"
    ada.ok("publish", skill)
    [card] = ada.json("cards", "--team")["cards"]
    assert (card["state"], card["version"], card["latest"]) == ("stale", "v1", "v2")
    assert card["reason"] == "scored at v1; since then, up to v2, scripts/a.sh changed"
    assert card["receipt"]["verdict"] == "PASS"


def test_runs_of_other_bytes_are_named_only_if_no_team_has_them(ada: Member, acme: Path) -> None:
    skill = ada.skill("tdd")
    ada.evaluate(skill)
    ada.ok("publish", skill)
    with (skill / "SKILL.md").open("a") as file:
        file.write("more\n")
    ada.evaluate(skill, run_id="20260917T000000Z")
    with (skill / "SKILL.md").open("a") as file:
        file.write("even more\n")
    said = ada.ok("publish", skill)
    assert "1 local eval run(s) were not attached" in said
    assert "20260917T000000Z" in said
    assert "20260916T042108Z" not in said


def test_unpublish_removes_what_is_the_skills_own(ada: Member, bob: Member, acme: Path) -> None:
    for name in ("tdd", "ship"):
        skill = ada.skill(name, {"evals/cases/a.yaml": "task: x\n"})
        ada.evaluate(skill)
        ada.ok("publish", skill)
    bob.ok("team", "join", acme)
    bob.ok("sync")
    bob.ok("install", "tdd")
    installed = content_digest(bob.library / "tdd")
    refused = ada.run("unpublish", "tdd")
    assert refused.code == 1
    assert "Refusing to unpublish tdd without confirmation; pass --yes." in refused.err
    assert ada.ok("unpublish", "tdd", "--yes").splitlines() == [
        "Unpublished tdd from the acme marketplace: removed 1 version.",
        "Also removed 1 eval asset file(s) and 1 eval receipt(s).",
        "Removed it from 1 member profile(s).",
        "Machines that installed tdd keep their copy; the next sync of each reports it as removed "
        "from the team.",
    ]
    assert not [path for path in tree(acme) if path.startswith("skills/tdd/")]
    assert len(receipts_in(acme)) == 1
    assert "tdd was removed from the team" in bob.ok("sync")
    assert content_digest(bob.library / "tdd") == installed


@pytest.mark.parametrize("name", ["claude-code-smoke", "summarize"])
def test_a_real_skill_keeps_its_digest_through_the_team(
    ada: Member, bob: Member, acme: Path, name: str
) -> None:
    _check_round_trip(DATA / "skills" / name, ada, bob, acme)


def test_every_real_skill_is_published_installed_and_matched(
    ada: Member, bob: Member, acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In this process, because 41 skills are some 200 commands.
    sources = [skill_md.parent for skill_md in shared("skills").glob("*/*/SKILL.md")]
    assert len(sources) > 40
    for source in sources:
        skill = ada.home / "skills" / source.name
        shutil.copytree(source, skill)
        receipt = ada.write_receipt(skill)
        digest = content_digest(skill)
        for command in (["import", str(receipt), "--skill", str(skill)], ["publish", str(skill)]):
            assert ada.here(command, monkeypatch) == 0
        assert content_digest(skill) == digest
    bob.ok("team", "join", acme)
    bob.ok("sync")
    for source in sources:
        assert bob.here(["install", source.name], monkeypatch) == 0
    cards = bob.json("cards")["cards"]
    assert {(card["state"], card["version"]) for card in cards} == {("scored", "v1")}
    assert {card["source"] for card in cards if card["path"]} == {"local"}
    assert len(cards) == 2 * len(sources)


def _check_round_trip(source: Path, ada: Member, bob: Member, acme: Path) -> None:
    skill = ada.home / "skills" / source.name
    shutil.copytree(source, skill)
    digest = content_digest(skill)
    ada.evaluate(skill)
    said = ada.ok("publish", skill)
    assert "Attached 1 eval run(s)." in said, said
    assert content_digest(skill) == digest
    if not bob.state.exists():
        bob.ok("team", "join", acme)
    bob.ok("sync")
    bob.ok("install", skill.name)
    assert content_digest(bob.library / skill.name) == digest
    [card] = bob.json("cards", skill.name, "--library")["cards"]
    assert (card["state"], card["version"]) == ("scored", "v1")

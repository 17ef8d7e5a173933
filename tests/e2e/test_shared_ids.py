"""Two skills of a team that declare one id, as after a copy made by hand in git."""

import subprocess
from pathlib import Path

from tests.members import Member


def test_a_copy_with_the_id_of_a_measured_skill_has_no_score_of_its_own(
    ada: Member, acme: Path
) -> None:
    skill = ada.skill("tdd")
    ada.evaluate(skill)
    ada.ok("publish", skill)
    _copy_by_hand(ada, acme, "tdd", "copy")
    assert ada.ok("sync") == "acme: new skill copy v1\n"
    cards = {card["name"]: card for card in ada.json("cards", "--team")["cards"]}
    assert cards["tdd"]["state"] == "scored"
    assert (cards["copy"]["state"], cards["copy"]["notes"]) == ("none", [])
    ada.ok("install", "copy")
    [card] = ada.json("cards", "copy", "--library")["cards"]
    assert (card["state"], card["notes"]) == ("stale", [])  # its id was measured, these bytes not
    ada.ok("library", "add", skill.parent)
    (skill / "SKILL.md").write_text((skill / "SKILL.md").read_text() + "edited\n")
    [card] = ada.json("cards", "tdd", "--library")["cards"]
    assert (card["state"], card["notes"]) == ("stale", [])


def _copy_by_hand(member: Member, repository: Path, name: str, copy: str) -> None:
    """Push a changed copy of a skill's first version, with plain git."""
    work = member.home / "clone"

    def git(*arguments: str) -> None:
        command = ["git", "-C", str(work), *arguments]
        subprocess.run(command, check=True, capture_output=True, env=member.environment)

    subprocess.run(["git", "clone", "-q", str(repository), str(work)], check=True)
    text = (work / "skills" / name / "v1" / "SKILL.md").read_text()
    target = work / "skills" / copy / "v1"
    target.mkdir(parents=True)
    (target / "SKILL.md").write_text(text + "Copied.\n")
    git("add", "-A")
    git("commit", "-qm", "copy by hand")
    git("push", "-q", "origin", "HEAD:main")

"""What sync tells, and does not tell, about one's own work and others' between two syncs."""

import shutil
from pathlib import Path

import pytest

from tests.e2e.repositories import git
from tests.members import Member

NOTHING = ["acme: nothing new."]


def news(member: Member, *options: str) -> list[str]:
    return member.ok("sync", *options).splitlines()


@pytest.fixture
def both(ada: Member, bob: Member, acme: Path) -> tuple[Member, Member]:
    """Ada and Bob, who were told of everything there is."""
    bob.ok("team", "join", acme)
    for member in (ada, bob):
        assert news(member) == NOTHING
    return ada, bob


def test_another_skill_under_a_freed_name_is_a_new_skill(both: tuple[Member, Member]) -> None:
    ada, bob = both
    skill = ada.skill("tdd")
    ada.ok("publish", skill)
    assert news(bob) == ["acme: new skill tdd v1"]
    ada.ok("unpublish", "tdd", "--yes")
    shutil.rmtree(skill)
    ada.ok("publish", ada.skill("tdd", {"other.md": "other\n"}))
    [told] = bob.json("sync")["teams"]
    assert (told["new_skills"], told["removed_skills"]) == (["tdd"], ["tdd"])
    assert news(bob) == NOTHING
    assert news(ada) == NOTHING


def test_one_is_told_of_others_work_and_never_of_ones_own(both: tuple[Member, Member]) -> None:
    ada, bob = both
    hers, his = ada.skill("hers"), bob.skill("first")
    bob.ok("publish", his)
    bob.evaluate(his)
    ada.evaluate(hers)
    ada.ok("publish", hers)
    bob.ok("publish", his)
    bob.ok("publish", bob.skill("second"))
    (hers / "SKILL.md").write_text((hers / "SKILL.md").read_text() + "more\n")
    ada.ok("publish", hers)
    ada.ok("publish", ada.skill("passing"))
    bob.ok("publish", bob.skill("third"))
    ada.ok("unpublish", "passing", "--yes")
    assert news(ada) == [
        "acme: new skill first v1",
        "acme: new skill second v1",
        "acme: new skill third v1",
        "acme: 1 new receipt for first v1 by bob (1 PASS)",
    ]
    assert news(bob) == [
        "acme: new skill hers v1",
        "acme: new version hers v2",
        "acme: 1 new receipt for hers v1 by ada (1 PASS)",
    ]
    for member in both:
        assert news(member) == NOTHING
        git(member.state / "mirrors" / "acme.git", "fsck", "--strict")


def test_what_was_told_survives_a_copy_that_is_made_again(both: tuple[Member, Member]) -> None:
    ada, bob = both
    bob.ok("publish", bob.skill("his"))
    ada.ok("publish", ada.skill("hers"))
    mirror = ada.state / "mirrors" / "acme.git"
    (mirror / "HEAD").write_bytes(b"")
    assert news(ada) == ["acme: new skill his v1"]
    git(mirror, "fsck", "--strict")


def test_what_one_publishes_before_the_first_sync_is_no_news(
    ada: Member, bob: Member, acme: Path
) -> None:
    ada.ok("publish", ada.skill("hers"))
    bob.ok("team", "join", acme)
    bob.ok("publish", bob.skill("his"))
    assert news(bob) == ["acme: new skill hers v1"]


def test_ones_own_skill_under_a_name_that_others_freed(both: tuple[Member, Member]) -> None:
    ada, bob = both
    ada.ok("publish", ada.skill("tdd", {"old.md": "old\n"}))
    assert news(bob) == ["acme: new skill tdd v1"]
    ada.ok("unpublish", "tdd", "--yes")
    bob.ok("publish", bob.skill("tdd"))
    assert news(bob) == NOTHING


def test_another_machine_of_the_same_member_is_told(
    ada: Member, tmp_path: Path, acme: Path
) -> None:
    laptop = Member(tmp_path / "laptop", "ada")
    laptop.ok("team", "join", acme)
    laptop.ok("sync")
    ada.ok("publish", ada.skill("hers"))
    assert news(laptop) == ["acme: new skill hers v1"]
    assert news(ada) == NOTHING

"""One skill in several libraries: an install says where the other copy is, and touches it not."""

import shutil
from pathlib import Path

import pytest

from receipts.digest import content_digest
from tests.members import Member

NOTE = (
    "note: tdd is in ~/{}/tdd, and also in ~/{}/tdd, which was left as it is. To update that one: "
    "{} --to ~/{}\n"
)


@pytest.fixture
def member(ada: Member, acme: Path) -> Member:
    """A member whose team has two versions of tdd, and a library `work` with the first of them."""
    skill = ada.skill("tdd")
    ada.ok("publish", skill)
    (skill / "more.md").write_text("more\n")
    ada.ok("publish", skill)
    ada.ok("install", "tdd@v1", "--to", "work")
    return ada


def test_a_second_copy_is_named_with_the_command_that_updates_the_first(member: Member) -> None:
    before = content_digest(member.home / "work" / "tdd")
    done = member.run("install", "tdd")
    note = NOTE.format(".claude/skills", "work", "receipts install tdd", "work")
    assert (done.code, done.err) == (0, note)
    assert content_digest(member.home / "work" / "tdd") == before
    assert content_digest(member.library / "tdd") != before
    command = done.err.strip().partition("receipts ")[2].replace("~", str(member.home))
    done = member.run(*command.split())
    assert (done.code, "was installed at ~/work/tdd" in done.out) == (0, True)
    assert content_digest(member.library / "tdd") == content_digest(member.home / "work" / "tdd")
    assert done.err == NOTE.format(
        "work", ".claude/skills", "receipts install tdd", ".claude/skills"
    )


def test_the_command_keeps_the_team_and_the_version(member: Member) -> None:
    done = member.run("install", "tdd@v2", "--team", "acme", "--json")
    again = "receipts install tdd@v2 --team acme"
    assert done.err == NOTE.format(".claude/skills", "work", again, "work")
    elsewhere = member.json("install", "tdd@v2", "--team", "acme")["elsewhere"]
    assert elsewhere == [str(member.home / "work" / "tdd")]


def test_a_folder_with_a_blank_is_quoted(member: Member) -> None:
    (member.home / "work").rename(member.home / "my work")
    member.ok("library", "add", "my work")
    done = member.run("install", "tdd")
    assert done.err.endswith(f" --to '{member.home / 'my work'}'\n")


def test_no_other_copy_no_note(member: Member) -> None:
    other = member.home / "work" / "tdd"
    shutil.rmtree(other)
    assert member.run("install", "tdd").err == ""
    # Nor a link to the very folder, nor a skill of that name that is another one.
    other.symlink_to(member.library / "tdd")
    assert member.run("install", "tdd").err == ""
    other.unlink()
    other.mkdir()
    skill_id = "0d3c1c52-77c5-4d3b-9a35-6c7f1f6a2b11"
    frontmatter = f"name: tdd\ndescription: d\nmetadata:\n  id: {skill_id}\n"
    (other / "SKILL.md").write_text(f"---\n{frontmatter}---\n")
    assert member.run("install", "tdd").err == ""

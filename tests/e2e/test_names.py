"""What a person means by SKILL and by a team's name, the same in every verb."""

import json
import shutil
from pathlib import Path

import pytest

from receipts.digest import content_digest
from tests.e2e.repositories import tree
from tests.members import Member

NO_SKILL_MD = "{} has no SKILL.md, so it is not a skill.\n"


@pytest.fixture
def tdd(ada: Member, acme: Path) -> Path:
    """An installed skill of ada's, who is a member of acme."""
    ada.skill("tdd")
    ada.library.parent.mkdir()
    (ada.home / "skills").rename(ada.library)
    return ada.library / "tdd"


@pytest.mark.parametrize(
    "reference", ["tdd", ".claude/skills/tdd", "./.claude/skills/tdd/", "full"]
)
def test_a_name_and_a_path_mean_the_same_in_every_verb(
    ada: Member, acme: Path, tdd: Path, reference: str
) -> None:
    skill = str(tdd) if reference == "full" else reference
    receipt = ada.write_receipt(tdd)
    assert ada.ok("digest", skill) == f"{content_digest(tdd)}\n"
    assert ada.ok("import", receipt, "--skill", skill).startswith("Filed run ")
    assert ada.ok("show", skill).startswith("verdict: PASS\n")
    assert len(ada.json("list", skill)["runs"]) == 1
    [card] = ada.json("cards", skill)["cards"]
    assert (card["name"], card["path"], card["state"]) == ("tdd", str(tdd), "scored")
    assert ada.ok("publish", skill).startswith("Published tdd as Version 1")
    assert "skills/tdd/v1/SKILL.md" in tree(acme)


def test_two_skills_are_compared_by_name_and_by_path(ada: Member, tdd: Path) -> None:
    shutil.copytree(tdd, ada.library / "other")
    assert ada.json("digest", "tdd", tdd.with_name("other"))["equal"] is True
    assert ada.ok("digest", "other", "tdd").splitlines() == [
        f"{content_digest(tdd)}  ~/.claude/skills/other",
        f"{content_digest(tdd)}  ~/.claude/skills/tdd",
        "The digests are equal.",
    ]


def test_a_path_that_exists_goes_before_a_name(ada: Member, tdd: Path) -> None:
    here = ada.skill("tdd", {"other.md": "bytes\n"})
    assert ada.run("digest", "tdd", cwd=here.parent).out == f"{content_digest(here)}\n"
    done = ada.run("cards", "tdd", "--json", cwd=here.parent)
    assert [card["path"] for card in json.loads(done.out)["cards"]] == [str(here)]
    assert ada.run("digest", "tdd").out == f"{content_digest(tdd)}\n"


def test_cards_of_a_folder_that_is_in_no_library(ada: Member, acme: Path, tdd: Path) -> None:
    ada.ok("publish", "tdd")
    copy = shutil.copytree(tdd, ada.home / "work" / "tdd")
    assert ada.ok("cards", copy).splitlines() == [
        "tdd  ~/work/tdd (= acme v1)  none  — nothing measured these bytes",
        "tdd  acme v1  none  — nothing measured any version",
    ]
    done = ada.run("cards", ".", "--library", cwd=copy)
    assert done.out == "tdd  ~/work/tdd (= acme v1)  none  — nothing measured these bytes\n"
    assert ada.ok("cards", copy, "--team").startswith("tdd  acme v1  ")


@pytest.mark.parametrize("reference", ["notes", "./notes"])
def test_a_folder_without_skill_md_is_no_skill(ada: Member, tdd: Path, reference: str) -> None:
    (ada.home / "notes").mkdir()
    (ada.home / "notes" / "a.md").write_text("x\n")
    receipt = ada.write_receipt(tdd)
    for arguments in (
        ["show", reference],
        ["list", reference],
        ["cards", reference],
        ["publish", reference],
        ["import", receipt, "--skill", reference],
    ):
        done = ada.run(*arguments)
        assert (done.code, done.out) == (1, ""), arguments
        assert done.err == (
            f"error: {NO_SKILL_MD.format(reference)}  Name the folder that holds SKILL.md.\n"
        )
    done = ada.run("digest", reference)
    assert (done.code, done.out) == (0, f"{content_digest(ada.home / 'notes')}\n")
    assert done.err == f"note: {NO_SKILL_MD.format(reference)}"


def test_a_folder_that_is_no_skill_is_not_taken_for_the_teams_of_its_name(
    ada: Member, acme: Path, tdd: Path
) -> None:
    ada.evaluate(tdd)
    ada.ok("publish", "tdd")
    shutil.rmtree(ada.library)
    assert ada.run("show", "tdd").code == 0  # the team's
    (ada.home / "tdd").mkdir()
    done = ada.run("show", "tdd")
    assert (done.code, done.err.splitlines()[0]) == (1, f"error: {NO_SKILL_MD.format('tdd')[:-1]}")


def test_a_misspelt_skill_is_answered_with_the_nearest(ada: Member, acme: Path, tdd: Path) -> None:
    receipt = ada.write_receipt(tdd)
    ada.ok("import", receipt, "--skill", "tdd")
    ada.ok("publish", "tdd")
    ada.ok("publish", ada.skill("release-notes"))
    installed: list[list[str | Path]] = [["digest"], ["publish"], ["list"]]
    installed.append(["import", receipt, "--skill"])
    in_teams: list[list[str | Path]] = [["show"], ["cards"], ["install"], ["unpublish"]]
    for verb in installed + in_teams:
        for misspelt in ("td", "TDD"):
            assert "Did you mean tdd?" in ada.run(*verb, misspelt).err, verb
    for verb in in_teams:
        assert "Did you mean release-notes?" in ada.run(*verb, "realease-notes").err, verb
    for verb in installed + in_teams:
        assert "Did you mean" not in ada.run(*verb, "zzzzzz").err, verb


def test_a_misspelt_team_is_answered_with_the_nearest(ada: Member, acme: Path, tdd: Path) -> None:
    for arguments in (
        ["sync", "--team", "acm"],
        ["publish", "tdd", "--team", "Acme"],
        ["verify", "--team", "akme"],
        ["team", "status", "--team", "acmee"],
    ):
        done = ada.run(*arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert done.err.splitlines()[1] == "  Did you mean acme? Known: acme."
    assert "  Known: acme." in ada.run("sync", "--team", "zzzzzz").err


def test_the_flag_of_cards_takes_no_name_and_says_so(ada: Member, acme: Path, tdd: Path) -> None:
    for arguments in (["cards", "--team", "acme"], ["cards", "acme"]):
        done = ada.run(*arguments)
        assert (done.code, done.out) == (1, "")
        assert done.err.splitlines() == [
            "error: No skill named acme is in a library or a team of this machine.",
            "  acme is a team, and --team takes no name here: `receipts cards --team` shows the "
            "skills of all your teams.",
        ]
    ada.ok("publish", ada.skill("acme"))  # then it is a skill
    assert ada.ok("cards", "--team", "acme").startswith("acme  acme v1  none")


def test_paths_are_short_for_people_and_whole_for_programs(
    ada: Member, acme: Path, tdd: Path
) -> None:
    """No verb prints the home folder, in results or messages, and no document lacks it."""
    ada.ok("publish", "tdd")
    receipt = ada.write_receipt(tdd)
    text = "".join(
        done.out + done.err
        for done in (
            ada.run(*arguments)
            for arguments in (
                ["import", receipt, "--skill", tdd],
                ["digest", tdd, tdd],
                ["show", tdd],
                ["cards"],
                ["library", "add", ada.home / "skills"],
                ["library", "list"],
                ["team", "status"],
                ["install", "tdd", "--to", ada.home / "more"],
                ["show", ada.home / "nothing"],
                ["publish", ada.home / "more"],
                ["verify", ada.home / "nothing"],
            )
        )
    )
    assert str(ada.home) not in text
    assert text.count("~/") >= 11
    documents = {
        "cards": ada.json("cards")["cards"][0]["path"],
        "library": ada.json("library", "list")["roots"][0]["path"],
        "team": ada.json("team", "status")["teams"][0]["entry"]["remote"],
        "install": ada.json("install", "tdd")["path"],
        "import": ada.json("import", receipt, "--skill", tdd)["path"],
        "digest": ada.json("digest", tdd)["path"],
        "list": ada.json("list")["runs"][0]["path"],
    }
    assert [name for name, path in documents.items() if not path.startswith(str(ada.home))] == []

"""Unpublish removes what is the skill's own, for everyone, and nothing of anybody else's."""

import json
from pathlib import Path
from typing import Any

import pytest

from publish import publishing, teams, unpublishing
from publish.publishing import Request
from publish.unpublishing import Unpublished
from receipts import cli
from receipts.errors import Cancelled, ReceiptsError, RefusedByServer, TeamError, UsageError
from tests.publish.conftest import Hosted, Machine
from tests.publish.git.samples import git
from tests.publish.samples import (
    ID,
    LINK,
    OTHER_ID,
    SUBMODULE,
    Files,
    evals,
    person,
    receipt,
    skill_md,
    team,
)

SKILL = {"SKILL.md": skill_md()}
LATER = "20260917T000000Z"
PROJECTS: dict[str, dict[str, Any]] = {
    "web": {"remotes": ["git@h:w"], "skills": [ID.upper(), OTHER_ID], "x": 1},
    "api": {"skills": [OTHER_ID]},
    "cli": {"skills": [ID], "remotes": []},
}
OWN: Files = {
    "skills/tdd/v1/SKILL.md": skill_md(),
    "skills/tdd/v1/scripts/a.sh": b"true\n",
    "skills/tdd/v12/SKILL.md": skill_md(body="12"),
    "skills/tdd/evals/cases/a.yaml": b"task: x\n",
    "skills/tdd/evals/b": b"",
    "skills/tdd/of-another-client.txt": b"",
    evals(): receipt(SKILL),
    evals(LATER): b"not json",
    evals(version=7): receipt(SKILL, version=7),
    evals(skill_id=ID.upper()): receipt(SKILL),
    evals().replace(".json", ".json.sig"): b"sig",
    f"evals/{ID}/archive/{'a' * 40}/{LATER}.json": b"old",
}
TWO_VERSIONS: Files = {p: OWN[p] for p in ("skills/tdd/v1/SKILL.md", "skills/tdd/v12/SKILL.md")}
OTHERS: Files = {
    "README.md": b"# acme\n",
    "people/cy.json": b"not json",
    "skills/ship/v1/SKILL.md": skill_md("ship", OTHER_ID),
    "skills/tdd-more/v1/SKILL.md": skill_md("tdd-more", None),
    evals(skill_id=OTHER_ID): receipt(SKILL, skill_id=OTHER_ID),
}
PROFILE = [{"id": ID.upper(), "name": "tdd"}, {"id": OTHER_ID}, {"name": "no id"}, "odd"]
MENTIONS: Files = {
    "team.json": team(projects=PROJECTS, unknown={"kept": [1, None]}),
    "people/ada.json": person(profile=PROFILE, installed=[{"id": ID}], x=1),
    "people/bob.json": person("bob", profile=[{"id": ID}, {"id": ID}]),
    "people/dee.json": person("dee", profile=[{"id": OTHER_ID}]),
    "people/eve.json": person("eve", profile="odd"),
}
TEAM: Files = {**MENTIONS, **OTHERS, **OWN}


def unpublish(name: str = "tdd", team: str | None = None) -> Unpublished:
    return unpublishing.unpublish(name, team, lambda *_: True)


def refused(kind: type[ReceiptsError], name: str = "tdd", team: str | None = None) -> str:
    with pytest.raises(kind) as error:
        unpublish(name, team)
    return error.value.message


def tree(repository: Path) -> dict[str, str]:
    """Return what stands at `main`: the id of each blob by its path."""
    lines = git(repository, "ls-tree", "-r", "-z", "main").decode().split("\0")[:-1]
    return {path: entry.split()[2] for entry, path in (line.split("\t") for line in lines)}


def document(repository: Path, path: str) -> Any:
    return json.loads(git(repository, "show", f"main:{path}"))


def test_all_of_the_skill_goes_and_everything_else_stays_byte_for_byte(hosted: Hosted) -> None:
    hosted.put(TEAM)
    before = tree(hosted.path)
    done = unpublish()
    after = tree(hosted.path)
    assert before.keys() - after.keys() == OWN.keys()
    assert after.keys() <= before.keys()
    changed = {path for path in after if after[path] != before[path]}
    assert changed == {"team.json", "people/ada.json", "people/bob.json"}
    assert done == Unpublished(
        "acme", "tdd", 2, 2, 4, ["web", "cli"], 2, hosted.git("rev-parse", "main")
    )


def test_mentions_go_and_the_rest_of_each_document_stays(hosted: Hosted) -> None:
    hosted.put(TEAM)
    unpublish()
    projects = {**PROJECTS, "web": {**PROJECTS["web"], "skills": [OTHER_ID]}}
    projects["cli"] = {"skills": [], "remotes": []}
    read = document(hosted.path, "team.json")
    assert read == json.loads(MENTIONS["team.json"]) | {"projects": projects}  # type: ignore[arg-type]
    assert list(read["projects"]) == list(PROJECTS)
    ada = document(hosted.path, "people/ada.json")
    assert ada["profile"] == [{"id": OTHER_ID}, {"name": "no id"}, "odd"]
    assert (ada["installed"], ada["x"]) == ([{"id": ID}], 1)
    assert document(hosted.path, "people/bob.json")["profile"] == []


def test_it_is_one_commit_of_the_member_and_history_stays(hosted: Hosted) -> None:
    hosted.put(TEAM)
    tip = hosted.git("rev-parse", "main")
    unpublish()
    assert hosted.git("log", "-1", "--format=%an <%ae> %s %P") == (
        f"Ada <ada@example.com> ada: unpublish tdd {tip}"
    )
    assert hosted.git("show", f"{tip}:skills/tdd/evals/cases/a.yaml") == "task: x"


def test_what_is_printed() -> None:
    done = Unpublished("acme", "tdd", 4, 3, 5, ["web", "cli"], 2, "c")
    keep = (
        "Machines that installed tdd keep their copy; the next sync of each reports it as removed "
        "from the team."
    )
    assert unpublishing.lines(done) == [
        "Unpublished tdd from the acme marketplace: removed 4 versions.",
        "Also removed 3 eval asset file(s) and 5 eval receipt(s).",
        "Removed it from web.",
        "Removed it from cli.",
        "Removed it from 2 member profile(s).",
        keep,
    ]
    assert unpublishing.lines(Unpublished("acme", "tdd", 1, 0, 0, [], 0, "c")) == [
        "Unpublished tdd from the acme marketplace: removed 1 version.",
        keep,
    ]
    assert unpublishing.lines(done._replace(assets=0))[1] == (
        "Also removed 0 eval asset file(s) and 5 eval receipt(s)."
    )
    assert unpublishing.warning("acme", "tdd", 4) == [
        "This removes ALL 4 versions of tdd from the acme marketplace, for everyone.",
        "Installed copies stay and keep working, and the git history is not rewritten.",
    ]
    assert "ALL 1 version of" in unpublishing.warning("acme", "tdd", 1)[0]


def test_a_no_changes_nothing(hosted: Hosted) -> None:
    hosted.put(TEAM)
    tip = hosted.git("rev-parse", "main")
    asked: list[tuple[str, int]] = []

    def no(team: str, versions: int) -> bool:
        asked.append((team, versions))
        return False

    with pytest.raises(Cancelled, match=r"^tdd was not unpublished\.$"):
        unpublishing.unpublish("tdd", None, no)
    assert asked == [("acme", 2)]
    assert hosted.git("rev-parse", "main") == tip


@pytest.mark.parametrize("name", ["nope", "", "TDD", "../ship", "tdd/v1", "evals", ".", "*", "v1"])
def test_an_unknown_name_is_refused_before_anything_is_asked(hosted: Hosted, name: str) -> None:
    # A folder of the name that `skills/` itself would have, if a name could be empty.
    hosted.put({**TEAM, "skills/v1/SKILL.md": b"", "skills/odd/SKILL.md": b""})
    tip = hosted.git("rev-parse", "main")

    def ask(*_: Any) -> bool:
        raise AssertionError("asked")

    for wanted in (name, "odd"):
        with pytest.raises(TeamError) as error:
            unpublishing.unpublish(wanted, None, ask)
        assert error.value.message == f"No skill named {wanted} exists in team acme."
    assert hosted.git("rev-parse", "main") == tip


def test_a_skill_without_an_id_takes_nobodys_mentions_along(hosted: Hosted) -> None:
    nameless: dict[str, Any] = {"web": {"skills": ["", OTHER_ID]}}
    files: Files = {
        "team.json": team(projects=nameless),
        "people/ada.json": person(profile=[{"name": "no id"}, {"id": ""}, {"id": OTHER_ID}]),
        "skills/tdd/v1/SKILL.md": skill_md(skill_id=None),
        evals(): receipt(SKILL),
    }
    hosted.put(files)
    before = tree(hosted.path)
    done = unpublish()
    assert (done.versions, done.receipts, done.projects, done.profiles) == (1, 0, [], 0)
    gone = {path for path in before if path.startswith("skills/tdd/")}
    assert tree(hosted.path) == {path: blob for path, blob in before.items() if path not in gone}


def test_an_id_that_another_skill_declares_too_stays_with_that(hosted: Hosted) -> None:
    hosted.put({**TEAM, "skills/copy/v1/SKILL.md": skill_md("copy")})
    before = tree(hosted.path)
    done = unpublish()
    assert (done.versions, done.assets, done.receipts) == (2, 2, 0)
    assert (done.projects, done.profiles) == ([], 0)
    gone = {path for path in before if path.startswith("skills/tdd/")}
    assert tree(hosted.path) == {path: blob for path, blob in before.items() if path not in gone}


@pytest.mark.parametrize(
    "hostile",
    [
        {"skills/tdd/v12/\u00e9 \u2028.md": b"x"},
        {b"skills/tdd/v12/../x": b"x", b"skills/tdd/evals/.git": b"x"},
        {b"skills/tdd/a\nb\xff": b"x", f"evals/{ID}/v1/\x1b[31m".encode(): b"x"},
        {"skills/tdd/v12/" + "d/" * 80 + "x": b"x"},
        {"skills/tdd/evals": (SUBMODULE, b"1" * 40), f"evals/{ID}/v2": (LINK, b"v1")},
    ],
)
def test_whatever_stands_among_its_files_goes_too(hosted: Hosted, hostile: Files) -> None:
    own = OWN if "skills/tdd/evals" not in hostile else TWO_VERSIONS
    hosted.put({**MENTIONS, **OTHERS, **own, **hostile})
    assert unpublish().versions == 2
    assert sorted(tree(hosted.path)) == sorted(str(path) for path in {**MENTIONS, **OTHERS})
    assert hosted.git("fsck", "--connectivity-only") == ""


def test_it_can_be_published_again_from_version_1(ada: Machine, acme: Path) -> None:
    skill = ada.skill()
    published = publishing.publish(Request(skill), lambda _: True)
    with (skill / "SKILL.md").open("a") as stream:
        stream.write("more\n")
    publishing.publish(Request(skill), lambda _: True)
    assert unpublish().versions == 2
    again = publishing.publish(Request(skill), lambda _: True)
    assert again.plan.candidate.number == 1
    assert again.plan.candidate.skill_id == published.plan.candidate.skill_id


# Others at the same time


class Teammate:
    """Answers yes, after a teammate's push has landed."""

    def __init__(self, hosted: Hosted, files: Files) -> None:
        self._hosted, self._files = hosted, files

    def __call__(self, *_: Any) -> bool:
        self._hosted.commit(self._files)
        return True


def test_what_a_teammate_added_meanwhile_goes_along(hosted: Hosted) -> None:
    hosted.put(TEAM)
    newer: Files = {
        **TEAM,
        "skills/tdd/v13/SKILL.md": skill_md(body="13"),
        evals(version=13): receipt({"SKILL.md": skill_md(body="13")}, version=13),
        "people/eve.json": person("eve", profile=[{"id": ID}]),
    }
    done = unpublishing.unpublish("tdd", None, Teammate(hosted, newer))
    assert (done.versions, done.receipts, done.profiles) == (3, 5, 3)
    assert not [path for path in tree(hosted.path) if "/tdd/" in path or ID in path.lower()]


@pytest.mark.parametrize(
    ("newer", "sentence"),
    [
        ({**MENTIONS, **OTHERS}, "No skill named tdd exists in team acme."),
        (
            {**MENTIONS, **OTHERS, "skills/tdd/v1/SKILL.md": skill_md(skill_id="9" * 8 + ID[8:])},
            f"tdd is no longer in the repository as {ID[:8]}; run sync and retry.",
        ),
        ({**TEAM, "team.json": b"[]"}, "team.json must hold one JSON object."),
        ({**TEAM, "team.json": b"{"}, "team.json is not JSON: "),
        ({**TEAM, "team.json": team(projects=[])}, "team.json: projects is missing or malformed."),
    ],
)
def test_what_a_teammate_changed_meanwhile_is_not_run_over(
    hosted: Hosted, newer: Files, sentence: str
) -> None:
    hosted.put(TEAM)
    with pytest.raises(TeamError) as error:
        unpublishing.unpublish("tdd", None, Teammate(hosted, newer))
    assert error.value.message.startswith(sentence)
    assert hosted.git("log", "-1", "--format=%s") == "message"


def test_a_server_that_refuses_leaves_everything(hosted: Hosted) -> None:
    hosted.put(TEAM)
    hook = hosted.path / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    tip = hosted.git("rev-parse", "main")
    assert refused(RefusedByServer).startswith("The remote refused the push")
    assert hosted.git("rev-parse", "main") == tip


def test_several_teams_need_a_name(ada: Machine, hosted: Hosted) -> None:
    hosted.put(TEAM)
    teams.create("other", remote=None, handle=None, license=None, require_category=False)
    assert "several teams: acme, other" in refused(UsageError)
    assert "No skill named tdd exists in team other." in refused(TeamError, team="other")
    assert unpublish(team="acme").versions == 2


# The verb


def test_the_verb_asks_for_the_name_only_on_a_terminal(
    hosted: Hosted, capsys: pytest.CaptureFixture[str]
) -> None:
    hosted.put(TEAM)
    assert cli.run(["unpublish", "tdd"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "Refusing to unpublish tdd without confirmation; pass --yes." in said.err
    assert cli.run(["unpublish", "tdd", "--yes", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == {
        "team": "acme", "skill": "tdd", "versions": 2, "assets": 2, "receipts": 4,
        "projects": ["web", "cli"], "profiles": 2, "commit": hosted.git("rev-parse", "main"),
    }  # fmt: skip

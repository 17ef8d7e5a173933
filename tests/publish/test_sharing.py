"""After an evaluation: shared, hinted at, or silence; and never an error."""

import json
import shlex
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from publish import publishing, sharing, teams
from publish.publishing import Request
from publish.sharing import Situation
from receipts.digest import content_digest
from store import config, runs
from store.runs import LocalRun
from tests.members import ROOT
from tests.publish.conftest import Hosted, Machine
from tests.publish.git.samples import git
from tests.publish.samples import ID, OTHER_ID, Files, evals, person, skill_md, team
from tests.servers.fixtures import TeamServer
from tests.store import samples

SHARED = Situation("acme", "ada", "tdd", True, False, 3, "", "PASS", "receipts publish tdd")
NOT_SHARED = SHARED._replace(version=None)
HINT = (
    "These bytes are not a published version, so nothing was shared. To share these results, "
    "publish the skill again: receipts publish tdd"
)
FAIL_HINT = (
    "These bytes are not a published version, so nothing was shared. This run's verdict is FAIL: "
    "evaluate a fix rather than publishing these bytes — receipts publish tdd asks before it "
    "publishes a failed verdict."
)
FAILED = "The eval is complete and saved locally, but publishing its receipt failed: "


# The choice


@pytest.mark.parametrize(
    ("situation", "expected"),
    [
        (SHARED, "Published this receipt to acme for Version 3 of tdd."),
        (SHARED._replace(verdict="FAIL"), "Published this receipt to acme for Version 3 of tdd."),
        (
            SHARED._replace(has_results=False),
            "Published this receipt to acme for Version 3 of tdd.",
        ),
        (NOT_SHARED, HINT),
        (NOT_SHARED._replace(verdict="NEUTRAL"), HINT),
        (NOT_SHARED._replace(verdict="FAIL"), FAIL_HINT),
        (NOT_SHARED._replace(has_results=False), None),
        (NOT_SHARED._replace(has_results=False, verdict="FAIL"), None),
        (NOT_SHARED._replace(failure="No network."), f"{FAILED}No network."),
        (NOT_SHARED._replace(failure="No.", verdict="FAIL", has_results=False), f"{FAILED}No."),
        (NOT_SHARED._replace(failure="No.", team=None, handle=""), f"{FAILED}No."),
    ],
)
def test_each_line(situation: Situation, expected: str | None) -> None:
    assert sharing.line(situation) == expected


def test_the_guide_has_each_line() -> None:
    guide = (ROOT / "docs" / "guides" / "publishing.md").read_text("utf-8")
    shared = sharing.line(SHARED._replace(team="T", skill="S")) or ""
    assert f"| `{shared.replace('Version 3', 'Version N')}` |" in guide
    for said in (HINT, FAIL_HINT):
        assert f"| `{said.partition('receipts publish')[0]}…" in guide
    assert f"| `{FAILED}…` |" in guide


def test_silence_without_a_team_or_a_handle_or_when_it_was_asked_for() -> None:
    every = product((True, False), (None, 3), ("PASS", "NEUTRAL", "FAIL"))
    for has_results, version, verdict in every:
        some = SHARED._replace(has_results=has_results, version=version, verdict=verdict)
        assert sharing.line(some._replace(team=None)) is None
        assert sharing.line(some._replace(handle="")) is None
        for failure in ("", "No network."):
            assert sharing.line(some._replace(no_commit=True, failure=failure)) is None


# The whole of it


def evaluated(skill: Path, run_id: str = samples.RUN, **fields: Any) -> LocalRun:
    """Return a run of a skill's bytes as an evaluator would have filed it."""
    digest = content_digest(skill)
    document = samples.document(digest, run_id, **{"skill_name": skill.name, **fields})
    document["provenance"]["runner_handle"] = "ada"
    data = json.dumps(document, indent=2).encode() + b"\n"
    samples.put(config.load().path.parent, data, digest, run_id)
    [run] = [run for run in runs.runs_of(digest) if run.run_id == run_id]
    return run


def publish(skill: Path) -> None:
    publishing.publish(Request(skill), lambda _: True)


def share(run: LocalRun, skill: Path, *, team: str | None = None, no_commit: bool = False) -> Any:
    return sharing.share(run, skill, team=team, no_commit=no_commit)


def in_team(repository: Path) -> dict[str, Any]:
    paths = git(repository, "ls-tree", "-r", "--name-only", "main", "evals").decode().split()
    return {path: json.loads(git(repository, "show", f"main:{path}")) for path in paths}


def log(repository: Path) -> list[str]:
    return git(repository, "log", "--format=%an <%ae> %s", "main").decode().splitlines()


def test_published_bytes_share_their_receipt_in_one_commit_of_one_file(
    ada: Machine, acme: Path
) -> None:
    skill = ada.skill()
    publish(skill)
    run = evaluated(skill, verdict="NEUTRAL")
    assert share(run, skill) == "Published this receipt to acme for Version 1 of tdd."
    [(path, document)] = in_team(acme).items()
    skill_id = path.split("/")[1]
    assert path == f"evals/{skill_id}/v1/{samples.RUN}.json"
    assert document == {
        **json.loads(run.file.data),
        "skill_id": skill_id,
        "version": "v1",
    }
    assert log(acme)[0] == "Ada <ada@example.com> ada: eval tdd"
    changed = git(acme, "diff", "--name-status", "main~1", "main").decode().splitlines()
    assert changed == [f"A\t{path}"]
    # The local run keeps neither: it is of the bytes, whichever team has them.
    assert json.loads((run.path / "receipt.json").read_bytes())["version"] is None


def test_sharing_again_commits_nothing_and_says_the_same(ada: Machine, acme: Path) -> None:
    skill = ada.skill()
    publish(skill)
    run = evaluated(skill)
    first = share(run, skill)
    tip = git(acme, "rev-parse", "main")
    assert share(run, skill) == first == "Published this receipt to acme for Version 1 of tdd."
    assert git(acme, "rev-parse", "main") == tip


def test_a_taken_second_is_never_written_over(ada: Machine, bob: Machine, acme: Path) -> None:
    skill = ada.skill()
    publish(skill)
    share(evaluated(skill), skill)
    [mine] = in_team(acme)
    before = git(acme, "show", f"main:{mine}")
    bob.use()
    teams.join(str(acme), handle=None, name=None)
    theirs = bob.skill()
    theirs.joinpath("SKILL.md").write_bytes(skill.joinpath("SKILL.md").read_bytes())
    said = share(evaluated(theirs, attribution="bob's"), theirs)
    assert said == "Published this receipt to acme for Version 1 of tdd."
    found = in_team(acme)
    assert git(acme, "show", f"main:{mine}") == before
    [other] = found.keys() - {mine}
    assert (found[other]["run_id"], found[other]["original_run_id"]) == (
        "20260916T042109Z",
        samples.RUN,
    )
    assert log(acme)[0] == "Bob <bob@example.com> bob: eval tdd"


@pytest.mark.parametrize(("verdict", "hint"), [("PASS", HINT), ("FAIL", FAIL_HINT)])
def test_edited_bytes_share_nothing_and_say_how(
    ada: Machine, acme: Path, verdict: str, hint: str
) -> None:
    skill = ada.skill()
    publish(skill)
    with (skill / "SKILL.md").open("a") as stream:
        stream.write("more\n")
    tip = git(acme, "rev-parse", "main")
    said = share(evaluated(skill, verdict=verdict), skill)
    assert said == hint.replace("publish tdd", f"publish {skill}")
    assert git(acme, "rev-parse", "main") == tip


def test_the_hinted_command_can_be_pasted(ada: Machine, acme: Path) -> None:
    skill = ada.home / "my skills" / "it's $HOME" / "tdd"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_bytes(skill_md(skill_id=None))
    said = share(evaluated(skill), skill)
    command = said.partition("publish the skill again: ")[2]
    assert shlex.split(command) == ["receipts", "publish", str(skill)]


def test_an_older_version_gets_the_receipt_of_its_own_bytes(ada: Machine, acme: Path) -> None:
    skill = ada.skill()
    publish(skill)
    first = (skill / "SKILL.md").read_bytes()
    (skill / "SKILL.md").write_bytes(first + b"more\n")
    publish(skill)
    (skill / "SKILL.md").write_bytes(first)
    assert share(evaluated(skill), skill) == "Published this receipt to acme for Version 1 of tdd."
    [path] = in_team(acme)
    assert "/v1/" in path


def test_a_run_without_results_is_shared_if_published_and_else_passed_over(
    ada: Machine, acme: Path
) -> None:
    skill = ada.skill()
    run = evaluated(skill, scored_rows=0, comparisons={}, verdict="NEUTRAL")
    assert share(run, skill) is None
    publish(skill)
    # Publishing attached it already: it is there, which is what is said, and nothing is committed.
    tip = git(acme, "rev-parse", "main")
    assert share(run, skill) == "Published this receipt to acme for Version 1 of tdd."
    assert git(acme, "rev-parse", "main") == tip


def test_no_commit_is_silent_and_reaches_nothing(ada: Machine, acme: Path) -> None:
    skill = ada.skill()
    publish(skill)
    run = evaluated(skill)
    shutil.move(acme, f"{acme}.away")
    assert share(run, skill, no_commit=True) is None


def test_a_machine_without_a_team_is_silent(ada: Machine) -> None:
    skill = ada.skill()
    assert share(evaluated(skill), skill) is None


def test_a_receipt_from_the_future_is_not_shared(ada: Machine, acme: Path) -> None:
    skill = ada.skill()
    publish(skill)
    run = evaluated(skill, verdict="SUPERB")
    assert run.file.newer
    assert share(run, skill) is None
    assert in_team(acme) == {}


def test_with_several_teams_one_is_named_or_nothing_is_shared(ada: Machine, acme: Path) -> None:
    skill = ada.skill()
    publish(skill)
    teams.create("other", remote=None, handle=None, license=None, require_category=False)
    run = evaluated(skill)
    assert share(run, skill) is None
    assert share(run, skill, team="other") == HINT.replace(
        "publish tdd", f"publish {skill} --team other"
    )
    assert in_team(acme) == {}
    said = share(run, skill, team="acme")
    assert said == "Published this receipt to acme for Version 1 of tdd."
    assert len(in_team(acme)) == 1


def test_secrets_of_this_machine_do_not_travel(
    ada: Machine, acme: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    skill = ada.skill()
    publish(skill)
    monkeypatch.setenv("DEPLOY_TOKEN", "correct-horse-battery")
    share(evaluated(skill, attribution="said correct-horse-battery"), skill)
    [document] = in_team(acme).values()
    assert document["attribution"] == "said [redacted]"
    said = capsys.readouterr().err
    assert said.count("attribution") == 1
    assert "correct-horse" not in said


# Whose bytes


def test_a_copy_under_another_name_is_named_as_the_skill_that_has_its_bytes(
    ada: Machine, acme: Path
) -> None:
    publish(ada.skill("tdd", **{"SKILL.md": "---\nname: x\ndescription: d\n---\n"}))
    copy = ada.skill("copy", **{"SKILL.md": "---\nname: x\ndescription: d\n---\n"})
    assert share(evaluated(copy), copy) == "Published this receipt to acme for Version 1 of tdd."


def test_the_skill_of_its_own_name_comes_before_another_with_its_bytes(
    ada: Machine, hosted: Hosted
) -> None:
    same = skill_md(body="x\n")
    hosted.put(
        {
            "team.json": team(),
            "people/ada.json": person(),
            "skills/aaa/v9/SKILL.md": same,
            "skills/tdd/v4/SKILL.md": same.replace(ID.encode(), OTHER_ID.encode()),
            "skills/tdd/v5/SKILL.md": same.replace(ID.encode(), OTHER_ID.encode()),
            "skills/tdd/v6/SKILL.md": skill_md(skill_id=OTHER_ID),
        }
    )
    skill = ada.skill("tdd", **{"SKILL.md": same.decode()})
    assert share(evaluated(skill), skill) == "Published this receipt to acme for Version 5 of tdd."
    assert list(in_team(hosted.path)) == [f"evals/{OTHER_ID}/v5/{samples.RUN}.json"]


def test_a_version_without_an_id_borrows_that_of_another_version(
    ada: Machine, hosted: Hosted
) -> None:
    files: Files = {
        "team.json": team(),
        "people/ada.json": person(),
        "skills/tdd/v1/SKILL.md": skill_md(skill_id=None),
    }
    hosted.put(files)
    skill = ada.skill("tdd", **{"SKILL.md": skill_md(skill_id=None).decode()})
    run = evaluated(skill)
    assert share(run, skill) == HINT.replace("publish tdd", f"publish {skill}")
    hosted.put({**files, "skills/tdd/v2/SKILL.md": skill_md(body="2\n")})
    assert share(run, skill) == "Published this receipt to acme for Version 1 of tdd."
    assert list(in_team(hosted.path)) == [evals()]


# Failures


def test_whatever_fails_the_run_has_succeeded(ada: Machine, acme: Path) -> None:
    skill = ada.skill()
    publish(skill)
    run = evaluated(skill)
    away = Path(f"{acme}.away")
    acme.rename(away)
    said = share(run, skill)
    assert said.startswith(FAILED)
    assert str(acme) in said
    assert "\n" not in said
    away.rename(acme)
    (acme / "hooks").mkdir(exist_ok=True)
    hook = acme / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    said = share(run, skill)
    assert said.startswith(f"{FAILED}The remote refused the push")
    hook.unlink()
    assert share(run, skill) == "Published this receipt to acme for Version 1 of tdd."


def test_a_named_team_that_there_is_not_is_said(ada: Machine, acme: Path) -> None:
    skill = ada.skill()
    said = share(evaluated(skill), skill, team="nope")
    assert said.startswith(f"{FAILED}No team nope is configured on this machine.")


@pytest.mark.parametrize(
    ("document", "sentence"),
    [(None, "The repository has no team.json"), (team(layout_version=2), "This team repository")],
)
def test_what_is_no_team_of_this_layout_is_not_written_to(
    ada: Machine, hosted: Hosted, document: bytes | None, sentence: str
) -> None:
    files: Files = {"people/ada.json": person(), "skills/tdd/v1/SKILL.md": skill_md()}
    hosted.put(files | {"team.json": team()})
    skill = ada.skill("tdd", **{"SKILL.md": skill_md().decode()})
    run = evaluated(skill)
    hosted.commit(files | ({"team.json": document} if document else {}))
    tip = hosted.git("rev-parse", "main")
    assert share(run, skill).startswith(FAILED + sentence)
    assert hosted.git("rev-parse", "main") == tip


def test_a_broken_configuration_is_said_and_not_raised(ada: Machine, acme: Path) -> None:
    skill = ada.skill()
    run = evaluated(skill)
    config.load().path.write_text("{")
    said = share(run, skill)
    assert said.startswith(FAILED)
    assert "config.json" in said


def test_an_unknown_author_is_said(
    ada: Machine, acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = ada.skill()
    publish(skill)
    run = evaluated(skill)
    (ada.home / ".gitconfig").write_text("")
    assert share(run, skill).startswith(f"{FAILED}git does not know who you are")


def test_a_teammate_who_was_faster_costs_nothing(ada: Machine, bob: Machine, acme: Path) -> None:
    skill = ada.skill()
    publish(skill)
    bob.use()
    teams.join(str(acme), handle=None, name=None)
    publish(bob.skill("ship"))
    ada.use()
    assert share(evaluated(skill), skill) == "Published this receipt to acme for Version 1 of tdd."
    assert log(acme)[:2] == [
        "Ada <ada@example.com> ada: eval tdd",
        "Bob <bob@example.com> bob: publish ship",
    ]


def test_over_each_kind_of_remote(ada: Machine, team_server: TeamServer) -> None:
    teams.create("acme", remote=team_server.url, handle=None, license=None, require_category=False)
    skill = ada.skill()
    publish(skill)
    assert share(evaluated(skill), skill) == "Published this receipt to acme for Version 1 of tdd."
    assert len(in_team(team_server.repository)) == 1

"""Leaving a team, and what members, status and the verbs say of those one belongs to."""

import json
from pathlib import Path
from typing import Any

import pytest

from publish import publishing, teams
from publish.publishing import Request
from receipts import cli
from receipts.digest import content_digest
from receipts.errors import StoreError, TeamError, UsageError
from store import config
from tests.publish.conftest import Hosted, Machine
from tests.publish.git.samples import git
from tests.publish.samples import Files, evals, person, receipt, skill_md, team
from tests.publish.teamwork import (
    create,
    document,
    file,
    join,
    known,
    log,
    mirrors,
    paths_in,
    refused,
)
from tests.servers.fixtures import TeamServer
from tests.store import samples

# Leave


def test_leaving_archives_the_handle_and_forgets_the_team_here(
    ada: Machine, acme: Path, bob: Machine
) -> None:
    bob.use()
    join(acme)
    skill = bob.skill()
    digest = content_digest(skill)
    samples.put(bob.state, samples.receipt(digest, skill_name="tdd"), digest)
    publishing.publish(Request(skill), lambda _: True)
    before = paths_in(acme)
    assert teams.leave(None, local_only=False).handle == "bob"
    assert log(acme)[0] == "Bob <bob@example.com> bob: leave acme"
    assert document(acme, "team.json")["archived"] == ["bob"]
    assert paths_in(acme) == before
    assert (known(), mirrors(bob)) == ([], [])
    assert not list((bob.state / "cache").glob("acme*"))
    assert list((bob.state / "evals" / "local").glob("*/*"))
    assert (
        "No team is configured" in refused(UsageError, teams.leave, None, local_only=False).message
    )


def test_joining_undoes_leaving_and_keeps_what_was_there(
    ada: Machine, acme: Path, bob: Machine
) -> None:
    bob.use()
    join(acme)
    own = file(acme, "people/bob.json")
    whole = file(acme, "team.json")
    teams.leave("acme", local_only=False)
    ada.use()
    with_members = [found.handle for found in teams.members("acme")[0]]
    assert with_members == ["ada"]  # as of the last fetch, before bob came
    bob.use()
    assert not join(acme).rejoined
    assert file(acme, "people/bob.json") == own
    assert file(acme, "team.json") == whole
    assert log(acme)[0].endswith("bob: join acme")


def test_unknown_keys_of_a_team_survive_leaving_and_joining(ada: Machine, hosted: Hosted) -> None:
    document_before = json.loads(
        team(archived=["cy", "Dee"], unknown={"k": [1.0, None]}, projects={"web": {"x": 1}})
    )
    hosted.put({"team.json": json.dumps(document_before).encode(), "people/ada.json": person()})
    teams.leave(None, local_only=False)
    left = document(hosted.path, "team.json")
    assert left == {**document_before, "archived": ["cy", "Dee", "ada"]}
    join(hosted.path)
    assert document(hosted.path, "team.json") == document_before


@pytest.mark.parametrize("spelled", ["ada", "Ada", "ADA"])
def test_an_archived_handle_counts_in_any_case(ada: Machine, hosted: Hosted, spelled: str) -> None:
    hosted.commit({"team.json": team(archived=[spelled, "cy"]), "people/ada.json": person()})
    assert not join(hosted.path).rejoined
    assert document(hosted.path, "team.json")["archived"] == ["cy"]
    assert [found.handle for found in teams.members(None)[0]] == ["ada"]


def test_leaving_twice_commits_once(ada: Machine, hosted: Hosted) -> None:
    files: Files = {"team.json": team(), "people/ada.json": person()}
    hosted.put(files)
    hosted.commit({**files, "team.json": team(archived=["Ada"])})  # from another machine
    teams.leave(None, local_only=False)
    assert hosted.git("log", "-1", "--format=%s") == "message"
    assert known() == []


def test_a_team_out_of_reach_is_left_locally_only(ada: Machine, acme: Path) -> None:
    acme.rename(f"{acme}.away")
    error = refused(TeamError, teams.leave, None, local_only=False)
    assert known() == ["acme"]
    assert "--local-only" in error.hint
    assert teams.leave(None, local_only=True).name == "acme"
    assert (known(), mirrors(ada)) == ([], [])


def test_leaving_one_team_leaves_the_others(ada: Machine, acme: Path) -> None:
    create("other")
    assert (
        "several teams: acme, other"
        in refused(UsageError, teams.leave, None, local_only=True).message
    )
    assert "No team nope" in refused(UsageError, teams.leave, "nope", local_only=True).message
    teams.leave("acme", local_only=False)
    assert (known(), mirrors(ada)) == (["other"], ["other.git"])


# Members and status


TEAM: Files = {
    "team.json": team(archived=["cy"]),
    "people/ada.json": person(),
    "people/bob.json": person("bob"),
    "people/cy.json": person("cy"),
    "skills/tdd/v1/SKILL.md": skill_md(),
    "skills/tdd/v2/SKILL.md": skill_md(body="2"),
    "skills/ship/v1/SKILL.md": skill_md("ship", None),
    evals(): receipt({"SKILL.md": skill_md()}),
    evals(version=2): receipt({"SKILL.md": skill_md(body="2")}, version=2),
    evals("20260917T000000Z"): b"not json",
}


def test_status_counts_what_was_last_fetched(hosted: Hosted) -> None:
    hosted.put(TEAM)
    tip = hosted.git("rev-parse", "main")
    hosted.commit({**TEAM, "skills/new/v1/SKILL.md": skill_md("new", None)})
    hosted.path.rename(f"{hosted.path}.away")
    [found] = teams.status(None)
    assert (found.tip, found.members, found.skills, found.receipts) == (tip, 2, 2, 3)
    assert found.problems == []
    people, problems = teams.members(None)
    assert ([one.handle for one in people], problems) == (["ada", "bob"], [])


def test_status_and_members_name_what_is_odd(hosted: Hosted) -> None:
    hosted.put({**TEAM, "people/dee.json": b"{", "skills/Odd/x": b""})
    [found] = teams.status("acme")
    assert found.members == 2
    assert len(found.problems) == 2
    assert teams.members("acme")[1] == found.problems[:1]
    assert found.problems[0].startswith("people/dee.json")


def test_a_team_that_cannot_be_read_hides_no_other(ada: Machine, hosted: Hosted) -> None:
    hosted.put(TEAM)
    good = teams.status(None)[0]

    def add(document: dict[str, Any]) -> None:
        document["teams"] |= {
            "a/b": {"remote": str(hosted.path), "handle": "ada"},
            "gopher": {"remote": "gopher://h/x", "handle": "ada"},
            "never": {"remote": str(hosted.path), "handle": "ada"},
        }

    config.update(add)
    found = {status.entry.name: status for status in teams.status(None)}
    assert found["acme"] == good
    for name in ("a/b", "gopher", "never"):
        assert (found[name].tip, found[name].members, len(found[name].problems)) == (None, 0, 1)
    assert "has not been fetched yet" in found["never"].problems[0]
    # Nor does it keep anybody from joining another.
    teams.leave("acme", local_only=True)
    teams.leave("never", local_only=True)
    config.update(lambda document: document["teams"].pop("a/b"))
    assert join(hosted.path).entry.name == "acme"


def test_several_teams_are_told_apart(ada: Machine, acme: Path) -> None:
    create("other", handle="ada-other")
    assert [status.entry.handle for status in teams.status(None)] == ["ada", "ada-other"]
    assert [status.entry.name for status in teams.status("other")] == ["other"]
    assert "several teams: acme, other" in refused(UsageError, teams.members, None).message
    [member] = teams.members("other")[0]
    assert member.handle == "ada-other"
    assert "No team nope" in refused(UsageError, teams.status, "nope").message
    skill = ada.skill()
    assert (
        "Name one with --team."
        in refused(UsageError, publishing.publish, Request(skill), lambda _: True).hint
    )
    publishing.publish(Request(skill, team="other"), lambda _: True)
    assert [status.skills for status in teams.status(None)] == [0, 1]


def test_unknown_keys_of_the_configuration_survive(ada: Machine, acme: Path) -> None:
    def add(document: dict[str, Any]) -> None:
        document["teams"]["acme"]["since"] = [1]
        document["mine"] = {"k": 1.5}

    config.update(add)
    join(acme, "ada")
    read = config.load().document
    assert read["teams"]["acme"] == {"remote": str(acme), "handle": "ada", "since": [1]}
    teams.leave(None, local_only=True)
    assert config.load().document["mine"] == {"k": 1.5}


def test_a_broken_configuration_stops_before_anything_is_made(
    ada: Machine, repository: Path
) -> None:
    ada.state.mkdir()
    (ada.state / "config.json").write_text("{")
    for function in (create, join):
        arguments = ("acme", repository) if function is create else (repository,)
        refused(StoreError, function, *arguments)
    assert git(repository, "for-each-ref") == b""
    assert (ada.state / "config.json").read_text() == "{"


def test_over_each_kind_of_remote(ada: Machine, bob: Machine, team_server: TeamServer) -> None:
    create("acme", team_server.url)
    bob.use()
    done = join(team_server.url)
    assert (done.entry.name, done.entry.remote) == ("acme", team_server.url)
    assert join(team_server.url).rejoined
    teams.leave(None, local_only=False)
    assert document(team_server.repository, "team.json")["archived"] == ["bob"]
    assert len(log(team_server.repository)) == 3


# The verbs


def test_the_verbs_print_what_happened(ada: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> str:
        assert cli.run(["team", *arguments]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        return said.out

    place = ada.state / "repositories" / "acme.git"
    shown = "~/state/repositories/acme.git"
    assert run("status") == "No team. Start one: receipts team create NAME\n"
    assert run("create", "acme") == f"Created team acme as @ada: {shown}\n"
    assert run("join", str(place)) == f"Already a member of team acme as @ada: {shown}\n"
    assert run("members") == "@ada — Ada\n"
    assert json.loads(run("members", "--json")) == {
        "members": [{"handle": "ada", "display_name": "Ada", "email": "ada@example.com"}]
    }
    assert (
        run("status")
        .splitlines()[1]
        .startswith("  you are @ada; members: 1, skills: 0, receipts: 0; at commit ")
    )
    [status] = json.loads(run("status", "--json"))["teams"]
    assert (status["entry"]["name"], status["members"], status["problems"]) == ("acme", 1, [])
    assert run("leave") == "Left team acme. What you published stays with it.\n"
    again = json.loads(run("join", str(place), "--as", "work", "--json"))
    assert again == {"name": "work", "remote": str(place), "handle": "ada", "rejoined": False}

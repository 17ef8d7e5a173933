"""Creating, joining and leaving a team: what is written, what is refused, what stays behind."""

import json
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from publish import publishing, teams
from publish.publishing import Request
from publish.teams import Joined
from receipts.errors import RemoteError, TeamError, UsageError
from store import config
from store.config import TeamEntry
from tests.publish.conftest import Hosted, Machine
from tests.publish.git.samples import git
from tests.publish.samples import Files, person, team
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


def identify(machine: Machine, name: str, email: str) -> None:
    text = f'[user]\n\tname = "{name}"\n\temail = "{email}"\n'
    (machine.home / ".gitconfig").write_text(text)


# Create


def test_a_new_team_is_one_commit_of_four_files(ada: Machine, repository: Path) -> None:
    done = create(remote=repository)
    assert done == Joined(TeamEntry("acme", str(repository), "ada"), False, False)
    assert paths_in(repository) == [".gitattributes", "README.md", "people/ada.json", "team.json"]
    assert log(repository) == ["Ada <ada@example.com> ada: create acme"]
    assert document(repository, "team.json") == {
        "layout_version": 3,
        "name": "acme",
        "categories": ["debugging", "testing", "docs", "workflow", "research", "infra", "misc"],
        "projects": {},
        "archived": [],
        "policy": {"skill_license": "UNLICENSED"},
    }
    assert document(repository, "people/ada.json") == {
        "handle": "ada",
        "display_name": "Ada",
        "email": "ada@example.com",
        "github": "",
        "bio": "",
        "installed": [],
        "profile": [],
    }
    assert b"\n* -text\n" in file(repository, ".gitattributes")
    assert f"receipts team join {repository}\n".encode() in file(repository, "README.md")
    for path in ("team.json", "people/ada.json"):
        text = file(repository, path).decode()
        assert text == json.dumps(json.loads(text), indent=2) + "\n"
    assert git(repository, "fsck", "--strict") == b""
    assert config.teams() == [done.entry]


def test_without_a_remote_a_bare_repository_is_made_that_git_knows(ada: Machine) -> None:
    done = create("My Team-1.0", license="MIT", require_category=True)
    place = ada.state / "repositories" / "My Team-1.0.git"
    assert done.entry.remote == str(place)
    assert document(place, "team.json")["policy"] == {
        "skill_license": "MIT",
        "category": "required",
    }
    for setting in ("receive.denyNonFastForwards", "receive.denyDeletes"):
        assert git(place, "config", setting).strip() == b"true"
    assert git(place, "symbolic-ref", "HEAD").strip() == b"refs/heads/main"
    assert stat.S_IMODE(ada.state.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a/b",
        "../a",
        ".a",
        "a.",
        "a ",
        "a" * 65,
        "a\nb",
        "\u00e9",
        "a:b",
        "con",
        "-\x1b[2J",
    ],
)
def test_a_name_that_no_team_can_have_makes_nothing(
    ada: Machine, repository: Path, name: str
) -> None:
    error = refused(UsageError, create, name, repository)
    assert error.message.startswith(f"The team name {name!r} cannot be used: ")
    assert "--as" not in error.hint
    assert not (ada.state / "repositories").exists()
    assert git(repository, "for-each-ref") == b""


def test_creating_a_team_again_changes_nothing(ada: Machine, acme: Path, repository: Path) -> None:
    before = git(acme, "for-each-ref"), (ada.state / "config.json").read_bytes()
    done = teams.create("acme", remote=None, handle=None, license=None, require_category=False)
    assert (done.rejoined, done.entry.remote) == (True, str(acme))
    assert (git(acme, "for-each-ref"), (ada.state / "config.json").read_bytes()) == before


def test_a_creation_that_was_killed_after_its_push_is_finished(
    ada: Machine, bob: Machine, repository: Path
) -> None:
    create("acme", repository)
    made = git(repository, "for-each-ref")
    (ada.state / "config.json").unlink()
    assert create("acme", repository).rejoined
    assert known() == ["acme"]
    bob.use()  # who did not create it
    assert "Join it with" in refused(TeamError, create, "acme", repository).hint
    assert git(repository, "for-each-ref") == made


def test_a_creation_that_failed_keeps_no_other_address_from_it(
    ada: Machine, repository: Path, tmp_path: Path
) -> None:
    hook = repository / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    refused(TeamError, create, "acme", repository)
    other = tmp_path / "other.git"
    git(tmp_path, "init", "-q", "--bare", str(other))
    assert create("acme", other).entry.remote == str(other)


@pytest.mark.parametrize("name", ["acme", "ACME", "Acme"])
def test_a_name_that_this_machine_knows_is_refused(
    ada: Machine, acme: Path, repository: Path, name: str
) -> None:
    error = refused(UsageError, create, name, repository)
    assert error.message == f"This machine already belongs to a team called acme ({acme})."
    assert git(repository, "for-each-ref") == b""
    assert known() == ["acme"]


def test_a_repository_with_a_main_branch_is_not_made_a_team(
    ada: Machine, bob: Machine, acme: Path, hosted: Hosted
) -> None:
    hosted.commit({"README.md": b"# somebody's\n"})
    for place in (acme, hosted.path):
        tip = git(place, "rev-parse", "main")
        bob.use()
        error = refused(TeamError, create, "other", place)
        assert "already has a main branch" in error.message
        assert error.hint == f"Join it with: receipts team join {place}"
        assert git(place, "rev-parse", "main") == tip
        assert known() == []


def test_other_branches_are_no_team_and_stay(ada: Machine, repository: Path) -> None:
    tree = git(repository, "mktree").decode().strip()
    environment = ("-c", "user.name=E", "-c", "user.email=e@example.com")
    commit = git(repository, *environment, "commit-tree", "-m", "m", tree).decode().strip()
    git(repository, "update-ref", "refs/heads/gh-pages", commit)
    create(remote=repository)
    assert git(repository, "rev-parse", "gh-pages").decode().strip() == commit
    assert len(log(repository)) == 1


def test_whoever_creates_second_at_the_same_moment_is_told(ada: Machine, hosted: Hosted) -> None:
    # The repository was empty when it was looked at, and is not when the push arrives.
    hosted.commit({"team.json": team(), "people/bob.json": person("bob")})
    tip = hosted.git("rev-parse", "main")
    hosted.git("update-ref", "-d", "refs/heads/main")
    hook = hosted.path / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nenv -u GIT_QUARANTINE_PATH git update-ref refs/heads/main {tip}\n")
    hook.chmod(0o755)
    error = refused(TeamError, create, "acme", hosted.path)
    assert error.message == f"{hosted.path} is no longer empty, so no team was created there."
    assert error.hint == f"Join it with: receipts team join {hosted.path}"
    assert (hosted.git("rev-parse", "main"), known()) == (tip, [])
    hook.unlink()
    assert join(hosted.path).entry.name == "acme"


@pytest.mark.parametrize("url", ["https://nobody.invalid/x.git", "file:///nowhere/at/all"])
def test_a_remote_out_of_reach_leaves_nothing(ada: Machine, url: str) -> None:
    refused(RemoteError, create, "acme", url)
    assert known() == []
    assert mirrors(ada) == []


@pytest.mark.parametrize("url", ["", "--upload-pack=x", "ext::sh -c x", "gopher://h/x"])
def test_what_is_no_address_is_refused(ada: Machine, url: str) -> None:
    refused(UsageError, create, "acme", url)
    refused(UsageError, join, url)
    assert not (ada.state / "config.json").exists()


def test_a_failed_create_can_be_repeated_elsewhere(ada: Machine, repository: Path) -> None:
    hook = repository / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    error = refused(TeamError, create, "acme", repository)
    assert error.message.startswith("The remote refused the push")
    assert known() == []
    done = create("acme")
    assert known() == ["acme"]
    assert paths_in(Path(done.entry.remote))


def test_nobody_without_a_name_creates_or_joins(ada: Machine, acme: Path, bob: Machine) -> None:
    bob.use()
    (bob.home / ".gitconfig").write_text("")
    for function, arguments in ((create, ()), (join, (acme,))):
        error = refused(TeamError, function, *arguments)
        assert error.message.startswith("git does not know who you are")
    assert known() == []
    assert len(log(acme)) == 1


# Handles


@pytest.mark.parametrize(
    ("name", "email", "handle"),
    [
        ("Ada Lovelace", "ada@example.com", "ada"),
        ("Ada Lovelace", "Ada.Lovelace+work@example.com", "ada-lovelace"),
        ("Ada", "1234+ada-l@users.noreply.github.com", "ada-l"),
        ("Ada", "ada_l@users.noreply.github.com", "ada-l"),
        ("\u00c4d\u00e4 L\u00f6ve", "\u3042@example.com", "ada-love"),
        ("\u3042", "\u3042@example.com", "member"),
        ("Con", "con@example.com", "member"),
        ("A", "x" * 60 + "@example.com", "x" * 39),
    ],
)
def test_a_handle_comes_from_git(
    ada: Machine, repository: Path, name: str, email: str, handle: str
) -> None:
    identify(ada, name, email)
    assert create(remote=repository).entry.handle == handle
    found = document(repository, f"people/{handle}.json")
    assert (found["handle"], found["display_name"], found["email"]) == (handle, name, email)


@pytest.mark.parametrize(
    "handle",
    ["", "Ada", "a--b", "-a", "a-", "a b", "a/b", "../a", "\u00e9", "a" * 40, "a.json", "\x1b"],
)
def test_a_given_handle_must_be_one(ada: Machine, acme: Path, bob: Machine, handle: str) -> None:
    bob.use()
    for error in (
        refused(UsageError, join, acme, handle),
        refused(UsageError, create, "other", handle=handle),
    ):
        assert error.message.startswith(f"The handle {handle!r} cannot be used: ")
    assert known() == []
    assert paths_in(acme).count("people/bob.json") == 0


def test_a_given_handle_wins_over_gits(ada: Machine, acme: Path, bob: Machine) -> None:
    bob.use()
    assert join(acme, "robert").entry.handle == "robert"
    assert document(acme, "people/robert.json")["display_name"] == "Bob"


# Join


def test_joining_adds_ones_own_file_and_nothing_else(
    ada: Machine, acme: Path, bob: Machine
) -> None:
    before = {path: file(acme, path) for path in paths_in(acme)}
    bob.use()
    done = join(acme)
    assert done == Joined(TeamEntry("acme", str(acme), "bob"), False, False)
    assert log(acme)[0] == "Bob <bob@example.com> bob: join acme"
    assert set(paths_in(acme)) == before.keys() | {"people/bob.json"}
    assert {path: file(acme, path) for path in before} == before
    assert (known(), mirrors(bob)) == (["acme"], ["acme.git"])
    assert [found.handle for found in teams.members(None)[0]] == ["ada", "bob"]


def test_joining_again_from_anywhere_commits_nothing(
    ada: Machine, acme: Path, bob: Machine
) -> None:
    bob.use()
    join(acme)
    tip = git(acme, "rev-parse", "main")
    for url in (acme, f"file://{acme}", str(acme).removesuffix(".git"), f"{acme}/"):
        assert join(url).rejoined
    shutil.rmtree(bob.state)  # another machine of bob's
    done = join(acme)
    assert done.rejoined
    assert git(acme, "rev-parse", "main") == tip
    assert known() == ["acme"]


def test_a_handle_of_somebody_else_is_refused(ada: Machine, acme: Path, bob: Machine) -> None:
    bob.use()
    identify(bob, "Eve\x1b[2J", "eve@example.com")
    error = refused(UsageError, join, acme, "ada")
    assert error.message == "The handle ada is taken by Ada <ada@example.com>."
    assert error.hint == "Choose another with --handle."
    assert (known(), len(log(acme))) == ([], 1)
    identify(bob, "Ada elsewhere", "ADA@Example.com")
    assert join(acme, "ada").rejoined


def test_a_file_of_ones_own_that_cannot_be_read_is_not_written_over(
    ada: Machine, hosted: Hosted
) -> None:
    for broken in (b"{", b"[]", b'{"handle": "bob"}', person("bob")):
        hosted.commit({"team.json": team(), "people/ada.json": broken})
        assert refused(TeamError, join, hosted.path).message.startswith("people/ada.json")
        assert known() == []
    hosted.commit({"team.json": team(), "people/ada.json": person()})
    assert join(hosted.path).rejoined


def test_a_team_is_known_by_its_own_name_or_the_given_one(
    ada: Machine, acme: Path, bob: Machine
) -> None:
    bob.use()
    assert join(acme, name="work").entry.name == "work"
    assert (known(), mirrors(bob)) == (["work"], ["work.git"])
    error = refused(UsageError, join, acme, name="play")
    assert error.message == "This machine already belongs to that team, as work."
    assert join(acme).entry.name == "work"
    assert join(acme, name="work").rejoined
    assert log(acme)[0].endswith("bob: join acme")


@pytest.mark.parametrize("name", ["../../evil", "a/b", ".git", "con", "\x1b[2J", "x" * 65])
def test_a_team_whose_name_is_no_folder_here_needs_another(
    ada: Machine, hosted: Hosted, name: str
) -> None:
    hosted.commit({"team.json": team(name=name)})
    error = refused(UsageError, join, hosted.path)
    assert error.message.startswith(f"The team name {name!r} cannot be used: ")
    assert error.hint == "Choose another name for it on this machine with --as NAME."
    assert (known(), mirrors(ada)) == ([], [])
    for other in ("a/b", "", " "):
        assert refused(UsageError, join, hosted.path, name=other).hint.endswith("--as NAME.")
    assert join(hosted.path, name="evil").entry.name == "evil"
    assert "\x1b" not in hosted.git("log", "-1", "--format=%B")


def test_a_second_team_of_one_name_needs_another(ada: Machine, acme: Path, hosted: Hosted) -> None:
    hosted.commit({"team.json": team(name="Acme")})
    error = refused(UsageError, join, hosted.path)
    assert error.message == f"This machine already belongs to a team called acme ({acme})."
    assert "--as NAME" in error.hint
    assert join(hosted.path, name="acme-2").entry.handle == "ada"
    assert known() == ["acme", "acme-2"]


# The wrong repository


def test_an_empty_repository_is_told_from_a_team(ada: Machine, repository: Path) -> None:
    for name in (None, "acme"):
        error = refused(TeamError, join, repository, name=name)
        assert error.message == "The repository has no team.json, so it is not a team repository."
        assert "receipts team create" in error.hint
    assert (known(), git(repository, "for-each-ref")) == ([], b"")


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"README.md": b"# x\n"}, "The repository has no team.json"),
        ({"team.json": b"not json"}, "team.json is not JSON"),
        ({"team.json": b"[]"}, "team.json must hold one JSON object"),
        ({"team.json": team(layout_version=2)}, "This team repository has layout 2, not 3."),
        ({"team.json": team(layout_version=4)}, "This team repository has layout 4, not 3."),
        ({"team.json": team(name="")}, "team.json: name is missing or malformed."),
        ({"team.json/x": b""}, "team.json in the team repository is not a regular file."),
    ],
)
def test_what_is_no_team_is_not_written_to_and_in_nobodys_way(
    ada: Machine, hosted: Hosted, acme: Path, files: Files, sentence: str
) -> None:
    teams.leave("acme", local_only=True)
    hosted.commit(files)
    tip = hosted.git("rev-parse", "main")
    for name in (None, "acme"):
        assert refused(TeamError, join, hosted.path, name=name).message.startswith(sentence)
    assert (known(), hosted.git("rev-parse", "main")) == ([], tip)
    # The name that was tried is free for the right repository.
    assert join(acme, name="acme").rejoined
    assert [found.handle for found in teams.members("acme")[0]] == ["ada"]


def test_a_mirror_of_another_repository_is_not_written_through(
    ada: Machine, acme: Path, hosted: Hosted
) -> None:
    hosted.commit({"team.json": team(), "people/ada.json": person()})

    def repoint(document: dict[str, Any]) -> None:
        document["teams"]["acme"]["remote"] = str(hosted.path)

    config.update(repoint)
    error = refused(TeamError, publishing.publish, Request(ada.skill()), lambda _: True)
    assert "refusing to write to the wrong repository" in error.message
    assert hosted.git("log", "--format=%s") == "message"
    assert len(log(acme)) == 1
    assert "refusing" in teams.status(None)[0].problems[0]


def test_what_a_killed_join_or_leave_left_is_in_nobodys_way(
    ada: Machine, acme: Path, bob: Machine, hosted: Hosted
) -> None:
    bob.use()
    join(acme)
    left = bob.state / "mirrors" / "acme.git"
    shutil.copytree(left, bob.state / "mirrors" / ".joining.git")
    shutil.copytree(left, bob.home / "left")
    teams.leave(None, local_only=True)
    hosted.commit({"team.json": team(), "people/bob.json": person("bob")})
    for name in (None, "acme"):
        shutil.copytree(bob.home / "left", left)
        assert join(hosted.path, name=name).entry.remote == str(hosted.path)
        assert mirrors(bob) == ["acme.git"]
        teams.leave(None, local_only=True)
    shutil.copytree(bob.home / "left", left)
    assert create("acme").entry.remote.startswith(str(bob.state))

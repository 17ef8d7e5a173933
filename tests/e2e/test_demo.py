"""`receipts demo`: what it leaves behind, and what it does when a step is not as claimed."""

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.repositories import git, receipts_in
from tests.members import Member
from tests.parts import require_part

BIN = Path(__file__).parents[1] / "node" / "node_modules" / ".bin"
REFUSES_PUSHES = '[ "$1" = receive-pack ]'


@pytest.fixture
def temporary(ada: Member, tmp_path: Path) -> Path:
    """Give ada a temporary folder of her own, which is empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    ada.environment["TMPDIR"] = str(folder)
    return folder


def break_git(member: Member, condition: str) -> None:
    """Put a git before the real one on the path that fails where a condition of the shell holds."""
    folder = member.home / "programs"
    folder.mkdir()
    script = folder / "git"
    script.write_text(f'#!/bin/sh\n{condition} && exit 9\nexec {shutil.which("git")} "$@"\n')
    script.chmod(0o755)
    member.environment["PATH"] = f"{folder}:{member.environment['PATH']}"


def test_it_leaves_nothing_behind(ada: Member, temporary: Path) -> None:
    before = sorted(ada.home.rglob("*"))
    said = ada.ok("demo")
    assert said.endswith("\n15 commands ran, and each did what was claimed.\n")
    assert list(temporary.iterdir()) == []
    assert sorted(ada.home.rglob("*")) == before


def test_keep_leaves_the_team_and_both_members_to_look_at(ada: Member, temporary: Path) -> None:
    place = ada.home / "new" / "place"
    document = ada.json("demo", "--keep", place)
    assert document["ok"]
    assert [step["difference"] for step in document["steps"]] == [None] * 15
    assert {step["exit_code"] for step in document["steps"]} == {0, 1}  # the refused publishes
    repository = place / "ada" / "state" / "repositories" / "acme.git"
    assert len(receipts_in(repository)) == 1
    git(repository, "fsck", "--strict")
    assert (place / "bob" / ".claude" / "skills" / "changelog" / "SKILL.md").is_file()
    assert list(temporary.iterdir()) == []
    again = ada.run("demo", "--keep", place)
    assert (again.code, again.out) == (2, "")
    assert "is not an empty folder." in again.err
    assert len(receipts_in(repository)) == 1


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_a_step_that_is_not_as_claimed_ends_it_with_an_error(
    ada: Member, temporary: Path, as_json: bool
) -> None:
    break_git(ada, REFUSES_PUSHES)
    done = ada.run("demo", *(["--json"] if as_json else []))
    assert done.code == 1
    assert done.err.startswith(
        "error: The demo differs from what it claims: receipts team create acme: exit code 1 "
        "instead of 0."
    )
    assert "each did what was claimed" not in done.out
    assert (done.out == "") is as_json
    assert list(temporary.iterdir()) == []


def test_what_went_wrong_is_kept_to_look_at(ada: Member, temporary: Path) -> None:
    break_git(ada, REFUSES_PUSHES)
    place = ada.home / "place"
    assert ada.run("demo", "--keep", place).code == 1
    assert (place / "ada" / "gitconfig").is_file()
    assert list(temporary.iterdir()) == []


def test_a_later_step_is_held_against_its_claim_too(ada: Member, temporary: Path) -> None:
    break_git(ada, '[ "${HOME##*/}" = bob ]')
    done = ada.run("demo")
    assert done.code == 1
    assert "ada$ receipts publish skills/changelog\n" in done.out
    assert "bob$ receipts team join" in done.out
    assert "The demo differs from what it claims: receipts team join " in done.err
    assert list(temporary.iterdir()) == []


@pytest.fixture
def alone(ada: Member) -> Member:
    """Ada, on a machine without an agent."""
    ada.environment |= {"RECEIPTS_CLAUDE": "/no/claude", "RECEIPTS_CODEX": "/no/codex"}
    return ada


def test_an_evaluation_is_shown_where_nothing_is_installed(alone: Member, temporary: Path) -> None:
    before = sorted(alone.home.rglob("*"))
    said = alone.ok("demo", "--eval")
    assert "The numbers measure nothing real" in said.split("ada$")[0]
    assert "The agent is a small one that is built in." in said
    lines = said.splitlines()
    assert "verdict: PASS" in lines
    assert "Published this receipt to acme for Version 1 of changelog." in lines
    assert lines[-3] == "9 commands ran, and each did what was claimed."
    assert lines[-1].startswith("The numbers measure nothing real")
    assert list(temporary.iterdir()) == []
    assert sorted(alone.home.rglob("*")) == before


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_an_evaluation_is_shown_with_a_real_agent_and_nobodys_account(
    alone: Member, temporary: Path, name: str
) -> None:
    require_part((BIN / name).exists(), f"{name} from npm (npm ci --prefix tests/node)")
    nowhere = "http://127.0.0.1:9"
    alone.environment |= {
        f"RECEIPTS_{name.upper()}": str(BIN / name),
        "ANTHROPIC_API_KEY": "somebodys-own-key-0123456789",
        "ANTHROPIC_BASE_URL": nowhere,
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "OPENAI_API_KEY": "somebodys-own-key-0123456789",
        "HTTPS_PROXY": nowhere,
        "http_proxy": nowhere,
    }
    place = alone.home / "place"
    document = alone.json("demo", "--eval", "--keep", place)
    assert document["ok"]
    assert document["agent"].startswith({"claude": "Claude Code 2.", "codex": "Codex 0."}[name])
    assert "measure nothing real" in document["note"]
    assert [step["difference"] for step in document["steps"]] == [None] * 9
    (receipt,) = place.glob("ada/state/evals/local/*/*/receipt.json")
    provenance = json.loads(receipt.read_bytes())["provenance"]
    assert (provenance["agent"], provenance["model"]) == (name, "scripted")
    assert len(receipts_in(place / "ada" / "state" / "repositories" / "acme.git")) == 1
    files = [path for path in place.rglob("*") if path.is_file() and not path.is_symlink()]
    assert [path for path in files if b"somebodys-own-key" in path.read_bytes()] == []
    assert list(temporary.iterdir()) == []


def fake(member: Member, script: str) -> None:
    """Give a member a Claude Code that does what a script does, and no Codex."""
    program = member.home / "claude"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    member.environment["RECEIPTS_CLAUDE"] = str(program)


def test_an_agent_that_is_too_old_is_passed_over_unless_it_is_named(
    alone: Member, temporary: Path
) -> None:
    fake(alone, "echo 1.0.0")
    assert alone.json("demo", "--eval")["agent"] == "a small one that is built in"
    named = alone.run("demo", "--eval", "--agent", "claude")
    assert (named.code, named.out) == (2, "")
    assert "`claude` is 1.0.0, and at least 2.1.0 is needed." in named.err


def test_an_agent_that_the_script_does_not_suit_is_named(alone: Member, temporary: Path) -> None:
    fake(alone, '[ "$1" = --version ] && echo 9.9.9')
    done = alone.run("demo", "--eval")
    assert done.code == 1
    assert "The agent is Claude Code 9.9.9." in done.out
    assert "The demo differs from what it claims: receipts eval skills/changelog " in done.err
    assert "Try receipts demo --eval --agent built-in." in done.err
    assert list(temporary.iterdir()) == []


def test_a_step_of_the_evaluation_is_held_against_its_claim_too(
    alone: Member, temporary: Path
) -> None:
    break_git(alone, REFUSES_PUSHES)
    done = alone.run("demo", "--eval")
    assert done.code == 1
    assert "differs from what it claims: receipts team create acme: exit code 1" in done.err
    assert "built-in" not in done.err
    assert list(temporary.iterdir()) == []


def test_an_agent_without_an_evaluation_is_refused(ada: Member) -> None:
    done = ada.run("demo", "--agent", "claude")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: --agent is for --eval")

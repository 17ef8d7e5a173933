"""What a shell is offered on Tab, through the script that it is given."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from receipts.attempts import saving
from tests.members import Member, Ran
from tests.parts import require_part
from tests.receipts.attempts import samples as runs
from tests.test_startup import HEAVY, imported, packages

DIRECTORIES, FILES = "dir", "file"


def made(folder: Path) -> Member:
    """Return a member of the teams acme and zeta, with installed skills and published ones."""
    ada = Member(folder, "ada")
    ada.ok("team", "create", "acme")
    for name in ("tdd", "tidy"):
        ada.ok("publish", ada.skill(name))
    ada.ok("team", "create", "zeta")
    ada.ok("publish", ada.skill("ship"), "--team", "zeta")
    for name in ("tdd", "todo"):
        shutil.copytree(ada.skill(name), ada.library / name)
    cases = ada.library / "todo" / "evals" / "cases"
    cases.mkdir(parents=True)
    for case in ("greets.yaml", "parts.yml", "greets.md"):
        (cases / case).touch()
    return ada


@pytest.fixture(scope="module")
def member(tmp_path_factory: pytest.TempPathFactory) -> Member:
    """A member whom no test changes."""
    return made(tmp_path_factory.mktemp("member"))


@pytest.fixture
def fresh(tmp_path: Path) -> Member:
    """A member of this test alone."""
    return made(tmp_path)


def asked(member: Member, words: str, shell: str = "bash", **environment: str) -> Ran:
    """Ask as a shell's script does; the last word is the one at hand."""
    done = subprocess.run(
        [sys.executable, "-m", "receipts"],
        cwd=member.home,
        env={**member.environment, **question(words, shell), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def question(words: str, shell: str = "bash") -> dict[str, str]:
    typed = words.split(" ")
    return {
        "COMP_WORDS": f"receipts {words}",
        "COMP_CWORD": typed[-1] if shell == "fish" else str(len(typed)),
        "_RECEIPTS_COMPLETE": f"{shell}_complete",
    }


def offered(member: Member, words: str, **environment: str) -> list[str]:
    """Return the names that bash is offered, behind what kind of path it may look up itself."""
    done = asked(member, words, **environment)
    assert (done.code, done.err) == (0, "")
    return [line.removeprefix("plain,").partition(",")[0] for line in done.out.split()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("dig", ["digest"]),
        ("team st", ["status"]),
        ("digest t", [DIRECTORIES, "tdd", "todo"]),
        ("digest tdd t", [DIRECTORIES, "tdd", "todo"]),
        ("digest ./t", [DIRECTORIES]),
        ("list t", [DIRECTORIES, "tdd", "todo"]),
        ("publish t", [DIRECTORIES, "tdd", "todo"]),
        ("import x.json --skill t", [DIRECTORIES, "tdd", "todo"]),
        ("import x", [FILES]),
        ("verify x", [FILES]),
        ("verify --team ", ["acme", "zeta"]),
        ("show t", [FILES, "tdd", "tidy", "todo"]),
        ("cards t", [DIRECTORIES, "tdd", "tidy", "todo"]),
        ("cards --team s", [DIRECTORIES, "ship"]),
        ("install ", ["ship", "tdd", "tidy"]),
        ("install --team zeta ", ["ship"]),
        ("install tdd --to x", [DIRECTORIES]),
        ("unpublish --team acme t", ["tdd", "tidy"]),
        ("sync --team z", ["zeta"]),
        ("team leave --team a", ["acme"]),
        ("library add x", [DIRECTORIES]),
        ("library remove ", []),
        ("completion z", ["zsh"]),
        ("eval t", [DIRECTORIES, "tdd", "todo"]),
        ("eval --agent c", ["claude", "codex"]),
        ("eval todo --case ", ["greets", "parts"]),
        ("eval todo --case g", ["greets"]),
        ("eval nosuch --case ", []),
        ("publish tdd --project ", []),
        ("digest --js", ["--json"]),
    ],
)
def test_names_and_kinds_of_paths(member: Member, words: str, expected: list[str]) -> None:
    assert offered(member, words) == expected


def test_projects_and_libraries(fresh: Member) -> None:
    repository = fresh.state / "repositories" / "acme.git"
    clone = fresh.home / "clone"
    git = ["git", "-C", str(clone)]
    subprocess.run(["git", "clone", "-q", str(repository), str(clone)], check=True)
    team = clone / "team.json"
    team.write_text(
        team.read_text().replace('"projects": {}', '"projects": {"web": {}, "p q": {}}')
    )
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    subprocess.run([*git, *identity, "commit", "-qam", "projects"], check=True)
    subprocess.run([*git, "push", "-q", "origin", "HEAD:main"], check=True)
    fresh.ok("sync", "--team", "acme")
    assert offered(fresh, "publish tdd --project ") == ["web"]
    assert offered(fresh, "publish tdd --team zeta --project ") == []
    fresh.ok("library", "add", fresh.home / "skills")
    assert offered(fresh, "library remove /") == [str(fresh.home / "skills")]


def test_runs_are_offered_where_one_can_be_meant(fresh: Member) -> None:
    path = Path(saving.save(runs.run(runs.task("a", "pass"), spec="trends"), fresh.home))
    every = {"latest", "previous", "trends", path.stem}
    assert set(offered(fresh, "compare ")) == {FILES, *every}
    assert offered(fresh, "compare latest 2026") == [FILES, path.stem]
    assert set(offered(fresh, "show ")) == {FILES, *every, "tdd", "tidy", "todo", "ship"}
    assert offered(fresh, "trend ") == [FILES, "trends"]
    assert offered(fresh, "list tr") == [DIRECTORIES, "trends"]


def test_a_run_that_is_not_complete_is_offered_to_be_resumed(fresh: Member) -> None:
    assert offered(fresh, "eval --resume ") == []
    skill = fresh.skill("tdd")
    fresh.evaluate(skill)
    partial = fresh.evaluate(skill, run_id="20260902T101112Z", execution_status="partial")
    assert offered(fresh, "eval --resume ") == [partial["run_id"]]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_answered(member: Member, shell: str) -> None:
    done = asked(member, "show ti", shell)
    assert (done.code, done.err, "tidy" in done.out) == (0, "", True)


def test_in_a_real_bash(fresh: Member) -> None:
    require_part(shutil.which("bash") is not None, "bash")
    (fresh.home / "receipts").write_text(f'#!/bin/sh\nexec {sys.executable} -m receipts "$@"\n')
    (fresh.home / "receipts").chmod(0o755)
    script = """
        PATH="$PWD:$PATH"
        eval "$(receipts completion bash)"
        compopt() { printf 'looks up: %s %s\n' "$@"; }  # bash's own is for Tab alone
        for word in ti ./s; do
            COMP_WORDS=(receipts cards "$word") COMP_CWORD=2 COMPREPLY=()
            _receipts_completion receipts
            echo "$word: ${COMPREPLY[*]}"
        done
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=fresh.home,
        env=fresh.environment,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "looks up: -o dirnames", "ti: tidy",
        "looks up: -o dirnames", "./s: ",
    ]  # fmt: skip


def test_a_name_that_a_shell_would_take_for_something_else_is_left_out(fresh: Member) -> None:
    for name in ("t x", "t*", "t$HOME", "t'", "t\n", "t\x1b[31m"):
        shutil.copytree(fresh.library / "tdd", fresh.library / name)
    assert offered(fresh, "publish t") == [DIRECTORIES, "tdd", "todo"]


def damaged_mirror(member: Member) -> None:
    for file in (member.state / "mirrors" / "acme.git" / "objects").rglob("*"):
        if file.is_file():
            file.chmod(0o600)
            file.write_bytes(b"x")


def broken_configuration(member: Member) -> None:
    (member.state / "config.json").write_text("{")


def no_mirrors(member: Member) -> None:
    shutil.rmtree(member.state / "mirrors")


@pytest.mark.parametrize(
    ("breaks", "skills", "teams"),
    [
        (damaged_mirror, ["ship", "tdd", "todo"], ["acme", "zeta"]),
        (no_mirrors, ["tdd", "todo"], ["acme", "zeta"]),
        (broken_configuration, [], []),
    ],
)
def test_what_cannot_be_read_offers_nothing_and_says_nothing(
    fresh: Member, breaks: object, skills: list[str], teams: list[str]
) -> None:
    assert callable(breaks)
    breaks(fresh)
    assert offered(fresh, "cards ") == [DIRECTORIES, *skills]
    assert offered(fresh, "sync --team ") == teams


@pytest.mark.parametrize(
    "environment",
    [
        {"RECEIPTS_HOME": "relative"},
        {"COMP_CWORD": "x"},
        {"COMP_WORDS": 'receipts "'},
        {"_RECEIPTS_COMPLETE": "tcsh_complete"},
    ],
    ids=str,
)
def test_no_question_is_answered_with_a_message(
    member: Member, environment: dict[str, str]
) -> None:
    assert asked(member, "sync --team ", **environment).err == ""


def test_asking_writes_nothing(member: Member) -> None:
    def files() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in member.home.rglob("*")}

    before = files()
    for words in ("cards t", "install t", "publish x --project ", "sync --team "):
        offered(member, words)
    assert files() == before


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        ("d", set()),
        ("digest t", set()),
        ("publish --team a", set()),
        ("library remove /", set()),
        ("cards t", {"dulwich"}),  # what a team has stands in git's objects
        ("unpublish t", {"dulwich"}),
    ],
)
def test_only_what_the_word_at_hand_needs_is_loaded(
    member: Member, words: str, needed: set[str]
) -> None:
    environment = {**member.environment, **question(words)}
    del environment["HOME"]
    modules = imported(home=member.home, **environment)
    assert packages(modules) & HEAVY == needed


def test_where_to_save_the_script_is_said_on_a_terminal_only(member: Member) -> None:
    pty = pytest.importorskip("pty")
    assert member.run("completion", "bash").err == ""
    leader, follower = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "receipts", "completion", "bash"],
        env=member.environment,
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        timeout=60,
    )
    os.close(follower)
    os.close(leader)
    assert (done.returncode, done.stderr) == (
        0, "Save it as ~/.local/share/bash-completion/completions/receipts.\n",
    )  # fmt: skip

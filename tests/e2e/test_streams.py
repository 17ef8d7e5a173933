"""Every verb, where its output or its messages cannot be written."""

import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from receipts.attempts import saving
from receipts.cli import VERBS
from tests.members import Member
from tests.parts import require_part
from tests.receipts.attempts import samples as runs

FULL = Path("/dev/full")
LOST = "error: The output could not be written: No space left on device.\n"
AGENT = f"command:{sys.executable} -c 'print(4)'"
RESULT = '{"id": "a", "category": "edge", "status": "scored", "pass": true}\n'
CASE = "task: What is 2 + 2?\nchecks: [transcript_mentions: '4']\n"
# Each prints something; one after the other, on the machine of the fixture `member`.
COMMANDS = [
    "digest tdd",
    "digest tdd --explain --json",
    "show tdd",
    "list",
    "verify --team",
    "import {receipt} --skill tdd",
    "publish tdd --dry-run",
    "publish tdd",
    "sync",
    "install tdd --to elsewhere",
    "library list",
    "cards",
    "cards --json",
    "validate elsewhere/tdd",
    "eval .claude/skills/tdd --agent {agent} --k 1 --no-gen --no-commit",
    "eval .claude/skills/tdd --queue later",
    "gate {results}",
    "compare previous latest",
    "trend demo",
    "clean",
    "team status",
    "team members",
    "completion bash",
    "unpublish tdd --yes",
]


class Streams(NamedTuple):
    """A command's exit code and what reached the stream that could be written."""

    code: int
    text: str


@pytest.fixture
def member(ada: Member, acme: Path) -> Member:
    """A member of a team, with an installed skill that is published and has a receipt."""
    require_part(FULL.is_char_device(), "/dev/full")
    skill = ada.skill("tdd", {"evals/cases/adds.yaml": CASE})
    ada.library.parent.mkdir()
    skill.parent.rename(ada.library)
    ada.evaluate(ada.library / "tdd")
    ada.ok("publish", "tdd")
    (ada.home / "results.jsonl").write_text(RESULT)
    for verdict in ("pass", "task_fail"):
        saving.save(runs.run(runs.task("a", verdict)), ada.home)
    return ada


def run(member: Member, command: str, *, full: str, unbuffered: str = "") -> Streams:
    """Run `receipts` with one of its streams, or both, on a full disk."""
    receipt = next(member.home.glob("tdd-*.json"))
    arguments = shlex.split(
        command.format(receipt=receipt, agent=shlex.quote(AGENT), results="results.jsonl")
    )
    with FULL.open("wb") as disk:
        done = subprocess.run(
            [sys.executable, "-m", "receipts", *arguments],
            cwd=member.home,
            env={**member.environment, "PYTHONUNBUFFERED": unbuffered},
            stdin=subprocess.DEVNULL,
            stdout=disk if "out" in full else subprocess.PIPE,
            stderr=disk if "err" in full else subprocess.PIPE,
            encoding="utf-8",
            timeout=120,
        )
    return Streams(done.returncode, (done.stdout or "") + (done.stderr or ""))


def test_the_commands_are_of_every_verb() -> None:
    assert {command.split()[0] for command in COMMANDS} == VERBS.keys() - {"demo"}


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_output_that_is_lost_is_said_once_by_every_verb(member: Member, unbuffered: str) -> None:
    # The demo runs to its end before it writes what is buffered, and its end is far.
    commands = [*COMMANDS, "demo"] if unbuffered else COMMANDS
    wrong = {}
    for command in commands:
        code, err = run(member, command, full="out", unbuffered=unbuffered)
        if code != 1 or not err.endswith(LOST) or err.count("error: ") != 1 or "Errno" in err:
            wrong[command] = (code, err)
    assert wrong == {}


@pytest.mark.parametrize("option", ["--help", "--version", "cards --help"])
def test_help_that_is_lost_is_said_once(member: Member, option: str) -> None:
    code, err = run(member, option, full="out")
    assert (code, err) == (1, "error: No space left on device\n")


def test_a_failure_keeps_its_own_words_and_code(member: Member) -> None:
    code, err = run(member, "show nothing", full="out")
    assert (code, err.splitlines()[0]) == (
        1, "error: No skill called nothing is here or in a library.",
    )  # fmt: skip
    assert run(member, "bogus", full="out")[0] == 2


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("digest tdd", 0),  # has nothing to say
        ("list nothing", 1),  # a note is lost
        ("show nothing", 1),
        ("bogus", 2),
        ("team", 2),
    ],
)
def test_messages_that_are_lost_are_no_success(member: Member, command: str, code: int) -> None:
    done = run(member, command, full="err")
    assert done.code == code
    assert (done.text != "") == (command == "digest tdd")
    assert run(member, command, full="out and err").code == (code or 1)


def test_work_goes_on_when_a_message_is_lost(member: Member) -> None:
    (member.library / "tdd" / "SKILL.md").write_text("---\nname: other\n---\n")
    done = run(member, "publish tdd", full="err")
    assert done.code == 1  # its notes are lost, and nothing else
    assert done.text.startswith("Published tdd as Version 2")


def test_a_table_for_nobody_is_no_failure(member: Member) -> None:
    for verb in ("cards", "list"):
        done = subprocess.run(
            ["/bin/sh", "-c", f'exec "$0" -m receipts {verb} >&-', sys.executable],
            env=member.environment,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")

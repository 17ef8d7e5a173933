"""The small built-in agent, run as an evaluation runs it: a command in a folder."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from receipts.agents.command import Command
from receipts.scripted import Call, Endpoint, Reply, Script, Turn, Usage, follow, in_order
from tests.members import ROOT

COMMAND = "echo hi > hello.txt && cat hello.txt\n"
SKILL = f"---\nname: greet\ndescription: Greets.\n---\n\n```sh\n{COMMAND}```\n"
TASK = "Grüße jemanden"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "sandbox"
    folder.mkdir()
    return folder


def install(folder: Path) -> None:
    skill = folder / ".claude" / "skills" / "greet" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL)


def run(script: Script, folder: Path, task: str = TASK) -> "subprocess.CompletedProcess[str]":
    with Endpoint(script) as endpoint:
        return subprocess.run(
            [sys.executable, "-m", "receipts.scripted.agent"],
            cwd=folder,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(ROOT),
                "ANTHROPIC_BASE_URL": endpoint.url,
                "http_proxy": "http://127.0.0.1:9",  # nobody is there
            },
            input=task,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )


def events(done: "subprocess.CompletedProcess[str]") -> list[dict[str, Any]]:
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_question_gets_an_answer(folder: Path) -> None:
    asked: list[Turn] = []

    def answer(turn: Turn) -> Reply:
        asked.append(turn)
        return Reply("ok", usage=Usage(7, 6, 5, 4))

    start, said, end = events(run(answer, folder))
    assert (start["type"], start["subtype"], start["skills"]) == ("system", "init", [])
    assert said["message"]["content"] == [{"type": "text", "text": "ok"}]
    assert (end["type"], end["subtype"], end["result"], end["num_turns"]) == (
        "result",
        "success",
        "ok",
        1,
    )
    assert end["usage"]["input_tokens"] == 7
    assert end["usage"]["cache_creation_input_tokens"] == 4
    assert asked[0].task == TASK
    assert asked[0].skills == {}
    assert asked[0].tools == {"Bash", "Skill"}


def test_it_does_what_a_skill_says_and_is_read_as_claude_code_is(folder: Path) -> None:
    install(folder)
    done = run(lambda turn: follow(turn, "greet", then="Done.") or Reply("No skill."), folder)
    assert events(done)[0]["skills"] == ["greet"]
    assert (folder / "hello.txt").read_text() == "hi\n"
    transcript = folder / "transcript.jsonl"
    transcript.write_text(done.stdout)
    command = Command("sh")
    session = command.read(transcript)
    assert (session.text, session.skills, session.turns) == ("Done.", ("greet",), 3)
    assert session.duration_ms is not None
    assert session.tokens is not None
    assert (session.tokens.input, session.oddities) == (300, ())
    assert list(command.commands(transcript)) == [COMMAND]


def test_the_model_sees_what_a_command_printed_and_that_it_failed_ends_nothing(
    folder: Path,
) -> None:
    def play(turn: Turn) -> Reply:
        call = Call("Bash", {"command": "echo out; echo err >&2; exit 3"})
        return in_order(turn, call, then="".join(result.output for result in turn.results))

    assert events(run(play, folder))[-1]["result"] == "out\nerr\n"


def test_a_model_that_comes_to_no_end_is_left(folder: Path) -> None:
    done = run(lambda turn: Reply(calls=(turn.shell("true"),)), folder)
    assert done.returncode == 1
    assert done.stderr == "The model had not come to an end after 50 turns.\n"


def test_an_endpoint_that_is_not_there_is_named(folder: Path) -> None:
    for endpoint in ("", "http://127.0.0.1:9"):
        done = subprocess.run(
            [sys.executable, "-m", "receipts.scripted.agent"],
            cwd=folder,
            env={"PYTHONPATH": str(ROOT), "ANTHROPIC_BASE_URL": endpoint},
            input=TASK,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        assert done.returncode == 1
        assert done.stderr.startswith(f"The endpoint {endpoint!r} gave no answer: ")
        assert done.stderr.count("\n") == 1

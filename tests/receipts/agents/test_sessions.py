"""One session of each real agent: what it does, what it says, and what it may know."""

import json
import os
import threading
import time

import pytest

from receipts.agents import Tokens
from receipts.scripted import Reply, Turn, Usage, follow, in_order
from tests.model import agents
from tests.receipts.agents.conftest import SKILL, StageOf

LONG = "Überlang: " + "so long 🙂 " * 4000


def working(turn: Turn) -> Reply:
    """Write a file, then say so."""
    return in_order(turn, turn.shell("echo hi > hello.txt"), then="I wrote it.")._replace(
        usage=Usage(100, 20, 30, 0)
    )


def greeting(turn: Turn) -> Reply:
    return follow(turn, "greet", then="Greeted.") or Reply("I know no such skill.")


def test_what_a_session_says(name: str, stage_of: StageOf) -> None:
    stage = stage_of(name, working)
    task = stage.task("Write a file")
    session = stage.run(task)
    assert session.failure is None
    assert session.text == "I wrote it."
    assert (task.folder / "hello.txt").read_text() == "hi\n"
    assert list(stage.agent.commands(task.transcript)) == ["echo hi > hello.txt"]
    *_, said = stage.agent.pieces(task.transcript)
    assert said == "I wrote it."
    assert session.tokens == Tokens(200, 40, 60, 0)
    assert session.turns == 2
    assert session.version
    assert stage.agent.version().split()[-1 if name == "codex" else 0] == session.version
    assert session.model_id == stage.model.turns["Write a file"][0].model
    assert 0 < (session.duration_ms or 0) < 60_000
    assert session.spawned_agents is False
    assert session.oddities == ()
    assert (session.cost_usd is not None) == (name == "claude")


def test_a_transcript_is_read_again_as_it_was(name: str, stage_of: StageOf) -> None:
    stage = stage_of(name, working)
    task = stage.task("Write a file")
    session = stage.run(task)
    again = stage.agent.read(task.transcript)
    assert (again.text, again.tokens) == (session.text, session.tokens)
    assert again.failure is None


def test_the_skills_of_a_session_are_told_once(name: str, stage_of: StageOf) -> None:
    stage = stage_of(name, working)
    without = stage.run(stage.task("Write a file"))
    staged = stage.run(stage.task("Write a file", skill=True))
    assert without.skills is not None
    assert staged.skills is not None
    assert set(staged.skills) - set(without.skills) == {"greet"}
    assert "greet" not in without.skills
    assert stage.told == [without.skills, staged.skills]


def test_the_skills_are_told_while_the_model_is_still_thinking(
    name: str, stage_of: StageOf
) -> None:
    told = threading.Event()
    waited: list[bool] = []

    def thinking(turn: Turn) -> Reply:
        waited.append(told.wait(30))
        return Reply("thought")

    stage = stage_of(name, thinking)
    stage.agent.run(stage.task("Think", skill=True), on_skills=lambda _skills: told.set())
    assert waited
    assert all(waited)


def test_a_listed_skill_is_followed(name: str, stage_of: StageOf) -> None:
    stage = stage_of(name, greeting)
    with_skill, without = stage.task("Greet", skill=True), stage.task("Greet")
    assert stage.run(with_skill).text == "Greeted."
    assert stage.run(without).text == "I know no such skill."
    assert (with_skill.folder / "greeting.txt").read_text() == "hello\n"
    assert not (without.folder / "greeting.txt").exists()
    assert "echo hello > greeting.txt\n" in list(stage.agent.commands(with_skill.transcript))


def test_a_judge_cannot_tell_which_session_had_the_skill(name: str, stage_of: StageOf) -> None:
    def play(turn: Turn) -> Reply:
        loading = [turn.load("greet")] if "greet" in turn.skills else []
        return in_order(turn, *loading, turn.shell("echo hi"), then="Done.")

    stage = stage_of(name, play)
    with_skill, without = stage.task("Greet", skill=True), stage.task("Greet")
    stage.run(with_skill)
    stage.run(without)
    seen = [
        list(stage.agent.judged_pieces(task.transcript, task.folder))
        for task in (with_skill, without)
    ]
    assert seen[0] == seen[1]
    assert len(seen[0]) == 2
    assert len(list(stage.agent.pieces(with_skill.transcript))) == 3


def test_sessions_at_once_do_not_mix(name: str, stage_of: StageOf) -> None:
    def play(turn: Turn) -> Reply:
        return in_order(turn, turn.shell(f"echo {turn.task} > said.txt"), then=turn.task)

    stage = stage_of(name, play)
    tasks = [stage.task(f"task number {number}") for number in range(4)]
    texts: dict[str, str] = {}

    def run(index: int) -> None:
        texts[tasks[index].prompt] = stage.agent.run(tasks[index]).text

    threads = [threading.Thread(target=run, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert texts == {task.prompt: task.prompt for task in tasks}
    for task in tasks:
        assert (task.folder / "said.txt").read_text() == f"{task.prompt}\n"


@pytest.mark.parametrize(
    "prompt",
    [
        "-x is what I ask",
        "/greet everybody",
        "-",
        "two\nlines with 'quotes', \"more\" and $HOME `id`",
        f"/{LONG}",
    ],
    ids=["dash", "skill", "stdin", "quotes", "long"],
)
def test_whatever_it_begins_with_a_prompt_is_a_prompt(
    name: str, prompt: str, stage_of: StageOf
) -> None:
    stage = stage_of(name, lambda _turn: Reply("answered"))
    session = stage.run(stage.task(prompt, skill=True))
    assert session.failure is None
    assert session.text == "answered"
    assert {task.strip() for task in stage.model.turns} == {prompt.strip()}


def test_without_tools_it_is_one_question_and_one_answer(name: str, stage_of: StageOf) -> None:
    stage = stage_of(name, lambda _turn: Reply('{"winner": "A"}'))
    session = stage.run(stage.task("Which is better?", tools=False, max_turns=1))
    assert session.failure is None
    assert session.text == '{"winner": "A"}'
    (turn,) = stage.model.turns["Which is better?"]
    # Codex keeps one that asks the person, which nobody answers.
    assert turn.tools <= {"request_user_input"}
    assert session.tokens == Tokens(100, 20, 0, 0)
    assert session.model_id == turn.model


def test_its_environment_is_built(
    name: str, stage_of: StageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "hunter2")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nowhere")
    stage = stage_of(
        name, lambda turn: in_order(turn, turn.shell("env > environment.txt; pwd"), then="ok")
    )
    task = stage.task("Look around")
    stage.run(task)
    lines = (task.folder / "environment.txt").read_text().splitlines()
    seen = dict(line.partition("=")[::2] for line in lines)
    assert "A_SECRET" not in seen
    assert "XDG_CONFIG_HOME" not in seen
    assert seen["HOME"] == str(task.home)
    assert seen["TMPDIR"].startswith(str(task.home))
    assert seen["TERM"] == "dumb"
    # As it was given, and not as a login shell would set it; agents put folders of theirs first.
    assert seen["PATH"].endswith(os.environ["PATH"])
    if name == "claude":
        assert seen["CLAUDE_PROJECT_DIR"] == str(task.folder)
        assert seen["DISABLE_TELEMETRY"] == "1"
    else:
        assert agents.KEY not in seen.values()


def test_no_file_of_a_session_holds_the_key(name: str, stage_of: StageOf) -> None:
    stage = stage_of(name, working)
    task = stage.task("Write a file")
    stage.run(task)
    kept = [path for path in task.home.rglob("*") if path.is_file()] + [task.transcript]
    assert kept
    assert [path for path in kept if agents.KEY.encode() in path.read_bytes()] == []


def test_nothing_above_a_sandbox_is_read(name: str, stage_of: StageOf) -> None:
    stage = stage_of(name, working)
    for folder in (".claude/skills", ".agents/skills"):
        above = stage.home / folder / "greet" / "SKILL.md"
        above.parent.mkdir(parents=True)
        above.write_text(SKILL)
    notes = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude/CLAUDE.md", ".claude/rules/a.md")
    for note in notes:
        (stage.home / note).parent.mkdir(parents=True, exist_ok=True)
        (stage.home / note).write_text("a note from above\n")
    (stage.home / ".git").mkdir()
    session = stage.run(stage.task("Write a file"))
    assert session.skills is not None
    assert "greet" not in session.skills
    requests = [json.dumps(turn.raw) for turn in stage.model.turns["Write a file"]]
    assert requests
    assert [request for request in requests if "a note from above" in request] == []


def test_notes_inside_a_sandbox_are_read(name: str, stage_of: StageOf) -> None:
    stage = stage_of(name, working)
    task = stage.task("Write a file")
    note = task.folder / ("CLAUDE.md" if name == "claude" else "AGENTS.md")
    note.write_text("a note of the case\n")
    stage.run(task)
    assert "a note of the case" in json.dumps(stage.model.turns["Write a file"][0].raw)


def test_every_session_is_told_that_nobody_answers(name: str, stage_of: StageOf) -> None:
    stage = stage_of(name, working)
    stage.run(stage.task("Write a file", skill=True))
    stage.run(stage.task("Write a file"))
    assert all("Never stop to ask" in turn.system for turn in stage.model.turns["Write a file"])


def test_what_it_leaves_running_is_ended(name: str, stage_of: StageOf) -> None:
    import psutil

    command = "nohup setsid sleep 600 >/dev/null 2>&1 & echo $! > pid; sleep 0.2"
    stage = stage_of(name, lambda turn: in_order(turn, turn.shell(command), then="ok"))
    task = stage.task("Leave something")
    assert stage.run(task).failure is None
    pid = int((task.folder / "pid").read_text())
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_a_transcript_grows_while_the_session_runs(name: str, stage_of: StageOf) -> None:
    sizes: list[int] = []

    def play(turn: Turn) -> Reply:
        if turn.results:
            deadline = time.monotonic() + 30
            while not (size := task.transcript.stat().st_size) and time.monotonic() < deadline:
                time.sleep(0.01)
            sizes.append(size)
        return working(turn)

    stage = stage_of(name, play)
    task = stage.task("Write a file")
    stage.run(task)
    assert sizes[0] > 0
    assert task.transcript.stat().st_size > sizes[0]

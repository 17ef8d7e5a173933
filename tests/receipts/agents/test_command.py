"""Any command as an agent."""

import json
import os
import sys
from pathlib import Path

import pytest

from receipts.agents import Session, Task, find
from receipts.errors import EvalError
from receipts.scripted import in_order
from tests.model import agents
from tests.receipts.agents.conftest import SKILL, Stage, StageOf

ECHO = f"{sys.executable} -c 'import sys; print(*sys.argv[1:], sys.stdin.read(), sep=\"|\")'"


def run(tmp_path: Path, template: str, prompt: str = "Do it", **options: object) -> Session:
    agent = find(f"command:{template}")
    told: list[tuple[str, ...] | None] = []
    session = agent.run(task(tmp_path, prompt, **options), on_skills=told.append)
    assert told == [None]
    return session


def task(tmp_path: Path, prompt: str = "Do it", **options: object) -> Task:
    folder, home = tmp_path / "work", tmp_path / "work.home"
    folder.mkdir(exist_ok=True)
    home.mkdir(exist_ok=True)
    defaults: dict[str, object] = {
        "folder": folder,
        "home": home,
        "transcript": tmp_path / "transcript.jsonl",
        "model": "a model",
        "max_turns": 7,
        "timeout": 60.0,
    }
    return Task(prompt=prompt, **{**defaults, **options})  # type: ignore[arg-type]


def test_the_task_is_on_stdin(tmp_path: Path) -> None:
    session = run(tmp_path, f"{ECHO} one", "Do it;\n$HOME 'é'")
    assert session.failure is None
    assert session.text == "one|Do it;\n$HOME 'é'\n"


def test_the_task_is_an_argument_where_the_template_has_it(tmp_path: Path) -> None:
    session = run(tmp_path, f"{ECHO} {{prompt}} --in={{folder}} {{model}}", "-x 'é' {model}; id")
    # Nothing is split again, put in twice, or read by a shell.
    assert session.text == f"-x 'é' {{model}}; id|--in={tmp_path / 'work'}|a model|\n"


def test_what_it_prints_is_a_text_also_where_it_looks_like_json(tmp_path: Path) -> None:
    session = run(tmp_path, "echo '{\"answer\": 42}'")
    assert json.loads(session.text) == {"answer": 42}
    agent = find("command:echo")
    assert list(agent.pieces(tmp_path / "transcript.jsonl")) == [session.text]
    assert list(agent.commands(tmp_path / "transcript.jsonl")) == []
    assert session.cost_usd is None
    assert session.skills is None


def test_a_judge_does_not_see_where_it_worked(tmp_path: Path) -> None:
    work = task(tmp_path)
    agent = find("command:sh -c 'echo wrote $PWD/x by $PWD/.claude/skills/greet/SKILL.md'")
    agent.run(work)
    assert "".join(agent.judged_pieces(work.transcript, work.folder)) == "wrote ./x by [path]\n"


def test_a_command_that_fails(tmp_path: Path) -> None:
    session = run(tmp_path, "sh -c 'echo half; echo no such thing >&2; exit 3'")
    assert session.failure == ("crashed", "agent run failed (rc=3): no such thing")
    assert session.text == "half\n"


def test_a_command_that_is_not_logged_in_says_so(tmp_path: Path) -> None:
    session = run(tmp_path, "sh -c 'echo error: status 401 >&2; exit 1'")
    assert session.failure is not None
    assert session.failure.kind == "not-logged-in"


def test_a_command_that_hangs(tmp_path: Path) -> None:
    session = run(tmp_path, "sh -c 'echo half; sleep 600'", timeout=0.5)
    assert session.failure == ("timeout", "agent run timed out after 500ms")


def test_its_environment_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "mine")
    monkeypatch.setenv("MY_OTHER_KEY", "also-mine")
    assert "mine" not in run(tmp_path, "env").text
    monkeypatch.setenv("RECEIPTS_AGENT_ENV", "MY_KEY, UNSET")
    text = run(tmp_path, "env").text
    assert "MY_KEY=mine\n" in text
    assert "also-mine" not in text
    assert f"HOME={tmp_path / 'work.home'}\n" in text


def test_no_reason_repeats_a_key_that_was_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", agents.KEY)
    monkeypatch.setenv("RECEIPTS_AGENT_ENV", "MY_KEY")
    session = run(tmp_path, "sh -c 'echo bad key $MY_KEY >&2; exit 1'")
    assert session.failure is not None
    assert "bad key" in session.failure.reason
    assert agents.KEY not in session.failure.reason


def test_a_huge_text_keeps_its_end(tmp_path: Path) -> None:
    script = "import sys; sys.stdout.write('x' * 9_000_000 + 'the end')"
    session = run(tmp_path, f'{sys.executable} -c "{script}"')
    assert session.failure is None
    assert session.text.endswith("xthe end")
    assert len(session.text) == 4 << 20


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    assert run(tmp_path, "printf 'a\\377b'").text == "a\ufffdb"


def test_a_program_of_ones_own_folder_is_meant_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "agent.sh"
    program.write_text('#!/bin/sh\necho "$PWD"\n')
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for template in ("bin/agent.sh", "sh bin/agent.sh"):
        assert run(tmp_path, template).text.strip() == str(tmp_path / "work")


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("echo 'open", "cannot be split"),
        ("no-such-program-here {prompt}", "`no-such-program-here` is not runnable (not found)"),
    ],
)
def test_a_template_that_is_none(template: str, said: str) -> None:
    with pytest.raises(EvalError) as raised:
        find(f"command:{template}")
    assert said in str(raised.value)


def test_its_version_is_its_name() -> None:
    assert find("command:sh -c true").version() == "command sh"


def test_a_wrapper_of_an_agent_keeps_its_calls_and_costs(
    name: str, stage_of: StageOf, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stage = stage_of(name, lambda turn: in_order(turn, turn.shell("echo hi"), then="Done."))
    options = {
        "claude": '-p "$1" --output-format stream-json --verbose --allowedTools Bash',
        "codex": 'exec --json --skip-git-repo-check -s danger-full-access "$1" '
        f'-c \'model_provider="s"\' -c \'model_providers.s={{name="s",env_key="MODEL_KEY",'
        f'base_url="{stage.model.url}/v1",wire_api="responses"}}\'',
    }[name]
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(f'#!/bin/sh\nexec "{agents.program(name)}" {options} < /dev/null\n')
    wrapper.chmod(0o755)
    names = "ANTHROPIC_BASE_URL,ANTHROPIC_API_KEY,MODEL_KEY"
    monkeypatch.setenv("RECEIPTS_AGENT_ENV", names)
    agent = find(f"command:{wrapper} {{prompt}}")
    stage = Stage(stage.place, stage.home, agent, stage.model)
    work = stage.task("Do it", model="default")
    skill = work.folder / agent.skills_folder / "greet" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL)
    session = stage.run(work)
    assert session.failure is None
    assert session.text == "Done."
    assert list(agent.commands(work.transcript)) == ["echo hi"]
    assert session.tokens == (200, 40, 0, 0)
    assert list(agent.judged_pieces(work.transcript, work.folder))[-1] == "Done."
    if name == "claude":
        assert session.cost_usd
        assert "greet" in (session.skills or ())
    assert os.listdir(work.folder) == [".claude"]


def test_a_wrapper_whose_agent_says_it_failed(tmp_path: Path) -> None:
    failed = json.dumps(
        {"type": "result", "subtype": "success", "is_error": True, "result": "API Error: 529 x"}
    )
    session = run(tmp_path, f"echo '{failed}'")
    assert session.failure is not None
    assert session.failure.kind == "overloaded"

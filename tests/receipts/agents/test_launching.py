"""Finding an agent's program and its version."""

import os
from pathlib import Path

import pytest

from receipts.agents import find
from receipts.agents import launching as subject
from receipts.errors import EvalError
from tests.model import agents
from tests.receipts.agents.programs import Fake


def test_the_versions_of_the_real_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, start in (("claude", "2."), ("codex", "codex-cli 0.")):
        monkeypatch.setenv(f"RECEIPTS_{name.upper()}", str(agents.program(name)))
        assert find(name).version().startswith(start)


@pytest.mark.parametrize("name", agents.NAMES)
def test_one_that_is_not_installed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EvalError, match=f"`{name}` is not runnable") as raised:
        find(name)
    assert raised.value.exit_code == 2
    assert f"RECEIPTS_{name.upper()}" in raised.value.hint


def test_a_variable_that_names_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECEIPTS_CODEX", "/no/such/codex")
    with pytest.raises(EvalError, match="RECEIPTS_CODEX names /no/such/codex"):
        find("codex")


def test_one_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho 2.9.9\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert find("claude").version() == "2.9.9"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 1.0.30", "`claude` is 1.0.30, and at least 2.1.0 is needed"),
        ("echo 'no library' >&2; exit 127", "`claude` is not runnable (no library)"),
        ("true", "`claude` is not runnable (exited)"),
    ],
    ids=["old", "broken", "silent"],
)
def test_one_that_cannot_be_used(claude: Fake, script: str, said: str) -> None:
    claude.script(script)
    with pytest.raises(EvalError) as raised:
        claude.agent.version()
    assert said in raised.value.message


def test_one_that_hangs(claude: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "SECONDS", 0.5)
    claude.script("sleep 600")
    with pytest.raises(EvalError, match=r"is not runnable \(timeout\)"):
        claude.agent.version()


def test_a_version_without_numbers_is_taken(claude: Fake) -> None:
    claude.script("echo development build")
    assert claude.agent.version() == "development build"


def test_no_credentials_are_there_to_ask_for_a_version(
    claude: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    claude.script('echo "2.9.9 key=$ANTHROPIC_API_KEY"')
    assert claude.agent.version() == "2.9.9 key="


def test_an_agent_that_nobody_knows() -> None:
    with pytest.raises(EvalError, match="There is no agent 'gemini'"):
        find("gemini")

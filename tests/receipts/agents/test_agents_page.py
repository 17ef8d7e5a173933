"""The page of agents names every variable and flag that is passed on."""

import re
from pathlib import Path

import pytest

from receipts.agents import base, claude, codexconfig, environment
from receipts.agents.base import Task
from receipts.agents.codex import Codex
from receipts.agents.codex import options as codex_options

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "agents.md").read_text("utf-8")
TASK = Task("Do it", Path("/work"), Path("/home"), Path("/t"), "default", 5, 60.0)


@pytest.mark.parametrize(
    "names",
    [
        environment.PLAIN,
        environment.NETWORK,
        claude.KEYS,
        claude.ENDPOINT,
        codexconfig.KEYS,
        tuple(f"{name}={value}" for name, value in claude.FIXED.items()),
        ("RECEIPTS_SESSION", "RECEIPTS_AGENT_ENV", "CLAUDE_PROJECT_DIR", "CODEX_HOME"),
    ],
)
def test_every_variable_is_named(names: tuple[str, ...]) -> None:
    assert [name for name in names if f"`{name}`" not in PAGE] == []


def test_no_variable_is_named_that_is_not_there(tmp_path: Path) -> None:
    plain = environment.plain_environment(tmp_path)
    known = {*environment.PLAIN, *environment.NETWORK, *claude.KEYS, *claude.ENDPOINT, *plain}
    known |= {*codexconfig.KEYS, *claude.FIXED, "OPENAI_BASE_URL", "CLAUDE_CONFIG_DIR"}
    known |= {"CODEX_HOME", "CLAUDE_PROJECT_DIR"}
    named = {name for name in re.findall(r"`([A-Z][A-Z_()0-9]{3,})`", PAGE) if "_" in name}
    assert {name for name in named if not name.startswith("RECEIPTS_")} <= known


def test_every_flag_is_named() -> None:
    flags = [*claude.options(TASK), *codex_options(TASK)]
    assert [flag for flag in flags if flag.startswith("--") and flag not in PAGE] == []
    assert "--ignore-rules" in Codex.isolation


def test_the_note_is_quoted() -> None:
    assert base.NOTE in " ".join(PAGE.split())

"""A stage on which a real agent runs one task against a scripted model."""

import itertools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from receipts.agents import Agent, Session, Task, bound, find
from tests.model import Model, agents
from tests.model.endpoint import Script
from tests.receipts.agents.programs import Fake

SKILL = """\
---
name: greet
description: Greets somebody.
---

```sh
echo hello > greeting.txt
```
"""


class Stage:
    """Sandboxes, an agent and its model.

    Attributes:
        home: The home of the person who runs it.
        told: What `on_skills` was called with.
    """

    def __init__(self, place: Path, home: Path, agent: Agent, model: Model) -> None:
        self.place = place
        self.home = home
        self.agent = agent
        self.model = model
        self.told: list[tuple[str, ...] | None] = []
        self._numbers = itertools.count()

    def task(self, prompt: str, *, skill: bool = False, **options: Any) -> Task:
        """Make a sandbox for a task."""
        folder = self.place / f"arm-{next(self._numbers)}"
        home = folder.with_name(f"{folder.name}.home")
        folder.mkdir()
        home.mkdir()
        bound(self.place)
        if skill:
            target = folder / self.agent.skills_folder / "greet" / "SKILL.md"
            target.parent.mkdir(parents=True)
            target.write_text(SKILL)
        defaults = {
            "folder": folder,
            "home": home,
            "transcript": self.place / f"{folder.name}.jsonl",
            "model": "sonnet" if self.agent.name == "claude" else "scripted",
            "max_turns": 10,
            "timeout": 60.0,
        }
        return Task(prompt=prompt, **{**defaults, **options})

    def run(self, task: Task, stop: threading.Event | None = None) -> Session:
        """Run a task."""
        return self.agent.run(task, stop=stop, on_skills=self.told.append)


StageOf = Callable[[str, Script], Stage]


@pytest.fixture
def stage_of(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StageOf]:
    """Return a maker of stages, for an agent's name and the script of its model."""
    models: list[Model] = []

    def make(name: str, script: Script) -> Stage:
        agents.program(name)
        model = Model(script)
        model.__enter__()
        models.append(model)
        for variable, value in agents.variables(model.url).items():
            monkeypatch.setenv(variable, value)
        agents.configure_codex(home, model.url)
        place = home / "runs [x] (of) {a,b} é" / "sandboxes"
        place.mkdir(parents=True, exist_ok=True)
        return Stage(place, home, find(name), model)

    yield make
    for model in models:
        model.__exit__(None, None, None)


@pytest.fixture(params=agents.NAMES)
def name(request: pytest.FixtureRequest) -> str:
    """Name each real agent."""
    name: str = request.param
    return name


@pytest.fixture
def claude(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Put a script in the place of Claude Code."""
    program = tmp_path / "program"
    monkeypatch.setenv("RECEIPTS_CLAUDE", str(program))
    return Fake(tmp_path, lambda: find("claude"))


@pytest.fixture
def codex(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Put a script in the place of Codex."""
    program = tmp_path / "program"
    monkeypatch.setenv("RECEIPTS_CODEX", str(program))
    return Fake(tmp_path, lambda: find("codex"))

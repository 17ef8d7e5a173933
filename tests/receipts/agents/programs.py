"""Programs that stand in an agent's place where the real one cannot be brought to misbehave so."""

from collections.abc import Callable
from pathlib import Path

from receipts.agents import Agent, Session, Task


class Fake:
    """An agent whose program is a shell script.

    Attributes:
        told: What `on_skills` was called with.
    """

    def __init__(self, place: Path, make: Callable[[], Agent]) -> None:
        self._place = place
        self.path = place / "program"
        self.told: list[tuple[str, ...] | None] = []
        self.script("true")
        self.agent = make()

    def script(self, script: str) -> None:
        """Say what the program does."""
        self.path.write_text(f"#!/bin/sh\n{script}\n")
        self.path.chmod(0o755)

    def task(self, prompt: str = "Do it", timeout: float = 60.0) -> Task:
        """Return a task in a folder and home of its own."""
        folder, home = self._place / "work", self._place / "work.home"
        folder.mkdir(exist_ok=True)
        home.mkdir(exist_ok=True)
        return Task(
            prompt=prompt,
            folder=folder,
            home=home,
            transcript=self._place / "transcript.jsonl",
            model="default",
            max_turns=5,
            timeout=timeout,
        )

    def run(self, script: str, prompt: str = "Do it") -> Session:
        """Run the program with a script."""
        self.script(script)
        return self.agent.run(self.task(prompt), on_skills=self.told.append)

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.members import Member, Ran

AGENT = Path(__file__).with_name("scripted_agent.py")


class Bench:
    """A member with a skill, its cases, and a scripted agent to evaluate it with."""

    def __init__(self, member: Member) -> None:
        self.member = member
        self.log = member.home / "sessions.log"
        self.log.touch()
        self.skill = member.skill("tdd")
        self.agent = f"command:{shlex.join([sys.executable, str(AGENT), str(self.log)])}"

    def case(self, name: str, text: str) -> None:
        """Write a case of the skill."""
        place = self.skill / "evals" / "cases" / f"{name}.yaml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def arguments(self, *options: str) -> list[str]:
        """Return the command line of an evaluation."""
        return ["eval", str(self.skill), "--agent", self.agent, *options]

    def run(self, *options: str) -> Ran:
        """Evaluate the skill."""
        return self.member.run(*self.arguments(*options))

    def resume(self, run_id: str, *options: str) -> Ran:
        """Continue a run."""
        return self.member.run("eval", "--resume", run_id, *options)

    @property
    def runs(self) -> list[Path]:
        """The folders of this machine's runs, oldest first."""
        return sorted(self.member.state.glob("evals/local/*/*"), key=lambda path: path.name)

    def receipt(self, index: int = -1) -> dict[str, Any]:
        """Return the receipt of a run, the newest by default."""
        document: dict[str, Any] = json.loads((self.runs[index] / "receipt.json").read_bytes())
        return document

    @property
    def sessions(self) -> list[str]:
        """The titles of the tasks that the agent was given, the preflight's left out."""
        return [line for line in self.log.read_text().splitlines() if not line.startswith("Reply")]


def running(marker: str) -> list[str]:
    """Return the command lines of the processes that carry a marker."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if marker in line:
            found.append(line)
    return found


@pytest.fixture
def bench(ada: Member) -> Bench:
    return Bench(ada)

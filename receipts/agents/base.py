"""What an agent is to an evaluation: it runs a task in a folder, and says what happened."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

OnSkills = Callable[[tuple[str, ...] | None], None]

NOTE = (
    "This is an automated, unattended evaluation. Nobody can answer questions or grant "
    "permissions. Never stop to ask: use your best judgement and finish the task."
)
"""What every session of every arm is told beside its task."""


@dataclass(frozen=True)
class Task:
    """One thing for an agent to do.

    Attributes:
        prompt: The task.
        folder: Where it works.
        home: A fresh home folder, which exists.
        transcript: The file that its output is written to, as it comes.
        model: The model as it was asked for; `default` is the agent's own.
        max_turns: The most turns, where the agent knows such a limit.
        timeout: The most seconds.
        tools: Whether it may use tools; without, it is one question and one answer.
    """

    prompt: str
    folder: Path
    home: Path
    transcript: Path
    model: str
    max_turns: int
    timeout: float
    tools: bool = True


class Failure(NamedTuple):
    """Why a session failed.

    `kind` is one of `timeout`, `stopped`, `not-installed`, `not-logged-in`, `no-such-model`,
    `too-old`, `rate-limited`, `overloaded`, `network`, `turn-limit`, `truncated`, `disk-full` and
    `crashed`; `reason` is a sentence.
    """

    kind: str
    reason: str


class Tokens(NamedTuple):
    """The tokens of a session, None where it gave none; `input` has none that a cache gave."""

    input: int | None
    output: int | None
    cache_read: int | None
    cache_write: int | None

    def known(self) -> "Tokens | None":
        """Return them, or None when no count is known."""
        return None if all(count is None for count in self) else self


@dataclass(frozen=True)
class Session:
    """What a session came to; None means that the agent did not say.

    Attributes:
        text: The final text.
        skills: The names of the skills that it loaded.
        model_id: The model that answered.
        duration_ms: Milliseconds, as the agent counted them.
        cost_usd: Dollars, as the agent counted them; nothing here knows a price.
        spawned_agents: Whether it started agents of its own.
        oddities: A sentence for each thing in its output that could not be read.
    """

    text: str = ""
    skills: tuple[str, ...] | None = None
    model_id: str | None = None
    turns: float | None = None
    duration_ms: float | None = None
    cost_usd: float | None = None
    tokens: Tokens | None = None
    version: str | None = None
    spawned_agents: bool = False
    failure: Failure | None = None
    oddities: tuple[str, ...] = ()


class Agent(Protocol):
    """An agent.

    Attributes:
        name: `claude`, `codex` or `command`.
        reference: What `receipts.agents.find` takes to give the same one again, from any folder.
        skills_folder: Where below a sandbox it looks for skills.
        default_model: The model that is asked for when nobody names one.
        escalation_model: The stronger model that a judge's last attempt asks, or None.
        reports_skills: Whether a session says which skills it loaded.
        reports_cost: Whether a session can say what it cost.
        isolation: What keeps a session from the rest of the machine, for the receipt.
    """

    name: str
    reference: str
    skills_folder: str
    default_model: str
    escalation_model: str | None
    reports_skills: bool
    reports_cost: bool
    isolation: tuple[str, ...]

    def version(self) -> str:
        """Return what `--version` prints.

        Raises:
            EvalError: It is not installed, does not run, or is too old.
        """

    def run(
        self,
        task: Task,
        *,
        stop: threading.Event | None = None,
        on_skills: OnSkills | None = None,
    ) -> Session:
        """Run a task to its end; a failure is in the session, and nothing is raised for it.

        Args:
            task: What to do.
            stop: Ends it.
            on_skills: Is told the skills once: as soon as the session says them, or None when it
                ended without.
        """

    def read(self, transcript: Path) -> Session:
        """Return a session as its transcript tells it, without a failure of the process."""

    def pieces(self, transcript: Path) -> Iterator[str]:
        """Yield every text, and the JSON of every tool call's input, in order."""

    def judged_pieces(self, transcript: Path, folder: Path) -> Iterator[str]:
        """Yield the same without what would tell a judge the arm: skills loaded, and paths."""

    def commands(self, transcript: Path) -> Iterator[str]:
        """Yield the shell commands that it ran, in order."""

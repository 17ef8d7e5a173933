"""What a spec says, once it has been read and everything wrong with it refused.

Values are those of the author: defaults are filled in, nothing is resolved that depends on the
machine or on the moment. So a secret that an MCP server takes from the environment stands here as
`${NAME}`, and a git source as its address.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class PathSource:
    """A skill on this machine.

    Attributes:
        path: Its SKILL.md as the spec writes it, relative to the spec's folder.
        line: Where in the spec it stands.
    """

    path: str
    line: int

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True)
class GitSource:
    """A skill in a git repository.

    Attributes:
        repo: The repository as the spec writes it; `owner/name` is one on GitHub.
        ref: A branch, tag or commit; None is the repository's default branch.
        path: Its SKILL.md in the repository, with `/`.
        line: Where in the spec it stands.
    """

    repo: str
    ref: str | None
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.repo}{f'@{self.ref}' if self.ref else ''}:{self.path}"


SkillSource = PathSource | GitSource
_SLASH = re.compile(r"\s*/([A-Za-z0-9._-]+)(?!\S)")


@dataclass(frozen=True)
class McpServer:
    """A server that gives the agent tools.

    Attributes:
        name: What the agent calls it.
        kind: `stdio` is a program that is started; the others are addresses.
        command: The program of a `stdio` server; empty otherwise.
        args: Its arguments.
        env: Its variables, as pairs; a value may hold `${NAME}`.
        url: The address of a remote server, which may hold `${NAME}`; empty otherwise.
        headers: What is sent with each request, as pairs; a value may hold `${NAME}`.
    """

    name: str
    kind: Literal["stdio", "http", "sse"]
    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ShellCall:
    """A command that a planted turn claims to have run, and what it printed."""

    run: str
    output: str


@dataclass(frozen=True)
class HistoryTurn:
    """A turn of a conversation that never took place, planted before a task's prompt.

    Attributes:
        role: Who speaks.
        text: What is said; may be empty for an assistant that only ran commands.
        shell: What an assistant ran, before the text.
    """

    role: Literal["user", "assistant"]
    text: str
    shell: tuple[ShellCall, ...] = ()

    @property
    def slash(self) -> str | None:
        """The skill that a user's turn asks for by `/name` at its start; None when it does not."""
        found = _SLASH.match(self.text) if self.role == "user" else None
        return found[1] if found else None


@dataclass(frozen=True)
class Check:
    """The Python that decides an attempt.

    Attributes:
        source: Its text, as it read when the spec was read.
        path: The file that it came from; None when it stands in the spec.
    """

    source: str
    path: Path | None


@dataclass(frozen=True)
class TaskSpec:
    """One task.

    Attributes:
        id: `task-001` and so on, by position.
        name: What runs are matched by; unique in the spec.
        prompt: What the agent is asked.
        expect: What a judge holds the attempt to; None without a judge.
        check: The script that decides; None without one.
        activates: The skills that must activate, and no others; empty when none may, None when it
            is not asserted.
        setup: A shell command before the agent.
        cleanup: A shell command after everything.
        history: The turns planted before the prompt.
        timeout: Seconds for each attempt; None leaves it to the run.
        k: Attempts; None leaves it to the run.
        line: Where in the spec it stands.
    """

    id: str
    name: str
    prompt: str
    expect: str | None = None
    check: Check | None = None
    activates: frozenset[str] | None = None
    setup: str | None = None
    cleanup: str | None = None
    history: tuple[HistoryTurn, ...] = ()
    timeout: float | None = None
    k: int | None = None
    line: int = 0

    @property
    def is_probe(self) -> bool:
        """Whether it only asks what activates, so that no attempt of it passes or fails."""
        return self.expect is None and self.check is None


@dataclass(frozen=True)
class Bar:
    """What a run must reach, each a share from 0 to 1, or None when it is not asked.

    Attributes:
        success: The average success rate of the tasks.
        activation: The average activation score of the tasks.
    """

    success: float | None = None
    activation: float | None = None


@dataclass(frozen=True)
class Spec:
    """A spec.

    Attributes:
        name: What its results are filed under.
        path: The file.
        skills: The skills that are installed side by side.
        forbidden_files: Regular expressions of paths that an attempt must not touch.
        extra_path: Folders that come first on the agent's PATH; they may not exist.
        mcp: The servers; None when the spec has no such block.
        user_customizations: Whether the user's own setup is loaded; None leaves it to the run.
        bar: What a run must reach; None without one.
        tasks: The tasks, of which there is at least one.
    """

    name: str
    path: Path
    tasks: tuple[TaskSpec, ...]
    skills: tuple[SkillSource, ...] = ()
    forbidden_files: tuple[str, ...] = ()
    extra_path: tuple[Path, ...] = ()
    mcp: tuple[McpServer, ...] | None = None
    user_customizations: bool | None = None
    bar: Bar | None = None

    @property
    def folder(self) -> Path:
        """The folder of the file, which relative paths in it start from."""
        return self.path.parent

    @property
    def servers(self) -> tuple[McpServer, ...]:
        """The servers, none when the spec has no such block."""
        return self.mcp or ()

    @property
    def needs_judge(self) -> bool:
        """Whether some task is held to an expectation."""
        return any(task.expect is not None for task in self.tasks)

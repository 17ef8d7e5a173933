"""What the played model is asked, and what it answers, whichever agent asks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A call of one of the agent's tools."""

    tool: str
    input: dict[str, Any]


class Result(NamedTuple):
    """A call that the agent carried out, and what came of it."""

    call: Call
    output: str


class Usage(NamedTuple):
    """Token counts; `input` without what was read from a cache or written to it."""

    input: int = 100
    output: int = 20
    cache_read: int = 0
    cache_write: int = 0


class Reply(NamedTuple):
    """What the model says: a text, calls of tools, or both."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: Usage = Usage()


@dataclass(frozen=True)
class Turn:
    """One question to the model.

    A script goes by the results so far and never by how many turns there were: agents merge, split
    and repeat turns.

    Attributes:
        agent: `claude` or `codex`.
        model: The model's name as the agent sent it.
        system: What the agent tells the model about itself and its rules.
        task: What the person asked for.
        skills: The skills that the session lists, each with the file that it stands in, or with
            nothing where the agent has a tool for loading it.
        tools: The names of the tools that the model may call; none in a tool-free question.
        results: The calls that were carried out, in order.
        loaded: The text of each skill that was loaded.
        raw: The whole request.
    """

    agent: str
    model: str
    system: str
    task: str
    skills: Mapping[str, str]
    tools: frozenset[str]
    results: tuple[Result, ...]
    loaded: Mapping[str, str]
    raw: Mapping[str, Any] = field(repr=False)

    def shell(self, command: str) -> Call:
        """Return the call that runs a shell command."""
        if self.agent == "claude":
            return Call("Bash", {"command": command})
        return Call("exec_command", {"cmd": command})

    def write(self, path: str, text: str) -> Call:
        """Return the call that writes a file; `path` is absolute."""
        if self.agent == "claude":
            return Call("Write", {"file_path": path, "content": text})
        import shlex

        return self.shell(f"printf %s {shlex.quote(text)} > {shlex.quote(path)}")

    def load(self, skill: str) -> Call:
        """Return the call that loads a skill which the session lists."""
        if self.agent == "claude":
            return Call("Skill", {"skill": skill})
        return self.shell(f"cat '{self.skills[skill]}'")

    def has_done(self, call: Call) -> bool:
        """Say whether a call was carried out."""
        return any(result.call == call for result in self.results)


Script = Callable[[Turn], Reply]
"""Plays the model. It may be asked by several sessions at once."""

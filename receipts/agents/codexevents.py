"""The events that Codex writes in a session, and what they tell."""

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from receipts.agents import failures, rollout
from receipts.agents.base import Failure, Session, Tokens
from receipts.agents.events import Event, Oddities, compact, events, text_of
from receipts.agents.masking import Mask
from receipts.processes import Ended

_RETRYING = "Reconnecting..."


class CodexEvents:
    """Reads what Codex writes; see `receipts.agents.base.Agent`."""

    def ended(
        self, transcript: Path, ended: Ended, timeout: float, secrets: tuple[str, ...]
    ) -> Session:
        """Return a session whose process ended, with how it failed if it did."""
        said = _read(transcript)
        failure = _failure(said, ended, timeout, secrets)
        return replace(said.session, failure=failure, duration_ms=round(ended.seconds * 1000))

    def read(self, transcript: Path) -> Session:
        """Return a session as its transcript tells it."""
        return _read(transcript).session

    def pieces(self, transcript: Path) -> Iterator[str]:
        """Yield texts and tool inputs; see `Agent.pieces`."""
        for item in _items(transcript):
            text = text_of(item.get("text"))
            if item.get("type") == "agent_message":
                yield text
            elif tool := _tool_input(item):
                yield compact(tool)

    def judged_pieces(self, transcript: Path, folder: Path) -> Iterator[str]:
        """Yield what a judge may see; see `Agent.judged_pieces`."""
        mask = Mask(folder)
        for item in _items(transcript):
            if item.get("type") == "agent_message":
                yield mask(text_of(item.get("text")))
            elif (tool := _tool_input(item)) and not mask.is_about_skills(compact(tool)):
                yield mask(compact(tool))

    def commands(self, transcript: Path) -> Iterator[str]:
        """Yield the shell commands; see `Agent.commands`."""
        for item in _items(transcript):
            if item.get("type") == "command_execution":
                yield _unwrapped(text_of(item.get("command")))


class _Said(NamedTuple):
    """What a transcript holds.

    Attributes:
        session: The session, without its failure.
        problem: What it says went wrong, if that was the last that it said.
        is_whole: Whether its turn came to an end.
    """

    session: Session
    problem: str
    is_whole: bool


def _items(transcript: Path) -> Iterator[Event]:
    for event in events(transcript):
        item = event.get("item") if event.get("type") == "item.completed" else None
        if isinstance(item, dict):
            yield item


def _tool_input(item: Event) -> Event | None:
    """Return what a tool was given: a command, changed files, or arguments."""
    kind = item.get("type")
    if kind == "command_execution":
        return {"command": item.get("command")}
    if kind == "file_change":
        return {"changes": item.get("changes")}
    if kind in ("mcp_tool_call", "collab_tool_call"):
        return {"tool": item.get("tool"), "arguments": item.get("arguments")}
    if kind == "web_search":
        return {"query": item.get("query")}
    return None


def _unwrapped(command: str) -> str:
    """Return what was given to the shell that Codex runs every command in: `bash -c '...'`."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    is_wrapped = len(words) == 3 and words[1] in ("-c", "-lc") and words[0].endswith("sh")
    return words[2] if is_wrapped else command


def _read(transcript: Path) -> _Said:
    odd = Oddities()
    text, problem, is_whole, spawned = "", "", False, False
    tokens: Tokens | None = None
    for event in events(transcript, odd):
        kind, item = event.get("type"), event.get("item")
        if kind == "item.completed" and isinstance(item, dict):
            if item.get("type") == "agent_message":
                text = text_of(item.get("text")) or text
            spawned = spawned or item.get("type") == "collab_tool_call"
        elif kind == "turn.completed":
            is_whole, problem = True, ""
            tokens = rollout.tokens(event.get("usage")) or tokens
        elif kind == "turn.failed" and isinstance(event.get("error"), dict):
            problem = text_of(event["error"].get("message")) or "the turn failed"
        elif kind == "error":
            problem = text_of(event.get("message")) or problem
    session = Session(text=text, tokens=tokens, spawned_agents=spawned, oddities=tuple(odd))
    return _Said(session, problem, is_whole)


def _failure(said: _Said, ended: Ended, timeout: float, secrets: tuple[str, ...]) -> Failure | None:
    problem = said.problem
    failure = failures.of_process(ended, "codex", timeout)
    if failure is not None:
        is_waiting = failure.kind == "timeout" and problem.startswith(_RETRYING)
        return failures.unreachable(failure, problem, secrets) if is_waiting else failure
    if ended.exit_code != 0 or problem:
        return failures.of_words(problem or ended.stderr, ended.exit_code, secrets)
    if not said.is_whole:
        return Failure("truncated", "the agent's output ends before its turn is completed")
    return None

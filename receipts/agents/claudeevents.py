"""The events that Claude Code writes in a session, and what they tell."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from receipts.agents.base import OnSkills, Session, Tokens
from receipts.agents.events import Event, Oddities, Watcher, count, events, maps, number, text_of

_SPAWNING = frozenset({"Task", "Agent", "Workflow"})


def _skills(init: Event) -> tuple[str, ...] | None:
    listed = init.get("skills")
    if not isinstance(listed, list):
        return None
    names = (item.get("name") if isinstance(item, dict) else item for item in listed)
    return tuple(name for name in names if isinstance(name, str))


def blocks(transcript: Path) -> Iterator[Event]:
    """Yield the text and tool blocks of what the model said, in order."""
    for event in events(transcript):
        message = event.get("message") if event.get("type") == "assistant" else None
        if isinstance(message, dict):
            for block in maps(message.get("content")):
                if block.get("type") == "text" or (
                    block.get("type") == "tool_use" and isinstance(block.get("input"), dict)
                ):
                    yield block


class Said(NamedTuple):
    """What a transcript holds.

    Attributes:
        session: The session, without its failure.
        result: The last event, which ends a session.
        error: What Claude Code calls the error that it wrote in the place of an answer.
        retry: The last event, when that was of trying to reach the model again.
    """

    session: Session
    result: Event | None
    error: str
    retry: Event | None


def read(transcript: Path) -> Said:
    """Read a transcript."""
    odd = Oddities()
    init: Event = {}
    result: Event | None = None
    retry: Event | None = None
    last, error, spawned = "", "", False
    for event in events(transcript, odd):
        kind = event.get("type")
        retry = event if event.get("subtype") == "api_retry" else None
        if kind == "system" and event.get("subtype") == "init":
            init = init or event
        elif kind == "result":
            result = event
        elif kind == "assistant" and isinstance(event.get("message"), dict):
            error = text_of(event.get("error"))
            for block in maps(event["message"].get("content")):
                if block.get("type") == "text":
                    last = text_of(block.get("text")) or last
                spawned = spawned or (
                    block.get("type") == "tool_use" and block.get("name") in _SPAWNING
                )
    end = result or {}
    cost = number(end.get("total_cost_usd"))
    session = Session(
        text=text_of(end.get("result")) or last,
        skills=_skills(init) if init else None,
        model_id=text_of(init.get("model")) or _only_model(end.get("modelUsage")),
        turns=number(end.get("num_turns")),
        duration_ms=number(end.get("duration_ms")),
        cost_usd=cost if cost is not None else number(end.get("cost_usd")),
        tokens=_tokens(end.get("usage")),
        version=text_of(init.get("claude_code_version")) or None,
        spawned_agents=spawned,
        oddities=tuple(odd),
    )
    return Said(session, result, error, retry)


def _only_model(usage: object) -> str | None:
    """Return the one model that a tool-free answer, which has no first event, was given by."""
    return next(iter(usage)) if isinstance(usage, dict) and len(usage) == 1 else None


def _tokens(usage: object) -> Tokens | None:
    if not isinstance(usage, dict):
        return None
    return Tokens(
        count(usage.get("input_tokens")),
        count(usage.get("output_tokens")),
        count(usage.get("cache_read_input_tokens")),
        count(usage.get("cache_creation_input_tokens")),
    )


class Told:
    """Tells of the skills as soon as the first event names them."""

    def __init__(self, on_skills: OnSkills | None) -> None:
        self._on_skills = on_skills
        self._watcher = Watcher()

    def take(self, chunk: bytes) -> None:
        """Look at what came."""
        if self._on_skills is None:
            return
        for event in self._watcher.feed(chunk):
            if event.get("type") == "system" and event.get("subtype") == "init":
                tell, self._on_skills = self._on_skills, None
                self._watcher.stop()
                tell(_skills(event))
                return

    def end(self) -> None:
        """Tell that nothing was said, if nothing was."""
        if self._on_skills is not None:
            self._on_skills(None)

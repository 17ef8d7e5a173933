"""The events that Claude Code writes in a session, and what they tell."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from receipts.agents import failures
from receipts.agents.base import Failure, OnSkills, Session, Tokens
from receipts.agents.events import (
    Event,
    Oddities,
    Watcher,
    compact,
    count,
    events,
    maps,
    number,
    text_of,
)
from receipts.agents.masking import Mask
from receipts.processes import Ended

_SPAWNING = frozenset({"Task", "Agent", "Workflow"})
_OF_ERROR = {
    "authentication_failed": "not-logged-in",
    "model_not_found": "no-such-model",
    "rate_limit": "rate-limited",
    "overloaded": "overloaded",
}


class ClaudeEvents:
    """Reads what Claude Code writes; see `receipts.agents.base.Agent`."""

    def ended(
        self, transcript: Path, ended: Ended, timeout: float, secrets: tuple[str, ...]
    ) -> Session:
        """Return a session whose process ended, with how it failed if it did."""
        said = _read(transcript)
        return replace(said.session, failure=_failure(said, ended, timeout, secrets))

    def read(self, transcript: Path) -> Session:
        """Return a session as its transcript tells it."""
        return _read(transcript).session

    def pieces(self, transcript: Path) -> Iterator[str]:
        """Yield texts and tool inputs; see `Agent.pieces`."""
        for block in _blocks(transcript):
            yield text_of(block.get("text")) if block["type"] == "text" else compact(block["input"])

    def judged_pieces(self, transcript: Path, folder: Path) -> Iterator[str]:
        """Yield what a judge may see; see `Agent.judged_pieces`."""
        mask = Mask(folder)
        for block in _blocks(transcript):
            if block["type"] == "text":
                yield mask(text_of(block.get("text")))
            elif block.get("name") != "Skill":
                given = compact(block["input"])
                if not mask.is_about_skills(given):
                    yield mask(given)

    def commands(self, transcript: Path) -> Iterator[str]:
        """Yield the shell commands; see `Agent.commands`."""
        for block in _blocks(transcript):
            if block["type"] == "tool_use" and block.get("name") == "Bash":
                yield text_of(block["input"].get("command"))


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


def _skills(init: Event) -> tuple[str, ...] | None:
    listed = init.get("skills")
    if not isinstance(listed, list):
        return None
    names = (item.get("name") if isinstance(item, dict) else item for item in listed)
    return tuple(name for name in names if isinstance(name, str))


def _blocks(transcript: Path) -> Iterator[Event]:
    """Yield the text and tool blocks of what the model said, in order."""
    for event in events(transcript):
        message = event.get("message") if event.get("type") == "assistant" else None
        if isinstance(message, dict):
            for block in maps(message.get("content")):
                if block.get("type") == "text" or (
                    block.get("type") == "tool_use" and isinstance(block.get("input"), dict)
                ):
                    yield block


class _Said(NamedTuple):
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


def _read(transcript: Path) -> _Said:
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
    return _Said(session, result, error, retry)


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
    ).known()


def _failure(said: _Said, ended: Ended, timeout: float, secrets: tuple[str, ...]) -> Failure | None:
    failure = failures.of_process(ended, "claude", timeout)
    if failure is not None:
        if failure.kind == "timeout" and said.retry is not None:
            kind = failures.of_status(said.retry.get("error_status"))
            words = f"{said.retry.get('error')} ({said.retry.get('error_status')})"
            return failures.unreachable(failure, words, secrets, kind=kind)
        return failure
    result = said.result
    if result is None:
        if ended.exit_code == 0:
            return Failure("truncated", "the agent's output ends before its result")
        return failures.of_words(ended.stderr, ended.exit_code, secrets)
    if result.get("subtype") == "error_max_turns":
        return Failure("turn-limit", f"it reached the limit of turns ({result.get('num_turns')})")
    if ended.exit_code == 0 and not result.get("is_error"):
        return None
    words = text_of(result.get("result")) or ended.stderr
    if result.get("stop_reason") == "refusal":
        words = f"the model refused, by its usage policy: {words}"
    kind = failures.of_status(result.get("api_error_status")) or _OF_ERROR.get(said.error)
    return failures.of_words(words, ended.exit_code, secrets, kind=kind)

"""What Codex writes of a session into its home, and says nowhere in its events.

Each session has a file of JSON lines there, `sessions/<year>/<month>/<day>/rollout-….jsonl`: the
prompt with the skills that it lists, the model, and the tokens of each answer.
"""

import re
import threading
from pathlib import Path
from typing import NamedTuple

from receipts.agents.base import OnSkills, Tokens
from receipts.agents.events import Event, count, events, maps, text_of

_POLL = 0.05
_BLOCK = re.compile(r"<skills_instructions>(.*?)</skills_instructions>", re.DOTALL)
_LINE = re.compile(r"^- (\S+?): .*\(file: [^()\n]*\)\s*$", re.MULTILINE)


class Rollout(NamedTuple):
    """What a session's file says; None where it says nothing.

    Attributes:
        turns: How many answers of the model there were.
    """

    skills: tuple[str, ...] | None = None
    model_id: str | None = None
    turns: int | None = None
    tokens: Tokens | None = None
    version: str | None = None


def read(home: Path) -> Rollout:
    """Read the file of the one session that ran in this home of Codex."""
    found = Rollout()
    if path := _file(home):
        answers = 0
        for event in events(path):
            payload = event.get("payload")
            if not isinstance(payload, dict):
                continue
            kind = event.get("type")
            if kind == "session_meta":
                found = found._replace(version=text_of(payload.get("cli_version")) or None)
            elif kind == "turn_context":
                found = found._replace(model_id=text_of(payload.get("model")) or None)
            elif kind == "token_usage_record":
                answers += 1
                usage = tokens(payload.get("thread_token_usage")) or found.tokens
                found = found._replace(turns=answers, tokens=usage)
            elif found.skills is None:
                found = found._replace(skills=_skills(payload))
    return found


def tokens(usage: object) -> Tokens | None:
    """Return the four counts: for Codex, input is all of it, also what came from a cache."""
    if not isinstance(usage, dict):
        return None
    cached = count(usage.get("cached_input_tokens"))
    written = count(usage.get("cache_write_input_tokens"))
    read = count(usage.get("input_tokens"))
    fresh = None if read is None else max(0, read - (cached or 0) - (written or 0))
    return Tokens(fresh, count(usage.get("output_tokens")), cached, written).known()


class Watch:
    """Tells of a session's skills once, as soon as its file lists them: a context manager."""

    def __init__(self, home: Path, on_skills: OnSkills | None) -> None:
        self._home = home
        self._on_skills = on_skills
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        if self._on_skills is not None:
            self._thread.start()

    def __exit__(self, *raised: object) -> None:
        self._ended.set()
        if self._on_skills is not None:
            self._thread.join()

    def _watch(self) -> None:
        is_over = False
        while not is_over:
            is_over = self._ended.wait(_POLL)
            skills = self._listed()
            if self._on_skills is not None and (skills is not None or is_over):
                self._on_skills(skills)
                return

    def _listed(self) -> tuple[str, ...] | None:
        path = _file(self._home)
        for event in events(path) if path else ():
            payload = event.get("payload")
            if isinstance(payload, dict) and (skills := _skills(payload)) is not None:
                return skills
        return None


def _file(home: Path) -> Path | None:
    """Return the file of the first session; those of agents that it started came later."""
    return min(home.glob("sessions/*/*/*/rollout-*.jsonl"), default=None)


def _skills(payload: Event) -> tuple[str, ...] | None:
    """Return the names that a prompt lists, or None for what is not the part that lists them."""
    if payload.get("role") != "developer":
        return None
    for part in maps(payload.get("content")):
        if block := _BLOCK.search(text_of(part.get("text"))):
            return tuple(_LINE.findall(block[1]))
    return None

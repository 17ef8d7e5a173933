"""Any command as an agent: a template, with the task on stdin or as an argument.

What it prints is the answer. A wrapper that prints the events of Claude Code or of Codex is read as
that agent is, so that its tool calls, skills and costs are known.
"""

import os
import re
import shlex
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from receipts import processes
from receipts.agents import failures
from receipts.agents.base import OnSkills, Session, Task
from receipts.agents.claudeevents import ClaudeEvents
from receipts.agents.codexevents import CodexEvents
from receipts.agents.environment import agent_environment, secrets_in
from receipts.agents.events import events
from receipts.agents.masking import Mask
from receipts.errors import EvalError

_PLACES = re.compile(r"\{(prompt|model|folder|max_turns)\}")
_LONGEST_TEXT = 4 << 20
_PASSED_ON = "RECEIPTS_AGENT_ENV"


class Command:
    """A command; see `receipts.agents.base.Agent`.

    The variables that it needs beside the plain ones are named in `RECEIPTS_AGENT_ENV`, separated
    by commas.
    """

    name = "command"
    skills_folder = ".claude/skills"
    default_model = "default"
    escalation_model: str | None = None
    reports_skills = False
    reports_cost = True  # where its output is that of an agent which does
    isolation: tuple[str, ...] = ("fresh home", "built environment")

    def __init__(self, template: str) -> None:
        try:
            self._template = shlex.split(template)
        except ValueError as error:
            raise EvalError(f"The command {template!r} cannot be split: {error}.") from error
        if not self._template:
            raise EvalError("The command behind 'command:' is empty.", "Name a program.")
        found = shutil.which(self._template[0])
        if found is None:
            raise EvalError(
                f"`{self._template[0]}` is not runnable (not found) — is it installed and on PATH?"
            )
        self._template[0] = os.path.abspath(found)
        # A program of the user's own folder is meant from there, and sessions run elsewhere.
        self._template[1:] = [_absolute(word) for word in self._template[1:]]
        self.reference = f"command:{shlex.join(self._template)}"

    def version(self) -> str:
        """Return the command's name: what it is beyond that, it cannot be asked."""
        return f"command {os.path.basename(self._template[0])}"

    def run(
        self,
        task: Task,
        *,
        stop: threading.Event | None = None,
        on_skills: OnSkills | None = None,
    ) -> Session:
        """Run a task; see `Agent.run`."""
        values = {
            "prompt": task.prompt.replace("\0", "\ufffd"),  # no argument holds one
            "model": task.model,
            "folder": str(task.folder),
            "max_turns": str(task.max_turns),
        }
        words = [_PLACES.sub(lambda found: values[found[1]], word) for word in self._template]
        on_stdin = not any("{prompt}" in word for word in self._template)
        names = [name.strip() for name in os.environ.get(_PASSED_ON, "").split(",")]
        environment = agent_environment(task.home, filter(None, names), {})
        ended = processes.run(
            words,
            folder=task.folder,
            environment=environment,
            timeout=task.timeout,
            stop=stop,
            stdin=task.prompt.encode("utf-8", "surrogatepass") if on_stdin else None,
            output=task.transcript,
        )
        if on_skills is not None:
            on_skills(None)
        secrets = secrets_in(environment)
        if reader := _reader(task.transcript):
            return reader.ended(task.transcript, ended, task.timeout, secrets)
        session = self.read(task.transcript)
        failure = failures.of_process(ended, self._template[0], task.timeout)
        if failure is None and ended.exit_code != 0:
            failure = failures.of_words(ended.stderr or session.text, ended.exit_code, secrets)
        return replace(session, failure=failure, duration_ms=round(ended.seconds * 1000))

    def read(self, transcript: Path) -> Session:
        """Return a session as its transcript tells it."""
        if reader := _reader(transcript):
            return reader.read(transcript)
        return Session(text="".join(_texts(transcript)))

    def pieces(self, transcript: Path) -> Iterator[str]:
        """Yield texts and tool inputs; see `Agent.pieces`."""
        if reader := _reader(transcript):
            yield from reader.pieces(transcript)
        else:
            yield from _texts(transcript)

    def judged_pieces(self, transcript: Path, folder: Path) -> Iterator[str]:
        """Yield what a judge may see; see `Agent.judged_pieces`."""
        if reader := _reader(transcript):
            yield from reader.judged_pieces(transcript, folder)
        else:
            mask = Mask(folder)
            yield from map(mask, _texts(transcript))

    def commands(self, transcript: Path) -> Iterator[str]:
        """Yield the shell commands; see `Agent.commands`."""
        if reader := _reader(transcript):
            yield from reader.commands(transcript)


def _reader(transcript: Path) -> ClaudeEvents | CodexEvents | None:
    """Return what reads a transcript whose first event is one of Claude Code or of Codex."""
    first = next(events(transcript), {})
    if first.get("type") in ("system", "assistant", "result"):
        return ClaudeEvents()
    if first.get("type") in ("thread.started", "turn.started"):
        return CodexEvents()
    return None


def _texts(transcript: Path) -> Iterator[str]:
    """Yield what was printed; of a text beyond 4 MB its end."""
    try:
        with open(transcript, "rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - _LONGEST_TEXT))
            yield stream.read().decode("utf-8", "replace")
    except OSError:  # the session removed it, or put something else in its place
        return


def _absolute(word: str) -> str:
    is_path = os.sep in word and not word.startswith("-")
    return os.path.abspath(word) if is_path and os.path.exists(word) else word

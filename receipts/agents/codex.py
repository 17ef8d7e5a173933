"""Codex: `codex exec --json`, its events and its failures."""

import os
import shlex
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from receipts import processes
from receipts.agents import codexconfig, failures, launching, rollout
from receipts.agents.base import NOTE, Failure, OnSkills, Session, Task, Tokens
from receipts.agents.environment import agent_environment, link_login, secrets_in
from receipts.agents.events import Event, Oddities, compact, events, text_of
from receipts.agents.masking import Mask
from receipts.processes import Ended

_LEAST = (0, 150, 0)
_RETRYING = "Reconnecting..."


class Codex:
    """Codex; see `receipts.agents.base.Agent`. It has no limit of turns, and names no cost."""

    name = "codex"
    skills_folder = ".agents/skills"
    default_model = "default"
    escalation_model: str | None = None
    reports_skills = True
    isolation: tuple[str, ...] = (
        "fresh home",
        "fresh CODEX_HOME",
        "built environment",
        "nothing from the folders above",
        "--ignore-rules",
    )

    def __init__(self) -> None:
        self._program = launching.program("codex", "RECEIPTS_CODEX")
        self._config = codexconfig.of_user(_own_home())

    def version(self) -> str:
        """Return what `codex --version` prints."""
        return launching.version(self._program, "codex", _LEAST)

    def run(
        self,
        task: Task,
        *,
        stop: threading.Event | None = None,
        on_skills: OnSkills | None = None,
    ) -> Session:
        """Run a task; see `Agent.run`."""
        home = task.home / ".codex"
        try:
            home.mkdir(mode=0o700, exist_ok=True)
            link_login(_own_home() / "auth.json", home / "auth.json")
            note = {"developer_instructions": NOTE} if task.tools else {}
            config = codexconfig.write(self._config, home, **note)
        except OSError as error:
            if on_skills is not None:
                on_skills(None)
            return Session(failure=failures.of_os(error, "prepare a home for Codex"))
        environment = agent_environment(
            task.home, self._config.variables, {"CODEX_HOME": str(home)}
        )
        try:
            with rollout.Watch(home, on_skills):
                ended = processes.run(
                    [self._program, "exec", "--json", *_options(task), "-"],
                    folder=task.folder,
                    environment=environment,
                    timeout=task.timeout,
                    stop=stop,
                    stdin=task.prompt.encode("utf-8", "surrogatepass"),
                    output=task.transcript,
                )
        finally:
            config.unlink(missing_ok=True)  # it may hold a key, and homes are kept
        session, problem, is_whole = _read(task.transcript)
        secrets = (*secrets_in(environment), *self._config.secrets)
        kept = rollout.read(home)
        return replace(
            session,
            failure=_failure(task, ended, problem, secrets, is_whole=is_whole),
            skills=kept.skills,
            model_id=kept.model_id,
            turns=kept.turns,
            version=kept.version,
            tokens=session.tokens or kept.tokens,
            duration_ms=round(ended.seconds * 1000),
        )

    def read(self, transcript: Path) -> Session:
        """Return a session as its transcript tells it."""
        return _read(transcript)[0]

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
        mask = Mask(folder, self.skills_folder)
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


def _options(task: Task) -> list[str]:
    model = [] if task.model == "default" else ["-m", task.model]
    common = ["--skip-git-repo-check", "--ignore-rules", "--color", "never", *model]
    if not task.tools:
        return ["-s", "read-only", *common]
    return ["--dangerously-bypass-approvals-and-sandbox", *common]


def _own_home() -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")


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


def _read(transcript: Path) -> tuple[Session, str, bool]:
    """Return the session, what it says went wrong, and whether its turn came to an end."""
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
    return session, problem, is_whole


def _failure(
    task: Task, ended: Ended, problem: str, secrets: tuple[str, ...], *, is_whole: bool
) -> Failure | None:
    failure = failures.of_process(ended, Codex.name, task.timeout)
    if failure is not None:
        is_waiting = failure.kind == "timeout" and problem.startswith(_RETRYING)
        return failures.unreachable(failure, problem, secrets) if is_waiting else failure
    if ended.exit_code != 0 or problem:
        return failures.of_words(problem or ended.stderr, ended.exit_code, secrets)
    if not is_whole:
        return Failure("truncated", "the agent's output ends before its turn is completed")
    return None

"""Codex: `codex exec --json`, its events and its failures."""

import os
import shlex
import threading
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from receipts import processes
from receipts.agents import codexskills, failures, launching
from receipts.agents.base import NOTE, Failure, OnSkills, Session, Task, Tokens
from receipts.agents.environment import agent_environment, link_login
from receipts.agents.events import Event, Oddities, compact, count, events, text_of
from receipts.agents.masking import Mask

_LEAST = (0, 150, 0)
_KEYS = (
    "OPENAI_API_KEY",
    "CODEX_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_ORGANIZATION",
    "OPENAI_PROJECT",
)


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
        "--ephemeral",
        "--ignore-rules",
    )

    def __init__(self) -> None:
        self._program = launching.program("codex", "RECEIPTS_CODEX")
        self._provider = _provider(_own_home() / "config.toml")

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
        """Run a task; see `Agent.run`.

        Codex says nowhere in its events which skills it loaded. So it is asked, beside the session
        and in the same folder and home, for the prompt that it would send.
        """
        environment = self._environment(task)
        skills = codexskills.Asked(self._program, task, environment, stop)
        if on_skills is not None:
            skills.start(on_skills)
        ended = processes.run(
            [self._program, "exec", "--json", *_options(task), "-"],
            folder=task.folder,
            environment=environment,
            timeout=task.timeout,
            stop=stop,
            stdin=task.prompt.encode("utf-8", "surrogatepass"),
            output=task.transcript,
        )
        session, problem, is_whole = _read(task.transcript)
        failure = failures.of_process(ended, self.name, task.timeout)
        if failure is None and (ended.exit_code != 0 or problem):
            failure = failures.of_words(f"{problem}\n{ended.stderr}".strip(), ended.exit_code)
        if failure is None and not is_whole:
            failure = Failure("truncated", "the agent's output ends before its turn is completed")
        listed = skills.answer() if on_skills is not None else None
        return replace(
            session, failure=failure, skills=listed, duration_ms=round(ended.seconds * 1000)
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

    def _environment(self, task: Task) -> dict[str, str]:
        home = task.home / ".codex"
        home.mkdir(mode=0o700, exist_ok=True)
        link_login(_own_home() / "auth.json", home / "auth.json")
        names = list(_KEYS)
        if self._provider:
            lines = "".join(f"{key} = {_toml(value)}\n" for key, value in self._provider.items())
            # In a file and not in an argument, because headers may hold a key.
            (home / "config.toml").write_text(lines, "utf-8")
            (home / "config.toml").chmod(0o600)
            table: dict[str, Any] = next(iter(self._provider["model_providers"].values()), {})
            names += [name for name in (table.get("env_key"),) if isinstance(name, str)]
            headers = table.get("env_http_headers")
            names += list(headers.values()) if isinstance(headers, dict) else []
        return agent_environment(task.home, names, {"CODEX_HOME": str(home)})


def _options(task: Task) -> list[str]:
    model = [] if task.model == "default" else ["-m", task.model]
    common = ["--skip-git-repo-check", "--ephemeral", "--ignore-rules", "--color", "never", *model]
    if not task.tools:
        return ["-s", "read-only", *common]
    note = f"developer_instructions={_toml(NOTE)}"
    return ["--dangerously-bypass-approvals-and-sandbox", *common, "-c", note]


def _own_home() -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")


def _provider(config: Path) -> dict[str, Any]:
    """Return of a user's configuration what leads to their endpoint, and nothing else."""
    try:
        document = tomllib.loads(config.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    name = document.get("model_provider")
    providers = document.get("model_providers")
    table = providers.get(name) if isinstance(providers, dict) and isinstance(name, str) else None
    if not isinstance(table, dict):
        return {}
    return {"model_provider": name, "model_providers": {name: table}}


def _toml(value: object) -> str:
    """Return a value as TOML writes it in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # A basic string of TOML escapes as JSON does, but for the slash, which JSON leaves alone.
        return compact(value).replace("\x7f", "\\u007F")
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items())
        return f"{{ {pairs} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value)


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
    """Return what was given to the shell that Codex runs every command in: `bash -lc '...'`."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    is_wrapped = len(words) == 3 and words[1] == "-lc" and words[0].endswith("sh")
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
            tokens = _tokens(event.get("usage")) or tokens
        elif kind == "turn.failed" and isinstance(event.get("error"), dict):
            problem = text_of(event["error"].get("message")) or "the turn failed"
        elif kind == "error":
            problem = text_of(event.get("message")) or problem
    session = Session(text=text, tokens=tokens, spawned_agents=spawned, oddities=tuple(odd))
    return session, problem, is_whole


def _tokens(usage: object) -> Tokens | None:
    """Return the four counts; Codex counts what it read from a cache among the input as well."""
    if not isinstance(usage, dict):
        return None
    cached = count(usage.get("cached_input_tokens"))
    fresh = max(0, count(usage.get("input_tokens")) - cached)
    written = count(usage.get("cache_write_input_tokens"))
    return Tokens(fresh, count(usage.get("output_tokens")), cached, written)

"""Claude Code: `claude -p`, its events and its failures."""

import os
import re
import threading
from pathlib import Path

from receipts import processes
from receipts.agents import failures, launching
from receipts.agents.base import NOTE, OnSkills, Session, Task
from receipts.agents.claudeevents import ClaudeEvents, Told
from receipts.agents.environment import agent_environment, link_login, passed_on, secrets_in
from receipts.agents.events import compact

_TOOLS = "Bash Read Write Edit Glob Grep Task Workflow Skill"
_LONGEST_ARGUMENT = 8000  # UTF-16 units; a longer prompt goes to stdin
_LEAST = (2, 1, 0)
KEYS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
)
ENDPOINT = (
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "CLAUDE_CODE_USE_BEDROCK",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_REGION",
    "CLAUDE_CODE_USE_VERTEX",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "CLOUD_ML_REGION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "CLAUDE_CODE_USE_FOUNDRY",
    "ANTHROPIC_FOUNDRY_RESOURCE",
    "ANTHROPIC_FOUNDRY_BASE_URL",
    "ANTHROPIC_FOUNDRY_API_KEY",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
)
_GLOB = re.compile(r"([\\*?\[\]{}()!+@|,])")
_INSTRUCTIONS = "{CLAUDE.md,CLAUDE.local.md,AGENTS.md,AGENTS.local.md,.claude/**}"
FIXED = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}


class Claude(ClaudeEvents):
    """Claude Code; see `receipts.agents.base.Agent`."""

    name = "claude"
    reference = "claude"
    skills_folder = ".claude/skills"
    default_model = "sonnet"
    escalation_model: str | None = "opus"
    reports_skills = True
    reports_cost = True
    isolation: tuple[str, ...] = (
        "fresh home",
        "built environment",
        "nothing from the folders above",
        "--setting-sources project",
        "--strict-mcp-config",
    )

    def __init__(self) -> None:
        self._program = launching.program("claude", "RECEIPTS_CLAUDE")

    def version(self) -> str:
        """Return what `claude --version` prints."""
        return launching.version(self._program, "claude", _LEAST)

    def run(
        self,
        task: Task,
        *,
        stop: threading.Event | None = None,
        on_skills: OnSkills | None = None,
    ) -> Session:
        """Run a task; see `Agent.run`."""
        told = Told(on_skills)
        try:
            environment = self._environment(task)
        except OSError as error:
            told.end()
            return Session(failure=failures.of_os(error, "prepare a home for Claude Code"))
        is_long = len(task.prompt.encode("utf-16-le", "surrogatepass")) // 2 > _LONGEST_ARGUMENT
        # What begins with a dash would be an option, and with a slash a command.
        on_stdin = is_long or task.prompt.startswith(("-", "/")) or "\0" in task.prompt
        prompt = f" {task.prompt}" if task.prompt.startswith("/") else task.prompt
        ended = processes.run(
            [self._program, "-p", *([] if on_stdin else [prompt]), *options(task)],
            folder=task.folder,
            environment=environment,
            timeout=task.timeout,
            stop=stop,
            stdin=prompt.encode("utf-8", "surrogatepass") if on_stdin else None,
            output=task.transcript,
            on_output=told.take,
        )
        told.end()
        return self.ended(task.transcript, ended, task.timeout, secrets_in(environment))

    def _environment(self, task: Task) -> dict[str, str]:
        if not passed_on(KEYS):
            own = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
            link_login(own / ".credentials.json", task.home / ".claude" / ".credentials.json")
        fixed = {**FIXED, "CLAUDE_PROJECT_DIR": str(task.folder)}
        return agent_environment(task.home, (*KEYS, *ENDPOINT), fixed)


def options(task: Task) -> list[str]:
    """Return the arguments of a session behind its prompt."""
    model = [] if task.model == "default" else ["--model", task.model]
    settings = compact({"claudeMdExcludes": _above(task.folder)})
    isolated = ["--setting-sources", "project", "--strict-mcp-config", "--settings", settings]
    common = [*isolated, *model]
    if not task.tools:
        return ["--output-format", "json", "--max-turns", "1", "--tools", "", *common]
    return [
        *("--output-format", "stream-json", "--verbose"),
        *("--max-turns", str(task.max_turns)),
        *("--permission-mode", "acceptEdits"),
        *("--allowedTools", _TOOLS),
        *common,
        *("--append-system-prompt", NOTE),
    ]


def _above(folder: Path) -> list[str]:
    """Return patterns for the instruction files of all folders above, read up to the root.

    One pattern for all folders but the root: one for each would cost a session a tenth of its time.
    """
    places = dict.fromkeys([*folder.parents, *folder.resolve().parents])
    spelled = [_GLOB.sub(r"\\\1", place.as_posix().rstrip("/")) for place in places]
    listed = ",".join(place for place in spelled if place)
    return [f"/{_INSTRUCTIONS}", f"{{{listed}}}/{_INSTRUCTIONS}"]

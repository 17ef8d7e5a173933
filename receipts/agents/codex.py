"""Codex: `codex exec --json`, its events and its failures."""

import os
import threading
from dataclasses import replace
from pathlib import Path

from receipts import processes
from receipts.agents import codexconfig, failures, launching, rollout
from receipts.agents.base import OnSkills, Session, Task
from receipts.agents.codexevents import CodexEvents
from receipts.agents.environment import agent_environment, link_login, secrets_in

_LEAST = (0, 150, 0)


class Codex(CodexEvents):
    """Codex; see `receipts.agents.base.Agent`. It has no limit of turns, and names no cost."""

    name = "codex"
    reference = "codex"
    skills_folder = ".agents/skills"
    default_model = "default"
    escalation_model: str | None = None
    reports_skills = True
    reports_cost = False
    isolation: tuple[str, ...] = (
        "fresh home",
        "fresh CODEX_HOME",
        "built environment",
        "nothing from the folders above",
        "no apps and plugins of the account",
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
            config = codexconfig.write(self._config, home, tools=task.tools)
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
                    [self._program, "exec", "--json", *options(task), "-"],
                    folder=task.folder,
                    environment=environment,
                    timeout=task.timeout,
                    stop=stop,
                    stdin=task.prompt.encode("utf-8", "surrogatepass"),
                    output=task.transcript,
                )
        finally:
            config.unlink(missing_ok=True)  # it may hold a key, and homes are kept
        secrets = (*secrets_in(environment), *self._config.secrets)
        session = self.ended(task.transcript, ended, task.timeout, secrets)
        kept = rollout.read(home)
        return replace(
            session,
            skills=kept.skills,
            model_id=kept.model_id,
            turns=kept.turns,
            version=kept.version,
            tokens=session.tokens or kept.tokens,
        )


def options(task: Task) -> list[str]:
    """Return the arguments of a session before its task."""
    model = [] if task.model == "default" else ["-m", task.model]
    common = ["--skip-git-repo-check", "--ignore-rules", "--color", "never", *model]
    if not task.tools:
        return ["-s", "read-only", *common]
    return ["--dangerously-bypass-approvals-and-sandbox", *common]


def _own_home() -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")

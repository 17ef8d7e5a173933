"""Which agent a person means."""

from receipts.agents.base import Agent
from receipts.errors import EvalError

_COMMAND = "command:"


def find(spec: str) -> Agent:
    """Return the agent that `claude`, `codex` or `command:<template>` names.

    Raises:
        EvalError: There is none of that name, or it is not installed.
    """
    if spec == "claude":
        from receipts.agents.claude import Claude

        return Claude()
    if spec == "codex":
        from receipts.agents.codex import Codex

        return Codex()
    if spec.startswith(_COMMAND):
        from receipts.agents.command import Command

        return Command(spec.removeprefix(_COMMAND))
    raise EvalError(
        f"There is no agent {spec!r}.", "Name claude, codex, or a command as 'command:<template>'."
    )

"""The agents that an evaluation runs: Claude Code, Codex, or any command.

`find` returns one; all of them are used through `Agent`.
"""

from receipts.agents.base import Agent, Failure, Session, Task, Tokens
from receipts.agents.environment import bound, plain_environment
from receipts.agents.finding import find

__all__ = ["Agent", "Failure", "Session", "Task", "Tokens", "bound", "find", "plain_environment"]

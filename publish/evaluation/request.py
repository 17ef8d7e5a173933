"""What is asked of an evaluation, what it becomes before it starts, and what came of it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from receipts.arms.document import Identity
from receipts.arms.plan import Limits, Plan

if TYPE_CHECKING:
    from publish.evaluation.generated import Generated

STAGED = "staged"
"""The folder in a run's that holds the bytes of its arms."""


def shown_model(agent: str, model: str) -> str:
    """Return what a person is told of a model: an agent's own has no name but the agent's."""
    return agent if model == "default" else model


@dataclass(frozen=True)
class Request:
    """What was asked for.

    Attributes:
        folder: The skill's folder.
        agent: `claude`, `codex` or `command:<template>`.
        cases: Only these cases; empty means all, with the suite.
        model: None means the agent's own default.
        judge_model: None means the model.
        baseline_twice: Compare the baseline with itself, to see what the instrument alone produces.
        generate: Have a model write the kinds of cases that are missing.
        heavy: Whether its sessions run one at a time; None means that the skill tells.
    """

    folder: Path
    agent: str = "claude"
    team: str | None = None
    k: int = 1
    cases: tuple[str, ...] = ()
    execution: bool = True
    triggers: bool = True
    model: str | None = None
    judge_model: str | None = None
    parallel: int = 4
    limits: Limits = field(default_factory=Limits)
    commit: bool = True
    private: bool = False
    baseline_twice: bool = False
    generate: bool = True
    heavy: bool | None = None


class Prepared(NamedTuple):
    """A run that can start: its plan, and what its receipt will say beside the numbers.

    Attributes:
        start: The first line that its journal is to have; None when it has one.
        generated: What a model wrote for it and is not in the skill's folder yet, or None.
    """

    plan: Plan
    identity: Identity
    source: Path
    team: str | None
    commit: bool
    baseline_twice: bool
    evals_digest: str
    start: dict[str, Any] | None = None
    generated: "Generated | None" = None


class Finished(NamedTuple):
    """A run that ended.

    Attributes:
        folder: Where it is kept.
        receipt: The receipt's bytes, or None when nothing was scored before it was interrupted.
        shown: The receipt with what a private run leaves out of it.
        trigger_rows: The rows of its trigger prompts.
        warnings: What a reader should know beside the report, a sentence each.
        last_line: What became of the receipt, or None.
        interrupted: Whether it was ended before its time by the person.
        limited: Whether a limit ended it before its time.
        failed: Whether there was something to score and nothing was.
        baseline_twice: Whether it compared the baseline with itself.
        sessions: How many sessions it started.
        cost_usd: What it cost, as far as the agent said.
    """

    folder: Path
    receipt: bytes | None
    shown: bytes
    trigger_rows: list[dict[str, Any]]
    warnings: list[str]
    last_line: str | None
    interrupted: bool
    limited: bool
    failed: bool
    baseline_twice: bool
    sessions: int
    cost_usd: float

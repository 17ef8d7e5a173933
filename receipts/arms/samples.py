"""What came out of the sessions: one sample for each case, repetition and arm."""

from dataclasses import dataclass
from typing import Any, NamedTuple


class CheckOutcome(NamedTuple):
    """One check as it came out; the detail stays on this machine."""

    name: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True)
class Ran:
    """One session of a unit in one arm, after its attempts.

    Attributes:
        case: The case's name, or `suite`.
        rep: The repetition, from 0.
        arm: The arm's name.
        reason: Why it is dead, or None.
        kind: The kind of failure, or None.
        retried: Whether this was the second attempt.
        checks: The outcomes by scored case; empty when dead.
        skills: The skills that the session listed, or None.
        tokens: The four counts of `receipts.agents.Tokens`, or None.
        transcript: The transcript's file name in `transcripts/`.
    """

    case: str
    rep: int
    arm: str
    reason: str | None
    kind: str | None
    retried: bool
    checks: dict[str, tuple[CheckOutcome, ...]]
    skills: tuple[str, ...] | None
    turns: float | None
    duration_ms: float | None
    cost_usd: float | None
    tokens: tuple[int | None, ...] | None
    model_id: str | None
    spawned_agents: bool
    oddities: tuple[str, ...]
    transcript: str
    sandbox: str

    @property
    def is_dead(self) -> bool:
        """Whether the session failed for good, so that no row of it is scored."""
        return self.reason is not None

    def record(self) -> dict[str, Any]:
        """Return the session as a line of the journal."""
        return {**self.__dict__, "kind_of_failure": self.kind, "kind": "session"}

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> "Ran":
        """Return the session of a journal's line.

        Raises:
            KeyError, TypeError, ValueError: The line is of another form.
        """
        fields = {name: record[name] for name in cls.__dataclass_fields__ if name != "kind"}
        checks = {
            case: tuple(CheckOutcome(*outcome) for outcome in outcomes)
            for case, outcomes in record["checks"].items()
        }
        return cls(
            **{
                **fields,
                "kind": record["kind_of_failure"],
                "checks": checks,
                "skills": None if record["skills"] is None else tuple(record["skills"]),
                "tokens": None if record["tokens"] is None else tuple(record["tokens"]),
                "oddities": tuple(record["oddities"]),
            }
        )


@dataclass(frozen=True)
class Sample:
    """One scored case in one repetition and arm: a session's own, or a sub-case's share of it."""

    case: str
    rep: int
    arm: str
    ran: Ran
    checks: tuple[CheckOutcome, ...]

    @property
    def is_dead(self) -> bool:
        """Whether its session failed for good."""
        return self.ran.is_dead

    @property
    def passed(self) -> bool:
        """Whether every check passed; without checks all do."""
        return all(check.passed for check in self.checks)

    @property
    def share(self) -> float | None:
        """The share of its checks that passed; None when it has none or is dead."""
        if self.is_dead or not self.checks:
            return None
        return sum(check.passed for check in self.checks) / len(self.checks)


@dataclass(frozen=True)
class Row:
    """One case, one repetition, one opponent, decided.

    `decided_by` is the rule that decided it; those in `UNSCORED` are in no number.
    """

    case: str
    rep: int
    opponent: str
    outcome: str
    decided_by: str
    reason: str = ""
    swapped: bool | None = None

    @property
    def is_scored(self) -> bool:
        """Whether it counts."""
        return self.decided_by not in UNSCORED


UNSCORED = frozenset(
    {"both-arms-failed", "candidate-run-failed", "opponent-run-failed", "judge-not-asked"}
)
"""The rules that leave a row undecided; the last is of a run that was stopped before its judge."""


class Skipped(NamedTuple):
    """A case that never started, for want of a tool."""

    case: str
    missing: tuple[str, ...]


class Dropped(NamedTuple):
    """A case whose sandbox could not be made in one repetition."""

    case: str
    rep: int
    kind: str  # "setup" or "staging"
    detail: str


class Trigger(NamedTuple):
    """One selection call: whether the skill was to be picked, and whether it was.

    `fired` is None, and `error` says why, when the call failed: then it is unscored.
    """

    prompt: str
    expected: bool
    fired: bool | None
    selected: tuple[str, ...]
    error: str | None = None

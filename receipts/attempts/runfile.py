"""A saved run: the JSON file of one run of a spec, in the form of the reference tool.

Reading is as lenient as the reference is, so that a project can move there and back: unknown keys
are passed over, numbers may stand as text, and what is derived from attempts is computed anew
whatever the file says. Impossible numbers and wrong shapes are refused. Whether a stored average
contradicts the attempts is asked by `receipts.attempts.report`.
"""

import contextlib
import os
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    computed_field,
    model_validator,
)

from receipts.attempts.collecting import no_collection
from receipts.attempts.outcomes import Outcome
from receipts.attempts.refusals import sentence
from receipts.attempts.results import LIMIT
from receipts.attempts.scores import Counts, counted
from receipts.attempts.transcripts import without
from receipts.errors import ResultsError, StoreError
from receipts.files import StrPath, read_limited

ERA = "install-and-discover"
"""How skills get into a session: installed where the agent looks for them, never forced on it."""

Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class HookFailure(_Part):
    """A `setup` or `cleanup` that failed, with the end of what it printed."""

    task_id: str
    attempt: int
    phase: Literal["setup", "cleanup"]
    exit_code: int
    output: str = ""


class Run(_Part):
    """What ran: the engine, its surroundings, and how the run ended.

    Attributes:
        timestamp: When the run ended, which also names its file.
        era: How skills were loaded; runs of different eras measured different things.
        ablated: What was removed, skills bare and servers as `mcp:NAME`, sorted.
        mcp_servers: Servers that were left, sorted; None in old files, where it is unknown.
        loaded_user_customizations: What of the user's own setup was seen to be loaded; None when
            isolated or unknown.
        interrupted: Whether the run was told to stop, so that attempts may be missing.
    """

    spec: str
    timestamp: datetime
    k: Annotated[int, Field(ge=1)]
    backend: str
    model: str | None = None
    era: str | None = None
    ablated: list[str] = []
    mcp_servers: list[str] | None = None
    user_customizations: bool = False
    loaded_user_customizations: list[str] | None = None
    judge_backend: str | None = None
    judge_model: str | None = None
    judge_prompt_version: str | None = None
    cli_version: str | None = None
    judge_cli_version: str | None = None
    interrupted: bool = False
    hook_failures: list[HookFailure] = []


class SnapshotFile(_Part):
    """A file that was installed: its text where it is UTF-8, and `sha256:` with its hex hash."""

    content: str | None = None
    hash: str


class Snapshot(_Part):
    """A skill as it was installed: every file by its path in the skill's folder."""

    name: str = ""
    path: str
    source_kind: str = "path"
    git_repo: str | None = None
    git_sha: str | None = None
    files: dict[str, SnapshotFile] = {}


class Usage(_Part):
    """Tokens of one attempt in four disjoint counts; None is what the agent did not say."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    cache_creation_tokens: Count | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def total_tokens(self) -> int | None:
        """The sum of the counts that there are, or None when there is none."""
        counts = [count for count in self.counts if count is not None]
        return sum(counts) if counts else None

    @property
    def counts(self) -> tuple[int | None, int | None, int | None, int | None]:
        """The four counts in the order of the file."""
        return (
            self.input_tokens,
            self.output_tokens,
            self.cache_read_tokens,
            self.cache_creation_tokens,
        )


class Turn(_Part):
    """One step of a session: what was said, or a tool's call or result."""

    role: str
    content: str
    tool_name: str | None = None
    tool_input: dict[str, Any] | None = None
    tool_output: str | None = None


class Attempt(_Part):
    """One session and its verdict.

    Attributes:
        activated: Skills that the agent loaded, sorted; None where that could not be seen.
        activation_passed: Whether they are exactly the expected ones; None when not asked or seen.
        builtin_activated: Skills of the agent's own that it loaded; None where not seen.
        judge_seconds: Time in calls of the judge; None when none was made.
        retries: Further sessions that a throttled provider made necessary.
    """

    attempt: int
    output: str
    duration_seconds: Seconds
    outcome: Outcome
    hook_failures: list[HookFailure] = []
    usage: Usage | None = None
    transcript: list[Turn] | None = None
    cheat_evidence: list[str] = []
    activated: list[str] | None = None
    activation_passed: bool | None = None
    builtin_activated: list[str] | None = None
    assert_passed: bool | None = None
    assert_evidence: str | None = None
    autorater_passed: bool | None = None
    autorater_reasoning: str | None = None
    autorater_script: str | None = None
    judge_seconds: Seconds | None = None
    retries: Count = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def passed(self) -> bool:
        """Whether it is a success."""
        return self.outcome is Outcome.PASS

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cheated(self) -> bool:
        """Whether it touched what the spec forbids."""
        return self.outcome is Outcome.CHEAT

    @property
    def is_activation_scored(self) -> bool:
        """Whether it counts toward the activation score."""
        return self.activation_passed is not None and self.outcome.tells_activation


class TaskResult(_Part):
    """One task and its attempts, with the numbers that follow from them."""

    task_id: str
    task_name: str
    attempts: list[Attempt]
    activation_expected: list[str] | None = None
    expect: str | None = None
    prompt: str | None = None

    @property
    def outcomes(self) -> list[Outcome]:
        """How its attempts ended, in order."""
        return [attempt.outcome for attempt in self.attempts]

    @property
    def counts(self) -> Counts:
        """How many of its attempts worked, were usable, and measured nothing."""
        return counted(self.outcomes)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def successes(self) -> int:
        """Attempts that passed."""
        return self.counts.successes

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unusable(self) -> int:
        """Attempts in which something broke that is not the skill."""
        return self.counts.unusable

    @computed_field  # type: ignore[prop-decorator]
    @property
    def usable(self) -> int:
        """Attempts that count toward the score."""
        return self.counts.usable

    @computed_field  # type: ignore[prop-decorator]
    @property
    def score(self) -> float | None:
        """The raw success rate."""
        return self.counts.score

    @computed_field  # type: ignore[prop-decorator]
    @property
    def pass_at_k(self) -> float | None:
        """As `scores.Counts.pass_at_k`."""
        return self.counts.pass_at_k

    @computed_field  # type: ignore[prop-decorator]
    @property
    def pass_hat_k(self) -> float | None:
        """As `scores.Counts.pass_hat_k`."""
        return self.counts.pass_hat_k

    @computed_field  # type: ignore[prop-decorator]
    @property
    def activation_usable(self) -> int:
        """Attempts that count toward the activation score."""
        return sum(attempt.is_activation_scored for attempt in self.attempts)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def activation_successes(self) -> int:
        """Those of them that activated exactly what was expected."""
        return sum(
            attempt.is_activation_scored and attempt.activation_passed is True
            for attempt in self.attempts
        )

    @computed_field  # type: ignore[prop-decorator]
    @property
    def activation_score(self) -> float | None:
        """The share of them."""
        usable = self.activation_usable
        return self.activation_successes / usable if usable else None


class PerTask(_Part):
    """A task's score as the aggregate has it."""

    task_id: str
    task_name: str
    k: Count
    successes: Count
    score: Fraction | None


class PerSkill(_Part):
    """How well one skill is picked, over the scored attempts of tasks that say what is expected.

    Attributes:
        total: All of those attempts.
        expected: Those in which this skill was expected.
        fired: Those in which it was activated.
        hits: Those in which it was both.
    """

    skill: str
    total: Count = 0
    expected: Count
    fired: Count
    hits: Count

    @computed_field  # type: ignore[prop-decorator]
    @property
    def recall(self) -> float | None:
        """How often it is activated when it is expected."""
        return _ratio(self.hits, self.expected)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def precision(self) -> float | None:
        """How often it is expected when it is activated."""
        return _ratio(self.hits, self.fired)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def opportunities(self) -> int:
        """Attempts in which it had to stay quiet."""
        return max(self.total - self.expected, 0)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unwanted(self) -> int:
        """Those of them in which it did not."""
        return self.fired - self.hits

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unwanted_rate(self) -> float | None:
        """The share of them."""
        return _ratio(self.unwanted, self.opportunities)


class Aggregate(_Part):
    """The numbers of a whole run as they were when it was saved.

    Attributes:
        scored_tasks: Tasks with a score; counted from `per_task` where a file does not say.
        activation_tasks: Tasks with an activation score.
        activation_asserted: Tasks that say what is expected to be activated.
    """

    avg_score: Fraction
    scored_tasks: Count = 0
    per_task: list[PerTask]
    avg_activation_score: Fraction | None = None
    activation_tasks: Count = 0
    activation_asserted: Count = 0
    activation_per_skill: list[PerSkill] = []

    @model_validator(mode="before")
    @classmethod
    def _count_scored(cls, data: Any) -> Any:  # noqa: ANN401 - whatever stands in the file
        if isinstance(data, dict) and "scored_tasks" not in data:
            rows = data.get("per_task")
            if isinstance(rows, list):
                scored = [
                    row for row in rows if isinstance(row, dict) and row.get("score") is not None
                ]
                return {**data, "scored_tasks": len(scored)}
        return data


class Beyond(_Part):
    """What we record of a run and the reference does not, which passes over it.

    Attributes:
        version: The version of this program that ran it.
        timeout_seconds: What a session was given.
        started: When the first attempt began.
        bar: The success rate that was to be met, as the run was told before it began.
        resumed_from: The id of the run whose attempts this one took over.
        rejudged_from: The id of the run whose attempts this one judged again.
    """

    version: str
    timeout_seconds: Seconds | None = None
    started: datetime | None = None
    bar: Fraction | None = None
    resumed_from: str | None = None
    rejudged_from: str | None = None


class RunFile(_Part):
    """A saved run, whole."""

    run: Run
    skill_snapshots: list[Snapshot] = []
    task_results: list[TaskResult]
    aggregate: Aggregate
    receipts: Beyond | None = None

    @property
    def skills(self) -> list[str]:
        """The names of the installed skills, in the order of their snapshots."""
        return [snapshot.name for snapshot in self.skill_snapshots if snapshot.name]

    @property
    def attempts(self) -> list[Attempt]:
        """All attempts, task by task."""
        return [attempt for task in self.task_results for attempt in task.attempts]


def read(path: StrPath, transcripts: Literal["kept", "checked", "skipped"] = "kept") -> RunFile:
    """Return a saved run.

    Args:
        path: The file.
        transcripts: What is done with those of its transcripts that lie as the reference and we
            write them; any other is kept. "checked" finds what is wrong with one as "kept" does,
            and "skipped" does not; both leave None in their place, several times faster.

    Raises:
        ResultsError: There is no such file, it is none that can be read, or its content is no run:
            no JSON, a wrong shape, or a number that cannot be.
    """
    try:
        data = read_limited(path, LIMIT, follow_links=True)
    except FileNotFoundError as error:
        raise ResultsError(f"There is no file {os.fspath(path)}.") from error
    except StoreError as error:
        raise ResultsError(error.message, error.hint) from error
    with no_collection():
        if transcripts != "kept":
            look = _TURNS.validate_json if transcripts == "checked" else None
            # Where something is wrong, the whole says what and on which line.
            with contextlib.suppress(ValidationError):
                return RunFile.model_validate_json(without(data, look))
        try:
            return RunFile.model_validate_json(data)
        except ValidationError as error:
            raise ResultsError(f"{os.fspath(path)} is no saved run: {sentence(error)}.") from error


_TURNS = TypeAdapter(list[Turn])


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None

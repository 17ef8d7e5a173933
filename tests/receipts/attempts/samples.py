"""Runs to start from, and any run that can be: for properties."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from receipts.attempts.aggregate import finished
from receipts.attempts.outcomes import Outcome
from receipts.attempts.runfile import ERA, Attempt, Run, RunFile, Snapshot, TaskResult

ENDED = datetime(2026, 7, 1, 10, tzinfo=UTC)


def attempt(number: int, outcome: str = "pass", **fields: Any) -> Attempt:
    """Return an attempt."""
    base = {"attempt": number, "output": "done", "duration_seconds": 1.5, "outcome": outcome}
    return Attempt.model_validate(base | fields)


def task(name: str, *outcomes: str, **fields: Any) -> TaskResult:
    """Return a task whose attempts ended so."""
    attempts = [attempt(number, outcome) for number, outcome in enumerate(outcomes, 1)]
    base = {"task_id": f"task-{name}", "task_name": name, "attempts": attempts}
    return TaskResult.model_validate(base | fields)


def run(*tasks: TaskResult, snapshots: tuple[Snapshot, ...] = (), **fields: Any) -> RunFile:
    """Return a finished run of some tasks."""
    base = {"spec": "demo", "timestamp": ENDED, "k": 3, "backend": "claude-code", "era": ERA}
    return finished(Run.model_validate(base | fields), snapshots, tasks)


_names = st.text(max_size=8)
_few_names = st.lists(_names, max_size=3)
_counts = st.integers(0, 2**70)
_seconds = st.floats(0, 1e9)
_maybe_names = st.none() | _few_names
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _names,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_names, inner, max_size=2),
    max_leaves=4,
)


def _failures() -> st.SearchStrategy[list[dict[str, Any]]]:
    failure = {
        "task_id": _names,
        "attempt": st.integers(),
        "phase": st.sampled_from(["setup", "cleanup"]),
        "exit_code": st.integers(),
        "output": _names,
    }
    return st.lists(st.fixed_dictionaries(failure), max_size=1)


def _attempts() -> st.SearchStrategy[dict[str, Any]]:
    usage = st.fixed_dictionaries(
        {},
        optional={
            f"{kind}_tokens": st.none() | _counts
            for kind in ("input", "output", "cache_read", "cache_creation")
        },
    )
    turn = st.fixed_dictionaries(
        {"role": _names, "content": _names},
        optional={
            "tool_name": st.none() | _names,
            "tool_input": st.none() | st.dictionaries(_names, _json, max_size=2),
            "tool_output": st.none() | _names,
        },
    )
    return st.fixed_dictionaries(
        {
            "attempt": st.integers(-2, 6),
            "output": _names,
            "duration_seconds": _seconds,
            "outcome": st.sampled_from([outcome.value for outcome in Outcome]),
        },
        optional={
            "hook_failures": _failures(),
            "usage": st.none() | usage,
            "transcript": st.none() | st.lists(turn, max_size=2),
            "cheat_evidence": _few_names,
            "activated": _maybe_names,
            "activation_passed": st.none() | st.booleans(),
            "builtin_activated": _maybe_names,
            "judge_seconds": st.none() | _seconds,
            "retries": st.integers(0, 3),
        },
    )


def _snapshots() -> st.SearchStrategy[dict[str, Any]]:
    file = st.fixed_dictionaries({"hash": _names}, optional={"content": st.none() | _names})
    return st.fixed_dictionaries(
        {"path": _names},
        optional={
            "name": _names,
            "source_kind": st.sampled_from(["path", "git"]),
            "git_sha": st.none() | _names,
            "files": st.dictionaries(_names, file, max_size=2),
        },
    )


@st.composite
def runs(draw: st.DrawFn) -> RunFile:
    """Draw a run with the numbers that its attempts have."""
    tasks = st.fixed_dictionaries(
        {
            "task_id": _names,
            "task_name": st.sampled_from("abc"),
            "attempts": st.lists(_attempts(), max_size=4),
        },
        optional={
            "activation_expected": _maybe_names,
            "expect": st.none() | _names,
            "prompt": st.none() | _names,
        },
    )
    fields = st.fixed_dictionaries(
        {
            "spec": _names,
            "timestamp": st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1)),  # noqa: DTZ001
            "k": st.integers(1, 9),
            "backend": _names,
        },
        optional={
            "model": st.none() | _names,
            "era": st.none() | _names,
            "ablated": _few_names,
            "mcp_servers": _maybe_names,
            "user_customizations": st.booleans(),
            "loaded_user_customizations": _maybe_names,
            "judge_backend": st.none() | _names,
            "judge_model": st.none() | _names,
            "hook_failures": _failures(),
        },
    )
    return finished(
        Run.model_validate(draw(fields)),
        [Snapshot.model_validate(item) for item in draw(st.lists(_snapshots(), max_size=3))],
        [TaskResult.model_validate(item) for item in draw(st.lists(tasks, max_size=4))],
    )

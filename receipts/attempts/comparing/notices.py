"""What else changed between two runs that can move a number, and that nothing else warns of.

What one of them does not record is not guessed at, but for the model: a run without one used the
agent's default, which is another model than a named one until somebody shows that it is not.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from receipts.attempts.comparing.rows import Row
from receipts.attempts.runfile import Run, RunFile, TaskResult

_DEFAULT = "the default model"


class Notice(NamedTuple):
    """One thing that changed.

    Attributes:
        kind: What: `prompt`, `expectation`, `activates`, `agent`, `agent-version`, `model`,
            `timeout` or `judge-prompt`.
        text: The sentence that is printed.
        tasks: The tasks in which it changed; empty when it is a matter of the run.
    """

    kind: str
    text: str
    tasks: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"kind": self.kind, "text": self.text, "tasks": list(self.tasks)}


def notices(
    a: RunFile, b: RunFile, rows: Sequence[Row], names: tuple[str, str] = ("A", "B")
) -> list[Notice]:
    """Return what changed, tasks first.

    Args:
        a: The run before.
        b: The run after.
        rows: The tasks of both.
        names: What the two are called.
    """

    def changed(kind: str, what: str, before: object, after: object) -> Notice:
        text = f"{what} changed: {before} in {names[0]}, {after} in {names[1]}"
        return Notice(kind, text)

    found = [
        Notice(kind, f"{what} of {len(tasks)} task(s) changed: {', '.join(tasks)}", tasks)
        for kind, what, read in _OF_TASKS
        if (tasks := tuple(row.name for row in rows if _changed(read(row.a), read(row.b))))
    ]
    if a.run.backend != b.run.backend:
        found.append(changed("agent", "the agent", a.run.backend, b.run.backend))
    elif _changed(a.run.cli_version, b.run.cli_version):
        versions = a.run.cli_version, b.run.cli_version
        found.append(changed("agent-version", "the agent's version", *versions))
    if _model(a.run) != _model(b.run):
        found.append(changed("model", "the model", _model(a.run), _model(b.run)))
    if _changed(_timeout(a), _timeout(b)):
        limits = (f"{_timeout(run):g} s" for run in (a, b))
        found.append(changed("timeout", "the time that a session had", *limits))
    if _changed(a.run.judge_prompt_version, b.run.judge_prompt_version):
        versions = a.run.judge_prompt_version, b.run.judge_prompt_version
        found.append(changed("judge-prompt", "the judge's prompt", *versions))
    return found


_OF_TASKS: list[tuple[str, str, Callable[[TaskResult], object]]] = [
    ("prompt", "the prompt", lambda task: task.prompt),
    ("expectation", "the expectation", lambda task: task.expect),
    ("activates", "what is to be activated", lambda task: _as_set(task.activation_expected)),
]


def _changed(a: object, b: object) -> bool:
    return a is not None and b is not None and a != b


def _as_set(names: list[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)


def _model(run: Run) -> str:
    return run.model or _DEFAULT


def _timeout(run: RunFile) -> float | None:
    return run.receipts.timeout_seconds if run.receipts else None

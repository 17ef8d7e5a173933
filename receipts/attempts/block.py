"""What a receipt says of a run of attempts: its block `attempts`, and the verdict by the bar."""

from typing import Any

from receipts.attempts.aggregate import aggregate
from receipts.attempts.runfile import RunFile, TaskResult
from receipts.attempts.usage import totals

PASS, FAIL, NEUTRAL = "PASS", "FAIL", "NEUTRAL"


def block(run: RunFile, bar: float | None) -> dict[str, Any]:
    """Return the block of a run, every number from its attempts.

    Args:
        run: The run.
        bar: The success rate that it was held to, before it ran; None without one.
    """
    numbers = aggregate(run.task_results, run.run.k, run.skills)
    use = totals(run.attempts)
    return {
        "spec": run.run.spec,
        "success": success(run),
        "bar": bar,
        "tasks": [_task(task) for task in run.task_results],
        "activation": {
            "score": numbers.avg_activation_score,
            "tasks": numbers.activation_tasks,
            "per_skill": [row.model_dump(mode="json") for row in numbers.activation_per_skill],
        },
        "usage": use.document(),
        "skills": run.skills,
        "ablated": run.run.ablated,
        "interrupted": run.run.interrupted,
    }


def success(run: RunFile) -> float | None:
    """Return the success rate of a run, None when nothing was measured."""
    numbers = aggregate(run.task_results, run.run.k, run.skills)
    return numbers.avg_score if numbers.scored_tasks else None


def verdict(rate: float | None, bar: float | None) -> str:
    """Return PASS at or above the bar, FAIL below, NEUTRAL without one or without a rate."""
    if rate is None or bar is None:
        return NEUTRAL
    return PASS if rate >= bar else FAIL


def _task(task: TaskResult) -> dict[str, Any]:
    return {
        "name": task.task_name,
        "outcomes": [outcome.value for outcome in task.outcomes],
        "usable": task.usable,
        "successes": task.successes,
        "score": task.score,
        "activation": task.activation_score,
    }

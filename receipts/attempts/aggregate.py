"""The numbers of a whole run, from its attempts: what is saved with it, and asked of it later."""

from collections.abc import Sequence

from receipts.attempts.activation import per_skill
from receipts.attempts.runfile import Aggregate, PerTask, Run, RunFile, Snapshot, TaskResult
from receipts.attempts.scores import average


def aggregate(tasks: Sequence[TaskResult], k: int, installed: Sequence[str]) -> Aggregate:
    """Return the numbers of a run.

    Args:
        tasks: All tasks, with the attempts that were made.
        k: How many attempts were asked for.
        installed: The names of the installed skills, in the order of their snapshots.
    """
    scores = [task.score for task in tasks]
    activation = [task.activation_score for task in tasks]
    return Aggregate(
        avg_score=average(scores) or 0.0,
        scored_tasks=len(scores) - scores.count(None),
        per_task=[
            PerTask(
                task_id=task.task_id,
                task_name=task.task_name,
                k=k,
                successes=task.successes,
                score=task.score,
            )
            for task in tasks
        ],
        avg_activation_score=average(activation),
        activation_tasks=len(activation) - activation.count(None),
        activation_asserted=sum(task.activation_expected is not None for task in tasks),
        activation_per_skill=per_skill(tasks, installed),
    )


def finished(
    run: Run, snapshots: Sequence[Snapshot], tasks: Sequence[TaskResult], **more: object
) -> RunFile:
    """Return the saved form of a run: tasks by id, attempts by number, and the numbers of all."""
    ordered = [
        task.model_copy(update={"attempts": sorted(task.attempts, key=lambda one: one.attempt)})
        for task in sorted(tasks, key=lambda task: task.task_id)
    ]
    installed = [snapshot.name for snapshot in snapshots if snapshot.name]
    return RunFile.model_validate(
        {
            "run": run,
            "skill_snapshots": list(snapshots),
            "task_results": ordered,
            "aggregate": aggregate(ordered, run.k, installed),
            **more,
        }
    )

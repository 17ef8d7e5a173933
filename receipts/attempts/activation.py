"""Whether the right skills were picked, apart from whether the task was done.

The rates of single tasks stand with the attempts (`receipts.attempts.runfile`); here are those of
single skills.
"""

from collections.abc import Iterable, Sequence

from receipts.attempts.runfile import PerSkill, TaskResult


def per_skill(tasks: Iterable[TaskResult], installed: Sequence[str]) -> list[PerSkill]:
    """Return how well each skill is picked, over the scored attempts of tasks that expect some.

    Args:
        tasks: All tasks of a run.
        installed: The names of the installed skills; their rows come first, in this order, and
            then those of other skills that were expected or activated, sorted.
    """
    seen = [
        (set(task.activation_expected), set(attempt.activated or ()))
        for task in tasks
        if task.activation_expected is not None
        for attempt in task.attempts
        if attempt.is_activation_scored
    ]
    others = {name for expected, fired in seen for name in expected | fired} - set(installed)
    return [
        PerSkill(
            skill=skill,
            total=len(seen),
            expected=sum(skill in expected for expected, _ in seen),
            fired=sum(skill in fired for _, fired in seen),
            hits=sum(skill in expected and skill in fired for expected, fired in seen),
        )
        for skill in [*dict.fromkeys(installed), *sorted(others)]
    ]

"""The report of one saved run: its JSON document, and what to know beside its numbers.

Every number comes from the attempts, as a comparison's do, so that both say the same of one file.
Where the file holds another number, that is said.
"""

import json
import math
from collections import Counter
from typing import Any

from receipts.attempts import cells
from receipts.attempts.aggregate import aggregate
from receipts.attempts.comparing import certainty
from receipts.attempts.runfile import Aggregate, RunFile, TaskResult
from receipts.attempts.scores import is_probe, unbiased_pass_at_k
from receipts.attempts.usage import totals
from receipts.intervals import Interval
from receipts.rates import mean

_NAMED = (
    "avg_score",
    "scored_tasks",
    "avg_activation_score",
    "activation_tasks",
    "activation_asserted",
)


def document(run: RunFile) -> dict[str, Any]:
    """Return the report as JSON: the run as it was saved, its use, and ours under `extra`.

    What follows from single attempts and tasks is computed anew; the aggregate is the stored one,
    and `extra` holds what the attempts say instead.
    """
    ours = computed(run)
    return {
        **json.loads(run.model_dump_json(exclude={"receipts"})),
        "usage_totals": totals(run.attempts).document(),
        "extra": {
            "receipts": run.receipts.model_dump(mode="json") if run.receipts else None,
            "computed": {name: getattr(ours, name) for name in _NAMED},
            "contradictions": contradictions(run),
            "level": 0.95,
            "rate_method": certainty.RATES,
            "interval": _ends(overall(run)),
            "tasks": [_task(task, run.run.k) for task in run.task_results],
        },
    }


def computed(run: RunFile) -> Aggregate:
    """Return the numbers of a run that its attempts give."""
    return aggregate(run.task_results, run.run.k, run.skills)


def contradictions(run: RunFile) -> list[str]:
    """Return in a sentence each where a stored number is not what the attempts give."""
    ours, stored = computed(run), run.aggregate
    found = [
        _contradiction(name, getattr(stored, name), getattr(ours, name))
        for name in _NAMED
        if not _agree(getattr(stored, name), getattr(ours, name))
    ]
    if [row.task_id for row in stored.per_task] != [row.task_id for row in ours.per_task]:
        return [*found, "per_task does not list the tasks that were run"]
    for kept, own in zip(stored.per_task, ours.per_task, strict=True):
        for name in ("successes", "score"):
            if not _agree(getattr(kept, name), getattr(own, name)):
                what = f"{name} of {own.task_name}"
                found.append(_contradiction(what, getattr(kept, name), getattr(own, name)))
    by_name = {row.skill: row for row in ours.activation_per_skill}
    for row in stored.activation_per_skill:
        counts = by_name.get(row.skill)
        for name in ("total", "expected", "fired", "hits"):
            if counts is not None and getattr(row, name) != getattr(counts, name):
                what = f"{name} of the skill {row.skill}"
                found.append(_contradiction(what, getattr(row, name), getattr(counts, name)))
    return found


def overall(run: RunFile) -> Interval | None:
    """Return the interval of the success rate of a run, None when nothing was measured."""
    rates = [rate for task in run.task_results if (rate := certainty.rate_of(task)) is not None]
    return mean(rates).interval if rates else None


def notes(run: RunFile) -> list[str]:
    """Return what to know beside the numbers, a line each."""
    use = totals(run.attempts)
    lines = [f"warning: {text}" for text in contradictions(run)]
    wasted = Counter(one.outcome for one in run.attempts if one.outcome.is_noise)
    if wasted:
        kinds = ", ".join(f"{count} {outcome}" for outcome, count in sorted(wasted.items()))
        spent = f"{cells.tokens(use.unusable_tokens)} tokens, " if use.tokens_reported else ""
        time = cells.seconds(use.unusable_wall_seconds)
        lines.append(f"unusable: {kinds}; in no rate, spent {spent}{time}")
    if run.run.interrupted:
        lines.append("interrupted: the run was stopped, and attempts may be missing")
    if aborted := [task.task_name for task in run.task_results if _is_aborted(task, run.run.k)]:
        lines.append(f"aborted: {', '.join(aborted)}")
    if use.tokens_reported:
        said = f"{cells.tokens(use.prompt_tokens)} in, {cells.tokens(use.output_tokens)} out"
        lines.append(f"tokens: {said}")
    if use.judged_attempts:
        each = cells.seconds(use.judge_per_attempt)
        lines.append(f"judge time: {cells.seconds(use.judge_seconds)}, {each} each; not in wall")
    if use.retries:
        lines.append(f"retries: {use.retries} in {use.retried_attempts} attempt(s)")
    builtin = Counter(name for one in run.attempts for name in set(one.builtin_activated or ()))
    if builtin:
        shown = ", ".join(f"{name} {count}" for name, count in sorted(builtin.items()))
        lines.append(f"the agent's own skills that it loaded: {shown} (in no rate)")
    lines += [
        f"{failure.phase} failed: {failure.task_id}, attempt {failure.attempt}, exit "
        f"{failure.exit_code}"
        for failure in run.run.hook_failures
    ]
    return lines


def _task(task: TaskResult, k: int) -> dict[str, Any]:
    rate = certainty.rate_of(task)
    return {
        "task_name": task.task_name,
        "interval": _ends(rate.interval if rate else None),
        "unbiased_pass_at_k": unbiased_pass_at_k(task.successes, task.usable, k),
    }


def _is_aborted(task: TaskResult, k: int) -> bool:
    return len(task.attempts) < k and task.score is None and not is_probe(task.outcomes)


def _contradiction(what: str, kept: float | None, own: float | None) -> str:
    return f"{what} is stored as {_shown(kept)}, and the attempts give {_shown(own)}"


def _agree(own: float | None, kept: float | None) -> bool:
    if own is None or kept is None:
        return own is kept
    return math.isclose(own, kept, abs_tol=1e-9)


def _shown(number: float | None) -> str:
    return "null" if number is None else f"{number:g}"


def _ends(interval: Interval | None) -> list[float] | None:
    return certainty.listed(interval)

"""Saved runs in a line each: of all specs, or of one. No transcript is read."""

from typing import Any, NamedTuple

from receipts.attempts import results
from receipts.attempts.summaries import Summary, summaries


class Listed(NamedTuple):
    """What of a project's saved runs is listed.

    Attributes:
        specs: Each spec with how many runs it has and the latest, when all are asked for.
        runs: The runs of one spec, newest first, when that is asked for.
    """

    specs: list[tuple[int, Summary]]
    runs: list[Summary]


def of_all(root: str) -> Listed:
    """Return each spec and its latest run.

    Raises:
        UnusableRoot: A file stands in the place of the folder of results.
    """
    found = [results.runs(root, spec) for spec in results.specs(root)]
    latest = summaries([places[-1] for places in found])
    return Listed([(len(places), one) for places, one in zip(found, latest, strict=True)], [])


def of_spec(root: str, spec: str) -> Listed:
    """Return the runs of a spec.

    Raises:
        UnusableRoot: As `of_all`.
    """
    return Listed([], summaries(results.runs(root, spec)[::-1]))


def documents(listed: Listed) -> dict[str, Any]:
    """Return what is listed as JSON has it."""
    return {
        "specs": [
            {"spec": one.place.spec, "runs": count, "latest": _document(one)}
            for count, one in listed.specs
        ],
        "saved_runs": [_document(one) for one in listed.runs],
    }


def tables(listed: Listed) -> list[tuple[tuple[str, ...], list[list[str]]]]:
    """Return the headings and rows of each table that has rows."""
    specs = [
        [one.place.spec, str(count), one.place.run_id, _success(one)] for count, one in listed.specs
    ]
    runs = [_row(one) for one in listed.runs]
    found = [
        (("spec", "runs", "latest", "success"), specs),
        (("saved run", "k", "tasks", "success", "without"), runs),
    ]
    return [(headings, rows) for headings, rows in found if rows]


def problems(listed: Listed) -> list[str]:
    """Return in a sentence each which of the runs cannot be read."""
    return [one.problem for one in (*(one for _, one in listed.specs), *listed.runs) if one.problem]


def _document(one: Summary) -> dict[str, Any]:
    run = one.run
    return {
        "spec": one.place.spec,
        "run_id": one.place.run_id,
        "path": one.place.path,
        "timestamp": run.timestamp.isoformat() if run else None,
        "k": run.k if run else None,
        "tasks": run.tasks if run else None,
        "success": run.score if run else None,
        "ablated": run.ablated if run else None,
        "interrupted": run.interrupted if run else None,
        "backend": run.backend if run else None,
        "model": run.model if run else None,
        "problem": one.problem or None,
    }


def _row(one: Summary) -> list[str]:
    run = one.run
    if run is None:
        return [one.place.run_id, "?", "?", "?", "?"]
    return [one.place.run_id, str(run.k), str(run.tasks), _success(one), ", ".join(run.ablated)]


def _success(one: Summary) -> str:
    """Return the success rate with one decimal, and whether the run was stopped early."""
    from receipts.attempts.cells import DASH, STOPPED
    from receipts.numbers import fixed

    if one.run is None:
        return "?"
    score = one.run.score
    rate = DASH if score is None else f"{fixed(100 * score, 1)}%"
    return f"{rate} {STOPPED}" if one.run.interrupted else rate

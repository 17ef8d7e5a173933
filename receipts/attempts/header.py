"""What a run ran with, in a few rows: for the report of one run and the comparison of two."""

from collections.abc import Sequence

from receipts.attempts.cells import DASH, SAME
from receipts.attempts.results import id_of
from receipts.attempts.runfile import Run, RunFile

_UNKNOWN = "unknown"
_DEFAULT = "default model"
_VERSIONS = ("cli", "judge cli")


def rows_of(run: RunFile) -> dict[str, str | None]:
    """Return what a run ran with, by the name of each row; None where a row says nothing of it."""
    meta = run.run
    return {
        "run": f"{id_of(meta.timestamp)}{', interrupted' if meta.interrupted else ''}",
        "spec": meta.spec,
        "k": str(meta.k),
        "engine": f"{meta.backend}, {meta.model or _DEFAULT}",
        "cli": meta.cli_version,
        "judge": judge(meta),
        "judge cli": meta.judge_cli_version if meta.judge_backend else None,
        "skills": ", ".join(run.skills) or "none",
        "without": ", ".join(meta.ablated) or None,
        "servers": None if meta.mcp_servers is None else ", ".join(meta.mcp_servers) or None,
        "setup": setup(meta),
    }


def beside(runs: Sequence[RunFile]) -> list[tuple[str, ...]]:
    """Return the rows that some run has: its name, then each run's, `same` where as the first."""
    found = []
    columns = [rows_of(run) for run in runs]
    for name in columns[0]:
        values = [column[name] for column in columns]
        if all(value is None for value in values):
            continue
        empty = _UNKNOWN if name in _VERSIONS else DASH
        first, *others = values
        shown = (SAME if other == first else other or empty for other in others)
        found.append((name, first or empty, *shown))
    return found


def judge(run: Run) -> str | None:
    """Return who judged, None where nobody was to."""
    if run.judge_backend is None:
        return None
    return f"{run.judge_backend}, {run.judge_model or _DEFAULT}"


def setup(run: Run) -> str:
    """Return how much of the user's own setup was there."""
    if not run.user_customizations:
        return "without user customizations"
    loaded = run.loaded_user_customizations
    if loaded is None:
        return "with user customizations"
    return f"with user customizations: {', '.join(loaded) or 'none found'}"

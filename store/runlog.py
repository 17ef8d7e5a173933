"""run.jsonl in a run's folder: what the receipt does not hold, one JSON map a line."""

from pathlib import Path
from typing import Any

from receipts import jsontext
from receipts.errors import StoreError
from receipts.files import read_limited

NAME = "run.jsonl"
_LIMIT = 64 << 20


def trigger_rows(run: Path) -> list[dict[str, Any]]:
    """Return the rows of a run's trigger evaluation; none when the run kept none.

    Each has `prompt` (text), `expected` (whether it should fire), `fired` (None when the call
    failed) and, after a failed call, `error`.
    """
    try:
        data = read_limited(run / NAME, _LIMIT, follow_links=False)
    except (FileNotFoundError, StoreError):
        return []
    for line in data.split(b"\n"):
        if b'"triggers"' not in line:  # most lines are rows and arms, some of them long
            continue
        try:
            entry = jsontext.loads(line)
        except jsontext.JsonError:  # the last line of a killed run
            continue
        if isinstance(entry, dict) and entry.get("kind") == "triggers":
            rows = entry.get("rows")
            return [row for row in rows if _is_row(row)] if isinstance(rows, list) else []
    return []


def _is_row(row: object) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("prompt"), str)
        and isinstance(row.get("expected"), bool)
        and (row.get("fired") is None or isinstance(row["fired"], bool))
    )

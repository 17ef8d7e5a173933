"""Which of several runs is the newest, when run ids cannot all be believed.

A run id is text that anybody can write: `99999999T999999Z` would be the newest for ever. A run
whose id is no plausible time is placed by its receipt's own start time, before a believable one
of the same second, and behind all of them when that is no better.
"""

from datetime import UTC, datetime

from receipts import runid

Recency = tuple[bool, str, bool]


def recency(run_id: str, timestamp: str, now: datetime | None = None) -> Recency:
    """Return the sort key of a run: larger is newer.

    Args:
        run_id: The id under which the run is filed.
        timestamp: `provenance.timestamp` of its receipt, ISO 8601; any other text counts as none.
        now: The present, for tests.
    """
    present = now or datetime.now(UTC)
    if runid.is_plausible(run_id, present):
        return True, run_id, True
    started = _run_id_of(timestamp)
    if started and runid.is_plausible(started, present):
        return True, started, False
    return False, run_id, False


def day(run_id: str, timestamp: str, now: datetime | None = None) -> str:
    """Return the day of a run as `2026-09-16`, by what places it; see `recency`."""
    is_placed, second, _ = recency(run_id, timestamp, now)
    return f"{second[:4]}-{second[4:6]}-{second[6:8]}" if is_placed else "no plausible date"


def _run_id_of(timestamp: str) -> str:
    try:
        return runid.from_time(datetime.fromisoformat(timestamp))
    except ValueError:  # no time, or one without a zone
        return ""

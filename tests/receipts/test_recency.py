from datetime import UTC, datetime

from receipts.recency import recency

NOW = datetime(2026, 10, 1, tzinfo=UTC)
STARTED = "2026-09-16T04:21:08.000Z"


def test_the_newest_is_the_latest_that_can_be_believed() -> None:
    runs = [
        ("20260101T000000Z", STARTED),
        ("20260916T042107Z", ""),
        ("99999999T999999Z", STARTED),  # no second: by its start, before the run of that second
        ("20260916T042108Z", ""),
        ("20260917T000000Z", "2020-01-01T00:00:00Z"),
        ("20270101T000000Z", "no time"),  # a year ahead, and no start to place it by
        ("99999999T999999Z", "2999-01-01T00:00:00Z"),
    ]
    ordered = sorted(runs, key=lambda run: recency(run[0], run[1], NOW))
    assert ordered == [*runs[5:], *runs[:5]]

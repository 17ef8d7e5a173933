from datetime import UTC, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts.recency import day, recency

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


@pytest.mark.parametrize(
    "timestamp",
    ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999-23:59", "0001-01-01", "9999-W52-5"],
)
def test_a_time_that_is_none_in_utc_places_nothing(timestamp: str) -> None:
    assert recency("99999999T999999Z", timestamp, NOW) == (False, "99999999T999999Z", False)


def test_a_day_is_that_by_which_the_run_is_placed() -> None:
    assert day("20260916T042108Z", "2026-01-01T00:00:00Z", NOW) == "2026-09-16"
    assert day("99999999T999999Z", STARTED, NOW) == "2026-09-16"
    assert day("99999999T999999Z", "no time", NOW) == "no plausible date"


ZONES = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(timezones=st.none() | ZONES).map(datetime.isoformat)


@given(
    st.text(max_size=30) | TIMES | st.times().map(time.isoformat) | st.from_regex(r"[0-9TWZ:.+-]+")
)
def test_no_timestamp_makes_placing_raise(timestamp: str) -> None:
    is_placed, run_id, is_own = recency("99999999T999999Z", timestamp, NOW)
    assert not is_own
    assert is_placed == (run_id != "99999999T999999Z")

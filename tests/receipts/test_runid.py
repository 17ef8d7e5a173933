from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts.runid import from_time, in_range, is_plausible, is_run_id, next_second, to_time

NOW = datetime(2026, 9, 16, 4, 21, 8, tzinfo=UTC)


@pytest.mark.parametrize("text", ["20260916T042108Z", "00000000T000000Z", "99999999T999999Z"])
def test_form(text: str) -> None:
    assert is_run_id(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-09-16T04:21:08Z",
        "20260916T042108",
        "20260916T042108Z\n",
        " 20260916T042108Z",
        "20260916t042108z",
        "20260916T042108.123Z",
        "20260916T04210\u0668Z",
        "\uff120260916T042108Z",
        "20260916T042108Z-ab12cd",
    ],
)
def test_other_forms(text: str) -> None:
    assert not is_run_id(text)
    assert not in_range(text)
    assert not is_plausible(text, NOW)
    with pytest.raises(ValueError, match="is not a run id"):
        to_time(text)


@pytest.mark.parametrize(
    ("text", "real"),
    [
        ("20240229T235959Z", True),
        ("20230229T000000Z", False),
        ("20261301T000000Z", False),
        ("20260001T000000Z", False),
        ("20260101T240000Z", False),
        ("20260101T006000Z", False),
        ("20161231T235960Z", False),
        ("00000101T000000Z", False),
        ("00010101T000000Z", True),
        ("99991231T235959Z", True),
        ("99999999T999999Z", False),
    ],
)
def test_range(text: str, real: bool) -> None:
    assert in_range(text) is real


@pytest.mark.parametrize(
    ("text", "plausible"),
    [
        ("20191231T235959Z", False),
        ("20200101T000000Z", True),
        ("20260917T042108Z", True),
        ("20260917T042109Z", False),
        ("99999999T999999Z", False),
    ],
)
def test_plausible(text: str, plausible: bool) -> None:
    assert is_plausible(text, NOW) is plausible


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("20260916T042108Z", "20260916T042109Z"),
        ("20260131T235959Z", "20260201T000000Z"),
        ("20240228T235959Z", "20240229T000000Z"),
        ("20261231T235959Z", "20270101T000000Z"),
        ("09991231T235959Z", "10000101T000000Z"),
    ],
)
def test_next_second(before: str, after: str) -> None:
    assert next_second(before) == after


@pytest.mark.parametrize("text", ["99991231T235959Z", "99999999T999999Z", "now"])
def test_no_next_second(text: str) -> None:
    with pytest.raises(ValueError, match=r"run id|second"):
        next_second(text)


def test_from_time_drops_fractions_and_wants_a_zone() -> None:
    assert from_time(NOW + timedelta(microseconds=999_999)) == "20260916T042108Z"
    assert from_time(NOW.astimezone(timezone(timedelta(hours=-9)))) == "20260916T042108Z"
    with pytest.raises(ValueError, match="time zone"):
        from_time(NOW.replace(tzinfo=None))


def test_from_time_wants_a_year_of_utc() -> None:
    ahead, behind = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
    assert from_time(datetime(1, 1, 1, 14, tzinfo=ahead)) == "00010101T000000Z"
    for moment in (datetime(1, 1, 1, tzinfo=ahead), datetime(9999, 12, 31, 12, tzinfo=behind)):
        with pytest.raises(ValueError, match="a year from 1 to 9999"):
            from_time(moment)


@given(st.datetimes(timezones=st.just(UTC)))
def test_round_trip(moment: datetime) -> None:
    run_id = from_time(moment)
    assert is_run_id(run_id)
    assert to_time(run_id) == moment.replace(microsecond=0)

"""Run ids: the UTC second of a run, written `YYYYMMDDTHHMMSSZ`.

The form sorts as text in order of time, and is all that other clients check. The digits are free
in their schema, so a foreign id may name no second at all (`99999999T999999Z`); `in_range` and
`is_plausible` are asked before an id is trusted to be the newest.
"""

import re
from datetime import UTC, datetime, timedelta

_FORM = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})Z\Z")
_FIRST = datetime(2020, 1, 1, tzinfo=UTC)  # agent skills are younger than this
_CLOCK_SLACK = timedelta(days=1)


def is_run_id(text: str) -> bool:
    """Say whether text has the form of a run id; its digits may name no real second."""
    return _FORM.match(text) is not None


def in_range(text: str) -> bool:
    """Say whether text is a run id that names a real second of the calendar."""
    try:
        to_time(text)
    except ValueError:
        return False
    return True


def is_plausible(text: str, now: datetime) -> bool:
    """Say whether a run can be of that second: from 2020 on, and at most a day after `now`."""
    try:
        moment = to_time(text)
    except ValueError:
        return False
    return _FIRST <= moment <= now + _CLOCK_SLACK


def from_time(time: datetime) -> str:
    """Return the run id of a moment, dropping fractions of a second.

    Raises:
        ValueError: The time has no time zone, or is in no year from 1 to 9999 of UTC.
    """
    if time.tzinfo is None:
        raise ValueError("a run id needs a time with a time zone")
    try:
        moment = time.astimezone(UTC)
    except OverflowError:  # `0001-01-01T00:00:00+14:00` is a time, and none in UTC
        raise ValueError("a run id needs a year from 1 to 9999 of UTC") from None
    # Not strftime: its %Y has no leading zeros on some systems.
    return f"{moment.year:04}{moment:%m%dT%H%M%SZ}"


def to_time(run_id: str) -> datetime:
    """Return the moment that a run id names, in UTC.

    Raises:
        ValueError: The text is no run id, or names no second of the calendar.
    """
    match = _FORM.match(run_id)
    if match is None:
        raise ValueError(f"{run_id!r} is not a run id of the form YYYYMMDDTHHMMSSZ")
    year, month, day, hour, minute, second = map(int, match.groups())
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        raise ValueError(f"the run id {run_id} names no second of the calendar") from None


def next_second(run_id: str) -> str:
    """Return the run id one second later: where a run goes whose second is taken.

    Raises:
        ValueError: The text is no run id, or there is no second after it.
    """
    try:
        return from_time(to_time(run_id) + timedelta(seconds=1))
    except OverflowError:
        raise ValueError(f"there is no second after the run id {run_id}") from None

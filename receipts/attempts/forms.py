"""The usual form of a saved run: what each field holds as the reference and we write it.

Every field of the schema (`receipts.attempts.runfile`) stands here, so that whatever fits here fits
there; much that fits there does not fit here.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from receipts.attempts.outcomes import Outcome

Check = Callable[[Any], bool]

_NEW: list[tuple[str, "Check"]] = []
_MOST = 1000  # shapes that are kept: a hostile file may have another for each map


class Field(NamedTuple):
    """What a field holds: values of these classes that pass the check, if there is one."""

    classes: frozenset[type]
    check: Check | None = None


class Form:
    """The fields of a map: those that must be there, and what each holds.

    Args:
        required: The fields that must be there.
        others: Those that need not be.
    """

    def __init__(
        self, required: Mapping[str, Field], others: Mapping[str, Field] | None = None
    ) -> None:
        self.required = frozenset(required)
        self.fields = {**required, **(others or {})}
        # Maps of one run mostly have the same names and classes, which are looked at once.
        self._known: dict[tuple[object, ...], list[tuple[str, Check]] | None] = {}

    def fits(self, value: Any) -> bool:  # noqa: ANN401 - any JSON value
        """Say whether a value is a map of this form; fields of other names may hold anything."""
        if value.__class__ is not dict:
            return False
        shape = (*value, *map(type, value.values()))
        checks = self._known.get(shape, _NEW)
        if checks is _NEW:
            if len(self._known) > _MOST:
                self._known.clear()
            checks = self._known[shape] = self._checks(value)
        if checks is None:
            return False
        for name, check in checks:  # noqa: SIM110 - a generator takes longer than the checks
            if not check(value[name]):
                return False
        return True

    def _checks(self, value: dict[str, Any]) -> list[tuple[str, Check]] | None:
        """Return what is left to check of maps of this shape; None where none of them fits."""
        if not self.required <= value.keys():
            return None
        checks = []
        for name, item in value.items():
            field = self.fields.get(name)
            if field is None:
                continue
            if item.__class__ not in field.classes:
                return None
            if field.check is not None and item is not None:
                checks.append((name, field.check))
        return checks


def _field(*classes: type | None, check: Check | None = None) -> Field:
    return Field(frozenset(type(None) if one is None else one for one in classes), check)


def _each(check: Check) -> Check:
    return lambda values: all(map(check, values))


def _is_name(value: object) -> bool:
    return value.__class__ is str


def _is_time(value: str) -> bool:
    if _TIME.match(value) is None:
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_seconds(value: float) -> bool:
    return 0 <= value < _LARGE  # beyond it an integer may be no float


_OUTCOMES = frozenset(outcome.value for outcome in Outcome)
_LARGE = 2.0**53
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?\Z", re.ASCII)

_text = _field(str)
_maybe_text = _field(str, None)
_flag = _field(bool)
_maybe_flag = _field(bool, None)
_count = _field(int, check=lambda value: value >= 0)
_maybe_count = _field(int, None, check=lambda value: value >= 0)
_seconds = _field(int, float, check=_is_seconds)
_maybe_seconds = _field(int, float, None, check=_is_seconds)
_fraction = _field(int, float, check=lambda value: 0 <= value <= 1)
_maybe_fraction = _field(int, float, None, check=lambda value: 0 <= value <= 1)
_names = _field(list, check=_each(_is_name))
_maybe_names = _field(list, None, check=_each(_is_name))
_nothing = _field(list, check=lambda value: not value)

RUN = Form(
    {
        "spec": _text,
        "timestamp": _field(str, check=_is_time),
        "k": _field(int, check=lambda value: value >= 1),
        "backend": _text,
    },
    {
        "model": _maybe_text,
        "era": _maybe_text,
        "ablated": _names,
        "mcp_servers": _maybe_names,
        "user_customizations": _flag,
        "loaded_user_customizations": _maybe_names,
        "judge_backend": _maybe_text,
        "judge_model": _maybe_text,
        "judge_prompt_version": _maybe_text,
        "cli_version": _maybe_text,
        "judge_cli_version": _maybe_text,
        "interrupted": _flag,
        "hook_failures": _nothing,
    },
)
SNAPSHOT_FILE = Form({"hash": _text}, {"content": _maybe_text})


def _is_files(value: dict[str, object]) -> bool:
    return all(map(SNAPSHOT_FILE.fits, value.values()))


SNAPSHOT = Form(
    {"path": _text},
    {
        "name": _text,
        "source_kind": _text,
        "git_repo": _maybe_text,
        "git_sha": _maybe_text,
        "files": _field(dict, check=_is_files),
    },
)
USAGE = Form(
    {},
    {
        "input_tokens": _maybe_count,
        "output_tokens": _maybe_count,
        "cache_read_tokens": _maybe_count,
        "cache_creation_tokens": _maybe_count,
    },
)
ATTEMPT = Form(
    {
        "attempt": _field(int),
        "output": _text,
        "duration_seconds": _seconds,
        "outcome": _field(str, check=_OUTCOMES.__contains__),
    },
    {
        "hook_failures": _nothing,
        "usage": _field(dict, None, check=USAGE.fits),
        "transcript": _field(None),
        "cheat_evidence": _names,
        "activated": _maybe_names,
        "activation_passed": _maybe_flag,
        "builtin_activated": _maybe_names,
        "assert_passed": _maybe_flag,
        "assert_evidence": _maybe_text,
        "autorater_passed": _maybe_flag,
        "autorater_reasoning": _maybe_text,
        "autorater_script": _maybe_text,
        "judge_seconds": _maybe_seconds,
        "retries": _count,
    },
)
TASK = Form(
    {"task_id": _text, "task_name": _text, "attempts": _field(list, check=_each(ATTEMPT.fits))},
    {"activation_expected": _maybe_names, "expect": _maybe_text, "prompt": _maybe_text},
)
PER_TASK = Form(
    {
        "task_id": _text,
        "task_name": _text,
        "k": _count,
        "successes": _count,
        "score": _maybe_fraction,
    }
)
PER_SKILL = Form(
    {"skill": _text, "expected": _count, "fired": _count, "hits": _count},
    {"total": _count},
)
AGGREGATE = Form(
    {"avg_score": _fraction, "per_task": _field(list, check=_each(PER_TASK.fits))},
    {
        "scored_tasks": _count,
        "avg_activation_score": _maybe_fraction,
        "activation_tasks": _count,
        "activation_asserted": _count,
        "activation_per_skill": _field(list, check=_each(PER_SKILL.fits)),
    },
)
BEYOND = Form(
    {"version": _text},
    {
        "timeout_seconds": _maybe_seconds,
        "started": _field(str, None, check=_is_time),
        "bar": _maybe_fraction,
        "resumed_from": _maybe_text,
        "rejudged_from": _maybe_text,
    },
)
FILE = Form(
    {
        "run": _field(dict, check=RUN.fits),
        "task_results": _field(list, check=_each(TASK.fits)),
        "aggregate": _field(dict, check=AGGREGATE.fits),
    },
    {
        "skill_snapshots": _field(list, check=_each(SNAPSHOT.fits)),
        "receipts": _field(dict, None, check=BEYOND.fits),
    },
)

"""The entries of `tasks`."""

import ast
import math
import warnings
from pathlib import Path

from receipts.attempts.specs import history, yamlnodes
from receipts.attempts.specs.model import Check, HistoryTurn, TaskSpec
from receipts.attempts.specs.problems import Place, Problems
from receipts.attempts.specs.yamlnodes import Fields, Value
from receipts.errors import StoreError
from receipts.filenames import shown
from receipts.files import read_limited

_ASSERT = ("assert", "assert_script")
_KEYS = (
    "name",
    "prompt",
    "expect",
    *_ASSERT,
    "activates",
    "setup",
    "cleanup",
    "history",
    "timeout",
    "k",
    "id",
)
_DECIDES = ("expect", *_ASSERT, "activates")


class Tasks:
    """Reads the tasks of one spec, whose file names start at its folder."""

    def __init__(self, folder: Path, problems: Problems) -> None:
        self._folder = folder
        self._problems = problems
        self._lines: dict[str, int] = {}

    def read(self, value: Value) -> tuple[TaskSpec, ...]:
        """Return the tasks, without those that were refused."""
        items = value.items("'tasks'")
        if items is None:
            return ()
        if not items:
            value.refuse("'tasks' is empty; a spec needs at least one task")
        found = [task for number, item in enumerate(items, 1) if (task := self._task(item, number))]
        return tuple(found)

    def _task(self, value: Value, number: int) -> TaskSpec | None:
        fields = value.fields(f"task {number}", _KEYS)
        if fields is None:
            return None
        name = self._text(fields, "name", f"task {number}", needed=True)
        who = f"task {shown(name)!r}" if name else f"task {number}"
        if name in self._lines:
            value.refuse(f"{who} has the name of the one in line {self._lines[name]}")
        elif name is not None:
            self._lines[name] = value.place.line
        if not any(fields.given(key) for key in _DECIDES):
            value.refuse(f"{who} needs one of 'expect', 'assert' and 'activates'")
        activates = fields.given("activates")
        return TaskSpec(
            id=f"task-{number:03}",
            name=name or "",
            prompt=self._text(fields, "prompt", who, needed=True) or "",
            expect=self._text(fields, "expect", who, blank=False),
            check=self._check(fields, who),
            activates=frozenset(activates.texts(f"'activates' of {who}")) if activates else None,
            setup=self._text(fields, "setup", who),
            cleanup=self._text(fields, "cleanup", who),
            history=self._history(fields, who),
            timeout=_timeout(fields, who),
            k=_k(fields, who),
            line=value.place.line,
        )

    def _text(
        self, fields: Fields, key: str, who: str, *, needed: bool = False, blank: bool = True
    ) -> str | None:
        value = fields.needed(key, who) if needed else fields.given(key)
        text = value.text(f"'{key}' of {who}") if value else None
        if value and text is not None and not blank and not text.strip():
            value.refuse(f"'{key}' of {who} is blank; fill it in or remove it")
        return text

    def _check(self, fields: Fields, who: str) -> Check | None:
        given = [key for key in _ASSERT if fields.get(key)]
        if len(given) > 1:
            fields.value.refuse(f"{who} has both {' and '.join(given)}, which are one thing")
        if not given:
            return None
        source = self._text(fields, given[0], who, blank=False)
        value = fields.get(given[0])
        if source is None or value is None:
            return None
        name = source.strip()
        if "\n" in name or not name.endswith(".py"):
            return Check(source, None)
        data = self._file(value, name, f"'{given[0]}' of {who}")
        try:
            return Check((data or b"").decode(), self._folder / name)
        except UnicodeDecodeError:
            value.refuse(f"'{given[0]}' of {who}: {shown(name)} is not UTF-8")
            return None

    def _history(self, fields: Fields, who: str) -> tuple[HistoryTurn, ...]:
        name = self._text(fields, "history", who, blank=False)
        value = fields.get("history")
        if value is None or name is None or not name.strip():
            return ()
        data = self._file(value, name, f"'history' of {who}")
        if data is None:
            return ()
        before = len(self._problems.sentences)
        file = str(Path(value.place.file).parent / name)
        planted = yamlnodes.document(data, file, self._problems)
        if planted is None and len(self._problems.sentences) == before:
            self._problems.add(Place(file, 0), "the history is empty; it must be a list of turns")
        return history.turns(planted) if planted else ()

    def _file(self, value: Value, name: str, who: str) -> bytes | None:
        """Return the bytes of a file that the spec names, or None after refusing it."""
        path = self._folder / name
        try:
            return read_limited(path, yamlnodes.LIMIT, follow_links=True)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            value.refuse(f"{who} names the file {shown(name)}, which does not exist")
        except StoreError as error:
            value.refuse(f"{who}: {error.message.rstrip('.')}")
        return None


def syntax_problem(check: Check) -> str | None:
    """Say why a check is no Python, or return None. Only a warning: another Python may run it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(check.source)
    except SyntaxError as error:
        return f"line {error.lineno or 1}: {error.msg}"
    except (ValueError, MemoryError, RecursionError):
        return "it cannot be parsed"
    return None


def _timeout(fields: Fields, who: str) -> float | None:
    value = fields.given("timeout")
    seconds = value.number(f"'timeout' of {who}") if value else None
    if value and seconds is not None and not (math.isfinite(seconds) and seconds >= 1):
        value.refuse(f"'timeout' of {who} is a number of seconds, at least 1")
    return seconds


def _k(fields: Fields, who: str) -> int | None:
    value = fields.given("k")
    attempts = value.number(f"'k' of {who}") if value else None
    if value and attempts is not None and not (isinstance(attempts, int) and attempts >= 1):
        value.refuse(f"'k' of {who} is a number of attempts, a whole number from 1")
        return None
    return attempts if isinstance(attempts, int) else None

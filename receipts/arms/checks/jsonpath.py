"""Paths into a JSON document: `$.a.b[0]`, the same as `a.b[0]`, and `$["a key"]`."""

import re
from typing import Any

Path = tuple[str | int, ...]

_NAME = r"""[^.\[\]"'\s]+"""
_BRACKET = r"""\[(?:([0-9]{1,9})|"([^"]*)"|'([^']*)')\]"""
_STEP = re.compile(rf"\.({_NAME})|{_BRACKET}")
# Without `$`, a path starts with a name that has no dot, or with a bracket.
_FIRST = re.compile(rf"\$(?=[.\[]|\Z)|({_NAME})|{_BRACKET}")


class NoSuchPlace(LookupError):  # noqa: N818 - named for what it says of the document
    """A document has nothing at a path."""


def parsed(text: str) -> Path:
    """Return the keys and list positions that a path names; `$` alone is the whole document.

    Raises:
        ValueError: It is no such path.
    """
    steps: list[str | int] = []
    at = 0
    while at < len(text) or not text:
        step = (_STEP if at else _FIRST).match(text, at)
        if step is None:
            raise ValueError(f"`{text}` is no path; write it like `$.a.b[0]` or `$['a key']`")
        name, index, *quoted = step.groups()
        if index:
            steps.append(int(index))
        else:
            steps += [key for key in (name, *quoted) if key is not None]
        at = step.end()
    return tuple(steps)


def value_at(document: Any, path: Path) -> Any:  # noqa: ANN401 - any JSON document
    """Return what stands at a path.

    Raises:
        NoSuchPlace: Nothing does.
    """
    for step in path:
        is_there = (
            isinstance(document, list) and step < len(document)
            if isinstance(step, int)
            else isinstance(document, dict) and step in document
        )
        if not is_there:
            raise NoSuchPlace(step)
        document = document[step]
    return document


def is_same(first: Any, second: Any) -> bool:  # noqa: ANN401 - any JSON document
    """Say whether two JSON values are the same: 1 is 1.0 and not true; keys have no order."""
    if isinstance(first, dict):
        return (
            isinstance(second, dict)
            and first.keys() == second.keys()
            and all(is_same(value, second[key]) for key, value in first.items())
        )
    if isinstance(first, list):
        return (
            isinstance(second, list)
            and len(first) == len(second)
            and all(map(is_same, first, second))
        )
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, int | float) and isinstance(second, int | float):
        return float(first) == float(second)
    return type(first) is type(second) and bool(first == second)

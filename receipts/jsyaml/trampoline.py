"""Recursion without Python's stack, so that a rule limits depth and not the caller's frames."""

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

Result = TypeVar("Result")
# A step that yields the steps whose results it needs, and returns its own.
Steps: TypeAlias = Generator[Any, Any, Result]


def run(first: Steps[Result]) -> Result:
    """Run a step and, one after another, all the steps that it and they wait for."""
    stack: list[Steps[Any]] = [first]
    result: Any = None
    while stack:
        try:
            child = stack[-1].send(result)
        except StopIteration as stop:
            stack.pop()
            result = stop.value
        else:
            stack.append(child)
            result = None
    answer: Result = result
    return answer

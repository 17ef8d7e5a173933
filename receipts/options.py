"""Options that several verbs share, spelled once."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from receipts import terminal
from receipts.errors import NeedsAnswer

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """Add `--json`: one JSON document on stdout and nothing else there."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def confirm(question: str, *, answer: bool | None, flag: str) -> bool:
    """Ask a yes-or-no question whose default is no.

    Args:
        question: What is asked, in one sentence.
        answer: The answer given on the command line, which is then not asked for.
        flag: The option that answers the question where there is no terminal.

    Raises:
        NeedsAnswer: No answer was given and there is no terminal to ask on.
    """
    if answer is not None:
        return answer
    if not terminal.is_interactive():
        raise NeedsAnswer(
            f"{question} There is no terminal to ask on.",
            f"Answer with {flag} on the command line.",
        )
    return click.confirm(terminal.printable(question), default=False, err=True)

"""Options about what this machine knows, that several verbs share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from store import completing

Command = TypeVar("Command", bound=Callable[..., Any])


def team_option(command: Command) -> Command:
    """Add `--team NAME`, needed only on a machine with more than one team."""
    return click.option(
        "--team",
        metavar="NAME",
        help="Which team, when you have more than one.",
        shell_complete=completing.teams,
    )(command)

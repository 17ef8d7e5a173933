"""`receipts completion`."""

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from receipts import terminal
from receipts.errors import UsageError

_PLACES = {
    "bash": "~/.local/share/bash-completion/completions/receipts",
    "zsh": "a folder on your fpath, as _receipts",
    "fish": "~/.config/fish/completions/receipts.fish",
}


@click.command(
    "completion",
    epilog='Example: eval "$(receipts completion bash)"',
)
@click.argument("shell", type=click.Choice(sorted(_PLACES)), required=False)
def command(shell: str | None) -> None:
    """Print the completion script of SHELL (default: yours) and say where to put it."""
    from receipts.cli import COMPLETION, cli

    shell = shell or Path(os.environ.get("SHELL", "")).name
    completion = get_completion_class(shell) if shell in _PLACES else None
    if completion is None:
        raise UsageError("Your shell is not one that completes.", "Name bash, zsh or fish.")
    script = completion(cli, {}, "receipts", COMPLETION).source()
    terminal.print_content(script)
    if terminal.is_shown():  # otherwise it is being saved, or evaluated each time a shell starts
        terminal.say(f"Save it as {_PLACES[shell]}.")

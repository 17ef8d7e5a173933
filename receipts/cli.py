"""The command line: knows the verbs by name, loads each when it is called, maps errors to exits."""

import importlib
import os
import sys

import click

from receipts import terminal
from receipts._version import __version__
from receipts.errors import ReceiptsError, UsageError

# Verb -> where it lives and its line in `receipts --help`, so that help loads nothing.
VERBS = {
    "digest": (
        "store.commands.digest",
        "The content digest of a skill folder, or how two differ.",
    ),
    "show": ("publish.commands.show", "The printed report of a receipt, a run or a skill."),
    "list": ("store.commands.list", "The evaluation runs on this machine, newest first."),
    "verify": (
        "publish.commands.verify",
        "Every problem of a receipt, a folder of them, or a team's.",
    ),
    "import": (
        "publish.commands.import_",
        "File a receipt made elsewhere, after checking its digest.",
    ),
    "eval": (
        "publish.commands.eval",
        "Whether an agent is better with a skill than without it.",
    ),
    "gate": (
        "receipts.commands.gate",
        "Whether any category of a golden set fell since the last committed run.",
    ),
    "compare": (
        "store.commands.compare",
        "What moved between two runs or more, how sure that is, and what else changed.",
    ),
    "trend": (
        "store.commands.trend",
        "How the success rate of a spec moved from run to run.",
    ),
    "validate": (
        "store.commands.validate",
        "Whether a skill is fit to be shared, or a spec of attempts to be run.",
    ),
    "clean": (
        "store.commands.clean",
        "Remove sandboxes and transcripts of old runs; receipts stay.",
    ),
    "publish": (
        "publish.commands.publish",
        "Publish a skill to the team with its receipts attached.",
    ),
    "unpublish": (
        "publish.commands.unpublish",
        "Remove a skill, all versions and receipts, for everyone.",
    ),
    "sync": (
        "publish.commands.sync",
        "Fetch the team's versions and receipts, and say what is new.",
    ),
    "install": ("publish.commands.install", "Copy a published version into a skill library."),
    "library": ("store.commands.library", "The folders on this machine that hold your skills."),
    "cards": (
        "publish.commands.cards",
        "The score of the exact bytes you hold, or why there is none.",
    ),
    "team": ("publish.commands.team", "Create, join, leave and look at a team repository."),
    "demo": ("publish.commands.demo", "The whole job on a throwaway team, each command shown."),
    "completion": (
        "receipts.commands.completion",
        "Shell completion: print the script and where it goes.",
    ),
}
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
COMPLETION = "_RECEIPTS_COMPLETE"
INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group whose commands are imported when they are run, not when they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the verbs in the order of the job, not of the alphabet."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the module that owns a verb and return its command."""
        if cmd_name not in VERBS:
            return None
        command = importlib.import_module(VERBS[cmd_name][0]).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{VERBS[cmd_name][0]}.command is not a command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or say which one was probably meant."""
        if args[0] not in VERBS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from receipts.nearest import did_you_mean

            hint = did_you_mean(args[0], VERBS, "`receipts {}`") or "See `receipts --help`."
            raise UsageError(f"There is no verb {args[0]!r}.", hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of verbs without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(verb, text) for verb, (_, text) in VERBS.items()])


@click.command(
    cls=LazyGroup,
    context_settings=CONTEXT,
    epilog="Example: receipts publish ~/.claude/skills/deploy-check",
)
@click.version_option(__version__, "--version", prog_name="receipts")
@click.option("--debug", is_flag=True, help="Show the Python traceback of an error.")
def cli(*, debug: bool) -> None:
    """Did anyone measure exactly these bytes, how, and what came out?

    Receipts publishes agent skills into a git repository that your team shares, with the receipts
    of their evaluations attached, and shows you the score of the exact bytes that you hold.
    """
    del debug  # read by main() from the arguments, before anything can fail


def main() -> None:
    """Run the command line; the only place where an error becomes an exit code."""
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    # --debug is accepted after the verb too, where people add it to the command that just failed.
    arguments = [argument for argument in arguments if argument != "--debug"]
    sys.exit(run(arguments, debug=debug))


def run(arguments: list[str], *, debug: bool = False) -> int:
    """Run one command line and return its exit code, with every error said on stderr."""
    if question := os.environ.get(COMPLETION):
        code = _complete(question)
    else:
        code = _run(arguments, debug=debug)
    is_whole = terminal.settled()
    return code if is_whole else code or 1


def _run(arguments: list[str], *, debug: bool) -> int:
    try:
        _refuse_empty(arguments)
        # Not by `main`, which ends the process by itself when the reader of a pipe has left.
        with cli.make_context("receipts", list(arguments)) as context:
            result = cli.invoke(context)
        terminal.finish()
    except click.exceptions.Exit as done:
        return done.exit_code
    except ReceiptsError as error:
        _trace(debug)
        _say_error(error.message, error.hint)
        return error.exit_code
    except click.ClickException as error:
        _trace(debug)
        _say_misused(error)
        return error.exit_code
    except (KeyboardInterrupt, EOFError, click.Abort):
        terminal.say("\ninterrupted")  # below the ^C that the terminal shows
        return INTERRUPTED
    except BrokenPipeError:
        return 0
    except OSError as error:
        _trace(debug)
        where = f" ({error.filename})" if error.filename else ""
        _say_error(f"{error.strerror or error}{where}")
        return 1
    except Exception as error:  # noqa: BLE001 - the last resort: no user is shown a traceback
        _trace(debug)
        _say_error(
            f"unexpected {type(error).__name__}: {error}",
            "This is a defect in receipts; run the command again with --debug and report it.",
        )
        return 1
    return result if isinstance(result, int) else 0


def _complete(question: str) -> int:
    """Answer a shell that asks what can follow: with nothing, whatever goes wrong.

    A message would land in the middle of the line that is being typed.
    """
    from click.shell_completion import shell_complete

    try:
        return shell_complete(cli, {}, "receipts", COMPLETION, question)
    except (Exception, KeyboardInterrupt):  # noqa: BLE001 - as said above
        return 1


def _refuse_empty(arguments: list[str]) -> None:
    """Raise when an argument is empty: a path made of it would be the current folder.

    What stands behind `--` belongs to another program.
    """
    before = ""
    for argument in arguments:
        if argument == "--":
            return
        option, equals, value = argument.partition("=")
        is_option = argument.startswith("-")
        if not argument or (is_option and equals and not value):
            where = option or before
            raise UsageError(
                f"The argument behind {where} is empty." if where else "An argument is empty.",
                "Often that is a shell variable which is not set.",
            )
        before = option if is_option else ""  # other arguments may hold a password


def _say_error(message: str, hint: str = "") -> None:
    terminal.say(f"error: {message}")
    if hint:
        terminal.say(f"  {hint}")


def _say_misused(error: click.ClickException) -> None:
    """Say what click found wrong, in the form of every other error."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context and error.message == context.get_help():
        terminal.say(error.message)  # a verb of verbs was named without one of them
        return
    path = context.command_path if context else "receipts"
    _say_error(error.format_message(), f"See `{path} --help`.")


def _trace(debug: bool) -> None:  # noqa: FBT001 - passed on as it came
    if debug:
        import traceback

        terminal.say(traceback.format_exc())


if __name__ == "__main__":
    main()

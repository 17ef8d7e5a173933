"""`receipts clean`."""

import contextlib
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from receipts import terminal
from receipts.options import confirm, json_option
from store import amounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from store.cleaning import Left
    from store.removal import Failure, Told

_MOST_NAMED = 20
_EVERY = 0.2  # seconds between two updates of the line that shows progress


@click.command("clean", epilog="Examples: receipts clean --dry-run; receipts clean --older-than 7d")
@click.option(
    "--older-than",
    type=amounts.age,
    metavar="AGE",
    default="30d",
    show_default=True,
    help="Clean runs that were not used for so long.",
)
@click.option(
    "--keep-size",
    type=amounts.size,
    metavar="SIZE",
    default="5G",
    show_default=True,
    help="Clean the oldest others too, until no more than this is left.",
)
@click.option("--dry-run", is_flag=True, help="Only list what would be removed.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def command(older_than: float, keep_size: int, *, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Remove sandboxes, staged copies and transcripts of old evaluation runs.

    Receipts, run.jsonl and files.json are never removed. What would go is listed first, and runs
    that are going on are left alone.
    """
    from store import cleaning

    with _progress("looking at") as told:
        found = cleaning.survey(told)
    chosen = cleaning.chosen(found.left, older_than=older_than, keep=keep_size)
    running = [left for left in found.left if left.going_on]
    total = sum(left.bytes for left in chosen)
    what = f"{amounts.size_text(total)} of {_runs(len(chosen))}"
    if not as_json:
        _list(chosen)
        _say(running, found.unread)
    failures: list[Failure] = []
    if chosen and not dry_run:
        answer = True if yes else None
        if not confirm(f"Remove {what}? Receipts stay.", answer=answer, flag="--yes"):
            from receipts.errors import Cancelled

            raise Cancelled("Nothing was removed.")
        with _progress("removing") as told:
            failures = [failure for left in chosen for failure in cleaning.remove(left, told)]
    if as_json:
        terminal.print_json(
            {
                "dry_run": dry_run,
                "runs": [_document(left) for left in chosen],
                "bytes": total,
                "left_alone": [{"path": str(left.path), "why": left.going_on} for left in running],
                "unread": [failure._asdict() for failure in found.unread],
                "failures": [failure._asdict() for failure in failures],
            }
        )
    else:
        kept = sum(left.bytes for left in found.left) - total
        rest = f"{amounts.size_text(kept)} of {_runs(len(found.left) - len(chosen))} stay."
        if not chosen:
            terminal.print_text(f"Nothing to remove; {rest}")
        elif dry_run:
            terminal.print_text(f"Would remove {what}; {rest}")
        else:
            terminal.print_text(f"Removed {what}; {rest}")
    for failure in failures[:_MOST_NAMED]:
        terminal.say(f"could not be removed: {failure.path}: {failure.why}")
    if len(failures) > _MOST_NAMED:
        terminal.say(f"and {len(failures) - _MOST_NAMED} more")
    return 1 if failures else 0


def _list(chosen: "Sequence[Left]") -> None:
    now = time.time()
    for left in chosen:
        parts = ", ".join(
            f"{part.name} {'' if part.whole else 'at least '}{amounts.size_text(part.bytes)}"
            for part in left.parts
        )
        line = "  ".join(
            filter(
                None,
                (
                    left.run_id,
                    terminal.one_line(left.skill_name()),
                    amounts.age_text(now - left.last_used),
                    parts,
                    "" if left.finished else "unfinished: it could not be continued then",
                ),
            )
        )
        terminal.print_text(line)


def _say(running: "Sequence[Left]", unread: "Sequence[Failure]") -> None:
    for left in running:
        terminal.say(f"left alone: {left.going_on}.")
    for failure in unread:
        terminal.say(f"cannot be read: {failure.path}: {failure.why}")


def _document(left: "Left") -> dict[str, Any]:
    return {
        "run_id": left.run_id,
        "skill": left.skill_name() or None,
        "path": str(left.path),
        "last_used": left.last_used,
        "finished": left.finished,
        "bytes": left.bytes,
        "parts": [part._asdict() for part in left.parts],
    }


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


@contextlib.contextmanager
def _progress(doing: str) -> "Iterator[Told]":
    """Give a function that counts files, and show the count on a line of the terminal, if any."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    count, shown = 0, time.monotonic()

    def told(more: int) -> None:
        nonlocal count, shown
        count += more
        if time.monotonic() - shown >= _EVERY:
            shown = time.monotonic()
            sys.stderr.write(f"\r{doing} {count:,} files…")
            sys.stderr.flush()

    try:
        yield told
    finally:
        with contextlib.suppress(OSError):
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

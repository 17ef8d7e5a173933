"""A member's process that runs one command after the other: `python -m tests.races.worker`.

Each line of its input is a command of `receipts`, as a JSON list; it answers each with a line, the
exit code and what was printed on stdout and stderr. `["share", FOLDER]` is what an evaluation does
at its end, for which there is no verb of its own.
"""

import contextlib
import io
import json
import sys
from pathlib import Path

from publish import sharing
from receipts import cli
from receipts.digest import content_digest
from store import runs


def run(arguments: list[str]) -> int:
    """Run a command and return its exit code."""
    if arguments[0] != "share":
        return cli.run(arguments)
    folder = Path(arguments[1])
    newest = max(runs.runs_of(content_digest(folder)), key=lambda run: run.run_id)
    print(sharing.share(newest, folder, team=None, no_commit=False))
    return 0


def main() -> None:
    """Run every command that comes in."""
    for line in sys.stdin:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(json.loads(line))
        print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)


if __name__ == "__main__":
    main()

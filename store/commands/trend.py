"""`receipts trend`."""

import os

import click

from receipts import terminal
from receipts.options import json_option
from store import completing


@click.command(
    "trend", epilog="Examples: receipts trend demo; receipts trend evals/demo.eval.yaml --json"
)
@click.argument("spec", shell_complete=completing.specs)
@json_option
def command(spec: str, *, as_json: bool) -> None:
    """Say how the success rate of SPEC moved from run to run, oldest first, and how sure that is.

    SPEC is the name of a spec, or its file. Each saved run is held against the one before it, over
    the tasks of both; runs that left something out (--ablate) are held against their like.
    """
    from receipts.attempts import results, trendtable
    from receipts.attempts.trend import trend

    root = results.root_of(os.curdir)
    name = results.spec_of(spec, root)
    found = trend(name, results.runs(root, name))
    for _, why in found.left_out:
        terminal.say(f"unreadable: {why}")
    if as_json:
        terminal.print_json(found.document())
    else:
        trendtable.print_trend(found)

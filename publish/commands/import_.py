"""`receipts import`."""

import click

from receipts import terminal
from receipts.options import json_option
from store import completing


@click.command(
    "import", epilog="Example: receipts import receipt.json --skill ~/.claude/skills/deploy-check"
)
@click.argument("receipt", type=click.Path())
@click.option(
    "--skill",
    required=True,
    metavar="SKILL",
    help="The skill that it measured: its folder, or its name when it is installed.",
    shell_complete=completing.skills,
)
@json_option
def command(receipt: str, skill: str, *, as_json: bool) -> None:
    """File the RECEIPT of an evaluation that ran elsewhere; - reads it from stdin.

    It is taken only if it measured exactly the bytes of the skill, and is scrubbed of secrets
    first. Another run of the same second keeps its place; the receipt then gets the next one.
    """
    import os

    from publish.policy import category_notices
    from receipts import inputs, jsontext
    from receipts.scrub import secrets_from
    from store.importing import import_receipt
    from store.library import find

    folder = find(skill)
    data = inputs.read(receipt, jsontext.LIMIT)
    done = import_receipt(
        data,
        folder,
        name=inputs.name_of(receipt),
        secrets=secrets_from(os.environ),
        notices=category_notices(folder),
    )
    filed = done.filed
    for warning in done.warnings:
        terminal.say(f"warning: {warning}")
    for line in done.scrubbed:
        terminal.say(line)
    if as_json:
        terminal.print_json(
            {
                "run_id": filed.run_id,
                "content_digest": done.receipt.content_digest,
                "path": str(filed.path),
                "already": filed.already,
                "moved_from": filed.moved_from,
                "newer": done.receipt.newer,
                "scrubbed": list(done.scrubbed),
                "warnings": list(done.warnings),
            }
        )
        return
    if filed.already:
        terminal.print_text(f"Run {filed.run_id} of these exact bytes was here already.")
    else:
        terminal.print_text(f"Filed run {filed.run_id} of these exact bytes: {filed.path}")
    if filed.moved_from:
        terminal.print_text(f"Another run has the id {filed.moved_from}, so this one moved on.")

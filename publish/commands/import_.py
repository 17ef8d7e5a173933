"""`receipts import`."""

import click

from receipts import terminal
from receipts.options import json_option
from store import completing


@click.command(
    "import",
    epilog="Examples: receipts import receipt.json --skill ~/.claude/skills/deploy-check; "
    "receipts import benchmark.json --skill changelog",
)
@click.argument("result", type=click.Path())
@click.option(
    "--skill",
    required=True,
    metavar="SKILL",
    help="The skill that it measured: its folder, or its name when it is installed.",
    shell_complete=completing.skills,
)
@json_option
def command(result: str, skill: str, *, as_json: bool) -> None:
    """File the RESULT of an evaluation that ran elsewhere; - reads it from stdin.

    RESULT is a receipt, a saved run of attempts, or the `benchmark.json` of the skill-creator
    skill. Of the last two a receipt is made, which says that it was declared and not measured here.

    It is taken only if it measured exactly the bytes of the skill (a benchmark does not say), and
    is scrubbed of secrets first. Another run of the same second keeps its place; the receipt then
    gets the next one.
    """
    import os

    from publish.policy import category_notices
    from receipts import inputs, jsontext
    from receipts.attempts import results
    from receipts.scrub import secrets_from
    from store.importing import import_result
    from store.library import find

    folder = find(skill)
    limit = jsontext.LIMIT if inputs.is_stream(result) else results.LIMIT
    data = inputs.read(result, limit)
    done = import_result(
        data,
        folder,
        name=inputs.name_of(result),
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

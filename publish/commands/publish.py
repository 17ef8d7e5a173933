"""`receipts publish`."""

import click

from publish.commands import completing
from receipts import terminal
from receipts.options import confirm, json_option
from store.completing import skills
from store.options import team_option


@click.command(
    "publish",
    epilog="Examples: receipts publish ~/.claude/skills/tdd; receipts publish tdd --dry-run",
)
@click.argument("skill", shell_complete=skills)
@team_option
@click.option("--category", help="Declare this category in SKILL.md, where none is declared.")
@click.option(
    "--project",
    help="Also list the skill under this project of the team.",
    shell_complete=completing.projects,
)
@click.option("--yes/--no", "answer", default=None, help="Answer the question beforehand.")
@click.option("--dry-run", is_flag=True, help="Print what would be committed, and commit nothing.")
@click.option(
    "--allow-finding",
    "allowed",
    multiple=True,
    metavar="FILE:LINE",
    help="Publish although this line, or FILE's name, looks like a credential; the commit says so.",
)
@json_option
def command(
    skill: str,
    *,
    team: str | None,
    category: str | None,
    project: str | None,
    answer: bool | None,
    dry_run: bool,
    allowed: tuple[str, ...],
    as_json: bool,
) -> None:
    """Publish SKILL, a folder or the name of an installed skill, with its receipts attached.

    Identical bytes never become a new version. Every evaluation run on this machine of exactly
    these bytes is attached. When the newest of them failed, or a category is added that leaves
    runs behind, you are asked first.
    """
    from publish import outcome, publishing
    from store.library import find

    request = publishing.Request(
        folder=find(skill),
        team=team,
        category=category,
        project=project,
        dry_run=dry_run,
        allowed_findings=frozenset(allowed),
    )
    done = publishing.publish(
        request, lambda question: confirm(question, answer=answer, flag="--yes or --no")
    )
    for warning in done.warnings:
        terminal.say(f"note: {warning}")
    if as_json:
        terminal.print_json(outcome.document(done))
        return
    for line in outcome.lines(done):
        terminal.print_text(line)

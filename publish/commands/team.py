"""`receipts team`."""

from typing import TYPE_CHECKING

import click

from receipts import terminal
from receipts.options import json_option
from store.options import team_option

if TYPE_CHECKING:
    from publish.teams import Joined


@click.group(
    "team", epilog="Example: receipts team create acme --remote git@github.com:acme/skills"
)
def command() -> None:
    """Create, join, leave and look at a team repository."""


_handle = click.option("--handle", help="Your handle in the team.  [default: from git's user]")


@command.command(
    "create", epilog="Example: receipts team create acme --remote ssh://git@host/x.git"
)
@click.argument("name")
@click.option("--remote", metavar="URL", help="An empty repository.  [default: a local bare one]")
@_handle
@click.option("--license", "license_", help="The licence of every skill.  [default: UNLICENSED]")
@click.option("--require-category", is_flag=True, help="Every skill must declare a category.")
@json_option
def create(
    name: str,
    *,
    remote: str | None,
    handle: str | None,
    license_: str | None,
    require_category: bool,
    as_json: bool,
) -> None:
    """Create the team NAME and become its first member."""
    from publish import teams

    done = teams.create(
        name,
        remote=remote,
        handle=handle,
        license=license_,
        require_category=require_category,
    )
    verb = "Already a member of" if done.rejoined else "Created"
    _say_joined(done, f"{verb} team {done.entry.name}", as_json=as_json)


@command.command("join", epilog="Example: receipts team join git@github.com:acme/skills")
@click.argument("url")
@_handle
@click.option("--as", "name", metavar="NAME", help="The team's name on this machine.")
@json_option
def join(url: str, *, handle: str | None, name: str | None, as_json: bool) -> None:
    """Join the team whose repository is at URL."""
    from publish import teams

    done = teams.join(url, handle=handle, name=name)
    verb = "Already a member of" if done.rejoined else "Joined"
    _say_joined(done, f"{verb} team {done.entry.name}", as_json=as_json)


@command.command("leave", epilog="Example: receipts team leave --team acme")
@team_option
@click.option("--local-only", is_flag=True, help="Forget the team here; do not touch the remote.")
@json_option
def leave(*, team: str | None, local_only: bool, as_json: bool) -> None:
    """Leave the team. What you published stays with it."""
    from publish import teams

    entry = teams.leave(team, local_only=local_only)
    if as_json:
        terminal.print_json(entry._asdict())
        return
    if local_only:
        terminal.print_text(
            f"Forgot team {entry.name} on this machine. Its repository, {entry.remote}, was left "
            f"as it is: the membership of @{entry.handle} remains."
        )
    else:
        terminal.print_text(f"Left team {entry.name}. What you published stays with it.")


@command.command("members", epilog="Example: receipts team members --json")
@team_option
@json_option
def members(*, team: str | None, as_json: bool) -> None:
    """List the members, as of the last sync."""
    from publish import teams

    found, problems = teams.members(team)
    for problem in problems:
        terminal.say(problem)
    if as_json:
        people = [
            {"handle": p.handle, "display_name": p.display_name, "email": p.email} for p in found
        ]
        terminal.print_json({"members": people})
        return
    for person in found:
        terminal.print_text(f"@{person.handle} — {terminal.one_line(person.display_name)}")


@command.command("status", epilog="Example: receipts team status")
@team_option
@json_option
def status(*, team: str | None, as_json: bool) -> None:
    """Show the teams of this machine, as of the last sync; touches no network."""
    from publish import teams

    found = teams.status(team)
    for item in found:
        for problem in item.problems:
            terminal.say(f"{item.entry.name}: {problem}")
    if as_json:
        documents = [{**item._asdict(), "entry": item.entry._asdict()} for item in found]
        terminal.print_json({"teams": documents})
        return
    if not found:
        terminal.print_text("No team. Start one: receipts team create NAME")
    for item in found:
        terminal.print_text(
            f"{item.entry.name}  {item.entry.remote}\n"
            f"  you are @{item.entry.handle}; members: {item.members}, skills: {item.skills}, "
            f"receipts: {item.receipts}; at commit {(item.tip or 'none')[:12]}"
        )


def _say_joined(done: "Joined", headline: str, *, as_json: bool) -> None:
    if done.stripped:
        terminal.say(
            "note: the token, query or password in the address was not kept; store what git needs "
            "with its credential helper."
        )
    if as_json:
        terminal.print_json({**done.entry._asdict(), "rejoined": done.rejoined})
        return
    terminal.print_text(f"{headline} as @{done.entry.handle}: {done.entry.remote}")

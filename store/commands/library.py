"""`receipts library`."""

import click

from receipts import terminal
from receipts.options import json_option
from store import completing


@click.group(
    "library", epilog="Examples: receipts library add ~/work/skills; receipts library list"
)
def command() -> None:
    """The folders on this machine whose direct children are your skills.

    ~/.claude/skills is always one while it exists.
    """


@command.command("add", epilog="Example: receipts library add ~/work/skills")
@click.argument("path", shell_complete=completing.folders)
@json_option
def add(path: str, *, as_json: bool) -> None:
    """Register the folder PATH as a library."""
    from store import library

    is_new = library.add_root(path)
    if as_json:
        terminal.print_json({"path": path, "added": is_new})
    else:
        terminal.print_text(f"{path} is now a library." if is_new else f"{path} was one already.")


@command.command("remove", epilog="Example: receipts library remove ~/work/skills")
@click.argument("path", shell_complete=completing.libraries)
@json_option
def remove(path: str, *, as_json: bool) -> None:
    """Forget the library PATH; the folder and its skills stay as they are."""
    from store import library

    library.remove_root(path)
    if as_json:
        terminal.print_json({"path": path, "removed": True})
    else:
        terminal.print_text(f"{path} is no library any more; nothing in it was touched.")


@command.command("list", epilog="Example: receipts library list --json")
@json_option
def list_(*, as_json: bool) -> None:
    """List the libraries and how many skills each holds."""
    from store import library

    roots = library.roots()
    found = library.skills_in(roots)
    for problem in found.problems:
        terminal.say(f"warning: {problem}")
    if as_json:
        terminal.print_json(
            {
                "roots": [{"path": str(r.path), "registered": r.registered} for r in roots],
                "skills": [
                    {"name": s.name, "path": str(s.path), "root": str(s.root)} for s in found.skills
                ],
                "problems": found.problems,
            }
        )
        return
    for root in roots:
        count = sum(skill.root == root.path for skill in found.skills)
        kind = "registered" if root.registered else "default"
        terminal.print_text(f"{root.path}\t{kind}\t{count} skill(s)")
    if not roots:
        terminal.say("No library yet; register one with `receipts library add PATH`.")

"""`receipts validate`."""

import os
from pathlib import Path

import click

from receipts import terminal
from receipts.options import json_option
from store import completing


@click.command("validate", epilog="Example: receipts validate ~/.claude/skills/deploy-check")
@click.argument("folder", shell_complete=completing.skills)
@json_option
def command(folder: str, *, as_json: bool) -> int:
    """Check the skill in FOLDER, or an installed skill of that name, before it is shared.

    The rules are HYG1 to HYG8 of the reference on hygiene. A version in a team's repository,
    such as skills/deploy-check/v3, is held to what a publish writes as well.
    """
    from receipts.arms import dependencies
    from receipts.digest import SKILL_MD
    from receipts.forms import is_version
    from receipts.hygiene import check
    from receipts.hygiene.skillfolder import SkillFolder
    from store.library import find_folder

    path = Path(os.path.realpath(folder if os.path.isdir(folder) else find_folder(folder)))
    published = is_version(path.name)
    name = path.parent.name if published else path.name
    files = SkillFolder(path)
    outside = len(dependencies.find(path).named) if SKILL_MD in files else 0
    findings = check(name, files, files.executable, published=published, outside=outside)
    errors = [finding for finding in findings if not finding.is_warning]
    if as_json:
        terminal.print_json(
            {
                "ok": not errors,
                "name": name,
                "path": str(path),
                "findings": [finding._asdict() for finding in findings],
            }
        )
        return int(bool(errors))
    if errors:
        terminal.print_text(f"Hygiene failed for {name}:")
    for finding in findings:
        terminal.print_text(terminal.one_line(str(finding)))
    if not errors:
        count = len(findings)
        plural = "" if count == 1 else "s"
        warnings = f" ({count} warning{plural})" if count else ""
        terminal.print_text(f"{name}: hygiene passed{warnings}.")
    return int(bool(errors))

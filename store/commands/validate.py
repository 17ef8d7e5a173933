"""`receipts validate`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from receipts import terminal
from receipts.options import json_option
from store import completing

if TYPE_CHECKING:
    from receipts.attempts.specs.validating import Validated

_SPEC_ENDINGS = (".yaml", ".yml")


@click.command("validate", epilog="Example: receipts validate ~/.claude/skills/deploy-check")
@click.argument("subject", shell_complete=completing.skills_and_files)
@json_option
def command(subject: str, *, as_json: bool) -> int:
    """Check a skill before it is shared, or a spec before it is run.

    SUBJECT is a skill folder or the name of an installed skill, held to the rules HYG1 to HYG8 of
    the reference on hygiene; a version in a team's repository, such as skills/deploy-check/v3, is
    held to what a publish writes as well. Or it is the YAML file of a spec of attempts, which is
    read with all that it names, without a network.
    """
    if _is_spec(subject):
        return _validate_spec(subject, as_json=as_json)
    return _validate_skill(subject, as_json=as_json)


def _is_spec(subject: str) -> bool:
    from receipts.digest import SKILL_MD

    is_file = os.path.isfile(subject) and os.path.basename(subject) != SKILL_MD
    return is_file or (subject.endswith(_SPEC_ENDINGS) and not os.path.isdir(subject))


def _validate_skill(folder: str, *, as_json: bool) -> int:
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


def _validate_spec(path: str, *, as_json: bool) -> int:
    from receipts.attempts.specs.validating import validate
    from receipts.errors import SpecError

    try:
        found = validate(path)
    except SpecError as error:
        if not as_json:
            raise
        terminal.print_json({"ok": False, "path": path, "problems": list(error.problems)})
        return 1
    if as_json:
        terminal.print_json(_document(found))
        return 0
    for line in _lines(found):
        terminal.print_text(terminal.one_line(line))
    for warning in found.warnings:
        terminal.print_text(terminal.one_line(f"warning: {warning}"))
    return 0


def _document(found: "Validated") -> dict[str, Any]:
    spec = found.spec
    return {
        "ok": True,
        "name": spec.name,
        "path": str(spec.path),
        "skills": list(found.neighbourhood.names),
        "uncached": [str(source) for source in found.neighbourhood.uncached],
        "mcp_servers": [server.name for server in spec.servers],
        "user_customizations": spec.user_customizations,
        "bar": None
        if spec.bar is None
        else {"success": spec.bar.success, "activation": spec.bar.activation},
        "tasks": [
            {
                "id": task.id,
                "name": task.name,
                "judged": task.expect is not None,
                "asserted": task.check is not None,
                "activates": None if task.activates is None else sorted(task.activates),
                "timeout": task.timeout,
                "k": task.k,
            }
            for task in spec.tasks
        ],
        "warnings": list(found.warnings),
    }


def _lines(found: "Validated") -> list[str]:
    spec = found.spec
    uncached = len(found.neighbourhood.uncached)
    skills = [*found.neighbourhood.names]
    if uncached:
        skills.append(f"{uncached} not on this machine yet")
    lines = [
        f"{spec.name}: the spec can be run.",
        f"skills: {', '.join(skills) or 'none, the agent alone'}",
        f"tasks: {len(spec.tasks)}, {found.asserting} of them on which skills activate",
    ]
    if spec.mcp is not None:
        lines.append(f"mcp: {', '.join(server.name for server in spec.mcp) or 'none'}")
    if spec.user_customizations is not None:
        how = "loads" if spec.user_customizations else "leaves out"
        lines.append(f"setup: {how} the customizations of whoever runs it")
    if spec.bar is not None:
        shares = {"success": spec.bar.success, "activation": spec.bar.activation}
        told = [f"{name} {share:g}" for name, share in shares.items() if share is not None]
        lines.append(f"bar: {', '.join(told)}")
    return lines

"""Whether a skill is heavy: its sessions start agents of their own, each of which works alone.

Several such sessions side by side are many agents at once, which no machine or rate limit is made
for. A skill says so itself, or what it names tells.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

from receipts import folder, skillmd
from receipts.digest import SKILL_MD
from receipts.folder import Found

_LARGEST = 1 << 20
_TOOLS = "Agent|Task|Workflow"
# A tool as a tool: called, quoted as code, or called one. "Task" alone is a word of every skill.
_NAMED = re.compile(
    rf"\b(?:{_TOOLS})\(|`(?:{_TOOLS})`|\b(?:{_TOOLS}) tools?\b"
    r"|\bcodex\s+exec\b|\bclaude\s+(?:-p|--print)\b"
)
_ALLOWED = re.compile(rf"\b(?:{_TOOLS})\b")


class Heaviness(NamedTuple):
    """Whether a skill is heavy, and what says so, or an empty text."""

    is_heavy: bool
    evidence: str


def find(skill: Path) -> Heaviness:
    """Look at what a skill declares as `metadata.eval.heavy`, else at what its files name.

    Raises:
        SkillError: The folder cannot be read.
    """
    files = {item.path: item for item in folder.walk(skill) if isinstance(item, Found)}
    fields = skillmd.fields(_text(files[SKILL_MD])) if SKILL_MD in files else None
    declared = _declared(fields or {})
    if declared is not None:
        said = f"{SKILL_MD} declares metadata.eval.heavy: {str(declared).lower()}"
        return Heaviness(declared, said)
    allowed = (fields or {}).get("allowed-tools")
    if named := _ALLOWED.search(str(allowed)):
        return Heaviness(is_heavy=True, evidence=f"{SKILL_MD} allows the tool {named[0]}")
    for path in [SKILL_MD, *sorted(files.keys() - {SKILL_MD})]:
        text = _text(files[path]) if path in files else ""
        if named := _NAMED.search(text):
            line = text.count("\n", 0, named.start()) + 1
            return Heaviness(is_heavy=True, evidence=f"{path}:{line} names {named[0].strip('`(')}")
    return Heaviness(is_heavy=False, evidence="")


def _declared(fields: dict[str, Any]) -> bool | None:
    metadata = fields.get("metadata")
    settings = metadata.get("eval") if isinstance(metadata, dict) else None
    heavy = settings.get("heavy") if isinstance(settings, dict) else None
    return heavy if isinstance(heavy, bool) else None


def _text(found: Found) -> str:
    """Return the beginning of a file as text; what is none names no tool."""
    with open(found.location, "rb") as stream:
        data = stream.read(_LARGEST)
    return "" if b"\0" in data else data.decode("utf-8", "replace")

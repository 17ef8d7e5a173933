"""HYG1: a frontmatter that every client of a team reads alike."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from receipts import jsontext, jsyaml, skillmd
from receipts.declared import CATEGORY, Declared
from receipts.digest import SKILL_MD
from receipts.forms import is_skill_id
from receipts.hygiene.finding import Finding

_FIELDS = ("name", "description", "license", "metadata", "allowed-tools")
_ALLOWED = f"(allowed top-level fields: {', '.join(_FIELDS)})"
_MANAGED = ("id", "author", CATEGORY)
_SHOWN = 200


class Frontmatter(NamedTuple):
    """A frontmatter: its fields, and where they stand."""

    data: dict[str, Any]
    lines: jsyaml.Lines
    lines_before: int

    def line(self, *path: str | int) -> int:
        """Return the line of a field in the file."""
        return self.lines_before + self.lines.at(path)


class _Refused(Exception):  # noqa: N818 - never leaves this module
    """The frontmatter cannot be read."""

    def __init__(self, why: str, line: int) -> None:
        super().__init__(why)
        self.finding = Finding(
            "HYG1", SKILL_MD, line, f"SKILL.md frontmatter is invalid: {why} {_ALLOWED}."
        )


def read(text: str) -> Frontmatter | Finding:
    """Read the frontmatter of a SKILL.md; what cannot be read is a finding."""
    try:
        return _read(text)
    except _Refused as refused:
        return refused.finding


def problem(front: Frontmatter, name: str, published: Declared | None) -> Finding | None:
    """Return the first thing in a frontmatter that is not as it should be.

    Args:
        front: The frontmatter.
        name: The skill's name, which is that of its folder.
        published: What the file declares, if it is a published version: a publish writes license,
            id and author, so then they must be there.
    """
    for path, why in _invalid_fields(front.data, published):
        field = ".".join(path)
        message = f"SKILL.md field {field} is invalid: {why} {_ALLOWED}."
        return Finding("HYG1", SKILL_MD, front.line(*path), message)
    if front.data["name"] != name:
        message = f"SKILL.md name {front.data['name']} does not equal folder {name}."
        return Finding("HYG1", SKILL_MD, front.line("name"), message)
    tools = front.data.get("allowed-tools")
    if tools is not None and not _are_tools(tools):
        line = front.line("allowed-tools")
        message = (
            f"{name}: allowed-tools is malformed (SKILL.md line {line}): {_shown(tools)}. Use a "
            "YAML list of tool patterns, or one comma-separated string."
        )
        return Finding("HYG1", SKILL_MD, line, message)
    return None


def _read(text: str) -> Frontmatter:
    parts = skillmd.split(text)
    if parts is None:
        raise _Refused("there is none; begin the file with `---`, name, description, `---`", 1)
    if len(parts.block) > skillmd.LONGEST_BLOCK:
        raise _Refused(f"it has more than {skillmd.LONGEST_BLOCK:,} characters", 1)
    try:
        data, lines = jsyaml.load_with_lines(parts.block)
    except jsyaml.YamlError as error:
        raise _Refused(error.message, parts.lines_before + error.line) from error
    if not isinstance(data, dict):
        raise _Refused("it is no map of fields", parts.lines_before + lines.at(()))
    return Frontmatter(data, lines, parts.lines_before)


def _invalid_fields(
    data: dict[str, Any], published: Declared | None
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path of each field that is not as it should be, and why."""
    for key in data:
        if key not in _FIELDS:
            yield (key,), "it is not one of those that are allowed"
    for key in ("name", "description"):
        if not isinstance(data.get(key), str):
            yield (key,), "it must be a text" if key in data else "it is missing"
    if "license" in data and not isinstance(data["license"], str):
        yield ("license",), "it must be a text"
    metadata = data.get("metadata", {})
    if not isinstance(metadata, dict):
        yield ("metadata",), "it must be a map"
        return
    for key in _MANAGED:
        if key in metadata and not isinstance(metadata[key], str):
            yield ("metadata", key), "it must be a text"
    if isinstance(found := metadata.get("id"), str) and not is_skill_id(found):
        yield ("metadata", "id"), "it must be a uuid"
    if published is not None:
        present = {
            ("license",): data.get("license"),
            ("metadata", "id"): published.skill_id,
            ("metadata", "author"): published.author,
        }
        yield from ((path, "it is missing") for path, value in present.items() if not value)


def _are_tools(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(tool, str) for tool in value)
    return isinstance(value, str)


def _shown(value: object) -> str:
    try:
        return jsontext.dumps(value)[:_SHOWN]
    except (TypeError, ValueError, RecursionError):
        return "a value that JSON cannot hold"

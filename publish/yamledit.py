"""Edits of a YAML map in its text, each proven by reading the result.

The text is cut and joined, never emitted again, so comments, quotes, order, widths and line ends
stay. An edit proposes one or more texts; the first whose data is the old data with just that field
changed is taken, and without one nothing is changed.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from publish.yamlspans import Entry, Map, last_line_end, read_map, value_span
from receipts import jsyaml
from receipts.errors import SkillError

# Written without quotes when it also reads back as itself, as `null` and `1.0` do not.
_PLAIN = re.compile(r"[^\W_][\w.@<>+/()' -]*")


class YamlEdit:
    """The text of a map and its data, kept in step.

    Attributes:
        text: The YAML.
        data: What it holds.
    """

    def __init__(
        self, text: str, footer: re.Pattern[str], line_end: str, lines_before: int
    ) -> None:
        """Read a text.

        Args:
            text: The YAML of SKILL.md.
            footer: Matches the content of one comment line, which is kept behind the map.
            line_end: What an added line ends with.
            lines_before: The lines of SKILL.md before the text.

        Raises:
            SkillError: The text is not the YAML of a map.
        """
        self.text = text
        self._footer = footer
        self._line_end = line_end
        self._lines_before = lines_before
        try:
            data = jsyaml.load(text)
        except jsyaml.YamlError as error:
            line = lines_before + error.line
            raise SkillError(
                f"Invalid SKILL.md frontmatter: {error.message} (line {line})."
            ) from error
        if not isinstance(data, dict):
            raise SkillError(
                "SKILL.md frontmatter must be a mapping.", "Write `name:` and `description:` lines."
            )
        self.data: dict[str, Any] = data

    def set_top(self, name: str, value: str) -> None:
        """Set a field of the map to a text, in place, or added at the end."""
        if self.data.get(name) != value:
            proposals = self._with_pair(self._top(), self.data, name, value, outer=-1)
            self._take(proposals, {**self.data, name: value}, f"`{name}`")

    def set_below(self, parent: str, name: str, value: str) -> None:
        """Set a field of the map that is the value of `parent`."""
        top = self._top()
        entry = self._entry(top, parent)
        if value_span(self.text, entry, top, nested=True).sign == "*":
            raise SkillError(
                f"SKILL.md line {self._line(entry)}: `{parent}` is an alias, so it cannot have"
                " fields of its own.",
                f"Write the map out below `{parent}:`.",
            )
        holder = self.data[parent]
        if holder.get(name) != value:
            within = read_map(self.text, entry.colon, entry.end)
            proposals = self._with_pair(within, holder, name, value, outer=top.column)
            changed = {**holder, name: value}
            self._take(proposals, {**self.data, parent: changed}, f"`{parent}.{name}`")

    def make_map(self, name: str, fields: dict[str, str]) -> None:
        """Set a field of the map to a map of texts, in place of any other value."""
        top = self._top()
        indent = " " * top.column
        below = self._line_end.join(
            f"{indent}  {key}: {_written(value)}" for key, value in fields.items()
        )
        if top.flow and name in self.data:
            proposals = [self._replaced(top, name, fields, self.data[name])]
        elif top.flow:
            proposals = [self._added_in_braces(top, name, fields)]
        elif name in self.data:
            proposals = [self._replaced_by_lines(top, name, below)]
        else:
            lines = f"{indent}{name}:{self._line_end}{below}"
            proposals = self._added_lines(lines, top.start, top.end, -1)
        self._take(proposals, {**self.data, name: fields}, f"`{name}`")

    def set_footer(self, comment: str) -> None:
        """Put a comment in place of the footer, or behind everything."""
        found = last_match(self._footer, self.text)
        if found:
            proposals = [self.text[: found.start()] + comment + self.text[found.end() :]]
        else:
            # Behind the blank lines at the end, unless those belong to a value.
            inside, *behind = self._added_lines(comment, 0, len(self.text), -1)
            proposals = [*behind, inside]
        self._take(proposals, self.data, "the comment with id and author")

    def remove_footers(self) -> None:
        """Remove every line that is a footer."""
        lines = self.text.split("\n")
        kept = [line for line in lines if not self._footer.fullmatch(line.rstrip("\r"))]
        if len(kept) < len(lines):
            whole = "\n".join(kept)
            if kept[-1] is not lines[-1]:
                whole = whole.removesuffix("\r")
            blank = self._footer.sub("", self.text)
            self._take([whole, blank], self.data, "the comment with id and author")

    def _top(self) -> Map:
        """Find the map, which ends before a footer on the last line."""
        found = last_match(self._footer, self.text)
        at_end = found and not self.text[found.end() :].strip()
        return read_map(self.text, 0, found.start() if found and at_end else len(self.text))

    def _entry(self, within: Map, name: str) -> Entry:
        entry = within.find(name)
        if entry is None:
            raise SkillError(
                f"SKILL.md: the key `{name}` is written in a way that cannot be edited.",
                f"Write it as a plain `{name}:`.",
            )
        return entry

    def _line(self, entry: Entry) -> int:
        return self._lines_before + self.text.count("\n", 0, entry.start) + 1

    def _with_pair(
        self, within: Map, holder: dict[str, Any], name: str, value: str, *, outer: int
    ) -> list[str]:
        """Propose texts with a field set in a map; `outer` is the column of the map around it."""
        if name in holder:
            return [self._replaced(within, name, value, holder[name])]
        if within.flow:
            return [self._added_in_braces(within, name, value)]
        line = f"{' ' * within.column}{name}: {_written(value)}"
        return self._added_lines(line, within.start, within.end, outer)

    def _replaced(self, within: Map, name: str, value: str | dict[str, str], old: object) -> str:
        """Put a value in place of another, or of nothing; a double-quoted one stays so."""
        entry = self._entry(within, name)
        nested = isinstance(old, dict | list)
        start, end, sign = value_span(self.text, entry, within, nested=nested)
        if nested and not within.flow and "\n" in self.text[entry.colon : start]:
            start = entry.colon  # a text where a map or list was may stand at the wrong column
        written = _json(value) if sign == '"' or self._is_json(within) else _written(value)
        gap = " " if start == entry.colon else ""
        return f"{self.text[:start]}{gap}{written}{self.text[end:]}"

    def _replaced_by_lines(self, within: Map, name: str, lines: str) -> str:
        """Put lines below a key in place of its value."""
        entry = self._entry(within, name)
        nested = isinstance(self.data[name], dict | list)
        end = value_span(self.text, entry, within, nested=nested).end
        comment, newline, rest = self.text[end:].partition("\n")
        head = self.text[: entry.colon] + comment
        if not newline:
            return head + self._line_end + lines
        return f"{head}\n{lines}{self._line_end}{rest}"

    def _added_in_braces(self, within: Map, name: str, value: str | dict[str, str]) -> str:
        """Put a pair behind the last one, on a line of its own where the first has one."""
        pair = f"{name}: {_written(value)}"
        if not within.entries:
            return self.text[: within.start + 1] + pair + self.text[within.start + 1 :]
        if self._is_json(within):
            pair = f"{_json(name)}: {_json(value)}"
        last, place, gap = within.entries[-1].end, within.comma or within.entries[-1].end, " "
        line_start = self.text.rfind("\n", within.start, within.entries[0].start) + 1
        if line_start:
            gap = self._line_end + " " * (within.entries[0].start - line_start)
            newline = self.text.find("\n", place, within.end)
            if newline >= 0:  # behind the comment on the last pair's line
                place += len(self.text[place:newline].rstrip("\r"))
        before = (
            self.text[:place] if within.comma else f"{self.text[:last]},{self.text[last:place]}"
        )
        return f"{before}{gap}{pair}{',' if within.comma else ''}{self.text[place:]}"

    def _is_json(self, within: Map) -> bool:
        """Say whether a map is in braces with double-quoted keys, and may be read as JSON."""
        return within.flow and any(self.text[entry.start] == '"' for entry in within.entries[:1])

    def _added_lines(self, lines: str, start: int, end: int, outer: int) -> list[str]:
        """Propose places for lines at the end of a map: where it ends to the eye comes first.

        Blank lines at the end may belong to a value (`|+`); then the lines have to stand behind
        them or, where the text ends, in place of the last one.
        """
        text, line_end = self.text, self._line_end
        newline = text.find("\n", last_line_end(text, start, end, outer), end)
        proposals = []
        if newline >= 0:
            proposals.append(text[: newline + 1] + lines + line_end + text[newline + 1 :])
        if end < len(text):
            proposals.append(text[:end] + lines + line_end + text[end:])
        else:
            proposals.append(text + line_end + lines)
            if text.endswith("\n"):
                proposals.append(text + lines)
        return proposals

    def _take(self, proposals: Iterable[str], expected: dict[str, Any], what: str) -> None:
        """Take the first text that reads as expected.

        Raises:
            SkillError: None does.
        """
        wanted = jsyaml.dump(expected)
        for text in proposals:
            try:
                data = jsyaml.load(text)
                same = jsyaml.dump(data) == wanted
            except jsyaml.YamlError:
                continue
            if same:
                self.text, self.data = text, data
                return
        raise SkillError(
            f"SKILL.md: {what} cannot be written without changing something else.",
            "Write it without anchor, alias or tag, each key on a line of its own.",
        )


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last match of a pattern in a text."""
    matches = list(pattern.finditer(text))
    return matches[-1] if matches else None


def _written(value: str | dict[str, str]) -> str:
    """Write a text without control characters, or a map of them, to be read back as itself."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_written(item)}" for key, item in value.items()) + "}"
    if _PLAIN.fullmatch(value) and not value.endswith(" ") and jsyaml.load(value) == value:
        return value
    return _json(value)


def _json(value: str | dict[str, str]) -> str:
    return json.dumps(value, ensure_ascii=False)

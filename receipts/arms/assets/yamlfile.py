"""Reading a YAML file of eval assets, with the line of everything in it."""

import codecs
from collections.abc import Iterable
from typing import Any

from receipts import jsyaml
from receipts.arms.assets.folder import EvalFolder
from receipts.arms.assets.report import Report
from receipts.arms.checks.base import Malformed, text_of
from receipts.jsyaml.lines import Path
from receipts.nearest import did_you_mean

_MOST_NAMED = 20
_MARKS = {
    codecs.BOM_UTF8: "it starts with a byte order mark; save it as UTF-8 without one",
    codecs.BOM_UTF16_LE: "it is UTF-16; save it as UTF-8",
    codecs.BOM_UTF16_BE: "it is UTF-16; save it as UTF-8",
}


class Fields:
    """A map in a YAML file: its fields, and messages about them that name the line.

    Attributes:
        who: What messages call it.
        data: The fields.
    """

    def __init__(
        self,
        who: str,
        data: dict[str, Any],
        file: str,
        lines: jsyaml.Lines,
        report: Report,
        path: Path = (),
    ) -> None:
        self.who = who
        self.data = data
        self._file = file
        self._lines = lines
        self._report = report
        self._path = path

    def place(self, *path: str | int) -> str:
        """Return file and line of what a path leads to, from this map."""
        return f"{self._file}:{self._lines.at((*self._path, *path))}"

    def refuse(self, sentence: str, *path: str | int) -> None:
        """Say that something here cannot be used."""
        self._report.refuse(self.place(*path), sentence)

    def warn(self, sentence: str, *path: str | int) -> None:
        """Say that something here is odd."""
        self._report.warn(self.place(*path), sentence)

    def below(self, who: str, *path: str | int) -> "Fields | None":
        """Return the map that a path leads to, or None after refusing what is no map."""
        value = self.data
        for step in path:
            value = value[step]  # type: ignore[index] # a list has numbers
        if not isinstance(value, dict):
            self.refuse(f"{who} must be a map", *path)
            return None
        return Fields(who, value, self._file, self._lines, self._report, (*self._path, *path))

    def check_keys(self, known: Iterable[str]) -> None:
        """Warn of each field that means nothing, with the one that may have been meant."""
        names = list(known)
        unknown = [key for key in self.data if key not in names]
        for key in unknown[:_MOST_NAMED]:
            hint = did_you_mean(key, names, "'{}'")
            sentence = f"{self.who}: unknown key '{key}' is ignored{'. ' * bool(hint)}{hint}"
            self.warn(sentence, key)
        if unknown[_MOST_NAMED:]:
            more = len(unknown) - _MOST_NAMED
            self.warn(f"{self.who}: {more} more unknown keys are ignored")

    def text(self, key: str) -> str | None:
        """Return a field that is text, None when it is not there; whatever else is refused."""
        value = self.data.get(key)
        if value is None:
            return None
        if not isinstance(value, str):
            self.refuse(f"{self.who}: '{key}' must be a text", key)
            return None
        return self._held(value, f"'{key}'", key)

    def items(self, key: str) -> list[Any]:
        """Return a field that is a list, empty when it is not there; whatever else is refused."""
        value = self.data.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            self.refuse(f"{self.who}: '{key}' must be a list", key)
            return []
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a field that is a list of texts that are not blank; numbers become text."""
        found = []
        for position, item in enumerate(self.items(key)):
            text = self._held(item, f"'{key}' item {position + 1}", key, position)
            if text is not None and not text.strip():
                self.refuse(f"{self.who}: '{key}' item {position + 1} is blank", key, position)
            elif text is not None:
                found.append(text)
        return tuple(found)

    def _held(self, value: Any, what: str, *path: str | int) -> str | None:  # noqa: ANN401
        try:
            return text_of(value, what)
        except Malformed as error:
            self.refuse(f"{self.who}: {error}", *path)
            return None


def read(folder: EvalFolder, path: str, who: str, report: Report) -> Fields | None:
    """Read a file whose document is a map.

    Returns:
        Its fields, or None after refusing a file that is no such thing.
    """
    file = folder.place(path)
    data = folder.read(path)
    text = _text(data, file, report) if data is not None else None
    if text is None:
        return None
    try:
        value, lines = jsyaml.load_with_lines(text)
    except jsyaml.YamlError as error:
        report.refuse(f"{file}:{error.line}", f"{who}: {error.message}")
        return None
    if not isinstance(value, dict):
        what = "is empty" if value is None else "is no map"
        report.refuse(f"{file}:{lines.at(())}", f"{who} {what}; it must be a map of fields")
        return None
    return Fields(who, value, file, lines, report)


def _text(data: bytes, file: str, report: Report) -> str | None:
    """Return a file's text, or None after refusing what is none in UTF-8."""
    for mark, why in _MARKS.items():
        if data.startswith(mark):
            report.refuse(f"{file}:1", why)
            return None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        why = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        report.refuse(f"{file}:{line}", why)
        return None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        report.refuse(f"{file}:{line}", "it holds a NUL byte, so it is no text")
        return None
    return text

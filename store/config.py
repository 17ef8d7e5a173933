"""config.json: the teams of this machine, who you are, and where your skills live.

The file is shared with the `terum-skills` command line, and with later versions of this one: what
is not understood here, at any level, survives every rewrite.
"""

import copy
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from receipts import jsontext
from receipts.errors import StoreError, UsageError
from receipts.files import read_limited, write_atomic
from receipts.nearest import did_you_mean
from store import locks, paths

_LIMIT = 8 << 20
# The other client refuses a file without these.
_NEW: dict[str, Any] = {
    "teams": {},
    "approvals": {},
    "pending": [],
    "placements": {},
    "projects": [],
}


class TeamEntry(NamedTuple):
    """A team that this machine belongs to: its local name, its git remote, your handle there."""

    name: str
    remote: str
    handle: str


@dataclass(frozen=True)
class Config:
    """What config.json says; `document` is all of it, and is not written back."""

    path: Path
    document: dict[str, Any]

    def text(self, key: str) -> str | None:
        """Return a text at the top level, such as `email` or `display_name`, if there is one."""
        value = self.document.get(key)
        return value if isinstance(value, str) else None

    def teams(self) -> list[TeamEntry]:
        """Return the teams by name.

        Raises:
            StoreError: An entry lacks its remote or handle.
        """
        entries = self._value("teams", dict, "a map")
        return [self._team(name, entries[name]) for name in sorted(entries)]

    def library(self) -> list[str]:
        """Return the registered roots of skill libraries, as full paths, in order of registration.

        Raises:
            StoreError: `library` is no list of texts that can be paths.
        """
        roots: list[Any] = self._value("library", list, "a list")
        if not all(_can_be_path(root) for root in roots):
            raise self._wrong("library", "a list of paths")
        return roots

    def _value(self, key: str, kind: type[Any], what: str) -> Any:  # noqa: ANN401 - any JSON value
        value = self.document.get(key, kind())
        if not isinstance(value, kind):
            raise self._wrong(key, what)
        return value

    def _team(self, name: str, entry: object) -> TeamEntry:
        fields = entry if isinstance(entry, dict) else {}
        remote, handle = fields.get("remote"), fields.get("handle")
        if not (isinstance(remote, str) and remote):
            raise self._wrong(f"teams.{name}.remote", "the address of the team's repository")
        if not (isinstance(handle, str) and handle):
            raise self._wrong(f"teams.{name}.handle", "your handle in the team")
        return TeamEntry(name, remote, handle)

    def _wrong(self, key: str, what: str) -> StoreError:
        return StoreError(f"{key} in {self.path} is not {what}.", "Correct the file by hand.")


def load() -> Config:
    """Read config.json; without the file, nothing is configured.

    Raises:
        StoreError: The file cannot be read or is not a JSON map.
    """
    path = paths.config_file()
    return Config(path, _parse(path, _read(path)))


def update(change: Callable[[dict[str, Any]], None]) -> Config:
    """Change config.json under its lock, and return what it says afterwards.

    Args:
        change: Given the whole document to edit in place. If it raises, nothing is written.

    Raises:
        StoreError: The file cannot be read, is not a JSON map (it is then left alone), or cannot
            be written.
    """
    path = paths.config_file()
    with locks.held("config"):
        data = _read(path)
        document = _parse(path, data)
        change(document)
        if document != _parse(path, data):
            # A link, as people who keep their dotfiles in one place have it, stays a link.
            write_atomic(path.resolve(), jsontext.dump(document))
    return Config(path, document)


def teams() -> list[TeamEntry]:
    """Return the teams of this machine, by name.

    Raises:
        StoreError: As `load`, or an entry is incomplete.
    """
    return load().teams()


def team(name: str | None = None) -> TeamEntry:
    """Return the team of that name, or the only one.

    Raises:
        UsageError: There is no team, none of that name, or several and no name.
        StoreError: As `teams`.
    """
    known = {entry.name: entry for entry in teams()}
    if not known:
        raise UsageError(
            "No team is configured on this machine.",
            "Start one with `receipts team create`, or join one with `receipts team join`.",
        )
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name is None:
        raise UsageError(
            f"This machine belongs to several teams: {', '.join(known)}.", "Name one with --team."
        )
    if name not in known:
        hint = f"{did_you_mean(name, known)} Known: {', '.join(known)}."
        raise UsageError(f"No team {name} is configured on this machine.", hint.strip())
    return known[name]


def _can_be_path(value: object) -> bool:
    """Say whether the system can be asked for a path: JSON texts may hold what no name can."""
    try:
        return isinstance(value, str) and value != "" and b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        return False


def _read(path: Path) -> bytes | None:
    try:
        return read_limited(path, _LIMIT, follow_links=True)
    except FileNotFoundError:
        return None


def _parse(path: Path, data: bytes | None) -> dict[str, Any]:
    if data is None:
        return copy.deepcopy(_NEW)
    try:
        document = jsontext.loads(data, limit=_LIMIT)
    except jsontext.JsonError as error:
        raise StoreError(
            f"{path} is {error}.", "Correct it by hand or move it away; it was left as it is."
        ) from error
    if not isinstance(document, dict):
        raise StoreError(
            f"{path} is not a JSON map.",
            "Correct it by hand or move it away; it was left as it is.",
        )
    return document

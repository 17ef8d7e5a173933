"""Names that stand beside their values in a document, as items or members of their own.

["curl", "--token", "…"]    {"name": "DB_PASSWORD", "value": "…"}    [["Authorization", "Basic …"]]
"""

import re

from receipts.scrub.assignments import names_a_secret

Path = tuple[str | int, ...]

HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})

_NAMING = frozenset({"name", "key", "header", "variable", "field"})
_VALUE = "value"
# A name as programs and headers write it; `reset-password` is what people call a case or a skill.
_FORM = re.compile(
    r"--[a-z-]{1,40}|\w{1,64}|x-[\w-]{1,60}|api-?key|private-token", re.IGNORECASE | re.ASCII
)
# What a receipt lists by name: cases, what they lack, skills.
_LISTS = (("provenance", "cases"), ("provenance", "arm_skill_lists"), ("environment_skips",))


class Beside:
    """Learns the strings of a document, then tells the name that stands beside a value."""

    def __init__(self) -> None:
        self._names: dict[Path, str] = {}

    def learn(self, path: Path, text: str) -> None:
        """Remember a string value if it may name the value beside it."""
        if not path or not _may_name(text) or any(path[: len(top)] == top for top in _LISTS):
            return
        last = path[-1]
        if isinstance(last, int):
            self._names[(*path[:-1], last + 1)] = text
        elif last.lower() in _NAMING:
            self._names[(*path[:-1], _VALUE)] = text

    def name_of(self, path: Path) -> str | None:
        """Return the name that stands beside a value, if one does."""
        if path and isinstance(path[-1], str):
            path = (*path[:-1], path[-1].lower())
        return self._names.get(path)


def _may_name(text: str) -> bool:
    return text.lower() in HEADERS or bool(_FORM.fullmatch(text) and names_a_secret(text))

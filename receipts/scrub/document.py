"""Scrubbing a receipt: every string of a JSON document, in place, but for the evidence.

The evidence is what a receipt is bound by: digests, ids and versions. It is exempt by its field,
and only in the form that the field is for, so that nothing else can hide there.
"""

import json
import re
from collections.abc import Iterable
from typing import NamedTuple

from receipts.scrub import named
from receipts.scrub.assignments import is_secret_field, names_a_secret
from receipts.scrub.beside import HEADERS, Beside
from receipts.scrub.scanner import Scanner
from receipts.scrub.values import MARK, is_wordlike

Path = tuple[str | int, ...]
_Keys = dict[Path, dict[str, str]]

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_RUN_ID = r"[0-9]{8}T[0-9]{6}Z"
_TIME = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_EVIDENCE: dict[Path, str] = {
    ("schema_version",): r"[0-9]{1,3}",
    ("skill_id",): _UUID,
    ("version",): r"v[1-9][0-9]{0,17}|[0-9a-f]{40}",
    ("content_digest",): r"sha256:[0-9a-f]{64}",
    ("run_id",): _RUN_ID,
    ("original_run_id",): _RUN_ID,
    ("provenance", "engine_commit"): r"[0-9a-f]{12,40}",
    ("provenance", "timestamp"): _TIME,
    ("source", "sha256"): r"(?:sha256:)?[0-9a-f]{64}",
}
# What is evidence wherever it stands: commit and content ids, digests, uuids.
_IDENTITY = re.compile(
    rf"[0-9a-f]{{40}}|[0-9a-f]{{64}}|sha256:[0-9a-f]{{64}}|sha512-[A-Za-z0-9+/]{{86}}==|{_UUID}"
)
_PLAIN_KEY = re.compile(r"[\w-]+")
_FIELD_RULE = "secret-field"


class Removed(NamedTuple):
    """One secret that was removed: the rule that found it and the JSON path of its field."""

    rule: str
    field: str


class Scrubbed(NamedTuple):
    """A document without its secrets, and what was removed from it."""

    data: bytes
    removed: tuple[Removed, ...]


def scrub_document(data: bytes, secrets: Iterable[str] = ()) -> Scrubbed:
    """Remove the secrets from every string and key of a JSON document.

    Order, white space and the spelling of untouched values stay as they are. Fields whose name says
    that they hold a secret are judged by that too, and so is what a neighbour names; a number there
    becomes a string. Keys of one map stay apart: the second that becomes `[redacted]` is
    `[redacted] (2)`.

    Args:
        data: The document, in UTF-8.
        secrets: Texts to remove besides what the rules find.

    Raises:
        jsontext.JsonError: The document is not JSON.
    """
    from receipts import jsontext

    secrets = tuple(secrets)
    scanner = Scanner(secrets)
    literals = {secret.strip() for secret in secrets}
    beside = Beside()
    keys = _clean_keys(data, scanner, beside)
    removed: list[Removed] = []

    def edit(path: Path, text: str, is_key: bool) -> str:  # noqa: FBT001 - jsontext's callback
        if is_key and keys[path[:-1]][text] == text:
            return text
        clean, rules = _scrub_string(scanner, path, text, beside, is_key=is_key)
        removed.extend(Removed(rule, _field(path, keys)) for rule in rules)
        return keys[path[:-1]][text] if is_key else clean

    def edit_number(path: Path, digits: str) -> str:
        is_named = digits in literals
        field = _name(path, beside)
        holds_a_secret = is_named or (names_a_secret(field) and is_secret_field(field, digits))
        if not holds_a_secret or path in _EVIDENCE:
            return digits
        removed.append(Removed(named.RULE if is_named else _FIELD_RULE, _field(path, keys)))
        return MARK

    return Scrubbed(jsontext.edit_strings(data, edit, edit_number=edit_number), tuple(removed))


def summary(removed: Iterable[Removed]) -> list[str]:
    """Return a line for every rule and field, with the number of secrets and none of their text."""
    counts: dict[Removed, int] = {}
    for one in removed:
        counts[one] = counts.get(one, 0) + 1
    return [f"redacted {count} {one.rule} in {one.field}" for one, count in counts.items()]


def _clean_keys(data: bytes, scanner: Scanner, beside: Beside) -> _Keys:
    """Return what every key of every map becomes, each different from its neighbours.

    The same walk shows `beside` every other string.
    """
    from receipts import jsontext

    keys: _Keys = {}
    clean: dict[str, str] = {}

    def learn(path: Path, text: str, is_key: bool) -> str:  # noqa: FBT001 - jsontext's callback
        if is_key:
            if text not in clean:
                clean[text], _ = _scrub_string(scanner, path, text, beside, is_key=True)
            keys.setdefault(path[:-1], {})[text] = clean[text]
        else:
            beside.learn(path, text)
        return text

    jsontext.edit_strings(data, learn)
    for names in keys.values():
        taken = {name for name, new in names.items() if name == new}
        for name, new in names.items():
            if name != new:
                names[name] = _free(new, taken)
                taken.add(names[name])
    return keys


def _free(name: str, taken: set[str]) -> str:
    """Return the name, numbered if it is taken."""
    free = name
    number = 1
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def _scrub_string(
    scanner: Scanner, path: Path, text: str, beside: Beside, *, is_key: bool
) -> tuple[str, list[str]]:
    """Return a string without its secrets, and the rules that found them."""
    evidence = _EVIDENCE.get(path)
    if evidence and not is_key and re.fullmatch(evidence, text):
        return text, []
    field = _name(path, beside)
    holds_a_secret = not is_key and names_a_secret(field)
    if _IDENTITY.fullmatch(text) and not holds_a_secret and not scanner.names(text):
        return text, []
    if holds_a_secret and is_secret_field(field, text) and not _is_list_of_words(path, field, text):
        return MARK, [_FIELD_RULE]
    if not is_key and field.lower() in HEADERS:
        # The name of a header is what its value is told by.
        lead = f"{field}: "
        clean, rules = scanner.scrub(lead + text)
        return clean.removeprefix(lead), rules
    return scanner.scrub(text)


def _is_list_of_words(path: Path, field: str, text: str) -> bool:
    """Say whether an item only stands behind a word such as `password`, as in a list of tags."""
    is_item = bool(path) and isinstance(path[-1], int)
    return is_item and field not in path and not field.startswith("-") and is_wordlike(text)


def _name(path: Path, beside: Beside) -> str:
    """Return what a value is called: by its neighbour, or by the nearest key above it."""
    above = next((part for part in reversed(path) if isinstance(part, str)), "")
    return beside.name_of(path) or above


def _field(path: Path, keys: _Keys) -> str:
    """Return a JSON path, without the text of keys that were themselves scrubbed."""
    shown = ""
    for depth, part in enumerate(path):
        if isinstance(part, int):
            shown += f"[{part}]"
        elif keys[path[:depth]][part] != part:
            shown += f".{MARK}"
        else:
            shown += f".{part}" if _PLAIN_KEY.fullmatch(part) else f"[{json.dumps(part)}]"
    return shown.removeprefix(".") or "the document"

"""Secrets that the caller names: they are hidden wherever they stand, whatever they look like."""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping

from receipts.scrub.assignments import names_a_secret
from receipts.scrub.rule import Span
from receipts.scrub.values import is_path, is_placeholder

RULE = "named-secret"
"""The rule that a finding of a named secret is reported under."""

_SHORTEST_ENCODED = 8
"""Bytes from which on a secret is looked for in base64; shorter ones would be found anywhere."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}", re.ASCII)
_BASE64_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")


def secrets_from(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of variables whose name says token, key, secret or password.

    The longest comes first. Left out is what is no secret or too plain to look for in every text:
    values shorter than eight characters, only digits, `true` and other placeholders, paths, URLs
    without a password, and words of letters in one case below sixteen characters.
    """
    values = {
        value.strip()
        for name, value in environment.items()
        if names_a_secret(name.upper()) and _is_worth_hiding(value.strip())
    }
    return tuple(sorted(values, key=lambda value: (-len(value), value)))


def _is_worth_hiding(value: str) -> bool:
    if len(value) < 8 or value.isdigit() or is_path(value) or is_placeholder(value):
        return False
    if "://" in value and "@" not in value:
        return False
    is_word = value.isalpha() and value in (value.lower(), value.upper(), value.title())
    return not is_word or len(value) >= 16


class NamedSecrets:
    """The literal texts to look for: every secret as it is and as other formats write it."""

    def __init__(self, secrets: Iterable[str]) -> None:
        plain = {secret.strip() for secret in secrets} - {""}
        self._literals = sorted(
            {form for secret in plain for form in _written_forms(secret)}, key=len, reverse=True
        )
        self._encoded = sorted({form for secret in plain for form in _base64_forms(secret)})

    def spans(self, text: str) -> Iterator[Span]:
        """Yield every occurrence; of base64 the whole run that holds the secret."""
        for literal in self._literals:
            place = text.find(literal)
            while place >= 0:
                end = place + len(literal)
                yield place, end
                place = text.find(literal, end)
        for encoded in self._encoded:
            place = text.find(encoded)
            floor = 0
            while place >= 0:
                run = _BASE64.match(text, place)
                end = run.end() if run else place + len(encoded)
                yield _start_of_run(text, place, floor), end
                floor = end
                place = text.find(encoded, end)


def _start_of_run(text: str, place: int, floor: int) -> int:
    while place > floor and text[place - 1] in _BASE64_CHARACTERS:
        place -= 1
    return place


def _written_forms(secret: str) -> Iterator[str]:
    r"""Yield a secret as it is, in URLs, and in JSON strings up to two levels deep."""
    yield secret
    if secret.isascii() and secret.isalnum():
        return
    from urllib.parse import quote, quote_plus

    quoted_forms = (
        quote(secret, errors="replace"),
        quote(secret, safe="", errors="replace"),
        quote_plus(secret, errors="replace"),
    )
    for quoted in quoted_forms:
        yield quoted
        yield re.sub("%[0-9A-F]{2}", lambda escape: escape[0].lower(), quoted)
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield once.replace("/", "\\/")
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]


def _base64_forms(secret: str) -> Iterator[str]:
    """Yield the part of a secret's base64 that is the same whatever stands before and after it.

    Three bytes make four characters, so there are three ways in which a secret can be laid out.
    """
    data = secret.encode(errors="replace")
    if len(data) < _SHORTEST_ENCODED:
        return
    for shift, skipped in ((0, 0), (1, 2), (2, 3)):
        text = base64.b64encode(bytes(shift) + data).decode().rstrip("=")
        shared = text[skipped : -1 if (shift + len(data)) % 3 else None]
        yield shared
        yield shared.translate(str.maketrans("+/", "-_"))

"""HYG2 and HYG3: what no text that is shared may hold.

Generated eval assets are held to these two as well, before anything is written.
"""

import re
from collections.abc import Iterator, Mapping

from receipts import scrub
from receipts.hygiene.finding import Finding, line_of
from receipts.hygiene.scripts import script_of

_LOOKED_AT = 8192
_INVISIBLE = re.compile("[\u202a-\u202e\u2066-\u2069\u200b-\u200d\u2060\ufeff]")
# White space as JavaScript knows it.
_RUN = re.compile("[^\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")
# Scripts that are written without blanks between words, and not taken for letters of another. A
# letter of theirs ends a word, so that 「API仕様」 is no disguise of anything.
_UNSPACED = {
    *("Han", "Hiragana", "Katakana", "Bopomofo", "Hangul", "Yi"),
    *("Thai", "Lao", "Khmer", "Myanmar", "Tibetan"),
}
_ADDRESS = re.compile(r"(?<![A-Za-z0-9._%+-])([A-Za-z0-9._%+-]++)@([A-Za-z0-9.-]+\.[A-Za-z]{2,})")
_IN_BRACKETS = re.compile(r"<([^<>]*)>")
_RESERVED = re.compile(
    r"(?:.*\.)?example\.(?:com|org|net)|test\.com|.*\.(?:invalid|test|example|local|localhost)",
    re.IGNORECASE,
)


def text_of(data: bytes) -> str | None:
    """Return a file's text, or None when it is none: a NUL near its start, or bytes not UTF-8."""
    if b"\0" in data[:_LOOKED_AT]:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def unfit_to_share(files: Mapping[str, bytes], author: str | None) -> Iterator[Finding]:
    """Yield for each text at most one finding of HYG2 and one of HYG3.

    Args:
        files: Contents by path. Each is asked for once.
        author: The skill's author as `Name <address>`, whose own address may be named.
    """
    for path in files:
        text = text_of(files[path])
        if text is not None:
            yield from unfit_text(path, text, author)


def unfit_text(path: str, text: str, author: str | None) -> Iterator[Finding]:
    """Yield the findings of one text, as `unfit_to_share` does."""
    if found := _INVISIBLE.search(text):
        message = "Contains a bidi control or zero-width character."
        yield Finding("HYG2", path, line_of(text, found.start()), message)
    elif (at := _mixed_word(text)) is not None:
        message = "Contains a whitespace-delimited token that mixes Unicode scripts."
        yield Finding("HYG2", path, line_of(text, at), message)
    if secrets := scrub.find(text):
        first = min(secret.start for secret in secrets)
        message = "Contains a credential-shaped value."
        yield Finding("HYG3", path, line_of(text, first), message)
    elif address := _foreign_address(text, author):
        yield Finding("HYG3", path, line_of(text, address.start()), _said_of(address[0], author))


def _mixed_word(text: str) -> int | None:
    """Return where the first word begins that has letters of several scripts, or None."""
    if text.isascii():
        return None
    runs = _RUN.finditer(text)
    return next((run.start() for run in runs if not run[0].isascii() and _is_mixed(run[0])), None)


def _is_mixed(run: str) -> bool:
    scripts: set[str] = set()
    for character in run:
        script = script_of(character) if character.isalpha() else "Common"
        if script in _UNSPACED:
            scripts.clear()
        elif script != "Common":
            scripts.add(script)
            if len(scripts) > 1:
                return True
    return False


def _foreign_address(text: str, author: str | None) -> re.Match[str] | None:
    own_name, _, own_domain = (_address_of(author) or "").rpartition("@")
    for found in _ADDRESS.finditer(text):
        name, domain = found.groups()
        is_own = name == own_name and domain.lower() == own_domain.lower()
        if not is_own and not _RESERVED.fullmatch(domain):
            return found
    return None


def _said_of(address: str, author: str | None) -> str:
    own = _address_of(author)
    who = (
        f"the skill author is {own}"
        if own
        else "this skill declares no metadata.author, so no address is exempt"
    )
    return (
        f"Contains the email address {address}, which is not the skill author's ({who}). Hygiene "
        "refuses addresses that could reach a real person; use a reserved domain such as "
        "example.com in test fixtures."
    )


def _address_of(author: str | None) -> str | None:
    found = _IN_BRACKETS.search(author or "")
    return found[1].strip() or None if found else None

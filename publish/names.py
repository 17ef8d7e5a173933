"""The names that a team uses, of skills, members and teams, and the paths in its repository."""

import re
import unicodedata

from receipts.filenames import shown, unsafe, unsafe_path

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TEAM_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9 ._-]{0,63}")
_NOREPLY = re.compile(r"(?:[0-9]+\+)?([^@+]+)@users\.noreply\.", re.IGNORECASE)


def unsafe_git_path(path: bytes) -> str | None:
    """Say why a path out of a repository's tree must not be written or followed, or return None.

    The answer is the same on every system, so that a team sees one thing. Names that merely cannot
    exist somewhere are not unsafe.
    """
    try:
        text = path.decode()
    except UnicodeDecodeError:
        return f"{path!r} is not valid UTF-8"
    why = unsafe_path(text)
    return f"{shown(text)} {why}" if why else None


def is_skill_name(text: str) -> bool:
    """Say whether a text may name a skill, and a folder of that name, on every system.

    Words of `a-z0-9` joined by hyphens, at most 64; no device of Windows, such as `con`.
    """
    return len(text) <= 64 and _is_slug(text)


def is_handle(text: str) -> bool:
    """Say whether a text may be a member's handle: as a skill name, at most 39 (GitHub's rule)."""
    return len(text) <= 39 and _is_slug(text)


def _is_slug(text: str) -> bool:
    return _SLUG.fullmatch(text) is not None and unsafe(text) is None


def is_team_name(text: str) -> bool:
    """Say whether a text may name a team, and a file of that name, on every system.

    ASCII letters, digits, blank, `.`, `_` and `-`, at most 64; no dot or blank at either end.
    """
    return _TEAM_NAME.fullmatch(text) is not None and unsafe(text) is None


def handle_from(name: str, email: str) -> str:
    """Propose a handle for a person: the GitHub login in a no-reply address, else from the address.

    Falls back to the name, and to `member` when nothing can be used.
    """
    noreply = _NOREPLY.match(email)
    local_part = email.partition("@")[0].partition("+")[0]
    for text in (noreply[1] if noreply else "", local_part, name):
        handle = _slug(text)
        if handle and unsafe(handle) is None:
            return handle
    return "member"


def _slug(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(char for char in letters if not unicodedata.combining(char))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:39].rstrip("-")

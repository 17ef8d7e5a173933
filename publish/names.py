"""Names that are safe on every system a teammate may use.

A team's skills are copied to Linux, macOS and Windows. A name that one of them cannot hold, or
takes for another name, is refused before it is published; a name that could reach outside its
folder is refused wherever it comes from.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable

from receipts import terminal

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TEAM_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9 ._-]{0,63}")
_NOREPLY = re.compile(r"(?:[0-9]+\+)?([^@+]+)@users\.noreply\.", re.IGNORECASE)

# HFS+ and case-folding ext4 ignore these inside a name (CVE-2014-9390).
_IGNORED = dict.fromkeys(
    [0xFEFF, *range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070)]
)
_DOT_GIT = re.compile(r"\.git|git~[0-9]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_UNPORTABLE = re.compile(r'[<>"|?*]')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\..*)?")
_SEGMENT_BYTES = 255
_LONGEST_SHOWN = 200


def problems(paths: Iterable[str]) -> list[str]:
    """Say why a set of relative paths (with `/`) must not be published, one sentence each.

    Empty when every path can exist, as itself and apart from the others, on every system.
    """
    found = []
    root = _Place("")
    for path in dict.fromkeys(paths):
        why = _each(path, _unsafe) or _each(path, _unportable)
        if why:
            found.append(f"{_shown(path)} {why}.")
        else:
            found.extend(root.add(path))
    return found


def warnings(paths: Iterable[str]) -> list[str]:
    """Say which paths may come back from another system under a different spelling.

    Composed (NFC) names keep theirs; macOS may hand out decomposed ones (dulwich#1804).
    """
    return [
        f"{_shown(path)} is not in composed Unicode form (NFC); some systems will spell it"
        " differently, and its digest with it. Rename the file."
        for path in dict.fromkeys(paths)
        if not unicodedata.is_normalized("NFC", path)
    ]


def unsafe_git_path(path: bytes) -> str | None:
    """Say why a path out of a repository's tree must not be written or followed, or return None.

    The answer is the same on every system, so that a team sees one thing. Names that merely cannot
    exist somewhere are not unsafe.
    """
    try:
        text = path.decode()
    except UnicodeDecodeError:
        return f"{path!r} is not valid UTF-8"
    why = _each(text, _unsafe)
    return f"{_shown(text)} {why}" if why else None


def is_skill_name(text: str) -> bool:
    """Say whether a text may name a skill, and a folder of that name, on every system.

    Words of `a-z0-9` joined by hyphens, at most 64; no device of Windows, such as `con`.
    """
    return len(text) <= 64 and _is_slug(text)


def is_handle(text: str) -> bool:
    """Say whether a text may be a member's handle: as a skill name, at most 39 (GitHub's rule)."""
    return len(text) <= 39 and _is_slug(text)


def _is_slug(text: str) -> bool:
    return _SLUG.fullmatch(text) is not None and _DEVICE.fullmatch(text) is None


def is_team_name(text: str) -> bool:
    """Say whether a text may name a team, and a file of that name, on every system.

    ASCII letters, digits, blank, `.`, `_` and `-`, at most 64; no dot or blank at either end.
    """
    return _TEAM_NAME.fullmatch(text) is not None and _unsafe(text) is None


def handle_from(name: str, email: str) -> str:
    """Propose a handle for a person: the GitHub login in a no-reply address, else from the address.

    Falls back to the name, and to `member` when nothing can be used.
    """
    noreply = _NOREPLY.match(email)
    local_part = email.partition("@")[0].partition("+")[0]
    for text in (noreply[1] if noreply else "", local_part, name):
        handle = _slug(text)
        if handle and _unsafe(handle) is None:
            return handle
    return "member"


def _slug(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(char for char in letters if not unicodedata.combining(char))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:39].rstrip("-")


def _each(path: str, reason: Callable[[str], str | None]) -> str | None:
    return next(filter(None, map(reason, path.split("/"))), None)


def _unsafe(segment: str) -> str | None:
    """Say why a segment may reach something else than a file of its own name."""
    try:
        length = len(segment.encode())
    except UnicodeEncodeError:
        return "is not valid UTF-8"
    if length > _SEGMENT_BYTES:
        return f"has a segment of more than {_SEGMENT_BYTES} bytes"
    if segment in {"", ".", ".."}:
        return "is absolute or has an empty, `.` or `..` segment"
    if _CONTROL.search(segment):
        return "holds a control character"
    if "\\" in segment or ":" in segment:
        return "holds `\\` or `:`, which mean something else on Windows"
    if segment.endswith((".", " ")):
        return "has a segment ending in a dot or blank, which Windows drops"
    plain = _folded(segment)
    if _DOT_GIT.fullmatch(plain):
        return "has a segment that some systems take for `.git`"
    if _DEVICE.fullmatch(plain):
        return "has a segment that names a Windows device"
    return None


def _unportable(segment: str) -> str | None:
    """Say why a segment cannot exist on some system."""
    if _UNPORTABLE.search(segment):
        return 'holds one of `< > " | ? *`, which Windows does not allow'
    return None


def _folded(segment: str) -> str:
    """Return what a file system that ignores case and Unicode form compares (Unicode D145)."""
    plain = unicodedata.normalize("NFD", segment.translate(_IGNORED))
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", plain.casefold()))


def shortened(name: str) -> str:
    """Return a name made printable, on one line and no longer than a line."""
    plain = terminal.one_line(name)
    return plain if len(plain) <= _LONGEST_SHOWN else f"{plain[:_LONGEST_SHOWN]}…"


def _shown(path: str) -> str:
    is_plain = path and path.isprintable() and path == path.strip()
    return shortened(path if is_plain else repr(path))


class _Place:
    """A name already taken: the first path that took it, and the names below it when a folder."""

    __slots__ = ("below", "is_file", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.below: dict[str, dict[str, _Place]] = {}
        self.is_file = False

    def add(self, path: str) -> list[str]:
        """Take a path, and say with which earlier ones it collides, and why."""
        found = []
        place = self
        for segment in path.split("/"):
            spellings = place.below.setdefault(_folded(segment), {})
            if segment not in spellings:
                if spellings:
                    other = next(iter(spellings.values())).path
                    found.append(_collision(path, other))
                spellings[segment] = _Place(path)
            if place.is_file:
                found.append(_file_and_folder(place.path, path))
            place = spellings[segment]
        if place.below:
            found.append(_file_and_folder(path, place.path))
        place.is_file = True
        return found


def _collision(path: str, other: str) -> str:
    return (
        f"{_shown(path)} and {_shown(other)} take the same name on systems that ignore case or"
        " Unicode form; rename one."
    )


def _file_and_folder(file: str, inside: str) -> str:
    return f"{_shown(file)} is a file, and {_shown(inside)} needs a folder of that name."

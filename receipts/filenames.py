"""File names that are safe on every system a teammate may use.

What a team shares is copied to Linux, macOS and Windows. A name that one of them cannot hold, or
takes for another name, is refused before it is shared; a name that could reach outside its folder
is refused wherever it comes from.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable

from receipts import terminal

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
    """Say why a set of relative paths (with `/`) must not be shared, one sentence each.

    Empty when every path can exist, as itself and apart from the others, on every system.
    """
    taken = Paths()
    return [sentence for path in dict.fromkeys(paths) for sentence in taken.add(path)]


class Paths:
    """The files of one folder, as one after another takes its path."""

    def __init__(self) -> None:
        self._root = _Place("")

    def add(self, path: str) -> list[str]:
        """Take a path; say why it cannot exist beside the earlier ones, one sentence each."""
        why = unsafe_path(path) or _each(path, unportable)
        return [f"{shown(path)} {why}."] if why else self._root.add(path)


def warnings(paths: Iterable[str]) -> list[str]:
    """Say which paths may come back from another system under a different spelling.

    Composed (NFC) names keep theirs; macOS may hand out decomposed ones (dulwich#1804).
    """
    return [
        f"{shown(path)} is not in composed Unicode form (NFC); some systems will spell it"
        " differently, and its digest with it. Rename the file."
        for path in dict.fromkeys(paths)
        if not unicodedata.is_normalized("NFC", path)
    ]


def unsafe_path(path: str) -> str | None:
    """Say why a relative path must not be written or followed anywhere, or return None."""
    return _each(path, unsafe)


def unsafe(segment: str) -> str | None:
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
    plain = folded(segment)
    if _DOT_GIT.fullmatch(plain):
        return "has a segment that some systems take for `.git`"
    if _DEVICE.fullmatch(plain):
        return "has a segment that names a Windows device"
    return None


def unportable(segment: str) -> str | None:
    """Say why a segment cannot exist on some system."""
    if _UNPORTABLE.search(segment):
        return 'holds one of `< > " | ? *`, which Windows does not allow'
    return None


def folded(segment: str) -> str:
    """Return what a file system that ignores case and Unicode form compares (Unicode D145)."""
    plain = unicodedata.normalize("NFD", segment.translate(_IGNORED))
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", plain.casefold()))


def shortened(name: str) -> str:
    """Return a name made printable, on one line and no longer than a line."""
    plain = terminal.one_line(name)
    return plain if len(plain) <= _LONGEST_SHOWN else f"{plain[:_LONGEST_SHOWN]}…"


def shown(path: str) -> str:
    """Return a path as a sentence shows it: in quotes when it holds what cannot be seen."""
    is_plain = path and path.isprintable() and path == path.strip()
    return shortened(path if is_plain else repr(path))


def _each(path: str, reason: Callable[[str], str | None]) -> str | None:
    return next(filter(None, map(reason, path.split("/"))), None)


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
            spellings = place.below.setdefault(folded(segment), {})
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
        f"{shown(path)} and {shown(other)} take the same name on systems that ignore case or"
        " Unicode form; rename one."
    )


def _file_and_folder(file: str, inside: str) -> str:
    return f"{shown(file)} is a file, and {shown(inside)} needs a folder of that name."

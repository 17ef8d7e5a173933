"""How two skill folders differ, file by file, and whether the difference is only in appearance."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from receipts import folder
from receipts.digest import Measured, measure, measure_of
from receipts.errors import SkillError

ADDED = "added"
REMOVED = "removed"
CHANGED = "changed"
LINE_ENDINGS = "line endings"
EXECUTABLE = "executable bit"


class Difference(NamedTuple):
    """One path that differs, and how, as one of the words above.

    Only the executable bit does not count in the digest.
    """

    path: str
    kind: str


def compare_folders(
    old: str | os.PathLike[str], new: str | os.PathLike[str]
) -> tuple[Measured, Measured, list[Difference]]:
    """Measure two folders and return both and their differences, by path.

    Raises:
        SkillError: One of the folders cannot be measured.
    """
    before, after = measure(old), measure(new)
    differences = []
    for difference in compare_measured(before, after):
        kind = difference.kind
        if kind == CHANGED and _differ_in_line_endings(old, new, difference.path):
            kind = LINE_ENDINGS
        differences.append(Difference(difference.path, kind))
    return before, after, differences


def compare_measured(before: Measured, after: Measured) -> list[Difference]:
    """Return the differences between two measured skills, by path."""
    old = {file.path: file for file in before.files}
    new = {file.path: file for file in after.files}
    changes = compare_hashes(
        {path: file.sha256 for path, file in old.items()},
        {path: file.sha256 for path, file in new.items()},
    )
    bits = [
        Difference(path, EXECUTABLE)
        for path in old.keys() & new.keys()
        if old[path].executable != new[path].executable
    ]
    return sorted(changes + bits)


def compare_hashes(old: Mapping[str, str], new: Mapping[str, str]) -> list[Difference]:
    """Return what changed between two maps of path to content hash, by path."""
    return sorted(
        [Difference(path, REMOVED) for path in old.keys() - new.keys()]
        + [Difference(path, ADDED) for path in new.keys() - old.keys()]
        + [Difference(path, CHANGED) for path in old.keys() & new.keys() if old[path] != new[path]]
    )


def name_line_endings(
    differences: Sequence[Difference], old: Mapping[str, str], read: Callable[[str], bytes]
) -> list[Difference]:
    """Return differences with the kind `line endings` where nothing else changed in a file.

    Args:
        differences: As `compare_hashes` returns them.
        old: The content hashes before; every line of a file then ended in one way.
        read: Returns what is at a path now. A path of which it raises SkillError stays as it is.
    """
    return [
        item._replace(kind=LINE_ENDINGS)
        if item.kind == CHANGED and old[item.path] in _with_other_line_endings(item.path, read)
        else item
        for item in differences
    ]


def _with_other_line_endings(path: str, read: Callable[[str], bytes]) -> set[str]:
    """Return the content hashes of a file with its lines ended as on Unix, and as on Windows."""
    try:
        data = read(path)
    except SkillError:
        return set()
    unix = data.replace(b"\r\n", b"\n")
    texts = (unix, unix.replace(b"\n", b"\r\n"))
    return {measure_of({path: text}).files[0].sha256 for text in texts}


def _differ_in_line_endings(
    old: str | os.PathLike[str], new: str | os.PathLike[str], path: str
) -> bool:
    first, _ = folder.read(folder.Found(path, folder.locate(old, path)))
    second, _ = folder.read(folder.Found(path, folder.locate(new, path)))
    return first.replace(b"\r\n", b"\n") == second.replace(b"\r\n", b"\n")

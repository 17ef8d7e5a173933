"""Filters that a `.gitattributes` asks for, such as that of Git LFS.

Receipts reads and writes what git stores, and runs no filter. Where git applies one, what a member
checks out or commits by hand is something else than what was measured.
"""

import re

from receipts import terminal

_LIMIT = 1 << 20
_FILTER = re.compile(rb"[ \t]filter=([^ \t\r]+)")
_LONGEST_NAME = 60


def filters(path: str, data: bytes) -> list[str]:
    """Return a sentence for each line of the `.gitattributes` at a path that asks for a filter."""
    found = []
    for number, line in enumerate(data[:_LIMIT].split(b"\n"), 1):
        match = _FILTER.search(line)
        if match and not line.lstrip().startswith(b"#"):
            name = terminal.one_line(match[1].decode("utf-8", "replace"))[:_LONGEST_NAME]
            found.append(
                f"{path} line {number} has git pass files through the filter {name}: what git "
                "checks out or takes in by hand is then not what receipts reads and writes."
            )
    return found

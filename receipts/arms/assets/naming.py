"""What a case may be called: a receipt's row is named by it, and files of a run are."""

from receipts.filenames import unportable, unsafe

_LONGEST = 100
_LONGEST_FILE = 200  # bytes; a file's name has at most 255, with arm, repetition and attempt in it


def row_problem(name: str) -> str | None:
    """Say why a row of a receipt cannot have a name, or return None."""
    if not name.strip():
        return "is blank"
    if len(name) > _LONGEST:
        return f"has more than {_LONGEST} characters"
    return None if name.isprintable() else "holds a character that cannot be seen"


def file_problem(name: str) -> str | None:
    """Say why files of a run cannot be named by a case on every system, or return None."""
    if name.startswith((".", " ")):
        return "starts with a dot or blank"
    if len(name.encode("utf-8", "surrogatepass")) > _LONGEST_FILE:
        return f"has more than {_LONGEST_FILE} bytes"
    return row_problem(name) or unsafe(name) or unportable(name)

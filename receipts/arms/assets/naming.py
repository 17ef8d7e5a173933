"""What a case may be called: a receipt's row is named by it, and files of a run are."""

from receipts.filenames import unportable, unsafe

_LONGEST = 100


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
    return row_problem(name) or unsafe(name) or unportable(name)

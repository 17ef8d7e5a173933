"""Transcripts apart from the rest of a saved run, where nobody asked for them.

Nine tenths of a saved run are transcripts. In the layout that runs are written in, a transcript
begins and ends on lines of its own, indented alike. A line feed cannot stand inside a JSON string,
so those lines are what they look like whenever what is left, with `null` for each transcript, is
JSON. The caller finds that out by parsing it, and parses the whole where it is not.
"""

from collections.abc import Callable

_KEY = b'"transcript": [\n'
_VALUE = _KEY.index(b"[")


def without(data: bytes, look: Callable[[bytes], object] | None = None) -> bytes:
    """Return a saved run with `null` for each transcript that stands on lines of its own.

    Args:
        data: The file.
        look: Called with the JSON of each of them; what it raises is passed on.
    """
    rest: list[bytes] = []
    done = at = 0
    while (at := data.find(_KEY, at)) >= 0:
        line = data.rfind(b"\n", 0, at)
        indent = data[line + 1 : at]
        begins, at = at + _VALUE, at + len(_KEY)
        ends = data.find(b"\n%b]" % indent, at - 1)
        if line < 0 or indent.strip(b" ") or ends < 0:
            continue
        ends += len(indent) + 2
        if look is not None:
            look(data[begins:ends])
        rest += (data[done:begins], b"null")
        done = at = ends
    rest.append(data[done:])
    return b"".join(rest)

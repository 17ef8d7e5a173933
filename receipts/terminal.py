"""Text from repositories, servers and models, made safe to print."""

import io
import re
import sys
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.table import Table

# C0 and C1 controls but for tab and line feed, the bidirectional controls that reorder a line,
# and lone surrogates, which no terminal encoding can write.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str) -> str:
    r"""Return text with every control character written out as `\xNN` or `\uNNNN`.

    Tab and line feed stay. The result cannot move the cursor, colour the screen, set a title or
    reorder what is read (the class of CVE-2024-52005).
    """
    return _UNSAFE.sub(lambda match: _escape(match[0]), text)


def one_line(text: str) -> str:
    """Return text made printable, on a single line."""
    return " ".join(printable(text).split())


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def write(text: str, stream: TextIO | None) -> None:
    """Print text and a line feed, replacing what the stream's encoding cannot hold.

    The stream is None when whoever started us closed it; then there is nobody to tell.
    """
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def say(text: str) -> None:
    """Print a message for the person, made printable, on stderr."""
    write(printable(text), sys.stderr)
    if sys.stderr is not None:
        sys.stderr.flush()


def print_text(text: str) -> None:
    """Print a result, made printable, on stdout."""
    write(printable(text), sys.stdout)


def print_json(document: Any) -> None:  # noqa: ANN401 - any JSON document
    """Print one JSON document on stdout; text outside ASCII is escaped, so it is safe to show.

    Numbers that `jsontext` read keep their digits.

    Raises:
        ValueError: It holds a number that JSON cannot.
    """
    from receipts import jsontext

    write(jsontext.dumps(document, indent="  ", ascii_only=True), sys.stdout)


def print_table(table: "Table") -> None:
    """Print a rich table on stdout, replacing what the stream's encoding cannot hold."""
    from rich.console import Console

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    Console().print(table)


def columns() -> int:
    """Return the width of the terminal, as tables are fitted to it."""
    from rich.console import Console

    return Console().width


def is_interactive() -> bool:
    """Say whether a question can be asked: stdin and stderr are both terminals."""
    streams = (sys.stdin, sys.stderr)
    return all(stream is not None and stream.isatty() for stream in streams)

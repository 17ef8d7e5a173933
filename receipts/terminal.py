"""What is printed: made safe, with the home folder as `~`, and never lost without a word."""

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from receipts.errors import OutputError

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

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


def shortened(text: str) -> str:
    """Return text with the person's home folder as a shell writes it, `~`, where a path begins.

    What stands in quotes stays as it is, for no shell reads a `~` there; so do addresses.
    """
    home = os.path.expanduser("~")
    if os.name != "posix" or not os.path.isabs(home) or home == "/" or home not in text:
        return text
    return re.sub(rf"(?<![^\s(`]){re.escape(home)}(?=/|[.,;:)`]*(?:\s|$))", "~", text)


def write(text: str, stream: TextIO | None) -> None:
    """Print text and a line feed, replacing what the stream's encoding cannot hold.

    The stream is None when whoever started us closed it; then there is nobody to tell.
    """
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")


_unsaid = False


def say(text: str) -> None:
    """Print a message for the person, made printable, on stderr.

    When it cannot be written the work goes on, and `settled` says so at its end.
    """
    global _unsaid
    try:
        write(printable(shortened(text)), sys.stderr)
        _flush(sys.stderr)
    except OSError as error:
        _unsaid = _unsaid or not isinstance(error, BrokenPipeError)
        _give_up(sys.stderr)


def print_text(text: str) -> None:
    """Print a result, made printable, on stdout.

    Raises:
        OutputError: It cannot be written.
        BrokenPipeError: Its reader left.
    """
    print_content(shortened(text))


def print_content(text: str) -> None:
    """As `print_text`, for words that are not ours, in which nothing is shortened."""
    with _printing():
        write(printable(text), sys.stdout)


def print_json(document: Any) -> None:  # noqa: ANN401 - any JSON document
    """Print one JSON document on stdout; text outside ASCII is escaped, so it is safe to show.

    Numbers that `jsontext` read keep their digits.

    Raises:
        ValueError: It holds a number that JSON cannot.
        OutputError: As `print_text`.
    """
    from receipts import jsontext

    with _printing():
        write(jsontext.dumps(document, indent="  ", ascii_only=True), sys.stdout)


def print_rich(shown: "Table | Text") -> None:
    """Print what rich lays out on stdout, replacing what the stream's encoding cannot hold.

    Raises:
        OutputError: As `print_text`.
    """
    import shutil

    from rich.console import Console
    from rich.text import Text

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    width, height = shutil.get_terminal_size()  # rich takes a dumb terminal's for granted
    with _printing():
        Console(width=width, height=height).print(shown, soft_wrap=isinstance(shown, Text))


def finish() -> None:
    """Write what is still on its way to stdout.

    Raises:
        OutputError: As `print_text`.
    """
    with _printing():
        _flush(sys.stdout)


def settled() -> bool:
    """Say whether everything reached its stream; what did not is given up.

    Python writes what is left when it ends, and has its own words and exit code for a failure.
    """
    global _unsaid
    is_whole, _unsaid = not _unsaid, False
    for stream in (sys.stdout, sys.stderr):
        try:
            _flush(stream)
        except OSError as error:
            is_whole = is_whole and isinstance(error, BrokenPipeError)
            _give_up(stream)
    return is_whole


@contextlib.contextmanager
def _printing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        _give_up(sys.stdout)
        why = error.strerror or str(error)
        raise OutputError(f"The output could not be written: {why}.") from error


def _flush(stream: TextIO | None) -> None:
    if stream is not None:
        stream.flush()


def _give_up(stream: TextIO | None) -> None:
    """Point a stream at nothing, so that what is left in it goes there."""
    if stream is None:
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, stream.fileno())
    os.close(nothing)


def columns() -> int:
    """Return the width of the terminal."""
    import shutil

    return shutil.get_terminal_size().columns


def is_shown() -> bool:
    """Say whether results go to a terminal, where they may be laid out and coloured."""
    return sys.stdout is not None and sys.stdout.isatty()


def is_interactive() -> bool:
    """Say whether a question can be asked: stdin and stderr are both terminals."""
    streams = (sys.stdin, sys.stderr)
    return all(stream is not None and stream.isatty() for stream in streams)

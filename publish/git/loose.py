"""Objects kept one to a file, as git keeps new ones: written whole and durably, or not at all."""

import contextlib
import os
import zlib
from typing import IO

from publish.git import packentry

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_HEADER = 64
_PEEK = 256
_PIECE = 1 << 16


def write(objects: str, identifier: bytes, content: bytes) -> None:
    """Write an object into an `objects` folder.

    A file of the same name is replaced unless it is as long as this one: what a power cut left
    there is thereby healed.

    Args:
        objects: The folder.
        identifier: The object's id.
        content: Its header and data.

    Raises:
        OSError: The disk is full, or the folder cannot be written.
    """
    compressed = zlib.compress(content)
    target = _place(objects, identifier)
    with contextlib.suppress(OSError):
        if os.stat(target).st_size == len(compressed):
            return
    folder = os.path.dirname(target)
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder)
    # git clears away what has this name, should we be killed in somebody else's repository.
    temporary = os.path.join(folder, f"tmp_obj_{os.urandom(6).hex()}")
    descriptor = os.open(temporary, _CREATE, 0o444 if os.name == "posix" else 0o600)
    try:
        with open(descriptor, "wb", buffering=0) as stream:
            rest = memoryview(compressed)
            while rest:
                rest = rest[stream.write(rest) :]
            os.fsync(descriptor)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def read(objects: str, identifier: bytes, most: int) -> tuple[bytes, bytes]:
    """Return an object's kind by name, and its data.

    Raises:
        KeyError: There is no such file.
        Oversized: It has more than `most` bytes.
        ValueError, zlib.error: The file is garbled.
    """
    stream, parts, total = zlib.decompressobj(), [], 0
    with _opened(objects, identifier) as file:
        while not stream.eof and total <= _HEADER + most:
            piece = stream.unconsumed_tail or file.read(_PIECE)
            if not piece:
                raise ValueError("the object's file is cut short")
            parts.append(stream.decompress(piece, _HEADER + most + 1 - total))
            total += len(parts[-1])
    header, _, data = b"".join(parts).partition(b"\0")
    if len(data) > most or not stream.eof:
        raise packentry.Oversized
    return header.split(b" ")[0], data


def size(objects: str, identifier: bytes) -> int:
    """Return the size of an object's data in bytes, from its first few.

    Raises:
        KeyError: There is no such file.
        ValueError, zlib.error: The file is garbled.
    """
    with _opened(objects, identifier) as file:
        start = zlib.decompressobj().decompress(file.read(_PEEK), _HEADER)
    return int(start[: start.index(b"\0")].split(b" ")[1])


def _opened(objects: str, identifier: bytes) -> IO[bytes]:
    try:
        return open(_place(objects, identifier), "rb")
    except FileNotFoundError:
        raise KeyError(identifier) from None


def _place(objects: str, identifier: bytes) -> str:
    name = identifier.decode("ascii")
    return os.path.join(objects, name[:2], name[2:])

"""The entries of a git pack, taken apart without inflating more than is asked for.

Source of the format: git's `gitformat-pack`.
"""

import mmap
import zlib
from collections.abc import Iterator

Bytes = bytes | mmap.mmap
OFS_DELTA, REF_DELTA = 6, 7
_PIECE = 1 << 14  # of a pack; it may stand for a thousand times as many bytes


class Oversized(Exception):  # noqa: N818 - a signal to the store, which knows what was asked for
    """An object has more bytes than the caller takes; none or few of them were inflated."""


def head(pack: Bytes, position: int) -> tuple[int, int, int]:
    """Return kind and size of the entry at a place in a pack, and where its base or data starts.

    Raises:
        IndexError: The pack ends there.
    """
    kind, size, shift = (pack[position] >> 4) & 7, pack[position] & 15, 4
    while pack[position] & 0x80:
        position += 1
        size |= (pack[position] & 0x7F) << shift
        shift += 7
    return kind, size, position + 1


def base(pack: Bytes, kind: int, position: int) -> tuple[int | bytes | None, int]:
    """Return what an entry is a delta of, and where its data starts.

    That is how many bytes before this entry the other one stands, the other's id in binary, or
    None for an entry that is no delta.

    Raises:
        IndexError: The pack ends there.
    """
    if kind == REF_DELTA:
        return bytes(pack[position : position + 20]), position + 20
    if kind != OFS_DELTA:
        return None, position
    distance = pack[position] & 0x7F
    while pack[position] & 0x80:
        position += 1
        distance = (distance + 1) << 7 | (pack[position] & 0x7F)
    return distance, position + 1


def result_size(delta: bytes) -> int:
    """Return how many bytes a delta makes, which stands behind the size of its base.

    Raises:
        IndexError: The delta ends there.
    """
    _, position = _varint(delta, 0)
    return _varint(delta, position)[0]


def object_sizes(pack: Bytes) -> Iterator[int]:
    """Yield how many bytes each object of a pack has, before any of them is inflated.

    Of a delta those of its instructions come first and those of what they make second. No object
    is ever in memory whole.

    Raises:
        ValueError, IndexError, zlib.error: The pack is garbled.
    """
    position = 12
    for _ in range(int.from_bytes(pack[8:12], "big")):
        kind, size, position = head(pack, position)
        _, position = base(pack, kind, position)
        yield size
        stream, start, total = zlib.decompressobj(), b"", 0
        while not stream.eof:
            piece = bytes(pack[position : position + _PIECE])
            if not piece:
                raise ValueError("the pack ends inside an object")
            data = stream.decompress(piece)
            position += len(piece) - len(stream.unused_data)
            start, total = start or data[:32], total + len(data)
        if total != size:
            raise ValueError("an object of the pack is not as long as it says")
        if kind in (OFS_DELTA, REF_DELTA):
            yield result_size(start)


def inflated_size(pack: Bytes, *, limit: int) -> int:
    """Return how many bytes the objects of a pack have, or the first sum above the limit.

    Raises:
        ValueError, IndexError, zlib.error: The pack is garbled.
    """
    total = 0
    for size in object_sizes(pack):
        total += size
        if total > limit:
            break
    return total


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if not byte & 0x80:
            return value, position

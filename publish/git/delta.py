"""Git's deltas, for the one edit that is made here: a few entries of a large tree changed.

Everything between the common beginning and the common end is inserted, the rest copied. A directory
of ten thousand entries then costs a hundred bytes on the wire instead of half a megabyte.
"""

from collections.abc import Callable

_COPY = 0x80
_MOST_COPIED = 0xFFFF
_MOST_INSERTED = 127


def delta(base: bytes, new: bytes) -> bytes:
    """Return the instructions that turn one content into another."""
    shorter = min(len(base), len(new))
    start = _common(shorter, lambda n: base[:n] == new[:n])
    end = _common(shorter - start, lambda n: base[len(base) - n :] == new[len(new) - n :])
    inserted = new[start : len(new) - end]
    parts = [_size(len(base)), _size(len(new)), *_copies(0, start)]
    for position in range(0, len(inserted), _MOST_INSERTED):
        piece = inserted[position : position + _MOST_INSERTED]
        parts += [bytes([len(piece)]), piece]
    return b"".join([*parts, *_copies(len(base) - end, end)])


def _common(most: int, is_common: Callable[[int], bool]) -> int:
    """Return the largest length up to `most` that is common, by bisection over slices."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_common(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _size(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _copies(offset: int, length: int) -> list[bytes]:
    """Return instructions that copy from the base: a bit for each byte of offset and size given."""
    out = []
    while length:
        count = min(length, _MOST_COPIED)
        command, arguments = _COPY, bytearray()
        for bit, byte in enumerate(offset.to_bytes(4, "little") + count.to_bytes(2, "little")):
            if byte:
                command |= 1 << bit
                arguments.append(byte)
        out.append(bytes([command, *arguments]))
        offset, length = offset + count, length - count
    return out

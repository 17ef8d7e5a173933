"""The objects in a store's packs: found through dulwich's index, read from the pack as needed.

A pack is read and not mapped into memory: one that is cut short under a map ends the process.
"""

import io
import os
import zlib
from collections.abc import Iterable
from typing import NamedTuple

from dulwich.objects import ObjectID
from dulwich.pack import Pack, PackFileDisappeared, apply_delta

from publish.git import packentry

_FIRST = 1 << 12  # read at once: all of most objects
_PIECE = 1 << 16
_MOST_KEPT = 16 << 20  # bytes of objects that others may be deltas of
_LARGEST = 64 << 20  # bytes of what an object is a delta of, and of the delta
_LONGEST_CHAIN = 4096  # git makes chains of 50


class Packs:
    """The packs of one `objects` folder that were looked at so far."""

    def __init__(self) -> None:
        self._packs: list[_Reader] = []
        self._inflated: dict[tuple[_Reader, int], tuple[int, bytes]] = {}
        self._kept = 0

    def close(self) -> None:
        """Close every file and forget every pack."""
        self.look_at([])

    def look_at(self, packs: Iterable[Pack]) -> None:
        """Know these packs from now on, and no others."""
        self._inflated.clear()
        self._kept = 0
        for reader in self._packs:
            reader.close()
        self._packs = [_Reader(pack) for pack in packs]

    def size(self, identifier: bytes) -> int:
        """Return how many bytes an object has, without decoding all of it.

        Raises:
            KeyError: It is in none of the packs.
            PackFileDisappeared: The pack was put into another one meanwhile.
            ValueError, IndexError, zlib.error: The pack is garbled.
        """
        reader, offset = self._find(identifier)
        return reader.size(offset)

    def read(self, identifier: bytes, most: int) -> tuple[int, bytes]:
        """Return an object's kind and content.

        Args:
            identifier: Its id.
            most: The most bytes that it may have.

        Raises:
            KeyError: It is in none of the packs.
            Oversized: It is larger, or a delta of what no object that is read may hold.
            PackFileDisappeared: The pack was put into another one meanwhile.
            ApplyDeltaError, ValueError, IndexError, zlib.error: The pack is garbled.
        """
        reader, offset = self._find(identifier)
        deltas: list[tuple[tuple[_Reader, int], bytes | None]] = []
        held = 0
        while True:
            place = reader, offset
            if place in self._inflated:
                kind, data = self._inflated[place]
                break
            kind, data, base = reader.entry(offset, _LARGEST)
            if base is None:
                self._keep(place, kind, data)
                break
            if packentry.result_size(data) > (_LARGEST if deltas else most):
                raise packentry.Oversized
            held += len(data)
            deltas.append((place, data if held <= _MOST_KEPT else None))  # else read again
            if len(deltas) > _LONGEST_CHAIN:
                raise ValueError("deltas of deltas without an end")
            if isinstance(base, int):
                offset = base
            else:
                reader, offset = self._find(base.hex().encode())
        for place, delta in reversed(deltas):
            reader, offset = place
            delta_again = reader.entry(offset, _LARGEST).data if delta is None else delta
            data = b"".join(apply_delta(data, delta_again))
            self._keep(place, kind, data)
        if len(data) > most:
            raise packentry.Oversized
        return kind, data

    def _find(self, identifier: bytes) -> "tuple[_Reader, int]":
        for reader in self._packs:
            try:
                return reader, reader.offset(identifier)
            except (KeyError, FileNotFoundError):  # the latter: put into another pack meanwhile
                continue
        raise KeyError(identifier)

    def _keep(self, place: "tuple[_Reader, int]", kind: int, data: bytes) -> None:
        if self._kept + len(data) > _MOST_KEPT:
            self._inflated.clear()
            self._kept = 0
        if len(data) <= _MOST_KEPT:
            self._inflated[place] = kind, data
            self._kept += len(data)


class _Entry(NamedTuple):
    """An entry: of a delta the instructions, and the offset or the id of what it is a delta of."""

    kind: int
    data: bytes
    base: int | bytes | None


class _Reader:
    """One pack."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._file: io.FileIO | None = None

    def close(self) -> None:
        """Close the pack's file; dulwich closes its index."""
        if self._file:
            self._file.close()

    def offset(self, identifier: bytes) -> int:
        """Return where an object stands in the pack.

        Raises:
            KeyError: It is not in this pack.
        """
        return self._pack.index.object_offset(ObjectID(identifier))

    def size(self, offset: int) -> int:
        """Return how many bytes the object at an offset has."""
        start = self._read(offset, _FIRST)
        kind, size, position = packentry.head(start, 0)
        base, position = packentry.base(start, kind, position)
        if base is None:
            return size
        return packentry.result_size(zlib.decompressobj().decompress(start[position:], 32))

    def entry(self, offset: int, most: int) -> _Entry:
        """Return what stands at an offset, inflated.

        Raises:
            Oversized: That would have more than `most` bytes.
        """
        start = self._read(offset, _FIRST)
        kind, size, position = packentry.head(start, 0)
        base, position = packentry.base(start, kind, position)
        if size > most:
            raise packentry.Oversized
        stream = zlib.decompressobj()
        data = stream.decompress(start[position:], size + 1)
        if not stream.eof:
            data = self._rest(stream, data, size)
        if len(data) != size:
            raise ValueError("an object of the pack is not as long as it says")
        return _Entry(kind, data, offset - base if isinstance(base, int) else base)

    def _rest(self, stream: "zlib._Decompress", start: bytes, size: int) -> bytes:
        """Inflate what stands in the file behind what was read of it so far."""
        parts, total = [start], len(start)
        while not stream.eof and total <= size:
            piece = stream.unconsumed_tail or self._opened().read(_PIECE)
            if not piece:
                raise ValueError("the pack ends inside an object")
            parts.append(stream.decompress(piece, size + 1 - total))
            total += len(parts[-1])
        return b"".join(parts)

    def _read(self, offset: int, length: int) -> bytes:
        file = self._opened()
        file.seek(offset)
        return file.read(length) or b""

    def _opened(self) -> io.FileIO:
        if self._file is None:
            try:
                self._file = io.FileIO(os.fspath(self._pack.data.path))
            except FileNotFoundError:
                raise PackFileDisappeared(self._pack) from None
        return self._file

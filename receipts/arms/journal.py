"""The journal of a run: a line for each thing done and paid for, so that a killed run goes on.

A line is appended whole and made durable before the run relies on it. A line that a killed process
left half-written is the last one, and is passed over.
"""

import json
import os
import threading
from pathlib import Path
from typing import Any

from receipts import jsontext
from receipts.errors import EvalError
from receipts.files import StrPath

NAME = "journal.jsonl"
Record = dict[str, Any]


class Journal:
    """The journal in a run's folder. Threads may append at once."""

    def __init__(self, folder: StrPath) -> None:
        self.folder = Path(folder)
        self._path = self.folder / NAME
        self._lock = threading.Lock()

    def append(self, record: Record) -> None:
        """Write a record behind the others.

        Raises:
            EvalError: It cannot be written.
        """
        line = json.dumps(record, ensure_ascii=True).encode() + b"\n"
        with self._lock:
            try:
                descriptor = os.open(
                    self._path,
                    os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0),
                    0o600,
                )
                try:
                    self._end_torn_line(descriptor)
                    written = os.write(descriptor, line)
                    if written < len(line):  # the disk is full; what stands there is passed over
                        raise OSError(28, "the disk is full")
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
            except OSError as error:
                raise EvalError(
                    f"Cannot write {self._path}: {error.strerror or error}.",
                    f"When that is mended, `receipts eval --resume {self.folder.name}` goes on.",
                ) from error

    def _end_torn_line(self, descriptor: int) -> None:
        """Close a line that a killed process left open, so that the next one stands alone."""
        size = os.fstat(descriptor).st_size
        if size == 0:
            return
        with open(self._path, "rb") as stream:
            stream.seek(size - 1)
            if stream.read(1) != b"\n":
                os.write(descriptor, b"\n")

    def records(self) -> list[Record]:
        """Return what was written, in order; lines that are no JSON map are passed over.

        Raises:
            EvalError: The journal cannot be read.
        """
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise EvalError(f"Cannot read {self._path}: {error.strerror}.") from error
        found = []
        for line in data.split(b"\n"):
            try:
                record = jsontext.loads(line)
            except jsontext.JsonError:
                continue
            if isinstance(record, dict):
                found.append(record)
        return found

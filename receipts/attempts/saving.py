"""A run on the disk, in the form of the reference tool; a saved run is never written over."""

import contextlib
import errno
import os
import re
import tempfile
from itertools import count
from typing import Any

from pydantic_core import PydanticSerializationError

from receipts.attempts.results import folder_of, id_of
from receipts.attempts.runfile import RunFile
from receipts.errors import ResultsError, StoreError
from receipts.files import StrPath, write_atomic

_SURROGATE = re.compile("[\ud800-\udfff]")
# What file systems say that know no second name for a file.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def content(run: RunFile) -> bytes:
    """Return a run as its file has it: two spaces a level, with the numbers that follow."""
    without = {"receipts"} if run.receipts is None else None
    try:
        text = run.model_dump_json(indent=2, exclude=without)
    except PydanticSerializationError:
        # A tool was called with half a surrogate pair, which UTF-8 cannot hold.
        whole = RunFile.model_validate(_writable(run.model_dump()))
        text = whole.model_dump_json(indent=2, exclude=without)
    return text.encode()


def save(run: RunFile, root: StrPath) -> str:
    """File a run under its spec and the second in which it ended, and return its path.

    A second run of one second gets `-2` behind its id, and so on. The file appears whole.

    Raises:
        UnusableRoot: A file stands where the folder of results is to be.
        ResultsError: The name of its spec cannot name a folder.
        StoreError: It cannot be written.
    """
    spec = run.run.spec
    if spec in ("", ".", "..") or "/" in spec or "\\" in spec or "\0" in spec:
        raise ResultsError(f"A run of a spec called {spec!r} cannot be saved.", "Rename its file.")
    folder = os.path.join(folder_of(root), spec)
    data, name = content(run), id_of(run.run.timestamp)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise _failure("make the folder", folder, error) from error
    finished = os.path.join(folder, f".{os.urandom(8).hex()}.tmp")
    write_atomic(finished, data)
    try:
        for number in count(1):
            path = os.path.join(folder, f"{name}{f'-{number}' if number > 1 else ''}.json")
            if _named(finished, path):
                return path
    except OSError as error:
        raise _failure("write", folder, error) from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(finished)
    raise AssertionError("there is always one more number")


def write(run: RunFile, path: StrPath) -> None:
    """Write a run to a place of the user's choice as well, over whatever is there.

    Raises:
        StoreError: It cannot be written.
    """
    folder = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise _failure("make the folder", folder, error) from error
    write_atomic(path, content(run))


def save_aside(run: RunFile) -> str:
    """Write a run that has no place into a new temporary file, and return its path.

    Raises:
        StoreError: It cannot be written there either.
    """
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", run.run.spec)[:100]
    try:
        descriptor, path = tempfile.mkstemp(prefix=f"caliper-{plain}-", suffix=".json")
        os.close(descriptor)
    except OSError as error:
        raise _failure("write into", tempfile.gettempdir(), error) from error
    write_atomic(path, content(run))
    return path


def _named(finished: str, path: str) -> bool:
    """Give a finished file its name unless that is taken; say whether it was free."""
    try:
        os.link(finished, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Here the name is claimed first. Killed in between, an empty file keeps it, which is
        # named by every command that reads it.
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        os.replace(finished, path)
    return True


def _failure(what: str, path: str, error: OSError) -> StoreError:
    return StoreError(f"Cannot {what} {path}: {error.strerror or error}.")


def _writable(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value with what UTF-8 cannot hold replaced."""
    if isinstance(value, str):
        return _SURROGATE.sub("�", value)
    if isinstance(value, dict):
        return {_writable(key): _writable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_writable(item) for item in value]
    return value

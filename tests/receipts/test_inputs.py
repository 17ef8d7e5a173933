"""What a person hands over: files, pipes and stdin, bounded in size and time."""

import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from receipts import inputs
from receipts.errors import StoreError
from tests.store.samples import ROOT

READ = (
    "import sys\n"
    "from receipts import errors, inputs\n"
    "try:\n"
    "    print(inputs.read(sys.argv[1], 1000))\n"
    "except errors.StoreError as error:\n"
    "    print(error)\n"
)


@pytest.fixture
def pipe(tmp_path: Path) -> Callable[[bytes], Path]:
    """Return a function that makes a named pipe, to which a thread writes some bytes."""

    def make(data: bytes) -> Path:
        path = tmp_path / "pipe"
        os.mkfifo(path)

        def write() -> None:
            with path.open("wb", buffering=0) as stream:
                for place in range(0, len(data), 100):
                    try:
                        stream.write(data[place : place + 100])
                    except BrokenPipeError:
                        return

        threading.Thread(target=write, daemon=True).start()
        return path

    return make


def test_a_file_and_a_link_to_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"all of it")
    (tmp_path / "link").symlink_to("file")
    for path in (tmp_path / "file", tmp_path / "link"):
        assert not inputs.is_stream(path)
        assert inputs.read(path, 9) == b"all of it"
        with pytest.raises(StoreError, match="more than the 8 bytes"):
            inputs.read(path, 8)


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_a_pipe_is_read_to_its_end(pipe: Callable[[bytes], Path], size: int) -> None:
    path = pipe(b"x" * size)
    assert inputs.is_stream(path)
    assert inputs.read(path, 1000) == b"x" * size


def test_a_pipe_without_end_is_cut_off(pipe: Callable[[bytes], Path]) -> None:
    with pytest.raises(StoreError, match=r"pipe has more than the 1,000 bytes that are read\."):
        inputs.read(pipe(b"x" * 10_000_000), 1000)


def test_a_pipe_that_nobody_writes_to_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "_SECONDS", 0.2)
    os.mkfifo(tmp_path / "pipe")
    started = time.monotonic()
    with pytest.raises(StoreError, match=r"pipe did not end within 0\.2 seconds") as refused:
        inputs.read(tmp_path / "pipe", 1000)
    assert "into a file" in refused.value.hint
    assert time.monotonic() - started < 10
    with (tmp_path / "pipe").open("wb"):  # lets the reader end
        pass


def test_stdin_from_another_process() -> None:
    def read(path: str, data: bytes) -> str:
        return subprocess.run(
            [sys.executable, "-c", READ, path],
            input=data,
            env={"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"},
            stdout=subprocess.PIPE,
            check=True,
            timeout=60,
        ).stdout.decode()

    for path in ("-", "/dev/stdin"):
        assert read(path, b"text\xff") == "b'text\\xff'\n"
        assert read(path, b"") == "b''\n"
        assert "more than the 1,000 bytes" in read(path, b"x" * 1001)


def test_without_stdin_there_is_nothing_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(StoreError, match="no standard input"):
        inputs.read("-", 10)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(StoreError, match="standard input cannot be read"):
        inputs.read("-", 10)


def test_what_is_nowhere_or_no_input(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        inputs.read(tmp_path / "absent", 10)
    with pytest.raises(StoreError, match="is a folder"):
        inputs.read(tmp_path, 10)
    with pytest.raises(StoreError, match="not a regular file"):
        inputs.read("/dev/zero", 10)
    assert inputs.name_of("-") == "standard input"
    assert inputs.name_of(tmp_path) == str(tmp_path)

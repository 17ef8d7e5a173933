from pathlib import Path

import pytest

from receipts.digest import measure
from store import manifest


def test_the_measured_files_come_back(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text("# s")
    (tmp_path / "wörld\n").write_text("x")
    measured = measure(tmp_path)
    run = tmp_path / "run"
    run.mkdir()
    (run / "files.json").write_bytes(manifest.encode(measured.files))
    assert manifest.measured_files(run) == {file.path: file.sha256 for file in measured.files}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"files":{}}',
        b'{"files":[1]}',
        b'{"files":[{"path":"a"}]}',
        b'{"files":[{"path":"a","sha256":"xyz"}]}',
        b'{"files":[{"path":1,"sha256":"' + b"0" * 64 + b'"}]}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_a_list_that_cannot_be_relied_on_is_none(tmp_path: Path, data: bytes) -> None:
    assert manifest.measured_files(tmp_path) is None
    (tmp_path / "files.json").write_bytes(data)
    assert manifest.measured_files(tmp_path) is None

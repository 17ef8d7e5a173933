"""Checks of what a session left, on real files and links."""

import os
from pathlib import Path

from tests.receipts.arms.looking import passes, result


def test_files_and_folders_that_are_there(sandbox: Path) -> None:
    (sandbox / "a" / "b").mkdir(parents=True)
    (sandbox / "a" / "c.txt").write_text("")
    for path in ("a", "a/", "a/b", "./a/c.txt", "a/b/../c.txt"):
        assert passes(sandbox, f"file_exists: {path}")
        assert not passes(sandbox, f"file_absent: {path}")
    for path in ("b", "a/c.txt/d", "x" * 300, "a/" * 3000):
        assert not passes(sandbox, f"file_exists: {path}")
        assert passes(sandbox, f"file_absent: {path}")


def test_nothing_outside_of_the_sandbox_is_looked_at(sandbox: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.json").write_text('{"a": 1}')
    (tmp_path / "sandbox2").mkdir()
    (sandbox / "out").symlink_to(tmp_path / "outside")
    (sandbox / "gone").symlink_to(tmp_path / "not there")
    (sandbox / "near").symlink_to("../sandbox2")
    (sandbox / "up").symlink_to("..")
    for path in (
        *("../outside", "/etc/passwd", str(tmp_path), "out", "out/secret.json", "out/none"),
        *("gone", "near", "up", "up/outside", "up/none", "a/../../outside"),
    ):
        for spec in (
            f"file_exists: {path}",
            f"file_absent: {path}",
            f"file_matches: {{file: {path}, pattern: a}}",
            f"json_path_equals: {{file: {path}, path: a, equals: 1}}",
        ):
            found = result(sandbox, spec)
            assert (found.passed, found.detail) == (False, "path escapes the sandbox"), spec


def test_links_inside_of_it_are_followed(sandbox: Path) -> None:
    (sandbox / "a.txt").write_text("x")
    (sandbox / "link").symlink_to("a.txt")
    (sandbox / "absolute").symlink_to(sandbox / "a.txt")
    (sandbox / "back").symlink_to("../sandbox/a.txt")
    (sandbox / "gone").symlink_to("not there")
    (sandbox / "loop").symlink_to("loop")
    for name in ("link", "absolute", "back"):
        assert passes(sandbox, f"file_exists: {name}")
        assert passes(sandbox, f"file_matches: {{file: {name}, pattern: x}}")
    for name in ("gone", "loop"):
        assert passes(sandbox, f"file_absent: {name}")
        assert not passes(sandbox, f"file_exists: {name}")
        assert not passes(sandbox, f"file_matches: {{file: {name}, pattern: ''}}")


def test_a_sandbox_behind_a_link(sandbox: Path, tmp_path: Path) -> None:
    (sandbox / "a").write_text("")
    (tmp_path / "link").symlink_to(sandbox)
    assert passes(tmp_path / "link", "file_exists: a")


def test_files_are_searched(sandbox: Path) -> None:
    (sandbox / "a.txt").write_bytes("one\ntwo 😀\r\n\ufeff".encode())
    (sandbox / "b.bin").write_bytes(b"\xff\xfe")
    assert passes(sandbox, r"file_matches: {file: a.txt, pattern: 'o\ntwo|one\ntwo'}")
    assert passes(sandbox, r"file_matches: {file: a.txt, pattern: '..\r\n\s$'}")
    assert not passes(sandbox, "file_matches: {file: a.txt, pattern: ^two}")
    assert passes(sandbox, r"file_matches: {file: b.bin, pattern: '^\ufffd\ufffd$'}")
    assert "no such file" in result(sandbox, "file_matches: {file: c, pattern: ''}").detail


def test_what_is_no_file_or_too_large_is_not_searched(sandbox: Path) -> None:
    (sandbox / "folder").mkdir()
    os.mkfifo(sandbox / "pipe")
    with (sandbox / "large").open("wb") as stream:
        stream.truncate((16 << 20) + 1)
    for name, why in [
        ("folder", "is a folder"),
        ("pipe", "not a regular file"),
        ("large", "more than the 16,777,216 bytes"),
    ]:
        found = result(sandbox, f"file_matches: {{file: {name}, pattern: ''}}")
        assert not found.passed
        assert why in found.detail

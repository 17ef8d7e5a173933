"""What is printed: the home folder as `~`, and streams that are closed or whose reader left."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from receipts import terminal

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(os.name != "posix", reason="homes and streams of POSIX systems")


@posix
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{home}", "~"),
        ("{home}/", "~/"),
        ("{home}/a b/c", "~/a b/c"),
        ("Filed: {home}/x.", "Filed: ~/x."),
        ("It is in {home}.", "It is in ~."),
        ("a\t{home}/x\tb", "a\t~/x\tb"),
        ("`digest {home}/x --explain` ({home}/y), {home}/z: gone",
         "`digest ~/x --explain` (~/y), ~/z: gone"),
        ("{home}2/x", "{home}2/x"),
        ("{home}.bak", "{home}.bak"),
        ("{home}-old/x", "{home}-old/x"),
        ("/mnt{home}/x", "/mnt{home}/x"),
        ("file://{home}/x", "file://{home}/x"),
        ("git@host:{home}/x.git", "git@host:{home}/x.git"),
        ("cd '{home}/a b'", "cd '{home}/a b'"),
    ],
)  # fmt: skip
def test_the_home_folder_is_written_as_a_shell_does(
    monkeypatch: pytest.MonkeyPatch, text: str, shown: str
) -> None:
    monkeypatch.setenv("HOME", "/home/a+da")
    assert terminal.shortened(text.format(home="/home/a+da")) == shown.format(home="/home/a+da")


@posix
@pytest.mark.parametrize("home", ["/", "here", ""])
def test_what_is_no_home_folder_shortens_nothing(
    monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    monkeypatch.setenv("HOME", home)
    assert terminal.shortened("/x and here/y") == "/x and here/y"


def test_words_that_are_not_ours_stay_as_they_are(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal.print_content(f"{home}/x")
    terminal.print_json(f"{home}/x")
    assert capsys.readouterr().out == f'{home}/x\n"{home}/x"\n'


@posix
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("arguments", [["digest", "."], ["digest", ".", "--explain"], ["--help"]])
def test_a_reader_that_leaves_is_no_failure(
    tmp_path: Path, arguments: list[str], unbuffered: str
) -> None:
    for number in range(2000):
        (tmp_path / f"{number:04}").touch()
    (tmp_path / "SKILL.md").touch()
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "receipts", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
        stdout=write,
        stderr=subprocess.PIPE,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@posix
@pytest.mark.parametrize(
    ("closed", "err", "code"),
    [
        (">&-", "error: ./gone does not exist.\n  Name the folder that holds SKILL.md.\n", 1),
        ("2>&-", "", 1),
        ("<&-", "error: ./gone does not exist.\n  Name the folder that holds SKILL.md.\n", 1),
        (">&-", "", 0),
    ],
)
def test_closed_streams(tmp_path: Path, closed: str, err: str, code: int) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "SKILL.md").touch()
    name = "gone" if code else "s"
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m receipts digest ./{name} {closed}', sys.executable],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", err, code)

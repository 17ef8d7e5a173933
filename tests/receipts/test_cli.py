"""The command line as a whole: exit codes, where errors go, and what never reaches a terminal."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from receipts import cli, terminal
from receipts._version import __version__
from receipts.cli import VERBS
from receipts.digest import content_digest
from tests.parts import require_part

ROOT = Path(__file__).parents[2]
HOSTILE = "a\x1b]0;title\x07\x9b31m\u202eb"
SHOWN = r"a\x1b]0;title\x07\x9b31m\u202eb"


def receipts(
    *arguments: str, cwd: Path | None = None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "receipts", *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"} | (environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.run(list(arguments))
    return code, *capsys.readouterr()


def context_of_all() -> click.Context:
    return click.Context(cli.cli, info_name="receipts", help_option_names=["-h", "--help"])


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command that does something, by the words that call it."""
    context = context_of_all()
    pending = [(verb, cli.cli.get_command(context, verb)) for verb in VERBS]
    for words, command in pending:
        assert command is not None
        if isinstance(command, click.Group):
            pending += [(f"{words} {name}", below) for name, below in command.commands.items()]
        else:
            yield words, command


def test_every_verb_has_an_example_and_json() -> None:
    seen = 0
    for words, command in commands():
        text = command.get_help(click.Context(command, context_of_all(), words))
        epilog = command.epilog or ""
        assert epilog.startswith("Example"), words
        assert f"receipts {words}" in epilog, words
        assert command.help
        assert ("--json" in text) == (words != "completion"), words
        seen += 1
    assert seen >= len(VERBS)


def test_a_misspelt_option_of_every_verb_is_answered_with_the_right_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words, _ in commands():
        code, out, err = said(capsys, *words.split(), "--jsno")
        assert (code, out) == (2, "")
        assert err.startswith("error: No such option ")
        assert ("--json" in err) == (words != "completion"), words
        assert err.endswith(f"  See `receipts {words} --help`.\n")


def test_help_of_every_verb_is_printed_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    for words, _ in commands():
        for option in ("-h", "--help"):
            code, out, err = said(capsys, *words.split(), option)
            assert (code, err) == (0, "")
            assert out.startswith(f"Usage: receipts {words}")


def test_help_and_the_shell_know_the_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "--help")
    assert code == 0
    assert [verb for verb in VERBS if f"\n  {verb} " not in out] == []
    assert said(capsys, "--version") == (0, f"receipts, version {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["digest", "nowhere"], 1, ["No skill called nowhere is here or", "Name its folder, or"]),
        (["digest", "no/where"], 1, ["no/where does not exist.", "Name the folder that holds"]),
        (["digets", "."], 2, ["There is no verb 'digets'.", "Did you mean `receipts digest`?"]),
        (["xyzzy"], 2, ["There is no verb 'xyzzy'.", "See `receipts --help`."]),
        (["team", "creat"], 2, ["No such command 'creat'. ", "See `receipts team --help`."]),
        (["digest"], 2, ["Missing argument 'SKILL'.", "See `receipts digest --help`."]),
        (["digest", "--jsn", "."], 2, ["No such option '--jsn'. ", "See `receipts digest --h"]),
        (["sync", HOSTILE], 2, [f"Got unexpected extra argument ({SHOWN})", "See `receipts sync"]),
        (["digest", HOSTILE], 1, [f"No skill called {SHOWN} is here or", "Name its folder"]),
        (["show", HOSTILE], 1, [SHOWN]),
        ([HOSTILE], 2, ["There is no verb"]),
        (
            ["install", "x", "--to", ""],
            2,
            ["The argument behind --to is empty.", "a shell variable"],
        ),
        (["install", "x", "--to="], 2, ["The argument behind --to is empty."]),
        (["install", "--to=x", ""], 2, ["The argument behind --to is empty."]),
        (["list", "--team", ""], 2, ["The argument behind --team is empty."]),
        (["digest", ""], 2, ["An argument is empty.", "a shell variable"]),
        (["team", "join", "https://u:p@h/r", ""], 2, ["An argument is empty."]),
        ([""], 2, ["An argument is empty."]),
        (["digest", "--", ""], 1, ["does not exist"]),
        (["completion", "tcsh"], 2, ["Invalid value", "See `receipts completion --help`."]),
    ],
    ids=str,
)
def test_an_error_is_a_sentence_and_a_hint_on_stderr(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    error: list[str],
) -> None:
    done, out, err = said(capsys, *arguments)
    assert (done, out) == (code, "")
    lines = err.splitlines()
    assert len(lines) <= 2
    assert lines[0].startswith(f"error: {error[0]}") or error[0] in lines[0]
    assert all(hint in lines[1] for hint in error[1:])
    assert terminal.printable(err) == err


def test_nothing_asked_for_is_answered_by_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["team"], ["library"]):
        code, out, err = said(capsys, *words)
        assert (code, out) == (2, "")
        assert err.startswith(f"Usage: {' '.join(['receipts', *words])} [OPTIONS] COMMAND")


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(("path", "code"), [("nowhere", 1), ("--bogus", 2)])
def test_debug_anywhere_shows_the_traceback_before_the_error(
    tmp_path: Path, place: int, path: str, code: int
) -> None:
    arguments = ["digest", path]
    arguments.insert(place, "--debug")
    done = receipts(*arguments, cwd=tmp_path)
    err = done.stderr.decode()
    assert (done.returncode, done.stdout) == (code, b"")
    assert err.startswith("Traceback (most recent call last):")
    assert "\nerror: " in err
    assert b"Traceback" not in receipts("digest", path, cwd=tmp_path).stderr


def test_a_defect_is_admitted_in_two_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(VERBS, "digest", ("receipts.nowhere", ""))
    code, out, err = said(capsys, "digest", ".")
    assert (code, out) == (1, "")
    assert err == (
        "error: unexpected ModuleNotFoundError: No module named 'receipts.nowhere'\n"
        "  This is a defect in receipts; run the command again with --debug and report it.\n"
    )


def test_ctrl_c_ends_with_130_and_one_word(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").touch()
    with (tmp_path / "endless").open("wb") as file:
        try:
            file.truncate(1 << 42)  # holds nothing, takes hours to hash
        except OSError:
            require_part(False, "a file system with sparse files")
    # A shell that starts the tests in the background has them ignore the signal, and all below.
    start = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from receipts import cli; print('up', flush=True); cli.main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", start, "digest", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        time.sleep(1)  # it is hashing by then, and if not it is still under way
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert err.split() == [b"interrupted"]


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=str,
)
def test_what_a_stream_cannot_hold_is_replaced(tmp_path: Path, environment: dict[str, str]) -> None:
    name = "\u732b\U0001f600"
    try:
        (tmp_path / name).mkdir()
    except UnicodeEncodeError:
        pytest.skip("the tests themselves run in a locale that cannot name the folder")
    (tmp_path / name / name).touch()
    done = receipts("digest", "--explain", ".", cwd=tmp_path / name, environment=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(content_digest(tmp_path / name).encode())
    assert b"  ??" in done.stdout
    assert done.stderr == b"note: . has no SKILL.md, so it is not a skill.\n"
    done = receipts(
        "digest", "--explain", "--json", ".", cwd=tmp_path / name, environment=environment
    )
    assert json.loads(done.stdout)["files"][0]["path"] == name


def test_hostile_names_reach_the_terminal_written_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "SKILL.md").write_text(f"---\nname: {HOSTILE!r}\n---\n{HOSTILE}\r\n\u2028\x85\n")
    try:
        (tmp_path / HOSTILE).touch()
    except OSError:
        pytest.skip("this file system refuses such names by itself")
    code, out, err = said(capsys, "digest", "--explain", str(tmp_path))
    assert (code, err) == (0, "")
    assert SHOWN in out
    assert [char for char in out if not char.isprintable() and char != "\n"] == []
    code, out, _ = said(capsys, "digest", "--explain", "--json", str(tmp_path))
    assert out.isascii()
    assert json.loads(out)["files"][1]["path"] == HOSTILE


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x9b", "\u202e", "\u2066", "\ud800", "\r"])
def test_each_kind_of_control_character_is_written_out(character: str) -> None:
    shown = terminal.printable(f"a{character}b")
    assert shown == f"a{ascii(character)[1:-1]}b".replace("\\r", "\\x0d")
    assert terminal.one_line(f" a\t{character}\nb ") == f"a {shown[1:-1]} b"


@pytest.mark.skipif(os.name != "posix", reason="the scripts are for shells of POSIX systems")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_and_its_place(shell: str) -> None:
    done = receipts("completion", environment={"SHELL": f"/usr/bin/{shell}"})
    assert done.returncode == 0, done.stderr
    assert done.stdout == receipts("completion", shell).stdout
    assert f"_RECEIPTS_COMPLETE={shell}_complete".encode() in done.stdout
    assert done.stderr == b""
    word = "comp" if shell == "fish" else "1"
    asking = {"COMP_WORDS": "receipts comp", "COMP_CWORD": word}
    asked = receipts(environment=asking | {"_RECEIPTS_COMPLETE": f"{shell}_complete"})
    assert (b"completion" in asked.stdout, asked.stderr) == (True, b"")


def test_completion_of_an_unknown_shell_is_refused() -> None:
    done = receipts("completion", environment={"SHELL": "/bin/tcsh"})
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"error: Your shell is not one that completes.\n  Name bash, zsh or fish.\n"
    )

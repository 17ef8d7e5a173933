"""Every kind of check, on real sandboxes, files and commands."""

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from receipts.arms import checks, matching
from receipts.arms.checks import CheckResult, evaluate, evaluate_all, read
from receipts.jsyaml import load


@dataclass
class Transcript:
    """A session's transcript that counts how often it is read."""

    said: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    readings: list[str] = field(default_factory=list)

    def pieces(self) -> Iterator[str]:
        self.readings.append("pieces")
        return iter(self.said)

    def commands(self) -> Iterator[str]:
        self.readings.append("commands")
        return iter(self.ran)


ENVIRONMENT = {"PATH": os.environ["PATH"]}


@pytest.fixture
def sandbox(tmp_path: Path) -> Path:
    folder = tmp_path / "sandbox"
    folder.mkdir()
    return folder


def result(sandbox: Path, spec: str, seen: Transcript | None = None) -> CheckResult:
    """Return what a check that is written as YAML comes to."""
    check = read(load(spec))
    assert check.problem is None, check.problem
    found = evaluate(check, sandbox, seen or Transcript(), ENVIRONMENT)
    assert found.name == check.name
    return found


def passes(sandbox: Path, spec: str, seen: Transcript | None = None) -> bool:
    return result(sandbox, spec, seen).passed


# -- names and mistakes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("transcript_mentions: Done it", "transcript_mentions:Done it"),
        ("transcript_omits: 5", "transcript_omits:5"),
        ("transcript_mentions: 1.10", "transcript_mentions:1.1"),
        ("transcript_mentions: true", "transcript_mentions:true"),
        (r"command_matching: 'git\s+push'", r"command_matching:git\s+push"),
        ("no_command_matching: ^rm", "no_command_matching:^rm"),
        ("file_exists: a/b.txt", "file_exists:a/b.txt"),
        ("file_absent: .env", "file_absent:.env"),
        (f"command_succeeds: {'x' * 70}", f"command_succeeds:{'x' * 60}"),
        (f"command_succeeds: {'x' * 59}😀y", f"command_succeeds:{'x' * 59}"),
        ("exit_code_is: {command: test -d a, code: 1}", "exit_code_is:1 test -d a"),
        ("file_matches: {file: a, pattern: ^b$}", "file_matches:a ^b$"),
        ("json_path_equals: {file: a.json, path: $.b, equals: {d: 1.0, c: [x]}}",
            'json_path_equals:a.json $.b {"c": ["x"], "d": 1}'),
    ],
)  # fmt: skip
def test_names(spec: str, name: str) -> None:
    check = read(load(spec))
    assert (check.name, check.problem) == (name, None)


@pytest.mark.parametrize(
    ("spec", "name", "problem"),
    [
        ("transcript_mentions", "transcript_mentions", "malformed check: it must be a text"),
        ("unknown", "unknown", "unknown check kind 'unknown'"),
        ("file_exist: a", "file_exist",
            "unknown check kind 'file_exist'. Did you mean 'file_exists'?"),
        ("{file_exists: a, file_absent: b}", '{"file_exists": "a", "file_absent": "b"}',
            "unrecognized check spec"),
        ("{}", "{}", "unrecognized check spec"),
        ("[file_exists]", '["file_exists"]', "unrecognized check spec"),
        ("~", "null", "unrecognized check spec"),
        ("5", "5", "unrecognized check spec"),
        ("file_exists: ", "file_exists:null", "malformed check: it must be a text"),
        ("file_exists: [a]", 'file_exists:["a"]', "malformed check: it must be a text"),
        ("file_exists: ' '", "file_exists: ", "malformed check: it must be a path"),
        (r"file_absent: a\b", r"file_absent:a\b", "malformed check: it has a backslash; write `/` "
            "between folder and file"),
        ('file_absent: "a\\0"', "file_absent:\"a\\u0000\"", "malformed check: it holds a character "
            "that no file or command can"),
        ("command_matching: (a", "command_matching:(a",
            "malformed check: the pattern `(a` cannot be searched: a `(` has no `)`"),
        ("no_command_matching: (a)*\\1", "no_command_matching:(a)*\\1",
            "malformed check: the pattern `(a)*\\1` cannot be searched: it refers to a group in a "
            "repetition, which forgets what it captured in JavaScript and does not in Python"),
        ("exit_code_is: 1", "exit_code_is:1",
            "malformed check: it must be a map with exactly command, code"),
        ("exit_code_is: {command: a}", 'exit_code_is:{"command": "a"}',
            "malformed check: it must be a map with exactly command, code"),
        ("exit_code_is: {command: a, code: 256}", 'exit_code_is:{"command": "a", "code": 256.0}',
            "malformed check: code must be a whole number from 0 to 255"),
        ("exit_code_is: {command: a, code: true}", 'exit_code_is:{"command": "a", "code": true}',
            "malformed check: code must be a whole number from 0 to 255"),
        ("file_matches: {file: a, pattern: b, flags: i}",
            'file_matches:{"file": "a", "pattern": "b", "flags": "i"}',
            "malformed check: it must be a map with exactly file, pattern"),
        ("file_matches: {file: a, pattern: '['}", 'file_matches:{"file": "a", "pattern": "["}',
            "malformed check: the pattern `[` cannot be searched: a `[` has no `]`"),
        ("json_path_equals: {file: a, path: a..b, equals: 1}",
            'json_path_equals:{"file": "a", "path": "a..b", "equals": 1.0}',
            "malformed check: `a..b` is no path; write it like `$.a.b[0]` or `$['a key']`"),
        ("json_path_equals: {file: a, path: b, equals: .nan}", "json_path_equals:a value that is "
            "no check", "malformed check: equals must be a value that JSON can hold"),
        ("json_path_equals: {file: a, path: b, equals: !!set {c}}", "json_path_equals:a value that "
            "is no check", "malformed check: equals must be a value that JSON can hold"),
    ],
)  # fmt: skip
def test_a_check_that_is_written_wrongly_fails_by_name(
    sandbox: Path, spec: str, name: str, problem: str
) -> None:
    check = read(load(spec))
    assert (check.name, check.problem) == (name, problem)
    assert (check.cannot_pass, check.cannot_fail) == (True, False)
    assert evaluate(check, sandbox, Transcript(), {}) == CheckResult(name, False, problem)


def test_values_without_end_are_no_checks() -> None:
    held: list[Any] = []
    held.append(held)
    assert read(held).name == "a value that is no check"
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    assert read({"json_path_equals": {"file": "a", "path": "b", "equals": deep}}).problem


@pytest.mark.parametrize(
    ("spec", "always"),
    [
        ("transcript_mentions: ''", True),
        ("transcript_omits: ''", False),
        ("transcript_mentions: a", None),
        ("command_matching: ''", None),
        ("no_command_matching: ''", None),
        ("command_matching: '[]'", False),
        ("no_command_matching: a^", True),
        ("file_exists: .", True),
        ("file_absent: a/..", False),
        ("file_exists: ../a", False),
        ("file_absent: ../a", False),
        ("file_exists: a/../../b", False),
        ("file_absent: /etc", False),
        ("file_exists: ..a", None),
        ("file_matches: {file: a, pattern: ''}", None),
        ("file_matches: {file: a, pattern: $b}", False),
        ("file_matches: {file: ../a, pattern: b}", False),
        ("json_path_equals: {file: /a, path: b, equals: 1}", False),
        ("json_path_equals: {file: a, path: b, equals: 1}", None),
        ("command_succeeds: ''", True),
        ("command_succeeds: 'true'", True),
        ("command_succeeds: ':'", True),
        ('command_succeeds: "# nothing\\n\\n exit 0 ;\\n"', True),
        ("command_succeeds: 'false'", False),
        ("command_succeeds: exit 3", False),
        ("command_succeeds: true && false", None),
        ("command_succeeds: exit 256", True),
        ("exit_code_is: {command: 'false', code: 1}", True),
        ("exit_code_is: {command: exit 3, code: 3}", True),
        ("exit_code_is: {command: exit 3, code: 4}", False),
        ("exit_code_is: {command: ls, code: 0}", None),
    ],
)
def test_what_comes_out_alike_whatever_a_session_does(
    sandbox: Path, spec: str, always: bool | None
) -> None:
    check = read(load(spec))
    assert check.problem is None
    assert check.cannot_fail is (always is True)
    assert check.cannot_pass is (always is False)
    if always is not None:
        seen = Transcript(["said"], ["ran"])
        assert evaluate(check, sandbox, seen, ENVIRONMENT).passed is always
        assert evaluate(check, sandbox, Transcript(), ENVIRONMENT).passed is always


# -- transcripts -------------------------------------------------------------------------------


def test_a_transcript_is_searched_upper_and_lower_case_alike(sandbox: Path) -> None:
    seen = Transcript(["All DONE.", '{"command": "Ls"}'])
    assert passes(sandbox, "transcript_mentions: done", seen)
    assert passes(sandbox, "transcript_mentions: 'COMMAND\"'", seen)
    assert not passes(sandbox, "transcript_mentions: undone", seen)
    assert passes(sandbox, "transcript_omits: undone", seen)
    assert not passes(sandbox, "transcript_omits: lS", seen)
    assert not passes(sandbox, "transcript_mentions: done")


def test_a_text_may_span_pieces(sandbox: Path) -> None:
    seen = Transcript(["one", "", "two", "three"])
    assert passes(sandbox, 'transcript_mentions: "one\\n\\ntwo\\nthr"', seen)
    assert not passes(sandbox, "transcript_mentions: twothree", seen)


# -- commands ----------------------------------------------------------------------------------


def test_commands_are_searched_by_patterns_of_javascript(sandbox: Path) -> None:
    seen = Transcript(["rm -rf /"], ["git  commit -m 'é'", "npm test\n"])
    assert passes(sandbox, r"command_matching: ^git\s+commit\b", seen)
    assert passes(sandbox, r"command_matching: \W'$", seen)
    assert not passes(sandbox, "command_matching: test$", seen)
    assert not passes(sandbox, "command_matching: Git", seen)
    assert passes(sandbox, "no_command_matching: rm", seen)
    found = result(sandbox, "no_command_matching: npm", seen)
    assert (found.passed, found.detail) == (False, "matches: npm test\n")
    assert not passes(sandbox, "command_matching: ''")
    assert passes(sandbox, "no_command_matching: ''")


@pytest.mark.parametrize("kind", ["command_matching", "no_command_matching"])
def test_a_search_without_end_fails_the_check(
    sandbox: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("receipts.arms.checks.scene.SECONDS", 0.3)
    seen = Transcript([], ["a" * 100 + "b", "ls"])
    found = result(sandbox, f"{kind}: ^(a+)+$", seen)
    assert not found.passed
    assert "took longer than" in found.detail
    assert matching.SECONDS == 10


# -- files -------------------------------------------------------------------------------------


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


# -- JSON --------------------------------------------------------------------------------------

DOCUMENT = """{"a": {"b": [1, {"c d": "x", "e.f": null}], "$ref": true}, "n": 1e2, "big":
9007199254740993, "": "empty", "é": "\\u00e9", "list": [[]], "twice": 1, "twice": 2}"""


@pytest.mark.parametrize(
    ("path", "equals", "expected"),
    [
        ("$.a.b[0]", "1", True),
        ("a.b[0]", "1.0", True),
        ("a.b[0]", "true", False),
        ("a.b[0]", "'1'", False),
        ("$['a']['b'][1]['c d']", "x", True),
        ('$["a"].b[1]["e.f"]', "~", True),
        ("a.$ref", "true", True),
        ("a.$ref", "1", False),
        ("n", "100", True),
        ("n", "100.0", True),
        ("big", "9007199254740992", True),
        ("['']", "empty", True),
        ("é", "é", True),
        ("list", "[[]]", True),
        ("list", "[]", False),
        ("list[0]", "[]", True),
        ("twice", "2", True),
        ("a.b", "[1, {e.f: ~, c d: x}]", True),
        ("a.b", "[1, {c d: x}]", False),
        ("a.b[1]", "{c d: x, e.f: false}", False),
        ("a.b[2]", "~", False),
        ("a.b.c", "~", False),
        ("a.b[0].c", "~", False),
        ("a[0]", "~", False),
        ("missing", "~", False),
    ],
)
def test_values_in_json(sandbox: Path, path: str, equals: str, expected: bool) -> None:
    (sandbox / "d.json").write_text(DOCUMENT, encoding="utf-8")
    argument = {"file": "d.json", "path": path, "equals": load(equals)}
    check = read({"json_path_equals": argument})
    assert check.problem is None
    assert evaluate(check, sandbox, Transcript(), {}).passed is expected


def test_a_whole_document(sandbox: Path) -> None:
    (sandbox / "d.json").write_text("[1]")
    assert passes(sandbox, "json_path_equals: {file: d.json, path: $, equals: [1]}")
    assert passes(sandbox, "json_path_equals: {file: d.json, path: '$[0]', equals: 1}")
    assert passes(sandbox, "json_path_equals: {file: d.json, path: '[0]', equals: 1}")


@pytest.mark.parametrize("path", ["", ".a", "a.", "a[", "a[x]", "a[-1]", "a['b", "a b", "a[0]b"])
def test_what_is_no_path(path: str) -> None:
    check = read({"json_path_equals": {"file": "a", "path": path, "equals": 1}})
    assert "is no path" in str(check.problem)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not JSON"),
        ("", "not JSON"),
        ("NaN", "not JSON"),
        ("\ufeff{}", "byte order mark"),
        ("[" * 300 + "]" * 300, "nested deeper"),
    ],
)
def test_files_that_are_no_json(sandbox: Path, text: str, why: str) -> None:
    (sandbox / "d.json").write_text(text, encoding="utf-8")
    found = result(sandbox, "json_path_equals: {file: d.json, path: a, equals: 1}")
    assert not found.passed
    assert why in found.detail


# -- commands of a check -----------------------------------------------------------------------


def test_a_command_runs_in_the_sandbox_in_its_own_environment(sandbox: Path) -> None:
    (sandbox / "a.txt").write_text("x\n")
    assert passes(sandbox, "command_succeeds: test -f a.txt && grep -q x a.txt")
    assert passes(sandbox, 'command_succeeds: "false || true\\ntest -z \\"$HOME\\""')
    assert not passes(sandbox, 'command_succeeds: "false\\ntrue"')
    found = result(sandbox, "command_succeeds: echo why >&2; exit 7")
    assert (found.passed, found.detail) == (False, "exit code 7: why")
    assert passes(sandbox, "exit_code_is: {command: ls && exit 7, code: 7}")
    assert not passes(sandbox, "exit_code_is: {command: grep -q y a.txt, code: 2}")
    assert passes(sandbox, "exit_code_is: {command: grep -q y a.txt, code: 1}")
    assert not passes(sandbox, "command_succeeds: kill -9 $$")


def test_a_command_that_takes_too_long_is_ended(
    sandbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("receipts.arms.checks.shell.SECONDS", 0.3)
    found = result(sandbox, "command_succeeds: sleep 600")
    assert not found.passed
    assert found.detail.startswith("it took longer than")


def test_a_command_of_a_run_that_stops_is_not_started(sandbox: Path) -> None:
    stop = threading.Event()
    stop.set()
    check = read({"command_succeeds": "touch made; ls"})
    found = evaluate(check, sandbox, Transcript(), ENVIRONMENT, stop)
    assert (found.passed, found.detail) == (False, "it was stopped with the run")
    assert not (sandbox / "made").exists()


# -- together ----------------------------------------------------------------------------------


def test_checks_come_out_in_order_and_read_a_transcript_once(sandbox: Path) -> None:
    seen = Transcript(["one", "two"], ["ls", "git push"])
    specs = [
        {"transcript_mentions": "one"},
        {"file_absent": "made"},
        {"command_succeeds": "touch made; ls"},
        {"file_exists": "made"},
        {"no_such": "kind"},
        {"transcript_omits": "two"},
        {"command_matching": "push"},
        {"no_command_matching": "^ls$"},
        {"transcript_mentions": "three"},
        {"command_matching": "("},
    ]
    found = evaluate_all([read(spec) for spec in specs], sandbox, seen, ENVIRONMENT)
    assert [each.passed for each in found] == [
        *(True, True, True, True, False, False, True, False, False, False)
    ]
    assert seen.readings == ["pieces", "commands"]


def test_what_needs_no_transcript_reads_none(sandbox: Path) -> None:
    seen = Transcript()
    evaluate_all([read({"file_exists": "a"})], sandbox, seen, {})
    assert seen.readings == []


def test_a_transcript_that_cannot_be_read_fails_its_checks_alone(sandbox: Path) -> None:
    class Gone(Transcript):
        def pieces(self) -> Iterator[str]:
            raise FileNotFoundError(2, "No such file or directory")

    specs = [{"transcript_omits": "a"}, {"file_absent": "a"}]
    found = evaluate_all([read(spec) for spec in specs], sandbox, Gone(), {})
    assert [each.passed for each in found] == [False, True]
    assert "could not be evaluated" in found[0].detail


def test_every_kind_is_tested_here() -> None:
    text = Path(__file__).read_text("utf-8")
    assert [kind for kind in checks.KINDS if f"{kind}: " not in text] == []

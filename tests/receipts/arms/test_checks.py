"""Checks by name, those that are written wrongly, and several together."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from receipts.arms import checks
from receipts.arms.checks import CheckResult, evaluate, evaluate_all, read
from receipts.jsyaml import load
from tests.receipts.arms.looking import ENVIRONMENT, Transcript


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
        ('transcript_mentions: "\\udc00"', 'transcript_mentions:"\udc00"',
            "malformed check: it holds a character that no file or command can"),
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
    files = Path(__file__).parent.glob("test_*_checks.py")
    text = "".join(file.read_text("utf-8") for file in files)
    assert [kind for kind in checks.KINDS if f"{kind}: " not in text] == []

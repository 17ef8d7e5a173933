"""Checks of values in JSON files."""

from pathlib import Path

import pytest

from receipts.arms.checks import evaluate, read
from receipts.jsyaml import load
from tests.receipts.arms.looking import Transcript, passes, result

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

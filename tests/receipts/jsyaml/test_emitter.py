"""The rules of `YAML.stringify`, E1 to E10 of its description, without the original."""

import math
from typing import Any

import pytest

from receipts.jsyaml import JsBytes, JsDate, JsMap, JsSet, dump


def key(text: str) -> str:
    return dump({text: 0.0}).removesuffix(": 0\n")


def value(data: Any) -> str:
    return dump({"k": data}).removeprefix("k:").removesuffix("\n").removeprefix(" ")


def test_shape() -> None:
    data = {"k": ["a", {"x": "y", "z": []}, ["p", "q"]], "m": {"n": {}}, "e": []}
    assert dump(data) == ("k:\n  - a\n  - x: y\n    z: []\n  - - p\n    - q\nm:\n  n: {}\ne: []\n")
    assert dump("a") == "a\n"
    assert dump({}) == "{}\n"


def test_keys_that_are_array_indexes_come_first() -> None:
    names = ["b", "10", "2", "01", "4294967294", "4294967295", "-1", "0", "a"]
    data = dict.fromkeys(names)
    order = [line.partition(":")[0].strip('"') for line in dump(data).splitlines()]
    assert order == ["0", "2", "10", "4294967294", "b", "01", "4294967295", "-1", "a"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", '""'),
        ("plain key", "plain key"),
        ("two\nlines", '"two\\nlines"'),
        ("true", '"true"'),
        ("1", '"1"'),
        ('say "x": y', "'say \"x\": y'"),
        ("---", '"---"'),
        ("%a", '"%a"'),
        ("word " * 40 + "end", "word " * 40 + "end"),
    ],
)
def test_keys(text: str, written: str) -> None:
    assert key(text) == written


def test_a_long_key_stands_alone() -> None:
    assert dump({"k" * 1024: "v"}) == f"{'k' * 1024}: v\n"
    assert dump({"k" * 1025: "v"}) == f"? {'k' * 1025}\n: v\n"
    assert dump({"k" * 1025: {"a": "b", "c": "d"}}) == f"? {'k' * 1025}\n: a: b\n  c: d\n"


def test_null_and_booleans() -> None:
    assert dump([None, True, False]) == "- null\n- true\n- false\n"


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (1.0, "1"),
        (1.10, "1.1"),
        (-0.0, "-0"),
        (0.0, "0"),
        (1e21, "1e+21"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (-2.5, "-2.5"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (float(2**53 + 1), "9007199254740992"),
        (math.inf, ".inf"),
        (-math.inf, "-.inf"),
        (math.nan, ".nan"),
    ],
)
def test_numbers(number: float, written: str) -> None:
    assert value(number) == written


def test_integers_of_any_size_are_doubles() -> None:
    assert dump([3, 10**30, 10**400, -(10**400)]) == "- 3\n- 1e+30\n- .inf\n- -.inf\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\x07b", '"a\\ab"'),
        ("\0\v\x1b\x01", '"\\0\\v\\e\\x01"'),
        ("a\rb", '"a\\rb"'),
        ("del\x7f", '"del\x7f"'),
        ("x\x85y", '"x\x85y"'),
        ("\ud800", '"\\ud800"'),
        ("tab\there", "tab\there"),
        ("a: b", '"a: b"'),
        ("a:\tb", '"a:\\tb"'),
        ("a #b", '"a #b"'),
        ("a#b", "a#b"),
        ("- a", '"- a"'),
        ("-a", "-a"),
        ("-", '"-"'),
        ("?", '"?"'),
        ("end:", '"end:"'),
        (" lead", '" lead"'),
        ("@x", '"@x"'),
        ("%x", '"%x"'),
        ("`x`", '"`x`"'),
        ("a\u00a0b\u2028\ufeff", "a\u00a0b\u2028\ufeff"),
        ('say "hi": x', "'say \"hi\": x'"),
        ('it\'s: "x"', '"it\'s: \\"x\\""'),
        ("it's", "it's"),
    ],
)
def test_quoting(text: str, written: str) -> None:
    assert value(text) == written


@pytest.mark.parametrize(
    "text",
    [
        "~",
        "null",
        "NULL",
        "true",
        "FALSE",
        "0o17",
        "12",
        "-3",
        "+3",
        "0x1F",
        ".inf",
        "-.INF",
        ".NaN",
        "1e3",
        ".5e-1",
        "1.",
        ".5",
        "1.10",
        "",
    ],
)
def test_what_would_read_back_as_something_else_is_quoted(text: str) -> None:
    assert value(text) == f'"{text}"'


@pytest.mark.parametrize(
    "text", ["yes", "no", "on", "2001-12-14", "1_000", "12:30", "1.2.3", "0b1", "+.nan", "tRUE"]
)
def test_what_other_versions_would_read_differently_is_plain(text: str) -> None:
    assert value(text) == text


def test_plain_text_folds_at_the_width_and_a_key_counts() -> None:
    words = "word " * 30 + "end"
    lines = dump({"key": words}).splitlines()
    assert lines[0] == "key: " + " ".join(["word"] * 15)
    assert all(len(line) <= 80 for line in lines)
    assert lines[1].startswith("  word")
    assert dump({"k" * 70: words}).splitlines()[0] == f"{'k' * 70}:"
    assert value("x" * 200) == "x" * 200
    assert value("😀" * 39 + " b") == "😀" * 39 + "\n  b"


def test_double_quotes_break_words_and_keep_escapes_whole() -> None:
    lines = value("\x07" + "x" * 100).splitlines()
    assert lines[0].endswith("\\")
    assert len(lines) == 2
    broken = value("\x07" * 60)
    assert "".join(line.strip().removesuffix("\\") for line in broken.splitlines()).count("a") == 60
    text = 'a\x07 "' + "w " * 5 + "\n\n" + "v " * 20 + "end"
    assert value(text) == ('"a\\a \\"w w w w w\\ \n\n\n  ' + " ".join(["v"] * 20) + ' end"')


def test_blocks() -> None:
    assert value("a\nb\n") == "|\n  a\n  b"
    assert value("a\nb") == "|-\n  a\n  b"
    assert value("a\nb\n\n") == "|+\n  a\n  b\n"
    assert value("  a\nb\n") == "|2\n    a\n  b"
    assert value("\n") == "|+\n  "
    assert value("a\n  ") == '"a\\n  "'
    assert value("a\n---\n") == "|\n  a\n  ---"
    folded = value("word " * 20 + "end\nsecond\n")
    assert folded.startswith(">\n  word")
    assert folded.endswith("end\n\n  second")
    assert value("x" * 100 + "\nsecond") == f"|-\n  {'x' * 100}\n  second"
    assert dump("a\n--- b\n") == "|\n  a\n  --- b\n"


def test_repeated_objects_get_anchors_in_the_order_of_the_repeats() -> None:
    one: dict[str, Any] = {"x": 1.0}
    two: list[Any] = ["y"]
    none: list[Any] = []
    data = [one, two, none, none, two, one]
    assert dump(data) == ("- &a3\n  x: 1\n- &a2\n  - y\n- &a1 []\n- *a1\n- *a2\n- *a3\n")
    assert dump({"a": one, "b": one}) == "a: &a1\n  x: 1\nb: *a1\n"


def test_an_object_may_hold_itself() -> None:
    loop: list[Any] = ["a"]
    loop.append(loop)
    assert dump(loop) == "&a1\n- a\n- *a1\n"


def test_equal_but_separate_objects_get_none() -> None:
    assert dump([["a"], ["a"]]) == "- - a\n- - a\n"


def test_an_anchor_moves_the_folding_of_what_follows() -> None:
    shared = ["word " * 15 + "end"]
    assert dump([shared, shared]) == (
        "- &a1\n  - " + " ".join(["word"] * 15) + "\n    end\n- *a1\n"
    )


def test_javascript_classes() -> None:
    data = [JsSet(["a"]), JsMap([(1.0, "b"), (["c"], None)]), JsDate("2001-12-14T00:00:00.000Z")]
    assert dump([*data, JsBytes(b"\x01")]) == (
        "- - a\n- 1: b\n  ? - c\n  : null\n- 2001-12-14T00:00:00.000Z\n"
        "- type: Buffer\n  data:\n    - 1\n"
    )


def test_what_is_not_plain_data_is_refused() -> None:
    with pytest.raises(TypeError):
        dump({"a": b"bytes"})


def test_deep_data_is_written() -> None:
    data: Any = "x"
    for _ in range(3000):
        data = [data]
    assert dump(data) == "- " * 3000 + "x\n"

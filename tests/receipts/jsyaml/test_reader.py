"""What npm `yaml` reads where readers differ, without the original."""

import math
import time
from typing import Any

import pytest

from receipts.jsyaml import (
    AliasError,
    JsBytes,
    JsDate,
    JsMap,
    JsSet,
    Unsupported,
    YamlError,
    dump,
    load,
)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", None),
        ("# only a comment\n", None),
        ("a: 1\nb: [x, 'y', \"z\"]\n", {"a": 1.0, "b": ["x", "y", "z"]}),
        ("- - a\n  - b\n- c: d\n  e: f\n", [["a", "b"], {"c": "d", "e": "f"}]),
        ("a:\n- b\n- c\n", {"a": ["b", "c"]}),
        ("a: b\r\nc: |\r\n  d\r\n  e\r\n", {"a": "b", "c": "d\ne\n"}),
        ("---\na: b\n...\n", {"a": "b"}),
        ("\ufeffa: b", {"a": "b"}),
        ("? a\n: b\n? c\n", {"a": "b", "c": None}),
        ("{a: b, c, ? d : e, : f}", {"a": "b", "c": None, "d": "e", "": "f"}),
        ("[a: b, c,\n  d]", [{"a": "b"}, "c", "d"]),
        ('{"a":1,"b":[2]}', {"a": 1.0, "b": [2.0]}),
        ("a: b\n  c\n\n  d\n", {"a": "b c\nd"}),
        ("a: 'it''s'\n", {"a": "it's"}),
        ('b: "\\x41\\u00e9\\U0001F600\\ud83d\\ude00"\n', {"b": "Aé😀😀"}),
        ("a: >-\n  b\n  c\n\n   d\n  e\n", {"a": "b c\n\n d\ne"}),
        ("a: |+\n  b\n\nc: >2-\n   d\n", {"a": "b\n\n", "c": " d"}),
        ("a: \"b\\\n  c \n\n  d\"\n", {"a": "bc\nd"}),
    ],
)  # fmt: skip
def test_documents(text: str, data: Any) -> None:
    assert load(text) == data


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("~", None),
        ("Null", None),
        ("TRUE", True),
        ("false", False),
        ("yes", "yes"),
        ("0o17", 15.0),
        ("017", 17.0),
        ("0x1F", 31.0),
        ("0b1", "0b1"),
        ("1e3", 1000.0),
        ("+12", 12.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2001-12-14", "2001-12-14"),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("9007199254740993", 9007199254740992.0),
        ("9" * 5000, math.inf),
        ("0x" + "f" * 400, math.inf),
        ("tRUE", "tRUE"),
        ("<<", "<<"),
    ],
)
def test_plain_scalars(text: str, data: Any) -> None:
    read = load(f"k: {text}")["k"]
    assert read == data
    assert type(read) is type(data)


def test_zero_keeps_its_sign_and_nan_is_read() -> None:
    assert math.copysign(1, load("-0")) == -1
    assert math.isnan(load(".nan"))


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("!!str 1", "1"),
        ("!!int '1'", 1.0),
        ("!!int x", "x"),
        ("!!float 1e3", 1000.0),
        ("!!float 1", "1"),
        ("!!bool 'true'", True),
        ("!!null ''", None),
        ("!!null x", "x"),
        ("!foo 1", "1"),
        ("!foo", ""),
        ("! 1", "1"),
        ("!<tag:yaml.org,2002:int> 3", 3.0),
        ("!!map [a]", ["a"]),
        ("!!seq {a: b}", {"a": "b"}),
        ("!!pairs [a: 1, a: 2]", [{"a": 1.0}, {"a": 2.0}]),
    ],
)
def test_tags(text: str, data: Any) -> None:
    assert load(text) == data


def test_tags_that_ask_for_javascript_classes() -> None:
    found = load("!!set {a, b}")
    assert isinstance(found, JsSet)
    assert found.items == ["a", "b"]
    found = load("!!omap [a: 1, 2: b]")
    assert isinstance(found, JsMap)
    assert found.entries == [("a", 1.0), (2.0, "b")]
    found = load("!!binary aGVsbG8=")
    assert isinstance(found, JsBytes)
    assert found.data == b"hello"
    found = load("!!timestamp 2001-12-14 21:59:43.1 -5")
    assert isinstance(found, JsDate)
    assert found.iso == "2001-12-15T02:59:43.100Z"


def test_directives() -> None:
    assert load("%TAG !e! tag:yaml.org,2002:\n---\n!e!str 1\n") == "1"
    assert load("%YAML 1.1\n---\n[yes, 017, 1_000, 1:30, 0b11]") == [True, 15.0, 1000.0, 90.0, 3.0]
    assert load("%YAML 1.1\n---\n- &a {x: 1, z: 2}\n- {<<: *a, x: 3}\n")[1] == {"x": 3.0, "z": 2.0}
    assert load("%FOO bar\n---\na\n") == "a"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("~: v", ""),
        (": v", ""),
        ("1.0: v", "1"),
        ("-0: v", "0"),
        ("1e21: v", "1e+21"),
        (".inf: v", "Infinity"),
        (".nan: v", "NaN"),
        ("TRUE: v", "true"),
        ("[a, b]: v", "[ a, b ]"),
        ("{a: 1.10, 'b': 0x1F}: v", "{ a: 1.10, 'b': 0x1f }"),
        ("? - a\n  - {b: c}\n: v", "[ a, { b: c } ]"),
        ("? [a, # c\n  b]\n: v", "[\n  a, # c\n  b\n]"),
        ("? &x [a, !!str b]\n: v", "[ a, !!str b ]"),
        ("__proto__: v", "__proto__"),
        ("<<: v", "<<"),
        ('"a"\t:\tv', "a"),
        ("a\tb: v", "a\tb"),
    ],
)
def test_keys(text: str, key: str) -> None:
    assert load(text) == {key: "v"}


def test_keys_that_become_the_same_text_are_one_property() -> None:
    assert list(load("1: a\nb: c\n'1': d\n").items()) == [("1", "d"), ("b", "c")]


def test_what_an_alias_reaches_is_the_same_object() -> None:
    data = load("a: &x {b: c}\nd: *x\ne: [*x]\n")
    assert data["d"] is data["a"]
    assert data["e"][0] is data["a"]
    loop = load("&x [a, *x]")
    assert loop[1] is loop
    assert load("[&a 1, *a, &a 2, *a]") == [1.0, 1.0, 2.0, 2.0]
    assert load("&a a: b\n*a : c\n") == {"a": "c"}


def test_aliases_that_cannot_be_data() -> None:
    with pytest.raises(AliasError) as caught:
        load("a: *x\n")
    assert (caught.value.line, caught.value.column) == (1, 4)
    many = "a: &x y\nb: [" + ", ".join(["*x"] * 99) + "]\n"
    assert len(load(many)["b"]) == 99
    with pytest.raises(AliasError):
        load(many.replace("]", ", *x]"))
    laughs = "a: &a [x]\n" + "".join(
        f"{name}: &{name} [*{before}, *{before}, *{before}, *{before}]\n"
        for before, name in zip("abcde", "bcdef", strict=True)
    )
    with pytest.raises(AliasError):
        load(laughs)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: x\x85y\u2028z\u2029w\rv", {"a": "x\x85y\u2028z\u2029w\rv"}),
        ("a: x\x00\x07\x7f\x0cy", {"a": "x\x00\x07\x7f\x0cy"}),
        ("a:\tb\t\nc:  d \t\n", {"a": "b", "c": "d"}),
        ("a: 'b'\t# c\n", {"a": "b"}),
        ("'abc''", "abc'"),
        ("k: 'it''\nx': 1\n", {"k": "it'", "x'": 1.0}),
        ("? a\n  [unclosed", None),
        ("a: | :", {"a": "", "": None}),
        ('? "a"\n  [dropped: x', {"a": None}),
    ],
)
def test_what_only_the_original_accepts(text: str, data: Any) -> None:
    if text.startswith("? a\n"):
        data = {"a [unclosed": None}
    assert load(text) == data


@pytest.mark.parametrize(
    "text",
    [
        "a: 'b\nc'",
        "a: [b,\nc]",
        '"x"#c',
        "a: *bold* text",
        "a: @x",
        "a: `x`",
        "a: %x",
        "a: b: c",
        "\ta: b",
        "a:\n\tb: c",
        "a: 1\na: 2",
        "{a: 1, a: 2}",
        "a: 1\n b: 2",
        "a:\n  - b\n - c",
        "a: b\nc",
        "- a\nb: c",
        "[a, b",
        "a: ]",
        "a: |x\n  b",
        "a: |\n    \n  b",
        'a: "\\q"',
        'a: "b',
        "a\n---\nb",
        "%YAML\n---\na",
        "%YAML 1.2\na",
        "%TAG !e!\n---\na",
        "!x!y a",
        "&a &b c",
        "&a *b",
        "- & a",
        "!!set {a: b}",
        "!!timestamp x",
        "a: 1\n\n[b]: c",
        "k" * 1025 + ": v",
        "[" * 5000 + "]" * 5000,
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(YamlError) as caught:
        load(text)
    assert type(caught.value) is YamlError


def test_an_error_says_where_in_utf16_units() -> None:
    with pytest.raises(YamlError) as caught:
        load("a: b\n😀: @c\n")
    assert (caught.value.line, caught.value.column) == (2, 5)
    assert "at line 2, column 5" in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "text",
    [
        "- " * 700 + "a",
        "%YAML 1.1\n---\n2001-12-14: the text of a date\n",
        "%YAML 1.1\n---\n[!!merge <<]\n",
        "!!binary é\u0161",
    ],
)
def test_what_is_not_certain_gets_no_answer(text: str) -> None:
    with pytest.raises(Unsupported):
        load(text)


def test_an_error_comes_before_a_doubt() -> None:
    with pytest.raises(YamlError) as caught:
        load("- !!binary \u0161\n- @x\n")
    assert type(caught.value) is YamlError


@pytest.mark.parametrize("depth", [1, 200, 600])
def test_deep_nesting_is_read(depth: int) -> None:
    assert dump(load("[" * depth + "a" + "]" * depth)) == "- " * depth + "a\n"


SIZE = 300_000


@pytest.mark.parametrize(
    "text",
    [
        "[" * SIZE,
        "[" + "[]," * (SIZE // 3),
        "- " * SIZE,
        "\n" * SIZE,
        "a:\n" + "  #\n" * (SIZE // 4) + "b: c\n",
        "- " * 600 + "\n" + "#\n" * (SIZE // 2),
        "a:\n  - b\n" + "\n" * (SIZE // 2) + "  #\n" * (SIZE // 8),
        'a: "' + '\\"' * SIZE,
        'a: "' + " \\\n" * (SIZE // 3) + '"',
        "a: >\n  x\n" + "   \n" * (SIZE // 4) + "   y\n",
        ":" * SIZE,
        "b: &a [" + ",".join(["*a"] * (SIZE // 3)) + "]",
        "&a []\n" * 5 + "- *a\n" * (SIZE // 5),
        "? [" + "a, " * (SIZE // 3) + "]\n: 1\n",
        "[" * 300 + "a: b, " * (SIZE // 6) + "]: x" * 300,
        "'" * SIZE,
        "%YAML 1.1\n---\n- &a {b: 1}\n- {<<: [" + ",".join(["*a"] * (SIZE // 3)) + "]}",
        "\n".join(f"k{number}: v" for number in range(SIZE // 10)),
    ],
    ids=range(18),
)
def test_hostile_text_ends(text: str) -> None:
    started = time.monotonic()
    try:
        dump(load(text))
    except YamlError as error:
        assert error.line >= 1
    # Linear work takes a second or two; quadratic work would take minutes.
    assert time.monotonic() - started < 30

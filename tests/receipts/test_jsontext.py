import copy
import json
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts.jsontext import (
    DEPTH,
    LIMIT,
    JsonError,
    Number,
    Path,
    dump,
    dumps,
    edit_strings,
    loads,
    repeated_keys,
    set_members,
)

TEXTS = st.text(max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXTS
VALUES = st.recursive(
    SCALARS | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
LAYOUTS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {},
        {"indent": 2},
        {"indent": "\t"},
        {"separators": (",", ":")},
        {"separators": (" ,\r\n ", "\t: ")},
        {"ensure_ascii": False, "indent": 2},
    ]
)


def written(value: Any, layout: dict[str, Any]) -> bytes:
    return json.dumps(value, **layout).encode()


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"", 1, 1),
        (b"NaN", 1, 1),
        (b"[1,\n -Infinity]", 2, 3),
        (b"\xef\xbb\xbf{}", 1, 1),
        ("\ufeff{}", 1, 1),
        (b"[1,]", 1, 4),
        (b'{"a":1,}', 1, 8),
        (b"// note\n1", 1, 1),
        (b"[1] /* note */", 1, 5),
        (b"1 2", 1, 3),
        (b'{}\n"NaN"', 2, 1),
        (b'"a\nb"', 1, 3),
        (b'"a\tb"', 1, 3),
        (b'["\xc3\xa9\xff"]', 1, 4),
        (b'"\xed\xa0\x80"', 1, 2),
        (b'{"a" 1}', 1, 6),
        (b"{a: 1}", 1, 2),
        (b"'a'", 1, 1),
        (b"01", 1, 2),
        (b"+1", 1, 1),
        (b".5", 1, 1),
        (b"1.", 1, 2),
        (b"0x10", 1, 2),
        (b"True", 1, 1),
        (b"\x00", 1, 1),
        (b"\xc2\xa01", 1, 1),
        (b"\x0c1", 1, 1),
        ("\u0661", 1, 1),
        (b'"\\x41"', 1, 2),
        (b'"\\u12g4"', 1, 3),
        (b'"\\u+123"', 1, 3),
        (b'"open', 1, 1),
        (b'"open\\', 1, 1),
        (b"[" * (DEPTH + 1), 1, DEPTH + 1),
        (b'{"a":' * (DEPTH + 1), 1, 5 * DEPTH + 1),
    ],
)
def test_refuses_what_json_parse_refuses(data: bytes | str, line: int, column: int) -> None:
    with pytest.raises(JsonError) as caught:
        loads(data)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith("not JSON: ")
    assert str(caught.value).endswith(f" (line {line}, column {column})")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b' \t\r\n{"a": [1, 2.5, true, null]} \n', {"a": [1, 2.5, True, None]}),
        (b'{"a": 1, "b": 2, "a": 3}', {"a": 3, "b": 2}),
        (b'"NaN Infinity [[ }"', "NaN Infinity [[ }"),
        (b'"\\ud83d\\ude00 \\ud800"', "\U0001f600 \ud800"),
        ('"\ud800"', "\ud800"),
        (b'"\xe2\x80\xa8\x7f"', "\u2028\x7f"),
        (b"9007199254740991", 2**53 - 1),
        (b"-9007199254740991", -(2**53) + 1),
        (b"2.5e-07", 2.5e-07),
        (b"[" * DEPTH + b"]" * DEPTH, None),
    ],
)
def test_reads_what_json_parse_reads(data: bytes | str, value: Any) -> None:
    found = loads(data)
    if value is not None:
        assert found == value
        assert type(found) is type(value)


@pytest.mark.parametrize(
    ("digits", "value"),
    [
        ("-0", 0.0),
        ("1E2", 100.0),
        ("1.10", 1.1),
        ("0.30000000000000000001", 0.3),
        ("9007199254740993", 9007199254740992.0),
        ("-" + "9" * 300, -1e300),
        ("1e400", math.inf),
        ("-1e400", -math.inf),
        ("1" + "0" * 309, math.inf),
        ("9" * 5000, math.inf),
    ],
)
def test_a_number_is_the_double_of_javascript_and_is_written_as_it_was_read(
    digits: str, value: float
) -> None:
    found = loads(digits)
    assert type(found) is Number
    assert found == value
    document = f'{{"a": [{digits}, 1], "b": {{"": {digits}}}}}'
    assert dumps(loads(document)) == document
    assert dumps(copy.deepcopy(loads(document))) == document
    assert json.loads(set_members(b"{}", {"a": found}), parse_float=str, parse_int=str) == {
        "a": digits
    }


def test_the_limit_is_in_bytes() -> None:
    text = '"' + "é" * (LIMIT // 2 - 1) + '"'
    assert len(loads(text)) == LIMIT // 2 - 1
    with pytest.raises(JsonError, match="has 1,048,577 bytes, more than the 1,048,576") as caught:
        loads(text + " ")
    assert (caught.value.line, caught.value.column) == (0, 0)
    assert loads(text + " ", limit=LIMIT + 1) == loads(text)


@given(VALUES, LAYOUTS)
def test_reads_as_the_standard_library_does(value: Any, layout: dict[str, Any]) -> None:
    assert loads(written(value, layout)) == json.loads(written(value, layout))


@given(VALUES, st.sampled_from([None, "", "  ", "\t"]), st.booleans())
def test_writes_as_the_standard_library_does(
    value: Any, indent: str | None, ascii_only: bool
) -> None:
    expected = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert dumps(value, indent=indent, ascii_only=ascii_only) == expected
    read = loads(expected)
    assert dumps(read, indent=indent, ascii_only=ascii_only) == expected


def test_writes_tuples_as_lists_and_keys_as_texts() -> None:
    assert dumps({1: (), "a": ((1, None), [])}) == '{"1": [], "a": [[1, null], []]}'


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [math.nan], {"a": [-math.inf]}])
def test_writes_nothing_that_is_no_json(value: Any) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps(value)
    with pytest.raises(TypeError):
        dumps([b"bytes"])


def test_a_file_ends_in_a_line_feed_and_is_utf8() -> None:
    assert dump({"é\ud800": [1.5]}) == b'{\n  "\xc3\xa9\\ud800": [\n    1.5\n  ]\n}\n'


@pytest.mark.parametrize(
    ("data", "repeated"),
    [
        (b'{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 1}]}', []),
        (b'{"a": 1, "\\u0061": 2, "a": 3}', [("a",), ("a",)]),
        (b'{"a": {"b": 1}, "a": {"b": 2}}', [("a",)]),
        (b'[{"x": {"": 1, "y": [], "": 2}}]', [(0, "x", "")]),
        (b'[["a", "a"], "a"]', []),
        (b"1", []),
    ],
)
def test_every_repeated_key_is_named(data: bytes, repeated: list[Path]) -> None:
    assert repeated_keys(data) == repeated


def test_keys_of_no_json_are_not_counted() -> None:
    with pytest.raises(JsonError):
        repeated_keys(b'{"a": 1, "a": 2')


def test_a_hostile_document_is_written_soon() -> None:
    started = time.process_time()
    value = loads(b"[" * (DEPTH - 1) + b"[" + b"1.10," * 200_000 + b"1]" + b"]" * (DEPTH - 1))
    assert len(dumps(value)) > 1_000_000
    assert len(repeated_keys(b'{"a":' + b'[{"a":1,"a":2},' * 60 + b"1" + b"]" * 60 + b"}")) == 60
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "data",
    [
        b"[" + b"[]," * 300_000 + b"1]",
        b"[" * 1_000_000,
        b'"' * 1_000_000,
        b"\\" * 1_000_000,
        b'"\\' * 500_000,
        b"-" * 1_000_000,
        b"1" * 1_000_000,
        b'{"' + b"\\n" * 500_000 + b'":1}',
        b"[" * (DEPTH - 1) + b'["a",' + b'"a",' * 200_000 + b"1]" + b"]" * (DEPTH - 1),
    ],
    ids=lambda data: repr(data[:8]),
)
def test_hostile_documents_end_soon(data: bytes) -> None:
    start = time.monotonic()
    try:
        edit_strings(data, lambda _path, text, _is_key: text + "!")
        set_members(data, {"a": 1})
    except JsonError:
        pass
    assert time.monotonic() - start < 60


def test_edit_strings_names_every_key_and_string() -> None:
    seen: list[tuple[Path, str, bool]] = []

    def edit(path: Path, text: str, is_key: bool) -> str:
        seen.append((path, text, is_key))
        return text

    data = b'{"a": ["x", {"b\\u0021": "y"}, 7, "z"], "c": {"": [[], "w"]}, "a": "v"}'
    assert edit_strings(data, edit) == data
    assert seen == [
        (("a",), "a", True),
        (("a", 0), "x", False),
        (("a", 1, "b!"), "b!", True),
        (("a", 1, "b!"), "y", False),
        (("a", 3), "z", False),
        (("c",), "c", True),
        (("c", ""), "", True),
        (("c", "", 1), "w", False),
        (("a",), "a", True),
        (("a",), "v", False),
    ]


def test_edit_strings_touches_changed_tokens_only() -> None:
    data = b'\r\n{ "k\\u0065y" :\t["s\\/t", "secret\\n", 1.50e0 ,"\\ud800"]}'
    after = edit_strings(
        data, lambda _path, text, _is_key: text.replace("secret\n", '"\u2028\x01\udc00')
    )
    assert after == data.replace(b'"secret\\n"', b'"\\"\xe2\x80\xa8\\u0001\\udc00"')


def test_edit_strings_can_edit_numbers_too() -> None:
    seen: list[tuple[Path, str]] = []

    def edit_number(path: Path, digits: str) -> str:
        seen.append((path, digits))
        return "gone" if digits == "-1.50e0" else digits

    data = b'{"1": [-1.50e0, "2", true,1e400], "a" : 3}'
    after = edit_strings(data, lambda _path, text, _is_key: text, edit_number=edit_number)
    assert after == b'{"1": ["gone", "2", true,1e400], "a" : 3}'
    assert seen == [(("1", 0), "-1.50e0"), (("1", 3), "1e400"), (("a",), "3")]


def test_edit_strings_takes_a_document_of_one_string() -> None:
    assert edit_strings(b' "a" ', lambda path, text, is_key: f"{text}{path}{is_key}") == (
        b' "a()False" '
    )
    with pytest.raises(JsonError):
        edit_strings(b'"a', lambda _path, text, _is_key: text)


@given(VALUES, LAYOUTS)
def test_edit_strings_edits_what_a_walk_over_values_edits(
    value: Any, layout: dict[str, Any]
) -> None:
    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {f"<{key}>": walk(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [walk(inner) for inner in value]
        return f"<{value}>" if isinstance(value, str) else value

    data = written(value, layout)
    assert json.loads(edit_strings(data, lambda _path, text, _is_key: f"<{text}>")) == walk(value)
    assert edit_strings(data, lambda _path, text, _is_key: text) == data


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"{}", b'{"n": [1, {}]}'),
        (b" { } \n", b' {"n": [1, {}] } \n'),
        (b'{"a":1}', b'{"a":1,"n":[1, {}]}'),
        (b'{"a": 1}', b'{"a": 1, "n": [1, {}]}'),
        (b'{"a":1, "b":2 }', b'{"a":1, "b":2, "n":[1, {}] }'),
        (b'{"n":0,"n" : {"n": 1}, "m":[{"n":2}]}', b'{"n":[1, {}],"n" : [1, {}], "m":[{"n":2}]}'),
        (b'{"\\u006e": "}]"}', b'{"\\u006e": [1, {}]}'),
        (
            b'{\r\n\t"a": [{}],\r\n\t"b": "\\\\"\r\n}\r\n',
            b'{\r\n\t"a": [{}],\r\n\t"b": "\\\\",\r\n\t"n": [\r\n\t\t1,\r\n\t\t{}\r\n\t]\r\n}\r\n',
        ),
        (b'{\n  "a": 1\n}', b'{\n  "a": 1,\n  "n": [\n    1,\n    {}\n  ]\n}'),
    ],
)
def test_set_members_keeps_the_style_of_the_document(before: bytes, after: bytes) -> None:
    assert set_members(before, {"n": [1, {}]}) == after


def test_set_members_sets_several_and_escapes_what_utf8_cannot_hold() -> None:
    data = b'{"a": 1.0, "b": [2.50], "c": 3}'
    assert set_members(data, {"a": "é\ud800", "z": None, "c": True, "y": "\n"}) == (
        b'{"a": "\xc3\xa9\\ud800", "b": [2.50], "c": true, "z": null, "y": "\\n"}'
    )
    assert set_members(data, {}) == data


@pytest.mark.parametrize("data", [b"[]", b"null", b'"{}"', b"1"])
def test_set_members_wants_a_map(data: bytes) -> None:
    with pytest.raises(JsonError, match="the document is not a map"):
        set_members(data, {"a": 1})


def test_set_members_writes_no_nan() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        set_members(b"{}", {"a": math.nan})


@given(st.dictionaries(TEXTS, VALUES, max_size=5), st.dictionaries(TEXTS, VALUES), LAYOUTS)
def test_set_members_updates_like_a_dictionary(
    document: dict[str, Any], members: dict[str, Any], layout: dict[str, Any]
) -> None:
    members |= dict.fromkeys(list(document)[:1], "set")
    after = loads(set_members(written(document, layout), members))
    assert after == document | members
    assert list(after) == list(document | members)

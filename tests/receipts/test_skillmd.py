import base64
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from receipts.skillmd import canonical, fields, split
from tests.shared import DATA, shared

SPACE = "\t\n\x0b\x0c\r \xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
# The rule as it is stated, to check the linear search by; it backtracks.
REFERENCE = re.compile(f"---[{SPACE}]*\r?\n((?:.|\n)*?)\r?\n---(\r?\n|\\Z)")


def vectors(path: Path) -> list[dict[str, Any]]:
    # Split at LF only: the texts hold other line separators.
    lines = path.read_bytes().split(b"\n")
    return [json.loads(line) for line in lines if line]


def check(vector: dict[str, Any]) -> None:
    if vector["canonical_skill_md"] is None:
        return
    found = canonical(base64.b64decode(vector["files"]["SKILL.md"]))
    assert found.text == vector["canonical_skill_md"], vector["id"]
    assert found.certain == (not found.doubts)


def test_the_vectors_kept_here() -> None:
    kept = vectors(DATA / "skillmd.jsonl")
    assert len(kept) >= 20
    for vector in kept:
        check(vector)


def test_every_shared_vector() -> None:
    for vector in vectors(shared("digest", "vectors.jsonl")):
        check(vector)


PIECES = st.sampled_from(
    ["---", "\n", "\r\n", "\r", " ", "\t", "-", "a", "a: b", "\ufeff", "\x85", "\x1c", "\u2028"]
)


@given(st.lists(PIECES, max_size=14).map("".join))
@example("--\n---\n\n---\n---")
@example("---\n\n---\n")
@example("---\n\n---\na\n---\n")
@example("---\r\n\r\n---\r\n")
@example("---\n \n---")
@example("---\n---\nbody")
def test_the_frontmatter_is_where_the_rule_says(tail: str) -> None:
    text = "---" + tail
    parts, rule = split(text), REFERENCE.match(text)
    if rule is None:
        assert parts is None
        return
    assert parts is not None
    assert parts.opening + parts.block + parts.closing + parts.body == text
    assert (parts.start, parts.end) == rule.span(1)
    assert (parts.block, parts.line_end) == rule.groups()
    assert len(text) - len(parts.body) == rule.end()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\n---\n",
        "\ufeff---\na: b\n---\n",
        "\n---\na: b\n---\n",
        "---\ra: b\r---\r",
        "---x\na: b\n---\n",
        "---\x85\na: b\n---\n",
        "---\x1c\na: b\n---\n",
        "---\na: b\n--- \n",
        "---\na: b\n----\n",
        "---\na: b\n---\r",
    ],
)
def test_texts_without_frontmatter(text: str) -> None:
    assert split(text) is None
    assert canonical(text.encode()).text == text
    assert fields(text) is None


def test_the_managed_fields_do_not_count() -> None:
    text = "---\nname: x\nlicense: MIT\nmetadata: {id: 1, a: 2, author: 3}\n---\nbody"
    assert canonical(text.encode()).text == "---\nname: x\nmetadata:\n  a: 2\n---\nbody"
    assert canonical(b"---\nmetadata: {id: 1}\n---").text == "---\nmetadata: {}\n---\n"
    text = "---\r\nmetadata: &m {id: 1}\r\nagain: *m # c\r\n---\r\nx\r\n"
    assert canonical(text.encode()).text == "---\nmetadata: {}\nagain:\n  id: 1\n---\r\nx\r\n"


@pytest.mark.parametrize(
    ("data", "doubt"),
    [
        (
            b"---\nname: x\n\nname: y\n---\n",
            r"SKILL\.md line 4: .*; the frontmatter is measured as",
        ),
        (b"---\n\n\na: 'b\n---\n", r"SKILL\.md line \d: .*id, author and license count\.$"),
        (b"---\nname: *x\n---\n", r"SKILL\.md line 2: "),
        (b"# a\n\xff\xfe b\n", r"SKILL\.md line 2: byte 0xff is not UTF-8; .*not certain\.$"),
    ],
)
def test_doubts_are_said(data: bytes, doubt: str) -> None:
    found = canonical(data)
    assert found.text == data.decode(errors="replace")
    assert not found.certain
    assert len(found.doubts) == 1
    assert re.match(doubt, found.doubts[0])


def test_two_doubts() -> None:
    found = canonical(b"---\na: \xc3(\nb: c: d\n---\n")
    assert len(found.doubts) == 2


def test_a_replacement_character_in_the_file_is_no_doubt() -> None:
    assert canonical("---\na: \ufffd\n---\n".encode()).certain


@given(st.binary(max_size=40))
@example(b"\xe2\x82")
@example(b"\xf0\x9f\x98")
@example(b"\xed\xa0\x80")
@example(b"\xc0\xaf\xf8\xf4\x90\x80\x80")
@example(b"a\xe2\x82b\xf0\x9f\x98c")
def test_each_maximal_bad_sequence_becomes_one_character(data: bytes) -> None:
    assert canonical(data).text == replaced(data)


def replaced(data: bytes) -> str:
    """Decode as the WHATWG Encoding Standard describes its UTF-8 decoder."""
    result, needed, seen, point, low, high = "", 0, 0, 0, 0x80, 0xBF
    position = 0
    while position < len(data):
        byte = data[position]
        if not needed:
            position += 1
            if byte <= 0x7F:
                result += chr(byte)
            elif 0xC2 <= byte <= 0xF4:
                needed = 1 + (byte >= 0xE0) + (byte >= 0xF0)
                low = {0xE0: 0xA0, 0xF0: 0x90}.get(byte, 0x80)
                high = {0xED: 0x9F, 0xF4: 0x8F}.get(byte, 0xBF)
                point, seen = byte & (0x3F >> needed), 0
            else:
                result += "\ufffd"
        elif low <= byte <= high:
            position += 1
            low, high = 0x80, 0xBF
            point, seen = point << 6 | byte & 0x3F, seen + 1
            if seen == needed:
                result, needed = result + chr(point), 0
        else:
            result, needed, low, high = result + "\ufffd", 0, 0x80, 0xBF
    return result + "\ufffd" * bool(needed)


def test_fields() -> None:
    text = "---\nname: x\nmetadata: {id: a}\n---\n"
    assert fields(text) == {"name": "x", "metadata": {"id": "a"}}
    assert fields("---\n- a\n---\n") is None
    assert fields("---\na: b: c\n---\n") is None


@pytest.mark.parametrize(
    "text",
    [
        "---" + "\n" * 1_000_000,
        "---" + " " * 1_000_000,
        "---\n" + "\n--" * 400_000,
        "---\n" + "\r\n---x" * 200_000,
        "---" + "\r\n" * 400_000 + "---\n",
    ],
)
def test_hostile_texts_end(text: str) -> None:
    start = time.monotonic()
    split(text)
    assert time.monotonic() - start < 10


def test_a_frontmatter_too_long_to_read_is_measured_raw_and_said_so() -> None:
    text = "---\nname: x\n" + "# filler\n" * 40_000 + "---\n"
    result = canonical(text.encode())
    assert (result.text, result.certain) == (text, False)
    assert "more than the 262,144 that are read" in result.doubts[0]

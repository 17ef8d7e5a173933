"""Texts in transcripts of any size, in JavaScript's lower case."""

import random
import sys
import tracemalloc
import unicodedata
from collections.abc import Iterator

import pytest

from receipts.arms.checks import mentions
from receipts.arms.checks.mentions import mentioned
from tests.parts import examples, require_part
from tests.receipts.arms import javascript


def test_texts_across_pieces_and_parts() -> None:
    pieces = ["abc", "", "d", "e" * 3_000_000 + " END", "x"]
    needles = ["BC\n\nD\nE", "ee end\nx", "e" * 2_000_000, "f", "", "abc\nd"]
    assert mentioned(needles, pieces) == {needles[0], needles[1], needles[2], ""}
    assert mentioned(["a"], []) == set()
    assert mentioned([""], []) == {""}
    assert mentioned([], ["a"]) == set()


def test_reading_ends_when_all_is_found() -> None:
    def pieces() -> Iterator[str]:
        yield "found"
        raise AssertionError("read on")

    assert mentioned(["FOUND"], pieces()) == {"FOUND"}


def test_a_large_transcript_is_not_held() -> None:
    pieces = ("line of text " * 5000 for _ in range(1500))  # about 100 MB
    tracemalloc.start()
    try:
        assert mentioned(["not there", "nor this"], pieces) == set()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


def test_it_is_what_a_search_in_the_joined_text_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mentions, "_PART", 5)
    chance = random.Random("mentions")
    for _ in range(examples(2000)):
        pieces = ["".join(chance.choices("aΣσς \nİ.", k=chance.randint(0, 12))) for _ in range(4)]
        needles = ["".join(chance.choices("aΣσς\nİ", k=chance.randint(0, 4))) for _ in range(4)]
        joined = "\n".join(pieces).lower()
        expected = {needle for needle in needles if needle.lower() in joined}
        assert mentioned(needles, pieces) == expected, (needles, pieces)


def test_lower_case_is_javascript_s() -> None:
    require_part(javascript.PRESENT, "node")
    # Of letters that Python's own Unicode does not have, a newer one may know the case.
    letters = [chr(code) for code in range(sys.maxunicode + 1)]
    known = [letter for letter in letters if unicodedata.category(letter) not in ("Cn", "Cs")]
    chance = random.Random("lower case")
    words = ["".join(chance.choices("aΣ.\u0301 ʰİ\u00ad1", k=6)) for _ in range(2000)]
    texts = [" ".join(known), *words]
    answers = javascript.ask([{"lower": text} for text in texts])
    assert [text.lower() for text in texts] == [answer["lower"] for answer in answers]

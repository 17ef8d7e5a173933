"""Patterns with JavaScript's meaning, against JavaScript."""

import random
import re
from typing import Any

import pytest

from receipts.arms.jsregex import Pattern, RegexError, compiled
from receipts.jsyaml.units import to_units
from tests.parts import examples, require_part
from tests.receipts.arms import javascript

SEARCHES = [
    # Digits, words and white space
    (r"^\d$", "5", True),
    (r"^\d$", "\u0665", False),
    (r"^\w$", "é", False),
    (r"^\W$", "é", True),
    (r"^\s$", "\ufeff", True),
    (r"^\s$", "\x85", False),
    (r"^\s$", "\x1c", False),
    (r"^\S$", "\x1c", True),
    (r"[\s\d]", "a\u2028b", True),
    (r"[^\s\S]", "a", False),
    (r"\bé", "é", False),
    (r"a\b", "aé", True),
    (r"\B", "", True),
    # Lines
    ("a$", "a\n", False),
    ("^b", "a\nb", False),
    ("a.b", "a\u2028b", False),
    ("a.b", "a\rb", False),
    ("a.b", "a\x85b", True),
    ("a[^]b", "a\nb", True),
    # Units
    ("^.$", "😀", False),
    ("^..$", "😀", True),
    ("[😀]", "\ud83d", True),
    ("😀", "x😀y", True),
    ("[\ud83d]", "😀", True),
    # Escapes
    (r"^\u{3}$", "uuu", True),
    (r"^\u{61}$", "a", False),
    (r"\u0061\x62\x6\u12", "abx6u12", True),
    (r"^\p{2}$", "pp", True),
    (r"^\cA$", "\x01", True),
    (r"^\c$", r"\c", True),
    (r"^[\c1]$", "\x11", True),
    (r"^[\c!]+$", r"\c!", True),
    (r"^\0$", "\x00", True),
    (r"^\101\8\77$", "A8?", True),
    (r"^\400$", " 0", True),
    (r"^[\b]$", "\b", True),
    (r"^\A\Z\z\a\e$", "AZzae", True),
    (r"^\k<n>$", "k<n>", True),
    (r"a\-b\/", "a-b/", True),
    # Classes
    ("[]", "", False),
    ("a|[]", "a", True),
    (r"^[\d-x]+$", "1-x", True),
    (r"^[a-\d]+$", "a-1", True),
    ("^[a-]+$", "a-", True),
    ("^[]a]$", "a]", False),
    ("[[a]", "[", True),
    ("^[a&&b]$", "&", True),
    ("[(|)]", ")", True),
    # Counts
    ("^a{,2}$", "a{,2}", True),
    ("^a{1$", "a{1", True),
    ("^{$", "{", True),
    ("^x]}$", "x]}", True),
    ("^a{2,}?$", "aaa", True),
    ("^(?:a?){3}$", "aa", True),
    ("^(?=a)*b", "b", True),
    ("^(?!a)?a", "a", True),
    # References
    (r"^(a)\1$", "aa", True),
    (r"^(a)?\1b$", "b", True),
    (r"^\1(a)$", "a", True),
    (r"^(a\1)$", "a", True),
    (r"^(?:(a)|b)\1c", "bc", True),
    (r"^(?!(a)b)\1a", "ac", True),
    (r"^(?=(a+))\1b", "aab", True),
    (r"(?<q>[\"']).*\k<q>", "'a\"b'", True),
    (r"^(?:([\"'])[^\"']*\1 ?)+$", "'a' \"b\"", True),
    (r"^\k<n>(?<n>a)$", "a", True),
    (r"^(a)\2$", "a\x02", True),
    (r"^(a)\10$", "a\b", True),
    (r"(?<$é1>a)\k<$é1>", "aa", True),
    # Looks behind
    ("(?<=a|bc)d", "bcd", True),
    ("(?<!a|bc)d", "bcd", False),
    ("(?<=ab?c{1,2})d", "accd", True),
    ("(?<=ab?c{1,2})d", "abcd", True),
    ("(?<=ab?c{1,2})d", "bcd", False),
    ("(?<!(?:a|bb)x?)c", "bbxc", False),
    ("(?<=^)a", "ba", False),
    ("(?<=[])a", "a", False),
    # Possessive and atomic are not there
    ("(?:a|ab)(?:c|bcd)(?:d*)", "abcd", True),
]  # fmt: skip

REFUSED = [
    ("(", "has no `)`"),
    (")", "has no `(`"),
    ("[a", "has no `]`"),
    ("a\\", "ends in"),
    ("*a", "nothing to repeat"),
    ("a**", "nothing to repeat"),
    ("a*+", "nothing to repeat"),
    ("a{1}{2}", "nothing to repeat"),
    ("{1}", "nothing to repeat"),
    ("^*", "nothing to repeat"),
    (r"\b+", "nothing to repeat"),
    ("(?<=a)*", "nothing to repeat"),
    ("a{2,1}", "out of order"),
    ("[b-a]", "out of order"),
    ("(?P<n>a)", "starts with `(?`"),
    ("(?>a)", "starts with `(?`"),
    ("(?#a)", "starts with `(?`"),
    ("(?<>a)", "no valid name"),
    ("(?<1>a)", "no valid name"),
    ("(?<n", "no valid name"),
    ("(?<n>a)(?<n>b)", "two groups"),
    (r"(?<n>a)\k<m>", "name of a group"),
    (r"(?<n>a)\k", "name of a group"),
    (r"(?<n>a)[\k]", "no name of a group"),
]

NOT_FAITHFUL = [
    ("(?<=a+)b", "any width"),
    ("(?<=a{0,1000})b", "any width"),
    ("(?<=(?:a|bb){9})c", "any width"),
    (r"(a)(?<=\1)b", "look behind"),
    (r"(?<=(a))\1", "look behind"),
    (r"(a)*\1", "repetition"),
    (r"(a)??\1", "repetition"),
    (r"(?:(a)|b\1)*c", "repetition"),
    (r"(?:(?=(a)))?\1b", "repetition"),
    ("(" * 60 + ")" * 60, "deep"),
    ("a" * 10_001, "characters"),
]


def found(pattern: Pattern, text: str) -> bool:
    return re.compile(pattern.python, re.ASCII).search(to_units(text)) is not None


@pytest.mark.parametrize(("pattern", "text", "expected"), SEARCHES)
def test_a_search(pattern: str, text: str, expected: bool) -> None:
    assert found(compiled(pattern), text) is expected


# What newer engines read and older ones refuse.
NOT_EVERYWHERE = [("(?i:a)", "starts with `(?`"), ("(?<n>a)|(?<n>b)", "two groups")]


@pytest.mark.parametrize(("pattern", "why"), REFUSED + NOT_FAITHFUL + NOT_EVERYWHERE)
def test_what_is_refused_and_why(pattern: str, why: str) -> None:
    with pytest.raises(RegexError) as caught:
        compiled(pattern)
    assert why in str(caught.value)


def test_javascript_agrees_with_the_tables() -> None:
    require_part(javascript.PRESENT, "node")
    asked = [{"pattern": pattern, "texts": [text]} for pattern, text, _ in SEARCHES]
    assert javascript.ask(asked) == [{"found": [expected]} for _, _, expected in SEARCHES]
    refused = javascript.ask([{"pattern": pattern, "texts": []} for pattern, _ in REFUSED])
    assert [answer for answer in refused if "error" not in answer] == []
    read = javascript.ask([{"pattern": pattern, "texts": []} for pattern, _ in NOT_FAITHFUL])
    assert [answer for answer in read if "error" in answer] == []


@pytest.mark.parametrize(
    ("pattern", "never"),
    [
        ("[]", True),
        ("a[]", True),
        ("a[]|b[]", True),
        ("(?:[]){2}", True),
        ("(?!)", True),
        ("(?!a*)", True),
        ("(?=[])a", True),
        ("a^", True),
        ("$a", True),
        ("a(b$)c", False),
        ("", False),
        ("a[]|b", False),
        ("(?:[])*", False),
        ("(?!a)", False),
        ("^$", False),
        ("$^", False),
        (r"\ba", False),
    ],
)
def test_what_can_be_seen_to_match_nothing(pattern: str, never: bool) -> None:
    assert compiled(pattern).never_matches is never


ATOMS = [
    *"aabbc.^$-18{}]", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\b", r"\B", r"\n",
    "[ab]", "[^a]", "[a-c]", "[]", "[^]", r"\1", r"\2", r"\3", r"\k<n>",
]  # fmt: skip
ODD_ATOMS = [
    *"()[\\*😀\u2028\ufeffİä", r"\cA", r"\c", r"\x61", r"\x6", r"\u0061", r"\u{2}", r"\u", r"\0",
    r"\01", r"\141", r"\8", r"\q", r"\p{1}", r"\/", r"\k", r"[\b]", r"[\d-x]", r"[a-\w]", r"[\cA]",
    r"[\c]", r"[\c1]", r"[\1]", r"[\k]", "[-a]", "[a-]", r"[\u0061-c]", "[z-a]", "[😀]", "{1}",
    "{1", "{,2}", "(?i:a)",
]  # fmt: skip
GROUPS = ["(", "(", "(?:", "(?<n>", "(?=", "(?!", "(?<=", "(?<!"]
COUNTS = ["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}", "*?", "+?", "??", "{1,2}?", "{0}",
          "{2,1}", "{,2}"]  # fmt: skip
LETTERS = "aaabbbcc1 \n\u2028-_ä8{}😀\ufeff\x01"


def pattern_of(chance: random.Random, odd: float, depth: int = 0) -> str:
    """Make up a pattern; `odd` is how often it holds what people do not write."""
    kind = chance.random()
    if depth > 4 or kind < 0.33:
        atoms: list[str] = ODD_ATOMS if chance.random() < odd else ATOMS
        return chance.choice(atoms)
    if kind < 0.6:
        count = chance.randint(1, 3)
        return "".join(pattern_of(chance, odd, depth + 1) for _ in range(count))
    inner = pattern_of(chance, odd, depth + 1)
    if kind < 0.7:
        return f"{inner}|{pattern_of(chance, odd, depth + 1)}"
    if kind < 0.83:
        return f"{chance.choice(GROUPS)}{inner})"
    return inner + chance.choice(COUNTS)


@pytest.mark.parametrize("odd", [0.0, 0.1])
def test_javascript_finds_the_same_by_patterns_of_chance(odd: float) -> None:
    require_part(javascript.PRESENT, "node")
    chance = random.Random(f"patterns {odd}")
    asked: list[dict[str, Any]] = [
        {
            "pattern": pattern_of(chance, odd),
            "texts": ["", "a", "b", "ab", "aa", "ba"]
            + ["".join(chance.choices(LETTERS, k=chance.randint(0, 7))) for _ in range(12)],
        }
        for _ in range(examples(4000))
    ]
    searched = refused = not_faithful = 0
    for request, answer in zip(asked, javascript.ask(asked), strict=True):
        try:
            pattern = compiled(request["pattern"])
        except RegexError:
            refused += "error" in answer
            not_faithful += "found" in answer
            continue
        ours = [found(pattern, text) for text in request["texts"]]
        assert {"found": ours} == answer, (request, pattern.python)
        assert not (pattern.never_matches and any(ours)), request
        searched += 1
    assert searched > len(asked) * 0.6
    assert refused > len(asked) * 0.05
    assert not_faithful < len(asked) * 0.05

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts.scrub import Finding, find, scrub
from receipts.scrub.rules import RULES, SHARED
from receipts.scrub.values import MARK
from tests.receipts.scrub.corpus import negatives, positives
from tests.shared import DATA, shared

TOKEN = "ghp_" + "a1B2c3D4e5" * 2
SAMPLES = [case.text for case in positives()] + [text for _, text in negatives()]
# Pieces that rules look for, to be put together in ways that nobody thought of.
PIECES = sorted(
    {keyword for rule in RULES for keyword in rule.keywords}
    | {"AKIA" + "A1" * 8, "a1B2" * 9, "0f" * 16, MARK, "[redacted", "redacted]", "sk-" + "aB1" * 8}
    | set(" \n\t\\\"'`:=@/.,;&?-_[](){}<>$%")
    | {"\\n", '\\"', "Bearer ", "password", "your-", "xxxx"}
)
MIXED = st.lists(st.sampled_from(PIECES) | st.sampled_from(SAMPLES) | st.text(max_size=8)).map(
    "".join
)


# The six classes as the other client has them, in its own terms.
SIX = (
    r"ghp_[A-Za-z0-9]{20,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"sk-ant-[A-Za-z0-9_-]{10,}",
    r"AKIA[0-9A-Z]{16}",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
    r"Bearer\s+eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+",
)


@pytest.mark.parametrize(
    "text",
    [
        "ghp_" + "x" * 20,
        "xghp_" + "x" * 20 + "_tail",
        "github_pat_" + "_" * 20,
        "sk-ant-" + "-" * 10,
        "AKIA" + "A" * 20,
        "-----BEGIN PRIVATE KEY-----prose-----END RSA PRIVATE KEY-----",
        "-----BEGIN A PRIVATE KEY-----\n-----BEGIN B PRIVATE KEY-----\n-----END PRIVATE KEY----- x",
        "Bearer \n eyJ-.-.-",
    ],
)
def test_the_six_shared_classes_are_hidden_to_the_character(text: str) -> None:
    expected = text
    for pattern in SIX:
        expected = re.sub(pattern, MARK, expected)
    assert expected != text
    assert scrub(text) == expected


@given(MIXED)
def test_whatever_the_shared_classes_find_is_hidden(text: str) -> None:
    hidden: set[int] = set()
    for finding in find(text):
        hidden.update(range(finding.start, finding.end))
    for pattern in SIX:
        for match in re.finditer(pattern, text):
            assert hidden.issuperset(range(*match.span())) or MARK in match[0]


def test_the_shared_classes_come_first() -> None:
    assert RULES[:6] == SHARED
    assert [rule.name for rule in SHARED] == [
        "github-token",
        "github-fine-grained-token",
        "anthropic-key",
        "aws-access-key-id",
        "private-key",
        "bearer-jwt",
    ]


def test_findings_tell_the_place_and_nothing_of_the_text() -> None:
    text = f"a {TOKEN} b PASSWORD=hunter2 c"
    assert find(text) == [Finding("github-token", 2, 26), Finding("assignment", 38, 45)]
    assert scrub(text) == "a [redacted] b PASSWORD=[redacted] c"


def test_what_overlaps_is_one_finding_under_the_most_telling_name() -> None:
    assert find(f"API_KEY={TOKEN}") == [Finding("github-token", 8, 32)]
    assert find(f'password = "{TOKEN}-and-more"') == [Finding("github-token", 12, 45)]


def test_tokens_that_touch_are_both_hidden() -> None:
    text = "AKIA" + "A1" * 8 + "sk-" + "a1B2" * 8
    assert scrub(text) == MARK + MARK


def test_a_token_is_told_across_a_line_break_only_by_its_exact_length() -> None:
    first, second = "ghp_a1B2c3D4e5", "f6" * 13
    assert scrub(f"{first}\n  {second} x") == "[redacted] x"
    assert scrub(f"{first}\\n{second}") == MARK
    assert scrub(f"{first}\n{second}f6") == f"{first}\n{second}f6"
    assert scrub(f"ghp_{'a1' * 14}\ncomplete") == "[redacted]\ncomplete"


def test_empty_and_plain_text_is_left_alone() -> None:
    assert scrub("") == ""
    assert find("") == []
    assert scrub("İ\x00\ud800 plain") == "İ\x00\ud800 plain"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_says_what_it_is_and_what_to_look_for(rule: object) -> None:
    assert isinstance(rule, type(RULES[0]))
    assert rule.what
    assert rule.keywords
    assert all(rule.keywords)
    assert bool(rule.pattern) != bool(rule.finder)
    if rule.ignores_case:
        assert all(keyword == keyword.lower() for keyword in rule.keywords)


@given(MIXED)
def test_scrubbing_twice_is_scrubbing_once(text: str) -> None:
    clean = scrub(text)
    assert find(clean) == []
    assert scrub(clean) == clean


@given(MIXED, st.lists(st.text(max_size=6) | st.sampled_from([MARK, "red", "]x", "[", TOKEN])))
def test_named_secrets_keep_scrubbing_stable(text: str, secrets: list[str]) -> None:
    clean = scrub(text, secrets)
    assert find(clean, secrets) == []
    assert scrub(clean, secrets) == clean


@given(MIXED)
def test_findings_are_in_order_and_apart(text: str) -> None:
    place = 0
    for finding in find(text):
        assert place <= finding.start < finding.end <= len(text)
        place = finding.end


@given(st.dictionaries(st.text(), MIXED))
def test_json_in_a_text_stays_json(document: dict[str, str]) -> None:
    # A key block that starts in one string and ends in another is one secret by its definition.
    text = json.dumps(document)
    if "PRIVATE KEY" not in text and "Private-Lines" not in text:
        json.loads(scrub(text))
        json.loads(json.loads(scrub(json.dumps(text))))


NUMBERS = st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.sampled_from(["password", "DB_PASSWORD", "pwd", "x", "token", "password_length"])


@given(st.dictionaries(NAMES, NUMBERS | st.lists(NUMBERS)), st.sampled_from([None, 2]))
def test_json_in_a_text_stays_json_where_a_number_goes(
    document: dict[str, object], indent: int | None
) -> None:
    text = json.dumps(document, indent=indent)
    for depth in range(3):
        clean = scrub(text)
        assert scrub(clean) == clean
        inner: object = clean
        for _ in range(depth + 1):
            inner = json.loads(inner)  # type: ignore[arg-type]  # a text, but for the innermost
        assert isinstance(inner, dict)
        kept = {key: value for key, value in inner.items() if value != MARK}
        assert kept.items() <= document.items()
        assert document.keys() == inner.keys()
        assert {"x", "password_length"} & document.keys() <= kept.keys()
        text = json.dumps(text)


def test_a_number_that_is_a_password_becomes_a_text_in_json_only() -> None:
    assert scrub('{"password": 12345678, "a": 1}') == '{"password": "[redacted]", "a": 1}'
    assert scrub(r"{\"pwd\":12345678}") == r"{\"pwd\":\"[redacted]\"}"
    assert scrub("password: 12345678") == "password: [redacted]"
    assert scrub('"password": 12345678 x') == '"password": [redacted] x'


def _hostile() -> dict[str, str]:
    block = "-----BEGIN PRIVATE KEY-----"
    runs = {
        "a": "a", "sk-": "sk-", "begin": "-----BEGIN ", "block": block, "lines": block + "\n",
        "end": "-----END PRIVATE KEY-----", "eyJ.": "eyJ.", "eyJ": "eyJ", "://": "://",
        "://a:": "://a:", "://a:b@": "://a:b@", "password=": "password=", 'token="': 'token="',
        "authorization": "authorization: ", "Bearer ": "Bearer ", "cookie": "cookie: a=b; ",
        "-u": " -u a:b", "--": "-", "--a": "--aaa-", "key": "key", "_KEY=": "A_KEY=", "hex": "0",
        "AKIA": "AKIA", "ids": "AKIAAAAAAAAAAAAAAAAA ", "blank": "token ", "pair": "token,\n ",
        "escape": "\\", "quote": '"', "mark": MARK, "M.": "M" * 25 + ".",
        "machine": "machine a login b ", "scheme": "authorization: a ", "colour": "\x1b[1m",
        "colours": "\x1b[0;1", "number": '"password": 12345678, ', "emphasis": "_sk-", "_": "_",
        "words": "a ",
    }  # fmt: skip
    hostile = {name: run * (1_000_000 // len(run)) for name, run in runs.items()}
    body = ("A" * 64 + "\n") * 15_000
    tails = {
        "no end": f"{block}\n{body}",
        "no beginning": f"{body}-----END PRIVATE KEY-----",
        "spaces": "password" + " " * 1_000_000,
        "userinfo": "://" + "a" * 500_000 + ":" + "@" * 500_000,
        "pairs": "password=" + "a;" * 500_000,
        "cookies": "cookie: " + "a=b;" * 250_000,
        "keyword": "JQQJ99 .atlasv1. -us Q~ :A eyJ xox key-" + "a" * 1_000_000,
    }
    keywords = {
        f"keyword {keyword!r}": keyword * (300_000 // len(keyword))
        for keyword in sorted({keyword for rule in RULES for keyword in rule.keywords})
    }
    return hostile | tails | keywords


HOSTILE = _hostile()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_megabyte_ends_soon(name: str) -> None:
    started = time.process_time()
    scrub(HOSTILE[name])
    # Under a second on a quiet machine; the guard is against quadratic time, which takes minutes.
    assert time.process_time() - started < 5


def test_no_line_of_a_copied_skill_is_a_secret() -> None:
    lines = (DATA / "scrub" / "skill-lines.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 20
    for line in lines:
        assert find(line) == [], line


def test_no_line_of_any_skill_is_a_secret() -> None:
    files = [path for path in shared("skills").rglob("*") if path.is_file()]
    assert files
    for path in files:
        _assert_no_secret(path)


def _assert_no_secret(path: Path) -> None:
    text = path.read_bytes().decode(errors="replace")
    assert find(text) == [], path
    for line in text.splitlines():
        assert find(line) == [], f"{path}: {line}"


def test_importing_it_is_cheap() -> None:
    code = "import sys, receipts.scrub; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"pydantic", "dulwich", "rich", "cryptography", "urllib"} & set(
        loaded.stdout.split()
    )

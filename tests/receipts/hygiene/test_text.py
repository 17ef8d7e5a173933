"""HYG2 and HYG3: scripts, invisible characters, credentials and addresses."""

import json
import shutil
import subprocess
import sys
import unicodedata

import pytest

from receipts.hygiene import Finding, unfit_to_share
from receipts.hygiene.scripts import script_of
from tests.parts import require_part

AUTHOR = "Ada Lovelace <Ada@Engines.dev>"


def codes(text: str, author: str | None = AUTHOR) -> list[tuple[str, int]]:
    found = unfit_to_share({"a.md": text.encode()}, author)
    return [(finding.code, finding.line) for finding in found]


@pytest.mark.parametrize(
    "character",
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200c\u200d\u2060\ufeff",
)
def test_characters_that_hide_or_reorder(character: str) -> None:
    assert codes(f"one\ntwo{character}\n") == [("HYG2", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "\u0440aypal",  # Cyrillic er
        "p\u0430ypal.com",
        "\u0391pple",  # Greek Alpha
        "ora\u0441le",
        "\u13a0BC",  # Cherokee
        "a\u0561",  # Armenian
        "\u05d0a",
        "\u10ff-\u16a0",  # Georgian and Runic
        "a\u2c80",  # Coptic, which is among all others
        "日本\u0440aypal語",
        "API\u0441d仕様",
        "x=\u0440=a",
    ],
)
def test_words_of_two_scripts(text: str) -> None:
    assert codes(f"plain\n\n{text} after") == [("HYG2", 3)]


@pytest.mark.parametrize(
    "text",
    [
        "日本語のテキストとカタカナ、ー",  # kanji, hiragana and katakana in one run
        "APIの仕様をREADMEに書く。",
        "使用React框架开发",
        "한국어와漢字를API로",
        "注音ㄅㄆㄇ注音",
        "ใช้APIนี้",
        "文書ΑΒΓ文書のабв文書",  # each word is of one script
        "русский текст and English words",
        "ελληνικά και english",
        "naïve café — Ωμέγα",
        "µm ªº ʹ",  # letters that scripts share
        "e\u0301a\u0308",  # combining marks
        "a1_-.,😀",
        "עברית العربية हिन्दी",
        "abc\u2003где",  # a blank of Unicode parts words
    ],
)
def test_honest_prose_of_any_language(text: str) -> None:
    assert codes(text) == []


def test_an_invisible_character_is_said_before_a_mixed_word() -> None:
    assert codes("\u0440aypal\nx\u200by") == [("HYG2", 2)]


def test_scripts_are_unicode_s() -> None:
    require_part(shutil.which("node") is not None, "node")
    names = ["Latin", "Cyrillic", "Greek", "Han", "Hiragana", "Katakana", "Hangul", "Arabic",
             "Cherokee", "Canadian_Aboriginal", "Old_Italic", "Deseret", "Thai", "Yi"]  # fmt: skip
    script = """
const names = JSON.parse(process.argv[1])
const known = names.map(name => [name, new RegExp(`^\\\\p{Script=${name}}$`, 'u')])
const common = /^[\\p{Script=Common}\\p{Script=Inherited}]$/u
const answers = {}
for (let code = 0; code < 0x110000; code++) {
  const letter = String.fromCodePoint(code)
  if (!/^\\p{L}$/u.test(letter)) continue
  const found = known.find(([, pattern]) => pattern.test(letter))
  answers[code] = common.test(letter) ? 'Common' : found ? found[0] : ''
}
console.log(JSON.stringify(answers))
"""
    done = subprocess.run(
        ["node", "-e", script, json.dumps(names)], stdout=subprocess.PIPE, check=True
    )
    theirs = json.loads(done.stdout)
    letters = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isalpha()]
    assert len(letters) > 120_000
    asked = {*names, "Common"}
    for letter in letters:
        ours = script_of(letter)
        expected = theirs[str(ord(letter))]
        assert (ours if ours in asked else "") == expected, unicodedata.name(letter)


TOKEN = "gh" + "p_" + "Zk3" * 12


def test_credentials_by_their_first_line() -> None:
    assert codes(f"one\ntwo {TOKEN}\nada@other.dev") == [("HYG3", 2)]
    key = "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq\n-----END RSA PRIVATE KEY-----"
    assert codes(f"x\n\n{key}\n{TOKEN}") == [("HYG3", 3)]


@pytest.mark.parametrize(
    "address",
    [
        "someone@example.com",
        "a.b+c@EXAMPLE.org",
        "a@mail.example.net",
        "x@test.com",
        "x@host.invalid",
        "x@host.test",
        "x@a.b.example",
        "x@printer.local",
        "x@box.localhost",
        "Ada@engines.DEV",
        "@decorator",
        "a@b",
        "a@b.c",
        "pkg@1.2.3",
    ],
)
def test_addresses_that_reach_nobody_or_the_author(address: str) -> None:
    assert codes(f"write to {address}, please") == []


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("bob@engines.dev", "bob@engines.dev"),
        ("ada@engines.dev", "ada@engines.dev"),  # the name before the @ is exact
        ("<x_%+-.y@sub-domain.co.uk>.", "x_%+-.y@sub-domain.co.uk"),
        ("x@myexample.com", "x@myexample.com"),
        ("x@example.com.evil.dev", "x@example.com.evil.dev"),
        ("x@sub.test.com", "x@sub.test.com"),
        ("someone@example.com and y@real.io", "y@real.io"),
    ],
)
def test_other_addresses(address: str, found: str) -> None:
    [finding] = unfit_to_share({"a.md": f"\nmail {address}".encode()}, AUTHOR)
    assert finding == Finding(
        "HYG3",
        "a.md",
        2,
        f"Contains the email address {found}, which is not the skill author's (the skill author is "
        "Ada@Engines.dev). Hygiene refuses addresses that could reach a real person; use a "
        "reserved domain such as example.com in test fixtures.",
    )
    assert str(finding).startswith("HYG3 a.md:2: Contains the email address")


@pytest.mark.parametrize("author", [None, "", "Ada", "Ada <>"])
def test_without_an_author_no_address_is_exempt(author: str | None) -> None:
    [finding] = unfit_to_share({"a.md": b"Ada@Engines.dev"}, author)
    assert "(this skill declares no metadata.author, so no address is exempt)" in finding.message


def test_one_finding_for_each_file_and_rule() -> None:
    text = f"\u200b x\u0430 {TOKEN}\nq@w.io\n\u200b".encode()
    found = list(unfit_to_share({"a": text, "b/c": text}, None))
    assert [(each.code, each.path) for each in found] == [
        *(("HYG2", "a"), ("HYG3", "a"), ("HYG2", "b/c"), ("HYG3", "b/c"))
    ]


def test_what_is_no_text_is_not_looked_at() -> None:
    bad = "\u200b q@w.io".encode()
    assert list(unfit_to_share({"a": b"\0" + bad, "b": bad + b"\xff"}, None)) == []
    assert len(list(unfit_to_share({"a": bad + b" " * 8192 + b"\0"}, None))) == 2


def test_hostile_texts_take_little_time() -> None:
    for text in ("a" * 2_000_000, "é" * 2_000_000, "a@" * 500_000, "a@" + "a." * 500_000 + "1"):
        assert codes(text) == []
    assert codes("@" * 500_000 + "ж" * 500_000 + "a") == [("HYG2", 1)]

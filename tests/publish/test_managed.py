import difflib
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from publish.managed import Declared, Managed, declared, inject
from receipts import jsyaml, skillmd
from receipts.errors import SkillError
from tests.garbling import garbled
from tests.shared import shared

ID = "4e80fd2a-04bc-4d9f-88f7-a849d92879f1"
AUTHOR = "Sam Roe <sam@example.com>"
PLAIN = Managed("MIT", ID, AUTHOR, None)
FILED = PLAIN._replace(category="docs")
CARRIER = f"# receipts: id={ID} author={AUTHOR}\n"
BODY = "---\n# Title\n\nlicense: of the body\n---\n"


def injected(block: str, fields: Managed = PLAIN) -> str:
    """Inject into a block (with its last line end) and return the new block."""
    result = inject(f"---\n{block}{BODY}", fields)
    assert inject(result, fields) == result
    assert result.startswith("---\n")
    assert result.endswith(BODY)
    return result[4 : -len(BODY)]


def canonical(text: str) -> str:
    return skillmd.canonical(text.encode()).text


LOOKALIKES = """\
a: |
 license: a
 metadata:
  id: b
b: {license: c}
"d":
  "license: \\
   id: e"
"""

# Blocks with no `metadata`, or with a map there: the digest stays.
SAME_DIGEST = {
    "nothing there": (
        "name: x\ndescription: y\n",
        f"name: x\ndescription: y\nlicense: MIT\n{CARRIER}",
    ),
    "comments, quotes and width stay": (
        "# top\nname:   'x'   # why\n\ndescription: " + "word " * 40 + "\n[a,   b]: {c:   d}\n",
        "# top\nname:   'x'   # why\n\ndescription: " + "word " * 40 + "\n[a,   b]: {c:   d}\n"
        f"license: MIT\n{CARRIER}",
    ),
    "a comment behind the license": (
        "name: x\nlicense: Apache-2.0   # ours\ndescription: y\n",
        f"name: x\nlicense: MIT   # ours\ndescription: y\n{CARRIER}",
    ),
    "an empty license": (
        "license: # none yet\nname: x\n",
        f"license: MIT # none yet\nname: x\n{CARRIER}",
    ),
    "a folded license": (
        "license: >-\n    a\n    b\n\n# c\nname: x\n",
        f"license: MIT\n\n# c\nname: x\n{CARRIER}",
    ),
    "a plain license on two lines": (
        "license: a\n  b # c\nname: x\n",
        f"license: MIT # c\nname: x\n{CARRIER}",
    ),
    "a quoted license on two lines": (
        'license: "a # \\\n  license: b" # c\nname: x\n',
        f'license: "MIT" # c\nname: x\n{CARRIER}',
    ),
    "a license on the next line": (
        "license:\n  # c\n  a # d\nname: x\n",
        f"license:\n  # c\n  MIT # d\nname: x\n{CARRIER}",
    ),
    "a list as license": (
        "license:\n- a\n- b\nname: x\n",
        f"license: MIT\nname: x\n{CARRIER}",
    ),
    "a map as license": (
        "license: {a: [b, 'c}'], # c\n  d: e} # f\nname: x\n",
        f"license: MIT # f\nname: x\n{CARRIER}",
    ),
    "an alias as license": (
        "name: &n x\nlicense: *n\n",
        f"name: &n x\nlicense: MIT\n{CARRIER}",
    ),
    "a tag and an unused anchor": (
        "license: !!str &l 'x' # c\nname: x\n",
        f"license: MIT # c\nname: x\n{CARRIER}",
    ),
    "odd keys": (
        "\"license\" : a\n'metadata':\n    'id'  : \"b\" # c\n    list:\n    - id: d\n",
        f"\"license\" : MIT\n'metadata':\n    'id'  : \"{ID}\" # c\n    list:\n    - id: d\n"
        f"    author: {AUTHOR}\n",
    ),
    "an escaped key": (
        'name: x\n"lic\\u0065nse": a\n',
        f'name: x\n"lic\\u0065nse": MIT\n{CARRIER}',
    ),
    "lookalikes": (
        LOOKALIKES,
        f"{LOOKALIKES}license: MIT\n{CARRIER}",
    ),
    "metadata by one": (
        "metadata:\n a: 1\nname: x\n",
        f"metadata:\n a: 1\n id: {ID}\n author: {AUTHOR}\nname: x\nlicense: MIT\n",
    ),
    "metadata by eight, last": (
        "name: x\nmetadata:\n        a: 1\n        # tail\n\n# end\n",
        f"name: x\nmetadata:\n        a: 1\n        # tail\n        id: {ID}\n"
        f"        author: {AUTHOR}\n\n# end\nlicense: MIT\n",
    ),
    "metadata with an anchor": (
        "metadata: &m # c\n  a: 1\nlicense: MIT\n",
        f"metadata: &m # c\n  a: 1\n  id: {ID}\n  author: {AUTHOR}\nlicense: MIT\n",
    ),
    "metadata in braces": (
        "license: MIT\nmetadata: {a: b, # c\n 'id': q,} # d\n",
        f"license: MIT\nmetadata: {{a: b, # c\n 'id': {ID}, author: {AUTHOR},}} # d\n",
    ),
    "metadata in braces on lines": (
        "license: MIT\nmetadata: {\n   a: b # c\n} # d\n",
        f"license: MIT\nmetadata: {{\n   a: b, # c\n   id: {ID},\n   author: {AUTHOR}\n}} # d\n",
    ),
    "metadata as JSON on lines": (
        'license: MIT\nmetadata:\n  {\n    "a": { "id": "b" }, # c\n  }\n',
        'license: MIT\nmetadata:\n  {\n    "a": { "id": "b" }, # c\n'
        f'    "id": "{ID}",\n    "author": "{AUTHOR}",\n  }}\n',
    ),
    "empty braces": (
        "license: MIT\nmetadata: { }\n",
        f"license: MIT\nmetadata: {{id: {ID}, author: {AUTHOR} }}\n",
    ),
    "empty values in braces": (
        'license: MIT\nmetadata: {"id":, author: }\n',
        f'license: MIT\nmetadata: {{"id": "{ID}", author: "{AUTHOR}" }}\n',
    ),
    "all in braces": (
        "{name: it's x, description: 'y,'}\n",
        f"{{name: it's x, description: 'y,', license: MIT}}\n{CARRIER}",
    ),
    "all in braces, with metadata": (
        '{"license":a, name: x, metadata: {a: [1, {id: 2}]}}\n',
        '{"license": "MIT", name: x, metadata: {a: [1, {id: 2}],'
        f" id: {ID}, author: {AUTHOR}}}}}\n",
    ),
    "an indented map": (
        "  name: x\n  list:\n  - a\n",
        f"  name: x\n  list:\n  - a\n  license: MIT\n{CARRIER}",
    ),
    "an anchor of its own": (
        "&r\nname: x\n",
        f"&r\nname: x\nlicense: MIT\n{CARRIER}",
    ),
    "blank lines at the end": (
        "name: x\n\n\n",
        f"name: x\nlicense: MIT\n\n\n{CARRIER}",
    ),
    "a value that keeps its blank lines": (
        "license: MIT\na: |+\n  b\n\n\n",
        f"license: MIT\na: |+\n  b\n\n{CARRIER}",
    ),
    "metadata that keeps its blank lines": (
        "metadata:\n  a: |+\n    b\n\nname: x\nlicense: MIT\n",
        f"metadata:\n  a: |+\n    b\n\n  id: {ID}\n  author: {AUTHOR}\nname: x\nlicense: MIT\n",
    ),
    "other line ends": (
        "name: x\r\na: |\n  b\r\n",
        f"name: x\r\na: |\n  b\r\nlicense: MIT\r\n{CARRIER[:-1]}\r\n",
    ),
    "separators that are content": (
        'a: "b\u2028license: c\x85metadata: d"\n',
        f'a: "b\u2028license: c\x85metadata: d"\nlicense: MIT\n{CARRIER}',
    ),
    "an older carrier": (
        "name: x\n# receipts: id=old author=Some One <x@y.org>\n",
        f"name: x\nlicense: MIT\n{CARRIER}",
    ),
    "a carrier that is no longer last": (
        "name: x\n# receipts: id=old author=Some One <x@y.org>\nlicense: a\n",
        f"name: x\n{CARRIER}license: MIT\n",
    ),
    "a carrier behind kept blank lines": (
        "license: a\na: |+\n  b\n\n# receipts: id=old author=Some One <x@y.org>\n",
        f"license: MIT\na: |+\n  b\n\n{CARRIER}",
    ),
    "a carrier that metadata replaces": (
        "license: MIT\nmetadata: {a: 1}\n# receipts: id=old author=Some One <x@y.org>\n",
        f"license: MIT\nmetadata: {{a: 1, id: {ID}, author: {AUTHOR}}}\n",
    ),
}


@pytest.mark.parametrize("name", SAME_DIGEST)
def test_the_digest_stays(name: str) -> None:
    before, after = SAME_DIGEST[name]
    assert injected(before) == after
    assert canonical(f"---\n{before}{BODY}") == canonical(f"---\n{after}{BODY}")
    assert declared(f"---\n{after}{BODY}") == Declared(ID, AUTHOR, None)


BELOW = f"  id: {ID}\n  author: {AUTHOR}\n"
IN_BRACES = f"{{id: {ID}, author: {AUTHOR}}}"
REPLACED = {
    "nothing": ("metadata:\nname: x\n", f"metadata:\n{BELOW}name: x\nlicense: MIT\n"),
    "a comment": (
        "metadata:  # a\n    # b\nname: x\n",
        f"metadata:  # a\n{BELOW}    # b\nname: x\nlicense: MIT\n",
    ),
    "an anchor of nothing": (
        "metadata: &m # c\nname: x\nlicense: MIT\n",
        f"metadata: # c\n{BELOW}name: x\nlicense: MIT\n",
    ),
    "a text": ("license: MIT\nmetadata: a # b\n", f"license: MIT\nmetadata: # b\n{BELOW}"),
    "a list": (
        "metadata:\n- a\n- id: b # c\nlicense: MIT\n",
        f"metadata:\n{BELOW}license: MIT\n",
    ),
    "a list in brackets": (
        "metadata: [a,\n  b] # c\nlicense: MIT\n",
        f"metadata: # c\n{BELOW}license: MIT\n",
    ),
    "a text in braces": (
        "{license: MIT, metadata: a b, name: x}\n",
        f"{{license: MIT, metadata: {IN_BRACES}, name: x}}\n",
    ),
    "with a carrier": (
        f"license: MIT\nmetadata: 1\n{CARRIER}",
        f"license: MIT\nmetadata:\n{BELOW}",
    ),
}


@pytest.mark.parametrize("name", REPLACED)
def test_metadata_that_is_no_map_is_replaced(name: str) -> None:
    before, after = REPLACED[name]
    assert injected(before) == after


WITH_CATEGORY = {
    "no metadata": (
        "name: x\n",
        f"name: x\nlicense: MIT\nmetadata:\n{BELOW}  terum-category: docs\n",
    ),
    "a carrier": (
        f"name: x\nlicense: MIT\n{CARRIER}",
        f"name: x\nlicense: MIT\nmetadata:\n{BELOW}  terum-category: docs\n",
    ),
    "an empty category": (
        "license: MIT\nmetadata:\n  terum-category: # c\n  a: 1\n",
        f"license: MIT\nmetadata:\n  terum-category: docs # c\n  a: 1\n{BELOW}",
    ),
    "a category that is no text": (
        "license: MIT\nmetadata: {terum-category: [a, b]}\n",
        "license: MIT\nmetadata: {terum-category: docs, " + IN_BRACES[1:] + "\n",
    ),
    "in braces": (
        "{name: x}\n",
        "{name: x, license: MIT, metadata: " + IN_BRACES[:-1] + ", terum-category: docs}}\n",
    ),
    "one declared": (
        "license: MIT\nmetadata:\n  terum-category: ops\n",
        f"license: MIT\nmetadata:\n  terum-category: ops\n{BELOW}",
    ),
}


@pytest.mark.parametrize("name", WITH_CATEGORY)
def test_a_category_is_written_where_none_is_declared(name: str) -> None:
    before, after = WITH_CATEGORY[name]
    assert injected(before, FILED) == after
    category = "ops" if name == "one declared" else "docs"
    assert declared(f"---\n{after}{BODY}") == Declared(ID, AUTHOR, category)


def test_crlf_stays_crlf() -> None:
    before = "---\r\nname: x\r\nmetadata:\r\n  a: 1\r\n---\r\nbody\r\n"
    after = inject(before, PLAIN)
    assert after.replace("\r\n", "\n") == inject(before.replace("\r\n", "\n"), PLAIN)
    assert "\n" not in after.replace("\r\n", "")
    bare = inject("---\r\nname: x\r\n---\r\n", PLAIN)
    assert bare == f"---\r\nname: x\r\nlicense: MIT\r\n{CARRIER[:-1]}\r\n---\r\n"
    assert "# receipts" not in inject(bare, FILED)
    assert "\n" not in inject(bare, FILED).replace("\r\n", "")


def test_the_rest_of_the_file_stays() -> None:
    assert inject("---\n\n\nname: x\n---", PLAIN).startswith("---\n\n\nname: x\n")
    assert inject("---\nname: x\n---", PLAIN).endswith(f"{CARRIER}---")


@pytest.mark.parametrize(
    "author",
    [
        "Zoë Müller <zoe@example.com>",
        'Ada "the first": #1 <a@b.org>',
        "O'Neil, Sam {x} [y] <s@x.org>",
        "null",
        "- a",
        "山田　太郎 <yamada@example.jp>",
        "\U0001f600 <x@y.org>",
        "a\\b\\n <x@y.org>",
        "%a: b <x@y.org>",
        "x" * 200 + " " + "y" * 200 + " <x@y.org>",
    ],
)
def test_every_author_is_read_back(author: str) -> None:
    fields = PLAIN._replace(author=author, license="1.0")
    for block in ("name: x\n", "metadata: {a: b}\n", "{metadata: {}}\n", "metadata:\n  a: b\n"):
        result = f"---\n{injected(block, fields)}{BODY}"
        assert declared(result) == Declared(ID, author, None)
        data = skillmd.fields(result)
        assert data is not None
        assert data["license"] == "1.0"


@pytest.mark.parametrize(
    "fields",
    [
        PLAIN._replace(author="a\nb"),
        PLAIN._replace(author="a\u2028b"),
        PLAIN._replace(author=" a"),
        PLAIN._replace(license=""),
        PLAIN._replace(license="a\x1b[0m"),
        PLAIN._replace(skill_id="a b"),
        PLAIN._replace(category="\x85"),
    ],
)
def test_values_that_no_line_can_hold_are_refused(fields: Managed) -> None:
    with pytest.raises(SkillError, match=r"The (license|skill id|author|category) '"):
        inject("---\nname: x\n---\n", fields)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# no\n", "SKILL.md has no YAML frontmatter"),
        ("", "SKILL.md has no YAML frontmatter"),
        ("---\n\nname: x\nname: y\n---\n", r"Invalid SKILL.md frontmatter: .*line 4"),
        ("---\nname: *x\n---\n", "Invalid SKILL.md frontmatter: "),
        ("---\n- a\n---\n", "SKILL.md frontmatter must be a mapping"),
        ("---\n\n---\n", "SKILL.md frontmatter must be a mapping"),
        ("---\nm: &m {a: 1}\nmetadata: *m\n---\n", "line 3: `metadata` is an alias"),
        ("---\n? metadata\n: a: 1\n---\n", "`metadata` is written in a way"),
        ("---\n!!str license: a\n---\n", "`license` is written in a way"),
        ("---\n{license, name: x}\n---\n", "`license` is written in a way"),
        ("---\nlicense: &a b\nname: *a\n---\n", "`license` cannot be written"),
        ("---\nmetadata: &m {a: 1}\nb: *m\n---\n", "`metadata.id` cannot be written"),
    ],
)
def test_what_cannot_be_edited_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(SkillError, match=sentence):
        inject(text, PLAIN)


def test_what_a_file_declares() -> None:
    assert declared("# nothing") == Declared(None, None, None)
    assert declared(f"---\n- a\n{CARRIER}---\n") == Declared(None, None, None)
    assert declared(f"---\na: |\n  b\n {CARRIER}---\n") == Declared(None, None, None)
    text = f"---\nmetadata: {{id: 7, author: '', terum-category: ' '}}\n{CARRIER}---\n"
    assert declared(text) == Declared(ID, AUTHOR, None)
    text = f"---\nmetadata: {{id: a, author: b, terum-category: c}}\n{CARRIER}---\n"
    assert declared(text) == Declared("a", "b", "c")


GOOD = (
    "name: a\ndescription: b\n",
    "name: a\nlicense: MIT\nmetadata:\n  id: x\n  author: y\n  more: [1, {a: b}]\n",
    "a: |\n  text\n  more\nb: >-\n  folded\nc: 'q'\nd: \"\\u00e9\"\n" + CARRIER,
    '{"name": "a", "metadata": {"id": null}}\n',
    "a: &x [1, 2]\nb: *x\n? c\n: d\n",
)
WORDS = ["a", "license", "metadata", "id", "author", "name", "x: y", "# z", "- b", "it's", "5", ""]
TEXTS = st.sampled_from(WORDS) | st.text(alphabet="ab \n\t:#'\"{}[],&*!|>-%\u2028é", max_size=12)
KEYS = st.sampled_from(["a", "b", "license", "metadata", "id", "author", "x y", "name", "[q]", "7"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.sampled_from([1.0, -0.5]) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
MAPS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=5)


@st.composite
def blocks(draw: st.DrawFn) -> str:
    """Draw a frontmatter: a map in lines or braces, with comments and blank lines let in."""
    value = draw(MAPS)
    if draw(st.booleans()):
        return json.dumps(value, ensure_ascii=False) + "\n"
    lines = []
    noise = st.sampled_from(["", "# license: c", "  # id: d", "      # e", "   ", "\t# f"])
    for line in jsyaml.dump(value).split("\n")[:-1]:
        if draw(st.integers(0, 5)) == 0:
            lines.append(draw(noise))
        comment = draw(st.sampled_from(["", "", "", "  # license: g"]))
        lines.append(line + comment)
    end = draw(st.sampled_from(["\n", "\n\n", "\n# tail\n", "\n  # tail\n\n"]))
    return draw(st.sampled_from(["\n", "\r\n"])).join([*lines, end[1:]])


def rest(data: dict[str, Any]) -> str:
    """Return what is left without the managed fields; an empty `metadata` counts as none."""
    kept = {key: value for key, value in data.items() if key != "license"}
    metadata = kept.pop("metadata", None)
    if isinstance(metadata, dict):
        managed = {"id", "author", "terum-category"}
        kept["metadata"] = {key: metadata[key] for key in metadata if key not in managed}
    return jsyaml.dump({**kept, "metadata": kept.get("metadata") or None})


@settings(suppress_health_check=list(HealthCheck))
@given(blocks(), st.booleans())
def test_any_frontmatter(block: str, filed: bool) -> None:
    text = f"---\n{block}{BODY}"
    before = skillmd.fields(text)
    assume(before)
    assert before is not None
    fields = FILED if filed else PLAIN
    after_text = inject(text, fields)
    after = skillmd.fields(after_text)
    assert after is not None
    assert inject(after_text, fields) == after_text
    assert after["license"] == "MIT"
    assert declared(after_text) == Declared(ID, AUTHOR, "docs" if filed else None)
    if filed or ("metadata" in before and not isinstance(before["metadata"], dict)):
        assert rest(after) == rest(before)
    else:
        assert canonical(after_text) == canonical(text)
    if not {"license", "metadata"} & before.keys() and not block.startswith("{"):
        lines = difflib.ndiff(text.split("\n"), after_text.split("\n"))
        assert [line for line in lines if line[0] == "-" and line.strip() != "-"] == []


@given(garbled(*(f"---\n{block}{BODY}".encode() for block in GOOD)))
def test_no_frontmatter_makes_reading_raise(data: bytes) -> None:
    measured = skillmd.canonical(data)
    assert bool(measured.doubts) == (not measured.certain)
    text = data.decode("utf-8", "replace")
    data_of = skillmd.fields(text)
    assert data_of is None or isinstance(data_of, dict)
    said = declared(text)
    assert all(value is None or value.strip() for value in said)
    try:
        after = inject(text, PLAIN)
    except SkillError:
        return
    assert declared(after)[:2] == (ID, AUTHOR)
    assert inject(after, PLAIN) == after


def _skills() -> list[Path]:
    return sorted(shared("skills").rglob("SKILL.md"))


def test_real_skills_change_in_the_expected_lines_only() -> None:
    for path in _skills():
        text = path.read_bytes().decode()
        after = inject(text, PLAIN)
        assert inject(after, PLAIN) == after
        assert canonical(after) == canonical(text), path
        before_parts, after_parts = skillmd.split(text), skillmd.split(after)
        assert before_parts is not None
        assert after_parts is not None
        assert after_parts == before_parts._replace(block=after_parts.block)
        old, new = before_parts.block.split("\n"), after_parts.block.split("\n")
        changed = [line for line in difflib.ndiff(old, new) if line[0] in "+-"]
        for line in changed:
            assert re.match(r'[+-] (license:|    "(id|author)":|# receipts:)', line), (path, line)
        assert len(new) - len(old) <= 3


def test_hostile_blocks_end() -> None:
    start = time.monotonic()
    for block in (
        "a: " + "[" * 300 + "]" * 300 + "\n",
        "a: '" + "''" * 50_000 + "'\n",
        "a: |\n" + "  # license: x\n" * 5_000,
        "# receipts: id=a author=b\n" * 2_000 + "a: b\n",
        "a: b\n" + "# receipts: id=" + "x" * 100_000 + "\n",
    ):
        text = f"---\n{block}{BODY}"
        assert canonical(inject(text, PLAIN)) == canonical(text)
    assert time.monotonic() - start < 120

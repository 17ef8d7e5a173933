"""Which id, category and number a skill's bytes get in a team, whatever the team holds."""

from collections.abc import Callable
from pathlib import Path

import pytest

from publish import lineage
from publish.contents import Contents
from publish.git import File
from publish.lineage import Candidate, Category
from publish.managed import Declared, declared
from publish.snapshot import Snapshot
from receipts.digest import content_digest_of
from receipts.errors import SkillError, UsageError
from tests.publish.conftest import ReadTree
from tests.publish.samples import ADA, EXECUTABLE, ID, LINK, OTHER_ID, Files, skill_md, team

FRESH = "99999999-9999-4999-8999-999999999999"
NO_METADATA = b"---\nname: tdd\ndescription: d\n---\n"
GOOD: Files = {"team.json": team()}
Choose = Callable[..., Category]


def contents(text: bytes = NO_METADATA, name: str = "tdd", **files: bytes) -> Contents:
    texts = {"SKILL.md": text, **files}
    return Contents(name, Path(name), {p: File(data) for p, data in texts.items()}, {}, [])


def candidate(
    before: Snapshot, what: Contents | None = None, category: str | None = None
) -> Candidate:
    return lineage.candidate(before, what or contents(), ADA, Category(category, None), FRESH)


def versions(**by_label: bytes) -> Files:
    return {f"skills/tdd/{label}/SKILL.md": data for label, data in by_label.items()}


# Identity


@pytest.mark.parametrize(
    ("there", "declares", "expected"),
    [
        ({}, None, FRESH),
        ({}, ID, ID),
        ({}, ID.upper(), ID),
        ({}, "not-an-id", FRESH),
        ({}, "", FRESH),
        (versions(v1=skill_md()), None, ID),
        (versions(v1=skill_md()), OTHER_ID, ID),
        (versions(v1=skill_md(skill_id=ID.upper())), OTHER_ID, ID),
        (versions(v1=skill_md(), v2=skill_md(skill_id=OTHER_ID)), None, OTHER_ID),
        (versions(v1=skill_md(), v2=skill_md(skill_id=None)), None, ID),
        (versions(v1=skill_md(skill_id=None)), ID, ID),
        (versions(v1=skill_md(skill_id=None)), None, FRESH),
        (versions(v1=skill_md(), v2=b"no frontmatter\n"), None, ID),
        (versions(v1=skill_md(), v2=b"\xff"), None, ID),
        ({"skills/ship/v1/SKILL.md": skill_md("ship")}, ID, FRESH),
        ({"skills/ship/v1/SKILL.md": skill_md("ship")}, ID.upper(), FRESH),
        ({"skills/ship/v1/SKILL.md": skill_md("ship")}, OTHER_ID, OTHER_ID),
        (
            {
                "skills/ship/v1/SKILL.md": skill_md("ship"),
                "skills/ship/v2/SKILL.md": skill_md("ship", OTHER_ID),
            },
            OTHER_ID,
            FRESH,
        ),
        ({f"evals/{ID}/v1/x.json": b""}, ID, ID),
    ],
)
def test_the_id_is_the_teams_then_the_declared_one_if_free_then_a_new_one(
    read_tree: ReadTree, there: Files, declares: str | None, expected: str
) -> None:
    before = read_tree(GOOD | there)
    assert lineage.resolve_id(before, "tdd", declares, FRESH) == expected


def test_the_id_goes_into_the_bytes_and_not_into_the_digest(read_tree: ReadTree) -> None:
    found = candidate(read_tree(GOOD), contents(skill_md(skill_id=None)))
    text = found.files["SKILL.md"].data.decode()
    assert declared(text) == Declared(FRESH, "Ada <ada@example.com>", None)
    assert "\nlicense: MIT\n" in text
    assert found.digest == content_digest_of({"SKILL.md": skill_md(skill_id=None)})
    assert (found.skill_id, found.same_as, found.number) == (FRESH, None, 1)


# Versions


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        ([], 1),
        (["v1"], 2),
        (["v7"], 8),
        (["v1", "v3"], 4),
        (["v9", "v10"], 11),
        (["v1", "v02", "V9", "v0", "9"], 2),
    ],
)
def test_a_new_number_is_one_more_than_the_highest(
    read_tree: ReadTree, labels: list[str], number: int
) -> None:
    others = {label: skill_md(body=label) for label in labels}
    found = candidate(read_tree(GOOD | versions(**others)))
    assert (found.number, found.same_as) == (number, None)


@pytest.mark.parametrize(
    "broken",
    [
        {"skills/tdd/v4/link": (LINK, b"SKILL.md")},
        {"skills/tdd/v4": b"a file\n"},
        {"skills/tdd/v4/SKILL.md": b"\xff\xfe"},
    ],
)
def test_a_broken_version_keeps_its_number(read_tree: ReadTree, broken: Files) -> None:
    found = candidate(read_tree(GOOD | versions(v1=skill_md(body="other")) | broken))
    assert (found.number, found.skill_id) == (5, ID)


def test_there_is_no_number_behind_the_highest_that_json_keeps(read_tree: ReadTree) -> None:
    before = read_tree(GOOD | versions(v9007199254740991=skill_md(body="other")))
    with pytest.raises(SkillError, match=r"tdd has Version 9007199254740991.*no number"):
        candidate(before)


def test_identical_bytes_are_the_newest_version_that_has_them(read_tree: ReadTree) -> None:
    same = skill_md()
    before = read_tree(
        GOOD | versions(v1=same, v2=skill_md(body="b"), v3=same, v10=skill_md(body="c"))
    )
    found = candidate(before, contents(same))
    assert (found.number, found.same_as and found.same_as.label) == (3, "v3")
    assert candidate(before, contents(skill_md(body="c"))).number == 10
    assert candidate(before, contents(skill_md(body="d"))).number == 11


def test_what_does_not_count_mints_nothing(read_tree: ReadTree) -> None:
    # Another author, licence and id, an executable bit and the line ends of the frontmatter.
    before = read_tree(GOOD | versions(v1=skill_md()) | {"skills/tdd/v1/a.sh": b"true\n"})
    mine = skill_md(skill_id=OTHER_ID).replace(b"metadata:", b"license: GPL\nmetadata:")
    what = contents(mine.replace(b"\ndescription: d\n", b"\r\ndescription: 'd'\r\n"))
    what.files["a.sh"] = File(b"true\n", executable=True)
    found = candidate(before, what)
    assert (found.number, found.same_as and found.same_as.number) == (1, 1)
    assert found.files["a.sh"].executable


@pytest.mark.parametrize(
    "files",
    [
        {"SKILL.md": skill_md(body="x")},
        {"SKILL.md": skill_md(), "b.sh": b""},
        {"SKILL.md": skill_md(), "a.sh": b"true\r\n"},
    ],
)
def test_what_counts_mints(read_tree: ReadTree, files: dict[str, bytes]) -> None:
    before = read_tree(GOOD | versions(v1=skill_md()) | {"skills/tdd/v1/a.sh": b"true\n"})
    what = Contents("tdd", Path("tdd"), {p: File(d) for p, d in files.items()}, {}, [])
    assert candidate(before, what).number == 2


def test_the_same_bytes_under_another_name_are_another_skill(read_tree: ReadTree) -> None:
    found = candidate(read_tree(GOOD | {"skills/ship/v3/SKILL.md": skill_md()}))
    assert (found.same_as, found.number, found.skill_id) == (None, 1, FRESH)


def test_a_category_mints_because_it_counts(read_tree: ReadTree) -> None:
    before = read_tree(GOOD | versions(v1=NO_METADATA))
    assert candidate(before).number == 1
    found = candidate(before, category="docs")
    assert found.number == 2
    assert declared(found.files["SKILL.md"].data.decode()).category == "docs"
    with_category = b"---\nname: tdd\ndescription: d\nmetadata:\n  terum-category: docs\n---\n"
    assert found.digest == content_digest_of({"SKILL.md": with_category})


# Categories


@pytest.fixture
def choose(read_tree: ReadTree) -> Choose:
    def choose(
        given: str | None,
        category: str | None = None,
        policy: object = None,
        there: Files | None = None,
        text: bytes = NO_METADATA,
    ) -> Category:
        found: Files = {"team.json": team(policy={"skill_license": "MIT", "category": policy})}
        if category:
            text = text.replace(
                b"---\n", b"---\nmetadata: {terum-category: %s}\n" % category.encode(), 1
            )
        return lineage.choose_category(read_tree({**found, **(there or {})}), contents(text), given)

    return choose


def test_a_category_is_injected_only_when_asked_for_or_required(
    choose: Choose,
) -> None:
    assert choose(None) == Category(None, None)
    given = choose(" Docs ")
    assert given.inject == "docs"
    assert given.line == ("metadata.terum-category: docs (from --category; edit SKILL.md any time)")
    assert choose("Own Name").inject == "Own Name"
    required = choose(None, policy="required")
    assert required.inject == "misc"
    assert required.line == (
        "metadata.terum-category: misc (the team requires a category; edit SKILL.md any time)"
    )
    assert choose("testing", policy="required").inject == "testing"
    assert choose(None, "testing", policy="required") == Category(None, None)
    own = choose(None, "own", policy="required")
    assert (own.inject, own.line) == (None, None)
    assert own.note
    assert own.note.startswith("The category own is new to the team, which has debugging, testing")


@pytest.mark.parametrize("policy", ["optional", "Required", True, 1, None, ["required"]])
def test_only_the_word_required_requires_one(choose: Choose, policy: object) -> None:
    assert choose(None, policy=policy) == Category(None, None)


@pytest.mark.parametrize("given", ["", " ", "\t\n", "\u3000"])
@pytest.mark.parametrize("category", [None, "docs"])
def test_a_blank_category_is_refused_whatever_is_declared(
    choose: Choose, given: str, category: str | None
) -> None:
    with pytest.raises(UsageError, match=r"^--category must be a non-empty name\.$"):
        choose(given, category)


def test_a_declared_category_wins_and_the_flag_is_not_ignored_in_silence(
    choose: Choose,
) -> None:
    assert choose(" Docs", "docs") == Category(None, None)
    ignored = choose("testing", "docs")
    assert ignored.inject is None
    assert ignored.line == (
        "--category testing was not used: SKILL.md declares metadata.terum-category: docs."
    )


def categorised(category: str | None, body: str = "", skill_id: str = ID) -> bytes:
    """Return what a publish made of a SKILL.md without metadata."""
    line = f"  terum-category: {category}\n" if category else ""
    return (
        f"---\nname: tdd\ndescription: d\nmetadata:\n  id: {skill_id}\n  author: A <a@b.c>\n{line}"
        f"license: MIT\n---\n{body}"
    ).encode()


@pytest.mark.parametrize(
    ("there", "number", "expected"),
    [
        (versions(v1=categorised("docs")), 1, "docs"),
        # The newest with these bytes, not the newest of all.
        (versions(v1=categorised("docs"), v2=categorised("ops", "other\n")), 1, "docs"),
        (versions(v1=categorised("docs"), v2=categorised("ops")), 2, "ops"),
        (versions(v1=categorised("Own: Name")), 0, "misc"),  # no YAML
        (versions(v1=categorised('"Own: Name"')), 1, "Own: Name"),
        # Other bytes keep the skill's category.
        (versions(v1=categorised("docs", "other\n")), 1, "docs"),
        (versions(v1=categorised("docs", "1"), v2=categorised(None), v3=b"\xff"), 1, "docs"),
        (versions(v1=categorised("docs", "1"), v2=categorised("ops", "2")), 2, "ops"),
        (versions(v1=categorised("docs"), v2=categorised('"a\\x1bb"')), 1, "docs"),
        (versions(v1=categorised("docs"), v2=categorised("5"), v3=categorised("' '")), 1, "docs"),
        ({"skills/tdd/v1/SKILL.md": (LINK, b"../x")}, 0, "misc"),
        ({"skills/ship/v1/SKILL.md": categorised("docs")}, 0, "misc"),
        ({}, 0, "misc"),
    ],
)
def test_where_a_category_is_required_it_is_the_one_that_the_skill_has(
    choose: Choose, there: Files, number: int, expected: str
) -> None:
    found = choose(None, policy="required", there=there)
    assert found.inject == expected
    why = f"as Version {number} has it; " if number else ""
    assert found.line is not None
    assert found.line.startswith(
        f"metadata.terum-category: {expected} ({why}the team requires a category; edit"
    )
    # Nobody asked for a category here, and receipts measured the bytes without one.
    assert choose(None, there=there) == Category(None, None)
    assert choose("testing", policy="required", there=there).inject == "testing"


@pytest.mark.parametrize("newer", [{}, versions(v2=categorised("ops", "other\n"))])
def test_identical_bytes_mint_nothing_where_a_category_is_required(
    read_tree: ReadTree, newer: Files
) -> None:
    policy = {"skill_license": "MIT", "category": "required"}
    there = versions(v1=categorised("docs")) | newer
    before = read_tree({"team.json": team(policy=policy), **there})
    for what in (contents(), contents(skill_md())):
        category = lineage.choose_category(before, what, None)
        found = lineage.candidate(before, what, ADA, category, FRESH)
        assert (found.number, found.same_as is not None) == (1, True)


# Executable bits


def test_an_executable_bit_that_differs_is_named(read_tree: ReadTree) -> None:
    texts = {"run.sh": b"a\n", "lib/x": b"b\n", "same.sh": b"c\n", "SKILL.md": NO_METADATA}
    what = Contents("tdd", Path("tdd"), {p: File(data) for p, data in texts.items()}, {}, [])
    for path in ("run.sh", "same.sh"):
        what.files[path] = File(texts[path], executable=True)
    there: Files = {f"skills/tdd/v1/{path}": data for path, data in texts.items()}
    there |= {"skills/tdd/v1/lib/x": (EXECUTABLE, b"b\n"), "skills/tdd/v1/evals/x": b"odd"}
    there |= {"skills/tdd/v1/same.sh": (EXECUTABLE, b"c\n")}
    before = read_tree(GOOD | there)
    found = candidate(before, what)
    assert found.same_as is not None
    assert lineage.changed_modes(before, found) == ["lib/x", "run.sh"]
    what.files["new"] = File(b"", executable=True)
    assert lineage.changed_modes(before, candidate(before, what)) == []


# Unfit files


def test_a_file_that_is_not_utf8_is_refused_with_the_place(read_tree: ReadTree) -> None:
    with pytest.raises(SkillError, match=r"SKILL\.md is not valid UTF-8 \(byte 3\)"):
        candidate(read_tree(GOOD), contents(b"---\xff"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"# no frontmatter\n", "SKILL.md has no YAML frontmatter"),
        (b"\xef\xbb\xbf" + NO_METADATA, "SKILL.md has no YAML frontmatter"),
        (b"---\na: 1\na: 2\n---\n", "Invalid SKILL.md frontmatter: "),
        (b"---\n- a\n---\n", "SKILL.md frontmatter must be a mapping"),
        (b"", "SKILL.md has no YAML frontmatter"),
    ],
)
def test_what_cannot_carry_the_managed_fields_is_refused(
    read_tree: ReadTree, text: bytes, sentence: str
) -> None:
    with pytest.raises(SkillError) as refused:
        candidate(read_tree(GOOD), contents(text))
    assert refused.value.message.startswith(sentence)


def test_hostile_text_in_the_category_never_reaches_the_file(
    read_tree: ReadTree,
) -> None:
    for category in ("a\nlicense: GPL", "a\x1b[2J", "a\u2028b"):
        with pytest.raises(SkillError, match="control character"):
            candidate(read_tree(GOOD), category=category)

"""HYG1 and HYG4 to HYG8, and a whole skill."""

import pytest

from receipts.errors import SkillError
from receipts.hygiene import check

ID = "4e80fd2a-04bc-4d9f-88f7-a849d92879f1"
ALLOWED = "(allowed top-level fields: name, description, license, metadata, allowed-tools)."


def skill(frontmatter: str, body: str = "# Build\n") -> dict[str, bytes]:
    return {"SKILL.md": f"---\n{frontmatter}\n---\n{body}".encode()}


GOOD = "name: build\ndescription: Builds."
FULL = f"""\
name: build
description: Builds.
license: MIT
metadata:
  id: {ID}
  author: Ada <ada@engines.dev>
  terum-category: testing
  other: 1
allowed-tools: Bash(git *), Read"""


def lines(files: dict[str, bytes], **options: object) -> list[str]:
    return [str(finding) for finding in check("build", files, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "frontmatter",
    [
        GOOD,
        FULL,
        FULL.replace("Bash(git *), Read", "[Bash(git *), Read]"),
        f"{GOOD}\nmetadata: {{}}",
    ],
)
def test_a_good_frontmatter(frontmatter: str) -> None:
    assert lines(skill(frontmatter)) == []


@pytest.mark.parametrize(
    ("frontmatter", "line", "field", "why"),
    [
        (f"{GOOD}\nversion: 1", 4, "version", "it is not one of those that are allowed"),
        ("description: d", 2, "name", "it is missing"),
        ("name: 5\ndescription: d", 2, "name", "it must be a text"),
        ("name: build", 2, "description", "it is missing"),
        ("name: build\ndescription: [d]", 3, "description", "it must be a text"),
        (f"{GOOD}\nlicense: 2", 4, "license", "it must be a text"),
        (f"{GOOD}\nmetadata: x", 4, "metadata", "it must be a map"),
        (f"{GOOD}\nmetadata:", 4, "metadata", "it must be a map"),
        (f"{GOOD}\nmetadata:\n  a: 1\n  id: x", 6, "metadata.id", "it must be a uuid"),
        (f"{GOOD}\nmetadata:\n  author: [x]", 5, "metadata.author", "it must be a text"),
        (f"{GOOD}\nmetadata: {{terum-category: 1}}", 4, "metadata.terum-category",
            "it must be a text"),
    ],
)  # fmt: skip
def test_a_field_that_is_wrong(frontmatter: str, line: int, field: str, why: str) -> None:
    assert lines(skill(frontmatter)) == [
        f"HYG1 SKILL.md:{line}: SKILL.md field {field} is invalid: {why} {ALLOWED}"
    ]


@pytest.mark.parametrize(
    ("frontmatter", "line", "why"),
    [
        ("- a", 2, "it is no map of fields"),
        ("name: build\nname: x", 3, "Map keys must be unique"),
        ("name: *gone", 2, "Unresolved alias: gone"),
    ],
)
def test_a_frontmatter_that_cannot_be_read(frontmatter: str, line: int, why: str) -> None:
    assert lines(skill(frontmatter)) == [
        f"HYG1 SKILL.md:{line}: SKILL.md frontmatter is invalid: {why} {ALLOWED}"
    ]


def test_another_name_than_the_folder_s() -> None:
    assert lines(skill("description: d\nname: Build")) == [
        "HYG1 SKILL.md:3: SKILL.md name Build does not equal folder build."
    ]


@pytest.mark.parametrize(
    ("tools", "shown"), [("{a: x}", '{"a": "x"}'), ("[Read, [x]]", '["Read", ["x"]]')]
)
def test_tools_that_are_no_list_of_patterns(tools: str, shown: str) -> None:
    assert lines(skill(f"{GOOD}\nallowed-tools: {tools}")) == [
        f"HYG1 SKILL.md:4: build: allowed-tools is malformed (SKILL.md line 4): {shown}. Use a "
        "YAML list of tool patterns, or one comma-separated string."
    ]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"# no frontmatter\n", "there is none"),
        (b"", "there is none"),
        (b"---\nname: x\n", "there is none"),
        (b"---\nname: " + b"x" * 300_000 + b"\n---\n", "more than 262,144 characters"),
        (b"---\nname: caf\xe9\n---\n", "no UTF-8 text"),
        (b"---\nname: \0\n---\n", "no UTF-8 text"),
    ],
)
def test_files_without_a_frontmatter(data: bytes, why: str) -> None:
    [first, *others] = check("build", {"SKILL.md": data})
    assert first.code == "HYG1"
    assert why in first.message
    assert [each for each in others if not each.is_warning] == []


def test_a_skill_needs_its_file() -> None:
    with pytest.raises(SkillError, match=r"build has no SKILL\.md"):
        check("build", {"README.md": b""})


def test_what_a_publish_writes_must_be_in_a_published_version() -> None:
    assert lines(skill(FULL), published=True) == []
    carried = f"{GOOD}\nlicense: MIT\n# receipts: id={ID} author=Ada <ada@engines.dev>"
    assert lines(skill(carried), published=True) == []
    for missing in ("license: MIT\n", f"  id: {ID}\n", "  author: Ada <ada@engines.dev>\n"):
        name = missing.split(":")[0].strip()
        [line] = lines(skill(FULL.replace(missing, "")), published=True)
        assert f"{name} is invalid: it is missing" in line


def test_the_author_s_own_address_may_be_named() -> None:
    assert lines({**skill(FULL), "a.md": b"ada@engines.dev"}) == []
    found = lines({**skill("name: build"), "a.md": b"ada@engines.dev"})
    assert [line[:14] for line in found] == ["HYG1 SKILL.md:", "HYG3 a.md:1: C"]


@pytest.mark.parametrize(
    ("path", "data", "executable", "message"),
    [
        ("run.sh", b"#!/bin/sh", True, "File has an executable mode."),
        ("run.exe", b"#!/bin/sh", False, "File begins with a shebang."),
        ("a/b.exe", b"MZ\0", False, "File extension .exe is not allowlisted."),
        ("a.b/noext", b"", False, "File extension (none) is not allowlisted."),
        ("a.tar.GZ", b"", False, "File extension .gz is not allowlisted."),
        (".env", b"", False, "File extension .env is not allowlisted."),
    ],
)
def test_kinds_of_files(path: str, data: bytes, executable: bool, message: str) -> None:
    files = {**skill(GOOD), path: data}
    assert lines(files, executable={path} if executable else ()) == [f"HYG4 {path}: {message}"]
    assets = {**skill(GOOD), f"evals/fixtures/{path}": data}
    assert lines(assets, executable={f"evals/fixtures/{path}"} if executable else ()) == []


@pytest.mark.parametrize(
    "path",
    [
        *("a.md", "A.MD", "a/b.Py", "x.webp", "y.pdf", "z.toml"),
        *(
            "LICENSE",
            "LICENSE-MIT",
            "LICENSE.apache",
            "NOTICE",
            "README",
            "Makefile",
            "a/Dockerfile",
        ),
        *(".gitignore", "docs/.gitattributes", ".editorconfig"),
    ],
)
def test_files_that_a_skill_may_have(path: str) -> None:
    assert lines({**skill(GOOD), path: b""}) == []


MIT = b"Some Title\n\nPermission is hereby granted, free\nof charge, to any person obtaining a copy"
APACHE = b"                 Apache License\n           Version 2.0, January 2004\n"
BSD = b"Neither the name of the copyright holder nor the names of its contributors may be used"


@pytest.mark.parametrize(
    ("declared", "policy", "files", "agree"),
    [
        ("MIT", None, {}, True),
        ("MIT", " mit ", {}, True),
        ("MIT License", "MIT", {}, True),
        ("Apache-2.0", "Apache License 2.0", {}, True),
        ("MIT", "UNLICENSED", {}, False),
        ("UNLICENSED", "unlicensed", {}, True),
        (None, "MIT", {"LICENSE": MIT}, True),
        ("MIT", None, {"LICENSE": MIT}, True),
        ("MIT", None, {"LICENSE": APACHE}, False),
        ("Apache-2.0", None, {"LICENSE.txt": APACHE}, True),
        ("BSD-3-Clause", None, {"LICENSE": BSD}, True),
        (None, None, {"LICENSE-MIT": MIT, "LICENSE-APACHE": APACHE}, False),
        ("Apache-2.0", None, {"LICENSE": b"// SPDX-License-Identifier: Apache-2.0 \n" + MIT}, True),
        ("MIT", None, {"LICENSE": b"All rights reserved."}, True),
        ("MIT", None, {"LICENSE": b"\0" + APACHE}, True),
        ("MIT", None, {"docs/LICENSE": APACHE}, True),
    ],
)
def test_licenses_must_agree(
    declared: str | None, policy: str | None, files: dict[str, bytes], agree: bool
) -> None:
    own = skill(GOOD + (f"\nlicense: {declared}" if declared else ""))
    found = [line for line in lines({**own, **files}, license_policy=policy) if "HYG5" in line]
    place = f"SKILL.md:{4 if declared else 2}"
    sources = "Frontmatter, team policy, and bundled LICENSE files"
    finding = f"HYG5 {place}: {sources} must declare the same license."
    assert found == ([] if agree else [finding])


def test_a_description_that_is_blank() -> None:
    assert lines(skill("name: build\ndescription: ' '")) == [
        "HYG6 SKILL.md:3: description must not be empty."
    ]


def test_a_skill_that_is_heavy_to_load() -> None:
    head = len(skill(GOOD, "")["SKILL.md"])
    assert lines(skill(GOOD, "😀" * ((20_000 - head) // 2))) == []
    assert lines(skill(GOOD, "x" * (24_180 - head))) == [
        "warning HYG6 SKILL.md: SKILL.md is 24,180 characters, 4,180 over the 20,000-character "
        "guideline (~5k tokens). Size alone does not block this operation; loading this skill uses "
        "that much more context."
    ]


def test_a_category_that_the_team_does_not_have() -> None:
    assert lines(skill(FULL), categories=("docs", "Testing")) == []
    assert lines(skill(FULL), categories=()) == []
    assert lines(skill(GOOD), categories=("docs",)) == []
    assert lines(skill(FULL), categories=("docs", "infra")) == [
        "warning HYG7 SKILL.md:8: terum-category `testing` is not one of your team's categories "
        "(docs, infra). Browse will give it a bucket of its own; add it to team.json or change "
        "this line."
    ]


def test_a_skill_that_depends_on_what_it_does_not_carry() -> None:
    assert lines(skill(GOOD), outside=3) == [
        "warning HYG8 SKILL.md: this skill references 3 repository paths outside its folder; it "
        "depends on files it does not carry"
    ]


def test_errors_come_before_warnings_by_path_and_rule() -> None:
    files = {"z.exe": b"", "a.md": b"q@w.io \xe2\x80\x8b", **skill(f"{FULL}\nx: y")}
    found = check("build", files, outside=1, categories=("docs",))
    assert [(each.code, each.path, each.is_warning) for each in found] == [
        ("HYG1", "SKILL.md", False),
        ("HYG2", "a.md", False),
        ("HYG3", "a.md", False),
        ("HYG4", "z.exe", False),
        ("HYG7", "SKILL.md", True),
        ("HYG8", "SKILL.md", True),
    ]

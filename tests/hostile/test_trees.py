"""Entries that are no plain files, names that are twins, trees that repeat themselves, filters."""

from pathlib import Path

from tests.hostile.planting import (
    LINK,
    PLAIN,
    SUBMODULE,
    TREE,
    Files,
    plant,
    write_object,
    write_tree,
)
from tests.hostile.team import Team
from tests.publish.samples import ID, OTHER_ID, skill_md

GONE = b"1" * 40
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 12345\n" % (b"a" * 64)
FILTERS = r"has git pass files through the filter lfs"
NO_FILE = r"is a symbolic link or a submodule; refused\."
SAME = r"cannot be installed: .* take the same name on systems that ignore case"


def _links(secret: Path) -> Files:
    return {
        b"skills/linked/v1/SKILL.md": (LINK, f"../../../../..{secret}".encode()),
        b"skills/within/v1/SKILL.md": skill_md("within", ID),
        b"skills/within/v1/notes": (LINK, b"SKILL.md"),
        b"skills/module/v1/SKILL.md": skill_md("module", None),
        b"skills/module/v1/sub": (SUBMODULE, GONE),
        b"skills/version/v1": (LINK, b"../good/v1"),
        b"skills/pinned/v1": (SUBMODULE, GONE),
        b"skills/other": (LINK, b"good"),
        b"skills/another": (SUBMODULE, GONE),
        b"skills/file": b"x",
        b"people/eve.json": (LINK, b"ada.json"),
        b"people/mal.json": (SUBMODULE, GONE),
        f"evals/{OTHER_ID}".encode(): (LINK, b"x"),
        f"evals/{ID}/v1".encode(): (LINK, b"../.."),
        b".gitmodules": b'[submodule "a"]\n\tpath = skills/another\n\turl = ext::touch escaped\n',
        b"evil": (LINK, b"/"),
    }


LINKS_NAMED = [
    *(rf"skills/{name} is not a folder; ignored\." for name in ("other", "another", "file")),
    *(rf"people/{name}\.json in the team .* not a regular file\." for name in ("eve", "mal")),
    rf"evals/{OTHER_ID} is not a folder; ignored\.",
]
LINKS_REFUSED = {
    "linked": rf"skills/linked/v1/SKILL\.md {NO_FILE}",
    "within": rf"skills/within/v1/notes {NO_FILE}",
    "module": rf"skills/module/v1/sub {NO_FILE}",
    "version": r"skills/version/v1 is not a folder\.",
    "pinned": r"skills/pinned/v1 is not a folder\.",
}

TWINS: Files = {
    b"skills/case/v1/SKILL.md": skill_md("case", None),
    b"skills/case/v1/README.md": b"1",
    b"skills/case/v1/readme.MD": b"2",
    b"skills/main/v1/SKILL.md": skill_md("main", None),
    b"skills/main/v1/skill.md": b"x",
    b"skills/form/v1/SKILL.md": skill_md("form", None),
    "skills/form/v1/caf\u00e9".encode(): b"1",
    "skills/form/v1/cafe\u0301".encode(): b"2",
    b"skills/folder/v1/SKILL.md": skill_md("folder", None),
    b"skills/folder/v1/a/x": b"1",
    b"skills/folder/v1/A/y": b"2",
    b"skills/Good/v1/SKILL.md": skill_md("Good", None),
    b"people/ADA.json": b"{}",
    b"TEAM.json": b"{}",
}
TWINS_NAMED = [
    r"skills/Good is not a skill's folder; ignored\.",
    r"people/ADA\.json is not a member's file; ignored\.",
]
TWINS_REFUSED = {name: rf"{name}.* {SAME}" for name in ("case", "main", "form", "folder")}

LFS: Files = {
    b".gitattributes": b"* -text\nskills/** filter=lfs diff=lfs merge=lfs -text\n",
    b".lfsconfig": b"[lfs]\n\turl = http://127.0.0.1:9/\n",
    b"skills/large/v1/SKILL.md": skill_md("large", None),
    b"skills/large/v1/.gitattributes": b"# filter=no\n*.bin\tfilter=lfs\n*.txt -filter\n",
    b"skills/large/v1/large.bin": POINTER,
}
LFS_NAMED = [
    rf"(?<!/)\.gitattributes line 2 {FILTERS}",
    rf"skills/large/v1/\.gitattributes line 2 {FILTERS}",
]


def _without_end(repository: Path) -> Files:
    """Return trees that are deep, or that name each other so often that nothing could hold them."""
    blob = write_object(repository, "blob", b"x")
    deep = write_tree(repository, {b"f": (PLAIN, blob)})
    for _ in range(100):
        deep = write_tree(repository, {b"d": (TREE, deep)})
    wide = write_tree(repository, {b"%02d" % n: (PLAIN, blob) for n in range(40)})
    bare = write_tree(repository, {})
    for _ in range(12):
        wide = write_tree(repository, {b"%02d" % n: (TREE, wide) for n in range(40)})
        bare = write_tree(repository, {b"%02d" % n: (TREE, bare) for n in range(40)})
    return {
        b"skills/deep/v1/x": (TREE, deep),
        b"skills/wide/v1/x": (TREE, wide),
        b"skills/bare/v1/x": (TREE, bare),
    }


WITHOUT_END_REFUSED = {
    "deep": r"nests folders too deeply, at skills/deep/v1/x/d/d/d",
    "wide": r"skills/wide/v1 holds more than 10,000 files or 256 MB",
    "bare": r"skills/bare/v1 holds more than 200,000 files\.",
}


def _two_of_one_name(repository: Path) -> Files:
    """Return a folder with two entries of one name: which one counts is anybody's guess."""
    blobs = [write_object(repository, "blob", data) for data in (skill_md(), b"other")]
    entries = (b"100644 SKILL.md\0" + bytes.fromhex(blob.decode()) for blob in blobs)
    return {b"skills/twice/v1": (TREE, write_object(repository, "tree", b"".join(entries)))}


TWICE_REFUSED = {"twice": r"skills/twice/v1 holds an unsafe path: .*/SKILL\.md\."}


def test_trees(team: Team) -> None:
    secret = team.bob.home / "secret"
    secret.write_text("---\nname: secret\n---\n")
    # A filter of the member's own would run a program wherever git checked something out.
    with (team.bob.home / ".gitconfig").open("a") as config:
        config.write('[filter "lfs"]\n\tsmudge = touch escaped\n\tclean = touch escaped\n')
        config.write("\tprocess = touch escaped\n\trequired = true\n")
    bombs, twice = _without_end(team.repository), _two_of_one_name(team.repository)
    plant(team.repository, {**_links(secret), **TWINS, **LFS, **bombs, **twice})
    said = team.visit(
        named=[*LINKS_NAMED, *TWINS_NAMED, *LFS_NAMED],
        refused={**WITHOUT_END_REFUSED, **TWICE_REFUSED, **LINKS_REFUSED, **TWINS_REFUSED},
    )
    # On a system that tells the two apart the version is what was published.
    assert "case  acme v1  none" in said["cards"].out
    # And what git stores is the skill, whatever a filter would make of it.
    team.run("install", "large")
    assert (team.bob.library / "large" / "large.bin").read_bytes() == POINTER

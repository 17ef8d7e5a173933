"""Names that would lead elsewhere, in every place of a team repository where a name can stand."""

import re

from tests.hostile.planting import (
    PLAIN,
    TREE,
    entries_of,
    git,
    put_on_main,
    write_object,
    write_tree,
)
from tests.hostile.team import FORGED, Team
from tests.parts import NIGHTLY
from tests.publish.samples import skill_md

# Each is one entry of a tree, slashes and all.
WAYS_OUT = [b"..", b".", b"../../../escaped", b"/escaped", b"a/b"]
GIT = [b".git", b".GIT", b".Git ", b"git~1", b"GIT~1", b"GIT~2", b".git::$INDEX_ALLOCATION",
       b".g\xe2\x80\x8cit", b".git."]  # fmt: skip
DEVICES = [b"nul", b"CON", b"aux.txt", b"com1", b"lpt9", b"conin$"]
WINDOWS = [b"a\\..\\b", b"C:", b"C:x", b"end.", b"end "]
CONTROL = [b"\x1b[31mred", b"a\rb", b"a\n" + FORGED.encode(), b"\xc2\x9b2J", b"\x7f",
           "\u202egnp.exe".encode()]  # fmt: skip
ENCODING = [b"\xff\xfe", b"caf\xe9", b"\xed\xa0\x80"]
LONG = [b"a" * 300, b"b" * 5000]
NAMES = [*WAYS_OUT, *GIT, *DEVICES, *WINDOWS, *CONTROL, *ENCODING, *LONG]
# Odd in a version, and yet the names of files on every system.
HARMLESS = [b"\xe2\x80\xaegnp.exe"]
_STRIDE = 1 if NIGHTLY else 6


def test_names(team: Team) -> None:
    repository = team.repository
    blob = write_object(repository, "blob", b"x")
    root = entries_of(repository, git(repository, "rev-parse", "main^{tree}"))
    folders = {
        name: entries_of(repository, root[name][1]) for name in (b"skills", b"evals", b"people")
    }
    version = write_tree(repository, {b"SKILL.md": (PLAIN, blob)})
    skill = (TREE, write_tree(repository, {b"v1": (TREE, version)}))
    for name in NAMES:
        folders[b"skills"][name] = folders[b"evals"][name] = root[name] = skill
        folders[b"people"][name] = (PLAIN, blob)
    bad = [name for name in NAMES if name not in HARMLESS]
    for number, name in enumerate(bad):
        md = write_object(repository, "blob", skill_md(f"bad-{number}", None))
        version = write_tree(repository, {b"SKILL.md": (PLAIN, md), name: (PLAIN, blob)})
        folders[b"skills"][b"bad-%d" % number] = (
            TREE, write_tree(repository, {b"v1": (TREE, version)})
        )  # fmt: skip
    # What was found out about one folder must not be taken for what was looked at in another.
    version = write_tree(repository, {b"SKILL.md": (PLAIN, blob), b".git": (PLAIN, blob)})
    twice = (TREE, write_tree(repository, {b"v1": (TREE, version), b"v2": (TREE, version)}))
    folders[b"skills"] |= {b"one": twice, b"same": twice}
    root |= {name: (TREE, write_tree(repository, inside)) for name, inside in folders.items()}
    put_on_main(repository, write_tree(repository, root))

    unsafe = r"skills/bad-%d/v1 holds an unsafe path"
    refused = {f"bad-{number}": unsafe % number for number in range(0, len(bad), _STRIDE)}
    said = team.visit(refused=refused)
    for number in range(len(bad)):
        assert len(re.findall(unsafe % number, said["sync"].err)) == 1
    for folder, what in (
        ("skills", "skill's folder"),
        ("evals", "skill's id"),
        ("people", "member's file"),
    ):
        pattern = rf"{folder}/.* is (not a {what}|an unsafe name); ignored\.$"
        for text in (said["sync"].err, said["verify"].out):
            assert len(re.findall(pattern, text, re.MULTILINE)) == len(NAMES), text

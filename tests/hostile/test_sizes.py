"""Files and folders too large to be read, beside the largest that are."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.hostile.planting import (
    PLAIN,
    TREE,
    entries_of,
    git,
    plant,
    write_difference,
    write_object,
    write_tree,
)
from tests.hostile.team import Team
from tests.members import Member
from tests.parts import NIGHTLY
from tests.publish.samples import ID, OTHER_ID, skill_md
from tests.servers.smart_http import smart_http

MEGABYTE = 1 << 20
# Less than what git itself thinks is large, but for the nightly size, and more than may be used.
LARGE = 1024 if NIGHTLY else 320
MANY = 100_000 if NIGHTLY else 12_000
TOO_MANY = 150_000
DELTA_BASE = 130  # twice what is read, and no more than git needs to take it in


def _blob(repository: Path, size: int) -> bytes:
    """Write a file of zeros, which takes no room, and return its id."""
    sparse = repository.with_name("sparse")
    with sparse.open("wb") as stream:
        stream.truncate(size * MEGABYTE)
    try:
        return git(repository, "hash-object", "-w", "--no-filters", str(sparse))
    finally:
        sparse.unlink()


def _wide(repository: Path, names: int) -> tuple[bytes, bytes]:
    """Write a folder of so many names, and return its entry."""
    blob = write_object(repository, "blob", b"x")
    return TREE, write_tree(repository, {b"f%06d" % n: (PLAIN, blob) for n in range(names)})


def _version(repository: Path, name: str, blobs: Mapping[bytes, bytes]) -> tuple[bytes, bytes]:
    """Write a version of some large files, and return its entry."""
    md = write_object(repository, "blob", skill_md(name, None))
    entries = {name: (PLAIN, blob) for name, blob in {**blobs, b"SKILL.md": md}.items()}
    return TREE, write_tree(repository, entries)


def test_more_than_is_read(team: Team) -> None:
    repository = team.repository
    sixty, beyond = _blob(repository, 60), _wide(repository, TOO_MANY)
    plant(
        repository,
        {
            b"skills/file/v1": _version(repository, "file", {b"data": _blob(repository, LARGE)}),
            b"skills/sum/v1": _version(repository, "sum", {b"%d" % n: sixty for n in range(5)}),
            b"skills/many/v1": _wide(repository, MANY),
            b"skills/names/v1": beyond,
            b"skills/versions": beyond,
            b"skills/assets/v1/SKILL.md": skill_md("assets", ID),
            b"skills/assets/evals": beyond,
            f"evals/{ID}/v1".encode(): beyond,
            f"evals/{OTHER_ID}".encode(): beyond,
            b"other": beyond,
        },
    )
    larger = r"holds more than 10,000 files or 256 MB"
    team.visit(
        named=[
            rf"evals/{ID}/v1 holds more names than are read\.",
            r"skills/versions holds more names than are read\.",
        ],
        refused={
            "file": rf"skills/file/v1/data has {LARGE * MEGABYTE:,} bytes, more than the 67,108,8",
            "many": rf"skills/many/v1 {larger}",
            "sum": rf"skills/sum/v1 {larger}",
            "names": r"skills/names/v1 holds more names than are read\.",
        },
    )
    team.run("unpublish", "assets", "--yes")
    assert "holds more names" in team.run("publish", team.bob.skill("versions"), code=1).err
    print("largest processes, in MB:", {name: round(peak) for name, peak in team.peaks.items()})


def test_the_most_that_is_read(team: Team) -> None:
    sixty = _blob(team.repository, 60)
    names = [b"%d" % number for number in range(4 if NIGHTLY else 1)]
    version = _version(team.repository, "large", dict.fromkeys(names, sixty))
    plant(team.repository, {b"skills/large/v1": version})
    team.run("sync")
    team.run("install", "large")
    for name in names:
        assert (team.bob.library / "large" / name.decode()).stat().st_size == 60 * MEGABYTE
    [card] = json.loads(team.run("cards", "large", "--library", "--json").out)["cards"]
    assert card["version"] == "v1"


def test_small_files_that_are_changes_of_one_too_large(team: Team) -> None:
    repository = team.repository
    large = _blob(repository, DELTA_BASE)
    small = write_difference(repository, large, DELTA_BASE * MEGABYTE, b"{}")
    people = entries_of(repository, git(repository, "rev-parse", "main:people"))
    people[b"eve.json"] = (PLAIN, small)
    version = write_tree(repository, {b"SKILL.md": (PLAIN, small)})
    plant(
        repository,
        {
            b"large": (TREE, write_tree(repository, {b"large": (PLAIN, large)})),
            b"people": (TREE, write_tree(repository, people)),
            b"skills/change/v1": (TREE, version),
        },
    )
    stored = "in the team repository is stored as a change of a file that is too large to be read"
    team.visit(
        named=[rf"people/eve\.json {stored}"],
        refused={"change": rf"skills/change/v1/SKILL\.md {stored}"},
    )


def test_a_commit_of_more_than_is_read_changes_nothing(team: Team) -> None:
    repository = team.repository
    good = git(repository, "rev-parse", "main")
    tree = git(repository, "rev-parse", "main^{tree}")
    who = b"Mallory <mallory@example.com> 1780000000 +0000"
    data = b"tree %s\nparent %s\nauthor %s\ncommitter %s\n\n" % (tree, good, who, who)
    commit = write_object(repository, "commit", data + bytes(16 * MEGABYTE))
    git(repository, "update-ref", "refs/heads/main", commit.decode())
    refusal = f"Object {commit.decode()} of the team repository is too large to be read."
    assert refusal in team.run("sync", code=1).err
    assert refusal in team.run("publish", team.mine, code=1).err
    assert re.search("^good  acme v1  scored", team.run("cards", "--team").out, re.MULTILINE)
    git(repository, "update-ref", "refs/heads/main", good.decode())
    team.run("sync")
    team.run("publish", team.mine)


@pytest.mark.parametrize("folder", ["skills", "evals", "people"] if NIGHTLY else ["skills"])
def test_a_whole_part_of_the_layout_is_too_large(team: Team, folder: str) -> None:
    plant(team.repository, {folder.encode(): _wide(team.repository, TOO_MANY)})
    too_many = f"{folder} holds more names than are read."
    assert too_many in team.run("sync").err
    assert too_many in team.run("verify", "--team", code=1).out
    team.run("cards", "--team")
    team.run("publish", team.mine, code=int(folder == "skills"))


def test_a_file_too_large_for_git_itself_to_hold(team: Team) -> None:
    """Over HTTP it is the git command that fetches."""
    carol = Member(team.folder, "carol")
    with smart_http() as server:
        url = server.url_of(team.repository)
        git(team.repository, "config", "http.receivepack", "true")
        team.run("team", "join", url, member=carol)
        large = _version(team.repository, "file", {b"data": _blob(team.repository, LARGE)})
        plant(team.repository, {b"skills/file/v1": large})
        said = team.run("sync", member=carol)
    assert "skills/file/v1/data has " in said.err
    assert "good  acme v1  scored  PASS" in team.run("cards", "--team", member=carol).out

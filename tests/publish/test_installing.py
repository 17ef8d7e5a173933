"""Install: whole versions only, nobody's edits lost, and receipts only of the bytes installed."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from publish import installing
from publish.installing import Installed
from receipts.digest import content_digest, content_digest_of
from receipts.errors import ReceiptsError, SkillError, StoreError, TeamError, UsageError
from receipts.stamping import stamp
from store import config, runs
from tests.publish.conftest import Hosted, Machine
from tests.publish.samples import (
    EXECUTABLE,
    ID,
    LINK,
    OTHER_ID,
    SUBMODULE,
    Files,
    evals,
    person,
    receipt,
    skill_md,
    team,
)
from tests.store import samples

FIRST, SECOND = samples.RUN, "20260916T042109Z"
ONE = {"SKILL.md": skill_md(body="one\n"), "scripts/a.sh": b"#!/bin/sh\n"}
TWO = {"SKILL.md": skill_md(body="two\n"), "new.md": b"n\n"}
BASE: Files = {"team.json": team(), "people/ada.json": person()}


def version(number: int, files: dict[str, bytes], name: str = "tdd") -> Files:
    return {f"skills/{name}/v{number}/{path}": data for path, data in files.items()}


TEAM: Files = {
    **BASE,
    **version(1, ONE),
    "skills/tdd/v1/scripts/a.sh": (EXECUTABLE, ONE["scripts/a.sh"]),
    **version(2, TWO),
    "skills/tdd/evals/cases/a.yaml": b"task: x\n",
}


def install(skill: str = "tdd", *, to: Path | None = None, force: bool = False) -> Installed:
    return installing.install(skill, team=None, to=to, force=force)


def refused(kind: type[ReceiptsError], skill: str = "tdd", **arguments: Any) -> ReceiptsError:
    with pytest.raises(kind) as error:
        install(skill, **arguments)
    return error.value


def read(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def place(ada: Machine) -> Path:
    """Where tdd is installed by default."""
    return ada.library / "tdd"


# What is installed


def test_the_newest_version_comes_whole_and_nothing_else(hosted: Hosted, place: Path) -> None:
    hosted.put(TEAM | version(10, ONE) | {"skills/tdd/v9x/SKILL.md": b"odd"})
    done = install()
    assert (done.team, done.skill, done.version, done.path) == ("acme", "tdd", "v10", place)
    assert (done.unchanged, done.aside, done.registered) == (False, None, False)
    assert read(place) == ONE
    assert names(place.parent) == ["tdd"]
    assert installing.lines(done) == [f"tdd v10 of acme was installed at {place}."]


def test_an_older_version_comes_when_named_and_back_again(hosted: Hosted, place: Path) -> None:
    hosted.put(TEAM)
    for named, files in (("tdd@v1", ONE), ("tdd@v2", TWO), ("tdd@v1", ONE), ("tdd", TWO)):
        done = install(named)
        assert (done.unchanged, done.aside) == (False, None)
        assert read(place) == files
        assert names(place.parent) == ["tdd"]
    assert not (place / "scripts").exists()


def test_modes_are_those_of_the_version(hosted: Hosted, place: Path) -> None:
    hosted.put(TEAM)
    mask = os.umask(0o077)
    try:
        install("tdd@v1")
    finally:
        os.umask(mask)
    modes = {path: (place / path).stat().st_mode & 0o777 for path in ONE}
    assert modes == {"SKILL.md": 0o600, "scripts/a.sh": 0o755}


def test_the_same_bytes_are_left_as_they_are_but_for_the_executable_bit(
    hosted: Hosted, place: Path
) -> None:
    hosted.put(TEAM)
    install("tdd@v1")
    (place / "scripts" / "a.sh").chmod(0o644)
    (place / "SKILL.md").chmod(0o700)
    (place / "evals").mkdir()
    (place / "evals" / "mine.yaml").write_text("kept\n")
    # What does not count may differ: this author's own name and licence stay.
    own = ONE["SKILL.md"].replace(b"metadata:", b"license: GPL\nmetadata:")
    (place / "SKILL.md").write_bytes(own)
    before = place.stat().st_ino
    done = install("tdd@v1")
    assert (done.unchanged, done.aside) == (True, None)
    assert installing.lines(done) == [
        f"tdd v1 of acme is already installed at {place}.",
        "Set the executable bit as in v1 of SKILL.md, scripts/a.sh.",
    ]
    assert install("tdd@v1").modes == []
    assert place.stat().st_ino == before
    assert read(place) == {**ONE, "SKILL.md": own, "evals/mine.yaml": b"kept\n"}
    assert (place / "scripts" / "a.sh").stat().st_mode & 0o111 == 0o111
    assert (place / "SKILL.md").stat().st_mode & 0o111 == 0


def test_what_does_not_count_in_a_version_is_not_installed(hosted: Hosted, place: Path) -> None:
    odd = (".DS_Store", "scripts/.DS_Store", "only/Thumbs.db", "evals/cases/a.yaml", ".skillhub/x")
    hosted.put(TEAM | {f"skills/tdd/v1/{path}": b"odd" for path in odd})
    for unchanged in (False, True, True):
        assert install("tdd@v1").unchanged is unchanged
        assert read(place) == ONE
        assert names(place) == ["SKILL.md", "scripts"]
    (place / ".DS_Store").write_bytes(b"mine")
    assert install("tdd@v1").unchanged
    assert install().aside is None


def test_names_are_written_whatever_the_locale(ada: Machine, hosted: Hosted, place: Path) -> None:
    files = {**ONE, "na\u00efve \u540d/\U0001f600.md": b"x\n"}
    hosted.put(TEAM | version(3, files))
    code = (
        "from receipts import cli; import sys; "
        "assert sys.getfilesystemencoding() == 'ascii', sys.getfilesystemencoding(); "
        "sys.exit(cli.run(['install', 'tdd']))"
    )
    plain = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for verb in ("was installed", "is already installed"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **plain},
            cwd=ada.home,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert verb in done.stdout
        assert read(place) == files
        assert names(place.parent) == ["tdd"]


@pytest.mark.parametrize("label", ["", "1", "v0", "v01", "V1", "latest", "v1 ", "v-1", "v1@v2"])
def test_what_is_no_version_is_refused(hosted: Hosted, label: str) -> None:
    hosted.put(TEAM)
    assert refused(UsageError, f"tdd@{label}").message == f"{label!r} is not a version."


def test_an_unknown_version_or_skill_names_what_there_is(hosted: Hosted, place: Path) -> None:
    hosted.put(TEAM | version(10, ONE))
    assert refused(TeamError, "tdd@v3").message == "tdd has no version v3; it has v10, v2, v1."
    for name in ("ship", "TDD", "", "../tdd", "tdd/v1", ".", "@v1"):
        message = refused(TeamError, name).message
        shown = name.partition("@")[0]
        assert message == f"No skill named {shown} exists in team acme, as of the last sync."
    assert not place.parent.exists()


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"skills/tdd/v3/link": (LINK, b"/etc/passwd")}, "a symbolic link or a submodule"),
        ({"skills/tdd/v3/sub": (SUBMODULE, b"1" * 40)}, "a symbolic link or a submodule"),
        ({"skills/tdd/v3/.git/hooks/pre-push": b"#!/bin/sh\n"}, "unsafe path"),
        ({"skills/tdd/v3/a\\..\\..\\b": b""}, "unsafe path"),
        ({"skills/tdd/v3/a/../../../b": b""}, "unsafe path"),
        ({"skills/tdd/v3/con.md": b""}, "unsafe path"),
        ({b"skills/tdd/v3/\xff": b""}, "unsafe path"),
        ({"skills/tdd/v3/a.md": b"", "skills/tdd/v3/A.md": b""}, "take the same name"),
        ({"skills/tdd/v3/what?": b""}, "Windows does not allow"),
        ({"skills/tdd/v3": b"a file"}, "is not a folder"),
    ],
)
def test_a_hostile_version_is_not_installed_and_the_older_ones_are(
    hosted: Hosted, place: Path, bad: Files, sentence: str
) -> None:
    below = {} if "skills/tdd/v3" in bad else version(3, TWO)
    hosted.put(TEAM | below | bad)
    assert sentence in refused(TeamError).message
    assert not place.parent.exists()
    assert install("tdd@v2").version == "v2"
    assert read(place) == TWO


def test_nothing_was_fetched_yet_or_no_team(ada: Machine, hosted: Hosted) -> None:
    assert "No team is configured" in refused(UsageError).message
    hosted.put(TEAM)
    shutil.rmtree(ada.state / "mirrors")
    assert "has not been fetched yet" in refused(TeamError).message
    assert not ada.library.exists()


# What was there before


def edit(place: Path) -> dict[str, bytes]:
    (place / "SKILL.md").write_bytes(b"my own words\n")
    (place / "extra").mkdir(exist_ok=True)
    (place / "extra" / "x").write_bytes(b"\x00")
    return read(place)


def test_edited_bytes_are_refused_and_left_exactly(hosted: Hosted, place: Path) -> None:
    hosted.put(TEAM)
    install("tdd@v1")
    mine = edit(place)
    for skill in ("tdd", "tdd@v1", "tdd@v2"):
        error = refused(SkillError, skill)
        assert error.message == (
            f"{place} holds bytes that are no published version of tdd; it was left alone."
        )
        assert "--force" in error.hint
    assert read(place) == mine
    assert names(place.parent) == ["tdd"]


def test_force_moves_edited_bytes_aside_and_says_where(
    ada: Machine, hosted: Hosted, place: Path
) -> None:
    hosted.put(TEAM)
    kept = []
    for _ in range(3):  # thrice within one second, and none replaces another
        install("tdd@v1", force=True)
        mine = edit(place)
        done = install("tdd", force=True)
        assert read(place) == TWO
        assert done.aside is not None
        assert done.aside.name == "tdd"
        assert done.aside.parents[1] == ada.state / "aside"
        assert read(done.aside) == mine
        kept.append(done.aside)
        assert f"What was there before was moved to {done.aside}." in installing.lines(done)
    assert len(set(kept)) == 3
    assert (ada.state / "aside").stat().st_mode & 0o777 == 0o700
    assert names(place.parent) == ["tdd"]


def test_force_leaves_unedited_bytes_without_a_copy(ada: Machine, hosted: Hosted) -> None:
    hosted.put(TEAM)
    install("tdd@v1")
    assert install(force=True).aside is None
    assert install(force=True).unchanged
    assert not (ada.state / "aside").exists()


def test_a_published_versions_bytes_are_no_edits_however_they_came(
    hosted: Hosted, place: Path
) -> None:
    hosted.put(TEAM)
    for path, data in ONE.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(data)
    assert install().aside is None
    assert read(place) == TWO


def test_what_does_not_count_is_kept_aside_without_being_asked(hosted: Hosted, place: Path) -> None:
    hosted.put(TEAM)
    install("tdd@v1")
    (place / "evals" / "cases").mkdir(parents=True)
    (place / "evals" / "cases" / "mine.yaml").write_text("task: x\n")
    done = install()
    assert done.aside is not None
    assert (done.aside / "evals/cases/mine.yaml").read_text() == "task: x\n"
    assert read(place) == TWO


UNSEEN: dict[str, Callable[[bytes], bytes]] = {
    "a comment": lambda text: text.replace(b"---\nname", b"---\n# TODO: mine\nname"),
    "quotes": lambda text: text.replace(b"name: tdd", b"name: 'tdd'"),
    "a line width": lambda text: text.replace(b"name: tdd", b"name:   tdd"),
    "line ends": lambda text: text.replace(b"name: tdd\n", b"name: tdd\r\n"),
    "a licence": lambda text: text.replace(b"license: MIT\n", b"").replace(
        b"metadata:", b"license: GPL\nmetadata:"
    ),
    "an author": lambda text: text.replace(b"  author: Bob <bob@example.com>\n", b"").replace(
        b"  id:", b"  author: Eve <e@example.com>\n  id:"
    ),
    "an id": lambda text: text.replace(ID.encode(), OTHER_ID.encode()),
}


@pytest.mark.parametrize("edited", UNSEEN)
@pytest.mark.parametrize("managed", [True, False])
def test_edits_that_the_digest_does_not_see_are_edits(
    hosted: Hosted, place: Path, edited: str, *, managed: bool
) -> None:
    one = {**ONE, "SKILL.md": MANAGED + b"one\n"} if managed else ONE
    hosted.put(TEAM | version(1, one))
    install("tdd@v1")
    mine = UNSEEN[edited](one["SKILL.md"])
    assert mine != one["SKILL.md"]
    (place / "SKILL.md").write_bytes(mine)
    assert content_digest(place) == content_digest_of(one)
    assert "holds bytes that are no published version" in refused(SkillError).message
    assert install("tdd@v1").unchanged  # nothing is lost, so nothing is asked
    assert (place / "SKILL.md").read_bytes() == mine
    for skill in ("tdd@v1", "tdd"):  # --force is the way back to the team's own bytes
        (place / "SKILL.md").write_bytes(mine)
        done = install(skill, force=True)
        assert done.aside is not None
        assert (done.aside / "SKILL.md").read_bytes() == mine
        assert read(place) == (one if skill == "tdd@v1" else TWO)
        shutil.rmtree(place)
        shutil.copytree(done.aside, place)


MANAGED = (
    b"---\nname: tdd\ndescription: d\nmetadata:\n  id: %s\n"
    b"  author: Bob <bob@example.com>\nlicense: MIT\n---\n" % ID.encode()
)


@pytest.mark.parametrize(
    ("published", "there"),
    [
        (MANAGED, MANAGED.replace(b"Bob <bob@", b"Ada <ada@")),
        (MANAGED, skill_md()),
        (MANAGED, MANAGED.replace(b"license: MIT\n", b"")),
        (
            b"---\nname: tdd # c\nlicense: MIT\n# receipts: id=%s author=B <b@x.y>\n---\n"
            % ID.encode(),
            b"---\nname: tdd # c\n---\n",
        ),
    ],
    ids=["published by me too", "not yet injected", "no licence", "a comment carries it"],
)
def test_what_a_publish_writes_is_no_edit(
    ada: Machine, hosted: Hosted, place: Path, published: bytes, there: bytes
) -> None:
    others = {
        path: data for path, data in TEAM.items() if not str(path).startswith("skills/tdd/v1/")
    }
    hosted.put(others | version(1, {"SKILL.md": published}))
    place.mkdir(parents=True)
    (place / "SKILL.md").write_bytes(there)
    assert install("tdd").aside is None
    assert read(place) == TWO
    assert not (ada.state / "aside").exists()


@pytest.mark.parametrize("what", ["an empty folder", "an executable bit"])
def test_what_no_version_can_tell_is_kept_aside_without_being_asked(
    hosted: Hosted, place: Path, what: str
) -> None:
    hosted.put({**TEAM, "skills/tdd/v1/scripts/a.sh": ONE["scripts/a.sh"]})
    install("tdd@v1")
    if what == "an empty folder":
        (place / "scripts" / "mine" / "later").mkdir(parents=True)
    else:
        (place / "scripts" / "a.sh").chmod(0o755)
    done = install()
    assert done.aside is not None
    assert read(done.aside) == ONE
    assert (done.aside / "scripts/mine/later").is_dir() is (what == "an empty folder")
    assert read(place) == TWO


def test_where_every_file_is_executable_none_is_worth_keeping(
    ada: Machine, hosted: Hosted, place: Path
) -> None:
    hosted.put(TEAM)
    install("tdd@v1")
    (place / "SKILL.md").chmod(0o755)  # as on a file system without that bit
    assert install().aside is None
    assert not (ada.state / "aside").exists()


def test_a_lost_executable_bit_is_not_worth_keeping(
    ada: Machine, hosted: Hosted, place: Path
) -> None:
    hosted.put(TEAM)
    install("tdd@v1")
    (place / "scripts" / "a.sh").chmod(0o644)
    assert install().aside is None
    assert not (ada.state / "aside").exists()


@pytest.mark.parametrize("name", [".DS_Store", "scripts/Thumbs.db"])
def test_what_desktops_leave_behind_is_not_worth_keeping(
    ada: Machine, hosted: Hosted, place: Path, name: str
) -> None:
    hosted.put(TEAM)
    install("tdd@v1")
    (place / name).write_bytes(b"\x00")
    assert install().aside is None
    assert read(place) == TWO
    assert not (ada.state / "aside").exists()


def test_a_file_in_the_place_is_somebodys(hosted: Hosted, place: Path) -> None:
    hosted.put(TEAM)
    place.parent.mkdir(parents=True)
    place.write_bytes(b"notes\n")
    error = refused(SkillError)
    assert error.message == f"{place} is not a folder; it was left alone."
    assert place.read_bytes() == b"notes\n"
    done = install(force=True)
    assert done.aside is not None
    assert done.aside.read_bytes() == b"notes\n"
    assert read(place) == TWO


@pytest.mark.parametrize("content", [ONE, TWO, {"x": b"y"}, None])
def test_a_link_in_the_place_is_somebodys_and_is_not_written_through(
    ada: Machine, hosted: Hosted, place: Path, content: dict[str, bytes] | None
) -> None:
    hosted.put(TEAM)
    target = ada.home / "checkout"
    for path, data in (content or {}).items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes(data)
    place.parent.mkdir(parents=True)
    place.symlink_to(target)
    error = refused(SkillError)
    assert error.message == f"{place} is a link to {target}; it was left alone."
    assert place.is_symlink()
    done = install(force=True)
    assert not place.is_symlink()
    assert read(place) == TWO
    assert done.aside is not None
    assert os.readlink(done.aside) == str(target)
    assert not content or read(target) == content


def test_a_folder_that_cannot_be_measured_is_somebodys(hosted: Hosted, place: Path) -> None:
    hosted.put(TEAM)
    install("tdd@v1")
    (place / "link").symlink_to("SKILL.md")
    assert "holds bytes that are no published version" in refused(SkillError).message
    done = install(force=True)
    assert done.aside is not None
    assert (done.aside / "link").is_symlink()


# Killed half-way


def left(root: Path, kind: str, content: dict[str, bytes], name: str = "tdd") -> Path:
    folder = root / f".receipts-{kind}-{name}-0a1b2c3d"
    for path, data in content.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def test_what_a_killed_install_left_is_cleared_away_and_edits_are_kept(
    ada: Machine, hosted: Hosted, place: Path
) -> None:
    hosted.put(TEAM)
    root = place.parent
    left(root, "new", {"SKILL.md": b"half"})
    left(root, "trash", ONE)
    left(root, "old", {"SKILL.md": b"my edits\n"}, "a-b-c")
    left(root, "old", {"SKILL.md": b"my edits\n"})
    done = install()
    assert names(root) == ["tdd"]
    assert read(place) == TWO
    kept = sorted((ada.state / "aside").glob("*/*"), key=lambda path: path.name)
    assert [path.name for path in kept] == ["a-b-c", "tdd"]
    assert all(read(path) == {"SKILL.md": b"my edits\n"} for path in kept)
    assert done.aside in kept


def test_the_next_install_clears_up_even_when_there_is_nothing_to_do(
    hosted: Hosted, place: Path
) -> None:
    hosted.put(TEAM)
    install()
    left(place.parent, "new", TWO)
    assert install().unchanged
    assert names(place.parent) == ["tdd"]


@pytest.mark.parametrize(
    "name",
    [
        ".receipts-new-",
        ".receipts-old-mine",
        ".receipts-trash-tdd",
        ".receipts-new-tdd-0a1b2c3",
        ".receipts-old-TDD-0a1b2c3d",
        ".receipts-notes",
    ],
)
def test_names_that_no_install_makes_are_left_alone(hosted: Hosted, place: Path, name: str) -> None:
    hosted.put(TEAM)
    mine = place.parent / name
    mine.mkdir(parents=True)
    (mine / "notes").write_text("mine\n")
    done = install()
    assert done.aside is None
    assert (mine / "notes").read_text() == "mine\n"
    assert read(place) == TWO


def test_links_among_what_was_left_are_not_followed(
    ada: Machine, hosted: Hosted, place: Path
) -> None:
    hosted.put(TEAM)
    target = ada.home / "precious"
    target.mkdir()
    (target / "x").write_text("x")
    place.parent.mkdir(parents=True)
    for kind in ("new", "trash"):
        (place.parent / f".receipts-{kind}-tdd-0a1b2c3d").symlink_to(target)
    install()
    assert (target / "x").read_text() == "x"
    assert names(place.parent) == ["tdd"]


# Libraries


def test_another_library_is_made_and_registered_once(ada: Machine, hosted: Hosted) -> None:
    hosted.put(TEAM)
    root = ada.home / "deep" / "library"
    done = install(to=root)
    assert (done.path, done.registered) == (root / "tdd", True)
    assert f"Registered {root} as a skill library, so that cards show it." in (
        installing.lines(done)
    )
    assert config.load().library() == [str(root)]
    assert not install(to=root).registered
    assert not install(to=root / ".." / "library").registered
    assert config.load().library() == [str(root)]
    assert not ada.library.exists()


def test_the_default_library_is_not_registered_by_its_path(ada: Machine, hosted: Hosted) -> None:
    hosted.put(TEAM)
    assert not install(to=ada.library).registered
    assert config.load().library() == []


def test_a_skills_own_folder_is_no_library_and_gets_nothing(ada: Machine, hosted: Hosted) -> None:
    hosted.put(TEAM)
    skill = ada.skill("mine")
    error = refused(UsageError, to=skill)
    assert error.message == f"{skill} is itself a skill."
    assert str(skill.parent) in error.hint
    assert read(skill) == {"SKILL.md": (skill / "SKILL.md").read_bytes()}
    assert config.load().library() == []


def test_a_library_that_cannot_be_made_is_one_sentence(ada: Machine, hosted: Hosted) -> None:
    hosted.put(TEAM)
    file = ada.home / "file"
    file.write_text("x")
    for root in (file, file / "below"):
        assert refused(StoreError, to=root).message.startswith(f"Cannot install into {root}: ")
    assert config.load().library() == []


# Receipts


def test_receipts_of_the_version_come_along_once(hosted: Hosted, place: Path) -> None:
    document = receipt(ONE, FIRST)
    hosted.put(
        TEAM
        | {
            evals(FIRST): document,
            evals(SECOND): receipt(ONE, SECOND),
            evals(FIRST, 2): receipt(TWO, FIRST, 2),
        }
    )
    done = install("tdd@v1")
    assert (done.seeded, done.skipped) == (2, [])
    assert "Copied 2 receipt(s) of these bytes to this machine." in installing.lines(done)
    there = runs.runs_of(content_digest(place))
    assert [run.run_id for run in there] == [FIRST, SECOND]
    assert there[0].file.data == document
    assert runs.runs_of(content_digest_of(TWO)) == []
    again = install("tdd@v1")
    assert (again.seeded, again.unchanged) == (0, True)
    hosted.put(
        TEAM | {evals(FIRST): document, evals("20260917T000000Z"): receipt(ONE, "20260917T000000Z")}
    )
    assert install("tdd@v1").seeded == 1


def test_a_receipt_that_cannot_be_kept_is_named_and_hides_no_other(
    hosted: Hosted, place: Path
) -> None:
    digest = content_digest_of(ONE)
    old = json.loads(receipt(ONE, "20260916T000001Z", schema_version=1))
    del old["content_digest"]
    newer = receipt(ONE, "20260916T000005Z", schema_version=3, verdict="SUPERB")
    hosted.put(
        TEAM
        | {
            evals("20260916T000000Z"): b"not json",
            evals("20260916T000001Z"): json.dumps(old).encode(),
            evals("20260916T000002Z"): receipt(TWO, "20260916T000002Z"),
            evals("20260916T000003Z"): receipt(ONE, "20260916T000009Z"),
            evals("20260916T000004Z"): (LINK, b"../x"),
            evals("20260916T000005Z"): newer,
            evals("20260916T000006Z"): receipt(ONE, "20260916T000006Z"),
        }
    )
    done = install("tdd@v1")
    assert done.skipped == [
        "Skipped 20260916T000000Z: invalid receipt.",
        "Skipped 20260916T000001Z: no content digest (pre-migration receipt).",
        "Skipped 20260916T000002Z: it measured other bytes.",
        "Skipped 20260916T000003Z: invalid receipt.",
        "Skipped 20260916T000004Z: invalid receipt.",
    ]
    assert installing.lines(done)[-5:] == done.skipped
    assert done.seeded == 2
    there = runs.runs_of(digest)
    assert {run.run_id for run in there} == {"20260916T000005Z", "20260916T000006Z"}
    assert newer in {run.file.data for run in there}
    assert read(place) == ONE


def test_a_receipt_without_a_free_second_is_named_after_the_skill_is_there(
    hosted: Hosted, ada: Machine, place: Path
) -> None:
    last = "99991231T235959Z"
    digest = content_digest_of(ONE)
    samples.put(ada.state, samples.receipt(digest, last, attribution="mine"), digest, last)
    hosted.put(TEAM | {evals(last): receipt(ONE, last), evals(FIRST): receipt(ONE, FIRST)})
    done = install("tdd@v1")
    assert read(place) == ONE
    assert done.seeded == 1
    [skipped] = done.skipped
    assert skipped.startswith(f"Skipped {last}: There is no free run id")


def test_a_local_run_keeps_its_second_and_the_teams_moves_on(
    hosted: Hosted, ada: Machine, place: Path
) -> None:
    digest = content_digest_of(ONE)
    mine = samples.receipt(digest, FIRST, attribution="mine")
    samples.put(ada.state, mine, digest, FIRST)
    hosted.put(TEAM | {evals(FIRST): receipt(ONE, FIRST)})
    assert install("tdd@v1").seeded == 1
    first, second = runs.runs_of(digest)
    assert (first.file.data, first.run_id, second.run_id) == (mine, FIRST, SECOND)
    assert json.loads(second.file.data)["original_run_id"] == FIRST
    assert install("tdd@v1").seeded == 0


def test_ones_own_published_run_is_not_seeded_a_second_time(hosted: Hosted, ada: Machine) -> None:
    digest = content_digest_of(ONE)
    mine = samples.receipt(digest, FIRST, skill_name="tdd")
    samples.put(ada.state, mine, digest, FIRST)
    moved = stamp(mine, skill_id=ID, version="v1", run_id=SECOND)
    hosted.put(TEAM | {evals(SECOND): moved})
    assert install("tdd@v1").seeded == 0
    [run] = runs.runs_of(digest)
    assert run.file.data == mine


def test_a_version_without_an_id_has_no_receipts(hosted: Hosted, place: Path) -> None:
    files = {"SKILL.md": skill_md(skill_id=None)}
    hosted.put(BASE | version(1, files) | {evals(FIRST): receipt(files, FIRST)})
    done = install()
    assert (done.seeded, done.skipped) == (0, [])
    assert read(place) == files


def test_reading_the_team_touches_no_network(hosted: Hosted, place: Path) -> None:
    hosted.put(TEAM)
    shutil.rmtree(hosted.path)
    install()
    assert read(place) == TWO

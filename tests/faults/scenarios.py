"""Commands that are killed, and how a team and a machine stand before each."""

import io
import os
import re
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from receipts.digest import measure
from receipts.errors import SkillError
from tests.members import Member
from tests.publish.git.samples import git

EARLIER = "20260916T042107Z"
LATER = "20260917T000000Z"
_UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(rb"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
_ASIDE = re.compile(r"aside/\d{8}T\d{6}Z-[0-9a-f]{4}/")
# What may be made again, and what another process may hold at any moment.
_NOT_COMPARED = re.compile(
    r"(?:^|/)(?:mirrors|cache|locks|skills\.git|repositories)/|^[^/]*$|/state/\.[0-9a-f]{16}\.tmp$"
)


class World:
    """Ada and Bob, their machines and the repository between them, below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = folder / "skills.git"
        self.ada = Member(folder, "ada")
        self.bob = Member(folder, "bob")
        self.skill = self.ada.skill("tdd", {"scripts/a.sh": "echo\n", "evals/cases/a.md": "a\n"})

    def create_empty_repository(self) -> None:
        git(self.folder, "init", "-q", "--bare", "-b", "main", str(self.repository))

    def create_team(self) -> None:
        self.create_empty_repository()
        self.ada.ok("team", "create", "acme", "--remote", str(self.repository))

    def join_bob(self) -> None:
        self.bob.ok("team", "join", str(self.repository))

    def file_receipts(self) -> None:
        self.ada.evaluate(self.skill, run_id=EARLIER)
        self.ada.evaluate(self.skill, run_id=LATER)

    def edit(self) -> None:
        path = self.skill / "SKILL.md"
        path.write_text(path.read_text() + "\nMore.\n")


class Scenario(NamedTuple):
    """A command to kill: who runs it, and what comes before.

    `prepare` brings the world to where the command runs; `through_git` sends what it says to the
    remote through the git command instead of dulwich; `already` is what the next run fails with
    when the work was done before the death; `is_swept_whole` is False for what differs little from
    another scenario.
    """

    name: str
    member: str
    arguments: Callable[[World], list[str]]
    prepare: Callable[[World], None]
    through_git: bool = False
    already: str | None = None
    is_swept_whole: bool = True


def _nothing(world: World) -> None:
    del world


def _to_first_publish(world: World) -> None:
    world.create_team()
    world.file_receipts()


def _to_second_publish(world: World) -> None:
    _to_first_publish(world)
    world.ada.ok("publish", world.skill)
    world.edit()
    world.file_receipts()


def _to_bobs_sync(world: World) -> None:
    world.create_team()
    world.join_bob()
    world.file_receipts()
    world.ada.ok("publish", world.skill)


def _to_bobs_install(world: World) -> None:
    _to_bobs_sync(world)
    world.bob.ok("sync")


def _to_bobs_update(world: World) -> None:
    _to_bobs_install(world)
    world.bob.ok("install", "tdd")
    world.edit()
    world.file_receipts()
    world.ada.ok("publish", world.skill)
    world.bob.ok("sync")


def _to_bobs_forced_update(world: World) -> None:
    _to_bobs_update(world)
    (world.bob.library / "tdd" / "scripts" / "a.sh").write_text("echo mine\n")


def _to_import(world: World) -> None:
    world.ada.write_receipt(world.skill, run_id=EARLIER)


def _to_import_into_taken_second(world: World) -> None:
    world.ada.evaluate(world.skill, (0, 2, 1), run_id=EARLIER)
    world.ada.write_receipt(world.skill, run_id=EARLIER)


def _import(world: World) -> list[str]:
    receipt = world.ada.home / f"{world.skill.name}-{EARLIER}.json"
    return ["import", str(receipt), "--skill", str(world.skill)]


def _publish(world: World) -> list[str]:
    return ["publish", str(world.skill)]


SCENARIOS = [
    Scenario("team create", "ada", lambda _: ["team", "create", "acme"], _nothing),
    Scenario(
        "team create --remote",
        "ada",
        lambda world: ["team", "create", "acme", "--remote", str(world.repository)],
        World.create_empty_repository,
    ),
    Scenario(
        "team join",
        "bob",
        lambda world: ["team", "join", str(world.repository)],
        _to_first_publish,
        is_swept_whole=False,
    ),
    Scenario("import", "ada", _import, _to_import),
    Scenario(
        "import of a taken second",
        "ada",
        _import,
        _to_import_into_taken_second,
        is_swept_whole=False,
    ),
    Scenario("publish, first", "ada", _publish, _to_first_publish),
    Scenario("publish, second", "ada", _publish, _to_second_publish, is_swept_whole=False),
    Scenario(
        "publish through git",
        "ada",
        _publish,
        _to_second_publish,
        through_git=True,
        is_swept_whole=False,
    ),
    Scenario(
        "unpublish",
        "ada",
        lambda _: ["unpublish", "tdd", "--yes"],
        _to_second_publish,
        already="No skill named tdd exists in team acme.",
        is_swept_whole=False,
    ),
    Scenario("sync", "bob", lambda _: ["sync"], _to_bobs_sync),
    Scenario(
        "sync through git",
        "bob",
        lambda _: ["sync"],
        _to_bobs_sync,
        through_git=True,
        is_swept_whole=False,
    ),
    Scenario("install", "bob", lambda _: ["install", "tdd"], _to_bobs_install),
    Scenario(
        "install of an update",
        "bob",
        lambda _: ["install", "tdd"],
        _to_bobs_update,
        is_swept_whole=False,
    ),
    Scenario(
        "install --force",
        "bob",
        lambda _: ["install", "tdd", "--force"],
        _to_bobs_forced_update,
    ),
]


def picture(folder: Path) -> dict[str, bytes]:
    """Return every file that matters below a world's folder, without ids and times."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root, name)
            label = path.relative_to(folder).as_posix()
            if not _NOT_COMPARED.search(label):
                found[_ASIDE.sub("aside/", label)] = _anonymous(path.read_bytes())
    return found


def repositories(folder: Path) -> list[Path]:
    """Return the team repositories of a world, as far as they exist."""
    places = (folder / "skills.git", folder / "ada" / "state" / "repositories" / "acme.git")
    return [place for place in places if place.exists()]


def published(repository: Path) -> list[tuple[str, bytes]]:
    """Return what a repository holds, without ids and times, commit by commit."""
    commits = git(repository, "rev-list", "--reverse", "--all").decode().split()
    return [_tree(repository, commit) for commit in commits]


def _tree(repository: Path, commit: str) -> tuple[str, bytes]:
    subject = git(repository, "log", "-1", "--format=%an %s", commit).decode().strip()
    files = git(repository, "archive", "--format=tar", commit)
    with tarfile.open(fileobj=io.BytesIO(files)) as archive:
        content = b"".join(
            _anonymous(b"%s %o\n" % (member.name.encode(), member.mode) + stream.read())
            for member in archive.getmembers()
            if (stream := archive.extractfile(member)) is not None
        )
    return subject, content


def _anonymous(data: bytes) -> bytes:
    return _TIME.sub(b"TIME", _UUID.sub(b"UUID", data))


def digest_of(folder: Path) -> str | None:
    """Return a skill folder's digest, or None when there is no such folder."""
    try:
        return measure(folder).digest
    except SkillError:
        return None


def copy(source: Path, target: Path) -> None:
    """Put a folder's copy in the place of another folder."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)

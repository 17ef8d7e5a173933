"""A skill in a git repository, at a commit: where it is, and what is in it.

A repository is a stranger's. Nothing in it is run or followed: files are read as git objects, a
link counts only when it leads to another file of the same commit, and names and sizes have limits.
"""

import os
import posixpath
import re
from pathlib import Path
from typing import NamedTuple

from receipts import gitcommand, gitenvironment
from receipts.attempts.specs.gitcache import CachedRepository
from receipts.attempts.specs.model import GitSource
from receipts.attempts.specs.skillfiles import (
    MOST_BYTES,
    Files,
    Rules,
    SkillFile,
    check_amount,
)
from receipts.attempts.specs.sources import SKILL_MD
from receipts.errors import SkillError
from receipts.filenames import shown, unsafe_path
from receipts.nearest import did_you_mean

_SHORTHAND = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_LINK, _PROGRAM = b"120000", b"100755"
_HEADER = 200  # bytes that hold the line before each object


class Around(NamedTuple):
    """The repository around a folder, and its newest commit."""

    repository: str
    commit: str


def cached_repository(source: GitSource, folder: Path) -> CachedRepository:
    """Return what the cache holds of a source's repository.

    `owner/name` is on GitHub; `./` and `../` start at the spec's folder.
    """
    repo = source.repo
    if _SHORTHAND.fullmatch(repo) and not repo.startswith("."):
        return CachedRepository(repo, f"https://github.com/{repo}")
    if repo.startswith(("./", "../")):
        repo = os.path.normpath(folder.absolute() / repo)
    return CachedRepository(repo, os.path.expanduser(repo))


def read_commit(
    repository: CachedRepository, commit: str, source: GitSource, rules: Rules
) -> Files:
    """Read the files of a skill from a commit in the cache.

    Raises:
        SkillError: The commit holds no such skill, or one that must not be installed.
        ReceiptsError: git is not installed.
    """
    place = repository.entry(commit)
    prefix = posixpath.dirname(source.path)
    prefix = f"{prefix}/" if prefix else ""
    listed = _git(["ls-tree", "-rlz", "--full-tree", commit, *filter(None, [prefix])], place)
    found = [_listed(entry, prefix) for entry in listed.split(b"\0")[:-1]]
    if all(entry.path != SKILL_MD for entry in found):
        raise SkillError(
            f"commit {commit[:12]} has no {shown(source.path)}", _meant(place, commit, source.path)
        )
    kept = [entry for entry in found if not rules.is_passed_over(entry.path)]
    for entry in kept:
        if why := unsafe_path(entry.path):
            raise SkillError(f"{shown(entry.path)} {why}")
    files = [entry for entry in _without_links(kept, prefix, commit, place) if entry.size >= 0]
    left_out = [rules.why_left_out(entry.path, entry.size) for entry in files]
    files = [entry for entry, why in zip(files, left_out, strict=True) if why is None]
    check_amount(len(files), sum(entry.size for entry in files))
    contents = _contents([entry.object for entry in files], place)
    return Files(
        {
            entry.path: SkillFile(data, entry.mode == _PROGRAM)
            for entry, data in sorted(zip(files, contents, strict=True))
        },
        tuple(why for why in left_out if why),
    )


def around(folder: Path) -> Around | None:
    """Return the repository that a folder is in; None without one, a commit in it, or git."""
    if gitenvironment.git_path() is None:
        return None
    done = gitcommand.run(["rev-parse", "--show-toplevel", "HEAD"], folder=folder)
    lines = done.output.decode("utf-8", "replace").splitlines()
    return Around(lines[0], lines[1]) if done and len(lines) == 2 else None


class _Listed(NamedTuple):
    """An entry of a tree: its path below the skill, its mode, object and size, -1 without one."""

    path: str
    mode: bytes
    object: bytes
    size: int


def _listed(entry: bytes, prefix: str) -> _Listed:
    facts, _, path = entry.partition(b"\t")
    mode, _, name, size = facts.split()
    text = os.fsdecode(path).removeprefix(prefix)
    return _Listed(text, mode, name, int(size) if size.isdigit() else -1)


def _without_links(entries: list[_Listed], prefix: str, commit: str, place: Path) -> list[_Listed]:
    """Return the entries with each link as the file that it leads to.

    A link to a folder, or to nothing, is passed over, as is a submodule.

    Raises:
        SkillError: A link leads out of the commit.
    """
    links = [entry for entry in entries if entry.mode == _LINK]
    if not links:
        return entries
    asked = "".join(f"{commit}:{prefix}{entry.path}\n" for entry in links).encode()
    answer = _git(["cat-file", "--batch-check", "--follow-symlinks"], place, asked)
    followed = {}
    for link in links:
        header, _, answer = answer.partition(b"\n")
        words = header.split()
        if words[0] in (b"symlink", b"dangling", b"loop", b"notdir"):
            length = int(words[1])
            target, answer = answer[:length], answer[length + 1 :]
            if words[0] == b"symlink":
                where = shown(target.decode("utf-8", "replace"))
                raise SkillError(f"{shown(link.path)} is a link that leads out, to {where}")
        elif words[1:2] == [b"blob"]:
            followed[link.path] = link._replace(object=words[0], size=int(words[2]))
    plain = [entry for entry in entries if entry.mode != _LINK]
    return [*plain, *followed.values()]


def _contents(objects: list[bytes], place: Path) -> list[bytes]:
    """Return the bytes of each object."""
    asked = b"".join(name + b"\n" for name in objects)
    answer = memoryview(_git(["cat-file", "--batch"], place, asked, 2 * MOST_BYTES))
    found, at = [], 0
    for _ in objects:
        end = bytes(answer[at : at + _HEADER]).index(b"\n") + at
        size = int(bytes(answer[at:end]).split()[2])
        found.append(bytes(answer[end + 1 : end + 1 + size]))
        at = end + size + 2
    return found


def _git(
    arguments: list[str], place: Path, stdin: bytes | None = None, limit: int = MOST_BYTES
) -> bytes:
    """Return what git says about a commit in the cache.

    Raises:
        SkillError: It could not say.
    """
    done = gitcommand.run(arguments, folder=place, stdin=stdin, limit=limit)
    if not done:
        raise SkillError(
            f"the cached commit {shown(str(place))} cannot be read: {done.why}",
            "Delete that folder; it will be fetched again.",
        )
    return done.output


def _meant(place: Path, commit: str, path: str) -> str:
    listed = _git(["ls-tree", "-rz", "--full-tree", "--name-only", commit], place)
    names = [os.fsdecode(name) for name in listed.split(b"\0")]
    skills = [name for name in names if name == SKILL_MD or name.endswith(f"/{SKILL_MD}")]
    return did_you_mean(path, skills)

"""The last committed results file: the baseline, read from git and not from the work tree."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from receipts.errors import CannotCompare
from receipts.golden import gate, records

if TYPE_CHECKING:
    from dulwich.objects import Blob, ObjectID
    from dulwich.repo import Repo

_COMMITS = 20_000  # of a history without any results file that are looked through


@dataclass
class Baseline:
    """What a run is compared with.

    Attributes:
        path: The file, from the top of its repository or as it was named; None for no baseline.
        tallies: What it holds.
        passed_over: Newer committed files in which nothing was scored.
        deleted: Whether it is in the history of `HEAD` and not in `HEAD` itself.
        notes: What else is to be said.
    """

    path: str | None = None
    tallies: gate.Tallies | None = None
    passed_over: list[str] = field(default_factory=list)
    deleted: bool = False
    notes: list[str] = field(default_factory=list)


def last_committed(results: Path, without: Path | None) -> Baseline:
    """Find the newest committed results file in which something was scored.

    The time in the name says which is newest, whenever it was committed. When none has scores,
    the newest is the baseline all the same: with it nothing can be compared.

    Args:
        results: The folder of results files.
        without: The file of the run that is compared, which is no baseline for itself.

    Raises:
        CannotCompare: A committed file cannot be read, or has a line that is no record.
    """
    import zlib

    from dulwich.errors import FileFormatException, NotGitRepository
    from dulwich.repo import Repo

    folder = results.resolve()
    try:
        with Repo.discover(_existing(folder)) as repo:
            return _found(repo, folder, without.resolve() if without else None)
    except NotGitRepository:
        return Baseline(notes=["There is no git repository, so no run can be a baseline."])
    except (KeyError, OSError, FileFormatException, zlib.error) as error:
        raise CannotCompare(
            f"The git repository around {results} cannot be read: {error!r}.",
            "Look at it with `git fsck`.",
        ) from error


def newest(results: Path) -> Path:
    """Return the newest whole results file of a folder in the work tree.

    Raises:
        CannotCompare: There is none.
    """
    names = os.listdir(results) if results.is_dir() else []
    found = [name for name in names if records.time_of(name)]
    if not found:
        raise CannotCompare(
            f"There is no results file in {results}.",
            "Run the golden set first: receipts golden.",
        )
    return results / max(found, key=_time)


def named(path: Path) -> Baseline:
    """Return a baseline that was given by hand.

    Raises:
        CannotCompare: It is not there, or has a line that is no record.
    """
    return Baseline(path=str(path), tallies=tallies_of(path))


def tallies_of(path: Path) -> gate.Tallies:
    """Return what a results file in the work tree holds.

    Raises:
        CannotCompare: It cannot be read, or has a line that is no record.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="\n") as stream, _explained(str(path)):
            return gate.tallied(stream)
    except OSError as error:
        raise CannotCompare(f"{path} cannot be read: {error.strerror}.") from error


def _existing(folder: Path) -> str:
    while not folder.is_dir():
        folder = folder.parent
    return str(folder)


def _found(repo: "Repo", folder: Path, without: Path | None) -> Baseline:
    top = Path(os.path.realpath(repo.path))
    if not folder.is_relative_to(top):
        return Baseline(notes=[f"{folder} is outside of the repository at {top}."])
    prefix = folder.relative_to(top).as_posix()
    own = without.name if without and without.parent == folder else ""
    found = Baseline(notes=_ignored(repo, prefix))
    try:
        head = repo.head()
    except KeyError:
        found.notes.append("Nothing is committed yet.")
        return found
    blobs = _listed(repo, head, prefix, own)
    if not blobs:
        blobs = _in_history(repo, head, prefix, own)
        found.deleted = bool(blobs)
    for name in sorted(blobs, key=_time, reverse=True):
        path = f"{prefix}/{name}"
        tallies = _tallies(repo, blobs[name], path)
        if gate.has_scores(tallies):
            found.path, found.tallies = path, tallies
            return found
        found.passed_over.append(path)
        if found.tallies is None:
            found.tallies = tallies
    if found.passed_over:
        found.path = found.passed_over.pop(0)
    return found


def _time(name: str) -> tuple[object, ...]:
    moment = records.time_of(name)
    return moment or ()


def _listed(repo: "Repo", commit: bytes, prefix: str, own: str) -> dict[str, bytes]:
    """Return the results files of a commit and their blobs, without one's own."""
    from dulwich.objects import Commit, Tree

    found = repo[commit]
    if not isinstance(found, Commit):
        return {}
    tree = repo[found.tree]
    for part in prefix.split("/"):
        if not isinstance(tree, Tree) or os.fsencode(part) not in tree:
            return {}
        tree = repo[tree[os.fsencode(part)][1]]
    if not isinstance(tree, Tree):
        return {}
    names = {os.fsdecode(entry.path): entry.sha for entry in tree.items()}
    return {name: sha for name, sha in names.items() if records.time_of(name) and name != own}


def _in_history(repo: "Repo", head: "ObjectID", prefix: str, own: str) -> dict[str, bytes]:
    """Return the results files that any commit before `HEAD` has; the newest bytes of each."""
    found: dict[str, bytes] = {}
    for entry in repo.get_walker(include=[head], max_entries=_COMMITS):
        for name, sha in _listed(repo, entry.commit.id, prefix, own).items():
            found.setdefault(name, sha)
    return found


def _tallies(repo: "Repo", sha: bytes, path: str) -> gate.Tallies:
    blob: Blob = repo[sha]  # type: ignore[assignment]
    with _explained(f"{path} (committed)"):
        return gate.tallied(
            io.TextIOWrapper(io.BytesIO(blob.data), encoding="utf-8-sig", newline="\n")
        )


def _ignored(repo: "Repo", prefix: str) -> list[str]:
    from dulwich.ignore import IgnoreFilterManager

    sample = f"{prefix}/20260101T000000.000000Z.jsonl"
    if IgnoreFilterManager.from_repo(repo).is_ignored(sample):
        return [f"git ignores {prefix}/, so no run can ever be a baseline: take it out of there."]
    return []


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Turn a line that is no record into a sentence that names the file."""
    try:
        yield
    except ValueError as error:  # bytes that are not UTF-8 are one, too
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise CannotCompare(f"{path} cannot be compared: {why}.") from error

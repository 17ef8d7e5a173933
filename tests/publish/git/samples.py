"""Repositories and objects for the tests of `publish.git`."""

import subprocess
import zlib
from pathlib import Path

from publish.git import Change, File, Identity, Mirror, TreeView, Written, safe_write
from publish.git.objects import object_id

AUTHOR = Identity("Ada Member", "ada@example.com")
_NAMES = {1: b"commit", 2: b"tree", 3: b"blob"}


def git(repository: Path, *arguments: str, data: bytes = b"") -> bytes:
    """Run git in a repository and return what it prints."""
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def put_object(repository: Path, kind: int, data: bytes) -> bytes:
    """Write an object of any content, as git itself would refuse to, and return its id."""
    identifier = object_id(kind, data)
    name = identifier.decode()
    folder = repository / "objects" / name[:2]
    folder.mkdir(exist_ok=True)
    header = b"%s %d\0" % (_NAMES[kind], len(data))
    (folder / name[2:]).write_bytes(zlib.compress(header + data))
    return identifier


def put_tree(repository: Path, *entries: tuple[bytes, bytes, bytes]) -> bytes:
    """Write a tree of entries (mode, name, id), in the given order, and return its id."""
    data = b"".join(
        b"%s %s\0%s" % (mode, name, bytes.fromhex(identifier.decode()))
        for mode, name, identifier in entries
    )
    return put_object(repository, 2, data)


def put_commit(repository: Path, tree: bytes, *parents: bytes, time: int = 1_700_000_000) -> bytes:
    """Write a commit, make it `main`, and return its id."""
    lines = [b"tree %s" % tree, *(b"parent %s" % parent for parent in parents)]
    who = b"E <e@example.com> %d +0000" % time
    data = b"\n".join([*lines, b"author " + who, b"committer " + who, b"", b"message\n"])
    identifier = put_object(repository, 1, data)
    reference = repository / "refs" / "heads" / "main"
    reference.parent.mkdir(parents=True, exist_ok=True)
    reference.write_bytes(identifier + b"\n")
    return identifier


def allow(_view: TreeView, _change: Change) -> None:
    """Guard nothing."""


def add(mirror: Mirror, path: str, data: bytes = b"{}\n", *, budget: float = 30.0) -> Written:
    """Publish one file."""
    change = Change({path.encode(): File(data)}, f"add {path}")
    return safe_write(mirror, lambda _view: change, author=AUTHOR, guard=allow, budget=budget)


def paths(mirror: Mirror) -> list[str]:
    """Return the files at a mirror's tip."""
    return [path.decode() for path, _ in mirror.view().walk()]

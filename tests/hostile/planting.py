"""Commits of whatever names, modes and sizes, made with the git commands that check nothing."""

import hashlib
import subprocess
import zlib
from collections.abc import Mapping
from pathlib import Path

PLAIN, EXECUTABLE, LINK, SUBMODULE, TREE = b"100644", b"100755", b"120000", b"160000", b"40000"

# Content, or mode and content; of a folder or submodule the content is the id.
Content = bytes | tuple[bytes, bytes]
Files = Mapping[bytes, Content]
_Entry = tuple[bytes, bytes]


def git(repository: Path, *arguments: str, data: bytes = b"") -> bytes:
    """Run git in a repository and return what it prints."""
    who = ("-c", "user.name=Mallory", "-c", "user.email=mallory@example.com")
    command = ["git", "-C", str(repository), *who, *arguments]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout.strip()


def plant(repository: Path, files: Files) -> None:
    """Commit files on top of what `main` holds. Only a `/` of a path is taken for a separator."""
    root = git(repository, "rev-parse", "main^{tree}")
    put_on_main(repository, _written(repository, root, files))


def put_on_main(repository: Path, tree: bytes) -> None:
    """Commit a tree on top of `main`."""
    commit = git(repository, "commit-tree", "-p", "main", "-m", "planted", tree.decode())
    git(repository, "update-ref", "refs/heads/main", commit.decode())


def write_tree(repository: Path, entries: Mapping[bytes, _Entry]) -> bytes:
    """Write a tree of entries, name to mode and id, and return its id; git is told not to look."""
    ordered = sorted(entries.items(), key=lambda item: item[0] + b"/" * (item[1][0] == TREE))
    data = b"".join(
        b"%s %s\0%s" % (mode, name, bytes.fromhex(identifier.decode()))
        for name, (mode, identifier) in ordered
    )
    return write_object(repository, "tree", data)


def write_object(repository: Path, kind: str, data: bytes) -> bytes:
    """Write an object, whatever is in it, and return its id."""
    return git(
        repository, "hash-object", "-t", kind, "-w", "--stdin", "--literally", "--no-filters",
        data=data,
    )  # fmt: skip


def write_difference(repository: Path, base: bytes, size: int, content: bytes) -> bytes:
    """Write a blob of less than 128 bytes into a pack, as a delta of another one; return its id.

    Args:
        repository: Where to.
        base: The other blob's id.
        size: How many bytes that has, none of which is used.
        content: What the new blob holds.
    """
    lengths = b"".join(_as_varint(number) for number in (size, len(content)))
    delta = lengths + bytes([len(content)]) + content
    head = bytes([7 << 4 | len(delta) & 15 | 0x80]) + _as_varint(len(delta) >> 4)
    entry = head + bytes.fromhex(base.decode()) + zlib.compress(delta)
    pack = b"PACK" + (2).to_bytes(4, "big") + (1).to_bytes(4, "big") + entry
    command = ("index-pack", "--stdin", "--fix-thin")
    git(repository, *command, data=pack + hashlib.sha1(pack, usedforsecurity=False).digest())
    header = b"blob %d\0" % len(content)
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest().encode()


def _as_varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def entries_of(repository: Path, tree: bytes) -> dict[bytes, _Entry]:
    """Return the entries of a tree, name to mode and id."""
    listed = git(repository, "ls-tree", "-z", tree.decode()).split(b"\0")
    found = {}
    for line in filter(None, listed):
        head, _, name = line.partition(b"\t")
        mode, _, identifier = head.split()
        found[name] = (mode.lstrip(b"0"), identifier)
    return found


def _written(repository: Path, tree: bytes | None, files: Files) -> bytes:
    entries = entries_of(repository, tree) if tree else {}
    below: dict[bytes, dict[bytes, Content]] = {}
    for path, content in files.items():
        name, slash, rest = path.partition(b"/")
        if slash:
            below.setdefault(name, {})[rest] = content
            continue
        mode, data = content if isinstance(content, tuple) else (PLAIN, content)
        is_named = mode in (SUBMODULE, TREE)
        entries[name] = (mode, data if is_named else write_object(repository, "blob", data))
    for name, inside in below.items():
        mode, identifier = entries.get(name, (TREE, None))
        entries[name] = (TREE, _written(repository, identifier if mode == TREE else None, inside))
    return write_tree(repository, entries)

"""The cache of commits that skills come from. The reference tool keeps its own in the same place.

    skills/ADDRESS-HASH/COMMIT/     a checkout of one commit, with its repository
    skills/ADDRESS-HASH/refs.txt    what each branch or tag was when it was last asked for

The cache is below `$CALIPER_CACHE_DIR`, else `$XDG_CACHE_HOME/caliper`, else `~/.cache/caliper`,
and may be deleted. What is in it came from a stranger: it is only ever read as git objects.
"""

import contextlib
import hashlib
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from receipts import gitcommand
from receipts.errors import SkillError, StoreError
from receipts.filenames import shown
from receipts.files import read_limited, rename_new, write_atomic
from receipts.gitcommand import Done

MOST_BYTES = 1 << 30
"""Bytes that a commit may bring, packed or not."""
MOST_FILES = 100_000

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORT = re.compile(r"[0-9a-f]{4,39}")
_REFS = "refs.txt"
_REFS_LIMIT = 1 << 20
_SLUG = 40
_TICK = 0.5


def root() -> Path:
    """Return the folder of the cache; it may not exist."""
    if given := os.environ.get("CALIPER_CACHE_DIR"):
        return Path(given).expanduser() / "skills"
    above = os.environ.get("XDG_CACHE_HOME")
    return (Path(above) if above else Path.home() / ".cache") / "caliper" / "skills"


class CachedRepository:
    """What the cache holds of one repository.

    Args:
        key: What the repository is cached under: how the spec names it.
        address: What git is given.
    """

    def __init__(self, key: str, address: str) -> None:
        slug = re.sub(r"[^A-Za-z0-9._-]+", "-", key).strip("-")[-_SLUG:]
        digest = hashlib.sha256(key.encode()).hexdigest()[:12]
        self._folder = root() / f"{slug}-{digest}"
        self._address = address

    def entry(self, commit: str) -> Path:
        """Return where a commit is, or would be."""
        return self._folder / commit

    def cached(self, ref: str | None) -> str | None:
        """Return the commit that a ref was when it was last asked for, if it is still here."""
        is_whole = ref is not None and _COMMIT.fullmatch(ref)
        commit = ref if is_whole else self._refs().get(ref or "HEAD")
        held = commit is not None and (self.entry(commit) / ".git").is_dir()
        return commit if held else None

    def fetched(self, ref: str | None) -> str:
        """Return the commit that a ref is now, and have it in the cache.

        A whole commit that is in the cache is not asked for.

        Raises:
            SkillError: The repository cannot be reached, has no such ref, or holds too much.
            ReceiptsError: git is not installed.
        """
        is_whole = ref is not None and _COMMIT.fullmatch(ref)
        commit = ref if ref is not None and is_whole else self._asked(ref)
        if not (self.entry(commit) / ".git").is_dir():
            self._fetch(commit)
        self._remember(ref or "HEAD", commit)
        return commit

    def _asked(self, ref: str | None) -> str:
        """Return the commit of a ref at the remote: of a tag before a branch, as git does."""
        names = [f"refs/tags/{ref}^{{}}", f"refs/tags/{ref}", f"refs/heads/{ref}"]
        names = ["HEAD"] if ref is None else [*names, ref] if ref.startswith("refs/") else names
        with _scratch() as folder:
            command = ["ls-remote", "--", self._address, *names]
            done = _network(command, folder, gitcommand.NETWORK_SECONDS)
        if not done:
            raise SkillError(f"{shown(self._address)} cannot be reached: {done.why}")
        found: dict[str, str] = {}
        for line in done.output.decode("utf-8", "replace").splitlines():
            commit, _, name = line.partition("\t")
            found[name] = commit
        for name in names:
            if _COMMIT.fullmatch(found.get(name, "")):
                return found[name]
        if ref is not None and _SHORT.fullmatch(ref) and (known := self.cached(ref)):
            return known
        what = f"no branch or tag {shown(ref)}" if ref else "no commit to start from"
        raise SkillError(
            f"{shown(self._address)} has {what}; a commit is named by all of its 40 characters"
        )

    def _fetch(self, commit: str) -> None:
        """Put a commit into the cache, whole or not at all."""
        os.makedirs(self._folder, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=".new-", dir=self._folder, ignore_cleanup_errors=True
        ) as above:
            folder = Path(above) / commit
            folder.mkdir()
            self._step(["init", "-q", "--template=", "."], folder, "prepared")
            self._step(["remote", "add", "--", "origin", self._address], folder, "prepared")
            self._download(folder, commit)
            self._check_contents(folder, commit)
            self._step(["checkout", "-q", "--detach", commit], folder, "unpacked")
            rename_new(folder, self.entry(commit))  # somebody else may have put it there first

    def _download(self, folder: Path, commit: str) -> None:
        command = ["fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules"]
        command += ["--", self._address, commit]
        with _watched(folder / ".git") as stop:
            done = _network(command, folder, gitcommand.FETCH_SECONDS, stop)
        self._check_size(_size(folder / ".git"))
        if not done:
            raise SkillError(f"{self._named(commit)} cannot be fetched: {done.why}")

    def _check_contents(self, folder: Path, commit: str) -> None:
        """Refuse what is no commit, and one whose trees unfold to more than may be unpacked."""
        kind = gitcommand.run(["cat-file", "-t", commit], folder=folder)
        if kind.output.strip() != b"commit":
            raise SkillError(f"{self._named(commit)} is no commit")
        listed = gitcommand.run(["ls-tree", "-rlz", "--full-tree", commit], folder=folder)
        if not listed:
            raise SkillError(f"{self._named(commit)} cannot be listed: {listed.why}")
        entries = listed.output.split(b"\0")[:-1]
        sizes = [entry.partition(b"\t")[0].split()[-1] for entry in entries]
        self._check_size(sum(int(size) for size in sizes if size.isdigit()), len(sizes))

    def _step(self, command: list[str], folder: Path, what: str) -> None:
        done = gitcommand.run(command, folder=folder)
        if not done:
            raise SkillError(f"{shown(self._address)} cannot be {what}: {done.why}")

    def _check_size(self, size: int, count: int = 0) -> None:
        if size > MOST_BYTES or count > MOST_FILES:
            raise SkillError(
                f"{shown(self._address)} holds more than {MOST_BYTES >> 20} MiB or"
                f" {MOST_FILES:,} files in one commit",
                "Keep the skill in a smaller repository.",
            )

    def _named(self, commit: str) -> str:
        return f"commit {commit[:12]} of {shown(self._address)}"

    def _refs(self) -> dict[str, str]:
        try:
            text = read_limited(self._folder / _REFS, _REFS_LIMIT, follow_links=False).decode()
        except (FileNotFoundError, StoreError, UnicodeDecodeError):
            return {}
        lines = (line.split("\t") for line in text.splitlines() if line.count("\t") == 1)
        return {ref: commit for ref, commit in lines if _COMMIT.fullmatch(commit)}

    def _remember(self, ref: str, commit: str) -> None:
        refs = self._refs()
        if refs.get(ref) != commit:
            refs[ref] = commit
            text = "".join(f"{name}\t{value}\n" for name, value in refs.items())
            write_atomic(self._folder / _REFS, text.encode())


def _network(
    command: list[str], folder: Path, seconds: float, stop: threading.Event | None = None
) -> Done:
    return gitcommand.run(command, folder=folder, timeout=seconds, network=True, stop=stop)


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """Give an empty folder, so that git is in no repository, whose settings would count."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@contextlib.contextmanager
def _watched(folder: Path) -> Iterator[threading.Event]:
    """Give an event that is set when a folder grows beyond what a commit may bring."""
    stop, ended = threading.Event(), threading.Event()

    def watch() -> None:
        while not ended.wait(_TICK):
            if _size(folder) > MOST_BYTES:
                stop.set()
                return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield stop
    finally:
        ended.set()
        thread.join()


def _size(folder: Path) -> int:
    size = 0
    for above, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):  # moved to its place meanwhile
                size += os.lstat(os.path.join(above, name)).st_size
    return size

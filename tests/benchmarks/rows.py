"""The table: what is measured, against what, and why a figure is missed where one is."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tests.benchmarks import digests, fetching, memory, reading, starting, upkeep, writing
from tests.benchmarks.results import Result
from tests.benchmarks.world import World


class Row(NamedTuple):
    """One row.

    Attributes:
        work: What is done.
        against: What it is measured beside; empty for a figure that stands for itself.
        missed: Why it misses its figure where it does, and what was tried.
    """

    work: str
    against: str
    missed: str = ""


GROUPS: Mapping[str, Callable[[World], Iterator[Result]]] = {
    "digests": digests.results,
    "writing": writing.results,
    "fetching": fetching.results,
    "reading": reading.results,
    "first-clones": fetching.first_clones,
    "upkeep": upkeep.results,
    "starting": starting.results,
    "memory": memory.results,
}

ROWS: Mapping[str, Row] = {
    "digest-small": Row(
        "digest, 1,000 files of 4 kB", "`find … | xargs sha256sum` over the same files"
    ),
    "digest-large": Row("digest, 4 files of 128 MB", "`sha256sum`"),
    "write-clone": Row(
        "commit and push one receipt, 100,000 in the repository",
        "git in a full clone: fetch, reset --hard, add, commit, push",
    ),
    "write-plumbing": Row(
        "the same",
        "git plumbing in a bare clone: fetch, read-tree, update-index, write-tree, commit-tree, "
        "push",
    ),
    "write-growth": Row(
        "the same with 1,000 and with 100,000 in the repository",
        "the growth of a bare `git push` of one prepared commit",
    ),
    "sync-nothing": Row("sync, nothing new, 100,000 receipts", "`git fetch`"),
    "sync-one": Row("sync, one new commit, 100,000 receipts", "`git fetch`"),
    "cards-first": Row(
        "cards of a team of 1,000 skills with 10 receipts each, the first time after a clone",
        "reading the same files in a work tree",
    ),
    "cards-unchanged": Row("the same, nothing changed", "the first time"),
    "cards-one-new": Row("the same, one new receipt", "the first time"),
    "first-clone": Row("first clone, 10,000 receipts", "`git clone --bare`"),
    "upkeep": Row("after 2,000 publishes and as many syncs in one mirror", "a fresh mirror"),
    "start-version": Row("`receipts --version`", '`python -c "import click"`'),
    "start-digest": Row("`receipts digest` of a skill of 5 files", '`python -c "import click"`'),
    "memory": Row("peak memory, 100,000 receipts in the repository", ""),
}

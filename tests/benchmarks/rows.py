"""The table: what is measured, against what, and why a figure is missed where one is."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tests.benchmarks import (
    attempts,
    digests,
    evaluating,
    fetching,
    memory,
    reading,
    starting,
    upkeep,
    writing,
)
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
    "evaluating": evaluating.results,
    "attempts": attempts.results,
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
        "what grows is the server's work: git looks through the trees of all receipts when it "
        "takes a push, some 150 of our 235 ms at 100,000. Over `git://` a whole write, fetch "
        "included, takes us 47 ms at 1,000 receipts, so that the same milliseconds more are a "
        "larger ratio than for a push that starts from more. The pack that we send is a "
        "handful of objects at either size.",
    ),
    "sync-nothing": Row("sync, nothing new, 100,000 receipts", "`git fetch`"),
    "sync-one": Row(
        "sync, one new commit, 100,000 receipts",
        "`git fetch`",
        "over http and ssh the installed git fetches, as it does for everything that a user "
        "may have set up, and its time is nearly all of ours (about 290 ms); what comes on "
        "top (about 40 ms) is comparing the two trees, judging the receipt and keeping what "
        "was found. Tried: looking only into what differs (it was 560 ms), and reading no "
        "more of the cache than is asked for (430 ms). Driving git's plumbing below `git "
        "fetch` would save the check that git makes of what arrived, and lose what users set "
        "up for `git fetch`.",
    ),
    "cards-first": Row(
        "cards of a team of 1,000 skills with 10 receipts each, the first time after a clone",
        "reading the same files in a work tree",
        "10,000 receipts are each judged by the whole schema (a third of the time), read out "
        "of a pack and held against their hash (a quarter), and the frontmatter of 1,000 "
        "versions is parsed as YAML and written anew for their digests (a sixth); the other "
        "side parses JSON and does none of this. Tried: reading packs ourselves instead of "
        "through dulwich (3.3 s before), measuring only what a card shows, stopping the "
        "garbage collector (no gain). Judging only the newest receipt of each skill would do, "
        "but then a broken one would go unnamed. A machine that synced has judged them as "
        "they came.",
    ),
    "cards-unchanged": Row("the same, nothing changed", "the first time"),
    "cards-one-new": Row("the same, one new receipt", "the first time"),
    "first-clone": Row(
        "first clone, 10,000 receipts",
        "`git clone --bare`",
        "the pack is received whole and then indexed, where git does both at once; so it is "
        "known to be no larger than is taken in before anything is made of it. What is within "
        "a few hundredths of the figure changes sides from run to run.",
    ),
    "upkeep": Row("after 2,000 publishes and as many syncs in one mirror", "a fresh mirror"),
    "start-version": Row("`receipts --version`", '`python -c "import click"`'),
    "start-digest": Row("`receipts digest` of a skill of 5 files", '`python -c "import click"`'),
    "memory": Row("peak memory, 100,000 receipts in the repository", ""),
    "eval-engine": Row(
        "an evaluation of 60 sessions of 2 s each, 8 at a time",
        "the same commands, started 8 at a time by `xargs`",
    ),
    "eval-session": Row(
        "an evaluation of 20 sessions of Claude Code on a scripted model, one at a time",
        "`claude -p` with the same arguments, as often, each time with a new home",
    ),
    "compare-runs": Row(
        "compare two saved runs of 500 tasks with 20 attempts each, 60 MB a run",
        "`caliper compare --format json`",
    ),
    "list-runs": Row(
        "list 1,000 saved runs of 9 attempts each",
        "`caliper list SPEC`",
        "with transcripts this short, starting Python and click is a quarter of our time, and "
        "reading and parsing the files another half, of which the other side does the same. Every"
        " value but the transcripts is looked at, so that a run which would be refused is not "
        "listed with a number. Tried: leaving the garbage collector at rest (2.8 times faster "
        "with it running), looking through runs in the usual form without the schema, which took "
        "as long to load as half of the files take (3.2 times faster by the schema), reading "
        "without a buffer, and looking once at maps of one shape. Reading head and tail alone "
        "would do, and be blind to what is wrong in between.",
    ),
}

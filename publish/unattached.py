"""Runs of a skill that a publish does not attach, and why."""

from collections.abc import Iterator
from typing import NamedTuple

from publish import attaching, repository
from publish.contents import Contents
from publish.lineage import Candidate, Category
from publish.snapshot import Snapshot
from publish.teamcards import receipts_of
from receipts.digest import measure_of
from receipts.errors import TeamError
from receipts.receipt import Receipt, read_receipt
from receipts.recency import Recency, recency
from store import config, runs


class Orphans(NamedTuple):
    """The usable runs of a skill's bytes as they are, which a publish is about to change.

    `why` says what the publish writes; `receipts` is never empty and ends with the newest.
    """

    why: str
    receipts: list[Receipt]


def orphans(
    before: Snapshot, contents: Contents, category: Category, candidate: Candidate
) -> Orphans | None:
    """Return the runs here and in the team that the managed fields of a publish orphan, if any."""
    digest = measure_of({path: file.data for path, file in contents.files.items()}).digest
    if digest == candidate.digest:
        return None
    here = (run for run in runs.runs_of(digest) if not attaching.is_in_team(before, run))
    found = [*(run.file.receipt for run in here), *_in_team(before, digest)]
    receipts = [receipt for receipt in found if receipt is not None]
    if not receipts:
        return None
    why = "replaces the metadata of SKILL.md, which is no map"
    if category.inject:
        why = f"writes metadata.terum-category: {category.inject} into SKILL.md"
    return Orphans(why, sorted(receipts, key=_when))


def other_bytes(snapshot: Snapshot, name: str, candidate: Candidate) -> list[str]:
    """Return the ids of local runs of this skill, of other bytes, that are in no team at all."""
    mine = [
        run
        for run in runs.all_runs()
        if run.digest != candidate.digest
        and run.file.receipt is not None
        and run.file.receipt.skill_name == name
        and (run.file.receipt.skill_id or candidate.skill_id).lower() == candidate.skill_id
    ]
    return [run.run_id for run in mine if not _is_in_a_team(snapshot, run)]


def not_considered(digest: str) -> list[str]:
    """Return a sentence for each local run of exactly these bytes that cannot be attached."""
    local = runs.survey(digest)
    unreadable = runs.unreadable_line(local.left_out)
    newer = [
        f"Run {run.run_id} is newer than this version of receipts, so it was not attached."
        for run in local.runs
        if run.file.newer
    ]
    return [*newer, *([unreadable] if unreadable else [])]


def _in_team(before: Snapshot, digest: str) -> Iterator[Receipt | None]:
    for name in before.skills():
        for version in before.versions(name):
            if version.digest == digest:
                for item in receipts_of(before, version)[0]:
                    yield read_receipt(before.receipt_bytes(item)).receipt


def _when(receipt: Receipt) -> Recency:
    return recency(receipt.run_id, receipt.provenance.timestamp)


def _is_in_a_team(snapshot: Snapshot, run: runs.LocalRun) -> bool:
    if attaching.is_in_team(snapshot, run):
        return True
    for entry in config.teams():
        try:
            with repository.opened(entry, create=False) as other:
                if attaching.is_in_team(other.snapshot(), run):
                    return True
        except TeamError:
            continue  # a team that cannot be read says nothing about this run
    return False

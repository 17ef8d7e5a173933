"""Verify: every problem of a receipt file, of a folder of them, or of a team's repository."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from publish import layout, oddities, repository
from publish.git import MirrorDamaged
from publish.places import LOCAL_NAME, Places
from publish.snapshot import Committed, Snapshot, Version
from receipts import check, inputs, jsontext, runid, scrub
from receipts.errors import ReceiptError, ReceiptsError, TeamError
from receipts.files import read_limited
from receipts.receipt import read_receipt
from receipts.report import newer_line
from store import config


class Verified(NamedTuple):
    """One receipt, or one other thing that is wrong.

    `notes` are worth knowing and no problem, such as a receipt from a later version of the program.
    """

    where: str
    problems: list[str]
    notes: list[str]


def verify_path(path: Path) -> list[Verified]:
    """Verify a receipt file, which may be a pipe or `-`, or every receipt below a folder.

    In a checkout of a team repository and in the local store, each receipt is also held against its
    place and against the digest of the bytes that it claims.

    Raises:
        ReceiptError: There is nothing there, or no receipt below the folder.
    """
    if inputs.is_stream(path):
        problems, notes = problems_of(inputs.read(path, jsontext.LIMIT), {})
        return [Verified(inputs.name_of(path), problems, notes)]
    if not os.path.lexists(path):
        raise ReceiptError(f"{path} does not exist.")
    places = Places()
    if not path.is_dir():
        return [_verify_file(path, places)]
    closed: list[OSError] = []
    found = [_verify_file(file, places) for file in _receipt_files(path, closed.append)]
    found += [
        Verified(str(error.filename), [f"cannot be read: {error.strerror}"], []) for error in closed
    ]
    if not found:
        raise ReceiptError(f"There is no receipt below {path}.")
    return found


def verify_team(name: str | None) -> list[Verified]:
    """Verify everything in a team's repository as of the last fetch; touches no network.

    Raises:
        UsageError: There is no such team.
        TeamError: It was never fetched, or is no team repository.
    """
    with repository.opened(config.team(name), create=False) as opened:
        snapshot = opened.snapshot()
        _ = snapshot.team
        found = [Verified(layout.PEOPLE, [p], []) for p in snapshot.people()[1]]
        found += _team_receipts(snapshot)
        return found + [
            Verified("the tree", [oddity], []) for oddity in oddities.everything(snapshot)
        ]


def problems_of(data: bytes, place: dict[str, str | None]) -> tuple[list[str], list[str]]:
    """Return the problems and the notes of a receipt's bytes.

    Args:
        data: The bytes.
        place: What its place says of `skill_id`, `version`, `run_id` and `content_digest`, where it
            says anything.
    """
    file = read_receipt(data)
    others = [*check.repeated_keys(data), *_unscrubbed(data)]
    if file.newer:
        return others, [newer_line(file)]
    if file.receipt is None:
        return [file.problem, *others], []
    found = check.problems(file.receipt, **place)  # type: ignore[arg-type]  # all texts or None
    return [*found, *others], []


def _unscrubbed(data: bytes) -> list[str]:
    try:
        removed = scrub.scrub_document(data).removed
    except jsontext.JsonError:
        return []
    return [
        f"unscrubbed text: {item.field} holds what looks like a {item.rule}" for item in removed
    ]


def _verify_file(path: Path, places: Places) -> Verified:
    try:
        data = read_limited(path, jsontext.LIMIT, follow_links=False)
    except ReceiptsError as error:
        return Verified(str(path), [str(error)], [])
    except FileNotFoundError:
        return Verified(str(path), ["is gone"], [])
    said = places.said_of(path)
    problems, notes = problems_of(data, said.fields)
    return Verified(str(path), [*said.problems, *problems], notes)


def _receipt_files(folder: Path, failed: Callable[[OSError], None]) -> Iterator[Path]:
    """Yield the receipts below a folder: by their names, or else by what they hold."""
    for top, folders, files in os.walk(folder, onerror=failed):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(files):
            path = Path(top, name)
            if (
                name == LOCAL_NAME
                or runid.is_run_id(name.removesuffix(".json"))
                or (name.endswith(".json") and _holds_a_receipt(path))
            ):
                yield path


def _holds_a_receipt(path: Path) -> bool:
    try:
        document = jsontext.loads(read_limited(path, jsontext.LIMIT, follow_links=False))
    except (jsontext.JsonError, ReceiptsError, FileNotFoundError):
        return False  # some other file; one that is named as a receipt is never judged by this
    return isinstance(document, dict) and {"schema_version", "run_id"} <= document.keys()


def _team_receipts(snapshot: Snapshot) -> Iterator[Verified]:
    owners: dict[str, str] = {}
    for name in snapshot.skills():
        versions = {version.number: version for version in snapshot.versions(name)}
        for version in versions.values():
            if version.problem:
                yield Verified(f"{name} {version.label}", [version.problem], [])
        skill_id = snapshot.skill_id(name, or_older=True)
        if skill_id is None:
            yield Verified(name, ["no version of it declares a skill id"], [])
        elif skill_id in owners:
            yield Verified(name, [f"declares the skill id of {owners[skill_id]}"], [])
        else:
            owners[skill_id] = name
            for number in snapshot.receipt_numbers(skill_id):
                meant = {v.digest: v for v in snapshot.versions_under(skill_id, number)}
                for item in snapshot.receipts(skill_id, number):
                    its_own = meant.get(item.known.digest) or versions.get(number)
                    yield _verify_committed(snapshot, item, its_own)
    for skill_id in snapshot.skill_ids_with_receipts():
        if skill_id not in owners and snapshot.receipt_numbers(skill_id):
            where = f"{layout.EVALS}/{skill_id}"
            yield Verified(where, ["holds receipts of no skill in this team"], [])


def _verify_committed(snapshot: Snapshot, item: Committed, version: Version | None) -> Verified:
    misplaced = [] if version else [f"v{item.number} does not exist"]
    try:
        data = snapshot.receipt_bytes(item)
    except MirrorDamaged:
        raise
    except TeamError as error:
        return Verified(item.path, [*misplaced, error.message], [])
    place = {
        "skill_id": item.skill_id,
        "version": f"v{item.number}",
        "run_id": item.run_id,
        "content_digest": version.digest if version else None,
    }
    problems, notes = problems_of(data, place)
    return Verified(item.path, [*misplaced, *problems], notes)

"""Verify: every problem of a receipt file, of a folder of them, or of a team's repository."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from publish import layout, repository
from publish.known import USABLE
from publish.snapshot import Committed, Snapshot, Version
from receipts import check, digest, jsontext, runid, scrub
from receipts.errors import ReceiptError, ReceiptsError, SkillError
from receipts.files import read_limited
from receipts.receipt import read_receipt
from receipts.report import newer_line
from store import config

_LOCAL_NAME = "receipt.json"


class Verified(NamedTuple):
    """One receipt, or one other thing that is wrong.

    `notes` are worth knowing and no problem, such as a receipt from a later version of the program.
    """

    where: str
    problems: list[str]
    notes: list[str]


def verify_path(path: Path) -> list[Verified]:
    """Verify a receipt file, or every receipt below a folder.

    In a checkout of a team repository and in the local store, each receipt is also held against its
    place and against the digest of the bytes that it claims.

    Raises:
        ReceiptError: There is nothing there, or no receipt below the folder.
    """
    if not os.path.lexists(path):
        raise ReceiptError(f"{path} does not exist.")
    if not path.is_dir():
        return [_verify_file(path)]
    found = [_verify_file(file) for file in _receipt_files(path)]
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
        return found + [Verified("the tree", [oddity], []) for oddity in snapshot.oddities()]


def problems_of(data: bytes, place: dict[str, str | None]) -> tuple[list[str], list[str]]:
    """Return the problems and the notes of a receipt's bytes.

    Args:
        data: The bytes.
        place: What its place says of `skill_id`, `version`, `run_id` and `content_digest`, where it
            says anything.
    """
    file = read_receipt(data)
    if file.newer:
        return [], [newer_line(file)]
    if file.receipt is None:
        return [file.problem], []
    problems = check.problems(file.receipt, **place)  # type: ignore[arg-type]  # all texts or None
    removed = scrub.scrub_document(data).removed
    problems += [f"unscrubbed text: {sentence}" for sentence in _unscrubbed(removed)]
    return problems, []


def _unscrubbed(removed: tuple[scrub.Removed, ...]) -> list[str]:
    return [f"{item.field} holds what looks like a {item.rule}" for item in removed]


def _verify_file(path: Path) -> Verified:
    try:
        data = read_limited(path, jsontext.LIMIT, follow_links=False)
    except ReceiptsError as error:
        return Verified(str(path), [str(error)], [])
    except FileNotFoundError:
        return Verified(str(path), ["is gone"], [])
    try:
        place = _place_of(path)
    except SkillError as error:
        return Verified(str(path), [f"the version beside it cannot be measured: {error}"], [])
    return Verified(str(path), *problems_of(data, place))


def _receipt_files(folder: Path) -> Iterator[Path]:
    """Yield the receipts below a folder: by their names, or else by what they hold."""
    for top, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(files):
            path = Path(top, name)
            if (
                name == _LOCAL_NAME
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


def _place_of(path: Path) -> dict[str, str | None]:
    """Return what a file's place says of the receipt in it."""
    parts = path.resolve().parts
    if path.name == _LOCAL_NAME and runid.is_run_id(parts[-2]):
        return {"run_id": parts[-2], "content_digest": f"sha256:{parts[-3]}"}
    place = layout.place_of("/".join(parts[-4:]))
    if not isinstance(place, layout.ReceiptPath):
        return {}
    said: dict[str, str | None] = {
        "skill_id": place.skill_id.lower(),
        "version": f"v{place.number}",
        "run_id": place.run_id,
    }
    root = path.resolve().parents[3]
    if (root / layout.TEAM).is_file():
        said["content_digest"] = _digest_in_checkout(root, place)
    return said


def _digest_in_checkout(root: Path, place: layout.ReceiptPath) -> str | None:
    """Return the digest of the version that a receipt in a checkout claims, if it is there."""
    for skill in sorted((root / layout.SKILLS).iterdir()):
        version = skill / f"v{place.number}"
        skill_md = version / digest.SKILL_MD
        if skill_md.is_file() and Snapshot.declared_id(skill_md.read_bytes()) == (
            place.skill_id.lower()
        ):
            return digest.content_digest(version)
    return None


def _team_receipts(snapshot: Snapshot) -> Iterator[Verified]:
    owned = set()
    for name in snapshot.skills():
        versions = {version.number: version for version in snapshot.versions(name)}
        for version in versions.values():
            if version.problem:
                yield Verified(f"{name} {version.label}", [version.problem], [])
        skill_id = snapshot.skill_id(name, or_older=True)
        if skill_id is None:
            yield Verified(name, ["no version of it declares a skill id"], [])
            continue
        owned.add(skill_id)
        for number in snapshot.receipt_numbers(skill_id):
            for item in snapshot.receipts(skill_id, number):
                yield _verify_committed(snapshot, item, versions.get(number))
    for skill_id in snapshot.skill_ids_with_receipts():
        if skill_id not in owned:
            where = f"{layout.EVALS}/{skill_id}"
            yield Verified(where, ["holds receipts of no skill in this team"], [])


def _verify_committed(snapshot: Snapshot, item: Committed, version: Version | None) -> Verified:
    if version is None:
        return Verified(item.path, [f"v{item.number} does not exist"], [])
    if item.known.state != USABLE and item.known.digest is None:
        return Verified(item.path, [item.known.problem or ""], [])
    place = {
        "skill_id": item.skill_id,
        "version": version.label,
        "run_id": item.run_id,
        "content_digest": version.digest,
    }
    return Verified(item.path, *problems_of(snapshot.receipt_bytes(item), place))

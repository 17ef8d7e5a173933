"""Install: a published version, copied whole into a library, its receipts into the local store.

The library never shows half a version: files are written beside the place and moved into it. A
folder that somebody edited is never overwritten; with `--force` it is moved aside.
"""

import os
import re
import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from publish import layout, names, repository
from publish.git import File
from publish.known import BROKEN
from publish.snapshot import Snapshot
from receipts import digest, folder, runid
from receipts.errors import ReceiptError, SkillError, StoreError, TeamError, UsageError
from receipts.files import make_private_dir
from store import config, filing, library, locks, paths

# What a killed install leaves behind. Only what is named exactly so is touched.
_NEW = "new"  # half-written; deleted by the next install
_OLD = "old"  # somebody's edits on their way aside; never deleted
_TRASH = "trash"  # an unedited older version; deleted by the next install
_LEFT = re.compile(rf"\.receipts-({_NEW}|{_OLD}|{_TRASH})-([a-z0-9-]+)-[0-9a-f]{{8}}")


class Installed(NamedTuple):
    """What an install did.

    `aside` is where the folder went that was there before, when it was kept. `seeded` counts the
    receipts copied to this machine; `skipped` says why others were not.
    """

    team: str
    skill: str
    version: str
    path: Path
    unchanged: bool
    aside: Path | None
    seeded: int
    skipped: list[str]
    registered: bool


def install(skill: str, *, team: str | None, to: Path | None, force: bool) -> Installed:
    """Copy a published version into a library root, as the team stood at the last sync.

    Args:
        skill: `NAME`, or `NAME@vN` for another than the newest version.
        team: Which team, or None for the only one.
        to: The library root; None means `~/.claude/skills`.
        force: Move an edited folder aside instead of refusing.

    Raises:
        UsageError: `skill` is malformed, or the library is itself a skill.
        TeamError: There is no such version, or it cannot be read.
        SkillError: The folder that is there was edited, and `force` was not given.
        StoreError: The library cannot be written.
    """
    root = Path(os.path.abspath(to)) if to else library.default_root()
    if to and os.path.lexists(root / digest.SKILL_MD):
        raise UsageError(
            f"{root} is itself a skill.", f"Install into the folder above it: --to {root.parent}"
        )
    with repository.opened(config.team(team), create=False) as opened:
        snapshot = opened.snapshot()
        name, number = _wanted(snapshot, skill, opened.name)
        files = snapshot.files(name, number)
        if problems := names.problems(files):
            raise TeamError(f"{name} v{number} cannot be installed: {problems[0]}")
        with locks.held("install"):
            unchanged, aside = _place(snapshot, root, name, files, force=force)
        seeded, skipped = _seed(snapshot, name, number)
        registered = to is not None and library.add_root(str(root))
        return Installed(
            opened.name,
            name,
            f"v{number}",
            root / name,
            unchanged,
            aside,
            seeded,
            skipped,
            registered,
        )


def _wanted(snapshot: Snapshot, skill: str, team: str) -> tuple[str, int]:
    name, at, label = skill.partition("@")
    number = layout.version_number(label)
    if at and number is None:
        raise UsageError(f"{label!r} is not a version.", "Versions are v1, v2 and so on.")
    numbers = snapshot.numbers(name) if names.is_skill_name(name) else []
    if not numbers:
        raise TeamError(
            f"No skill named {name} exists in team {team}, as of the last sync.",
            "See what there is: receipts cards --team",
        )
    if number is not None and number not in numbers:
        known = ", ".join(f"v{n}" for n in numbers)
        raise TeamError(f"{name} has no version v{number}; it has {known}.")
    return name, number or numbers[0]


def _place(
    snapshot: Snapshot, root: Path, name: str, files: dict[str, File], *, force: bool
) -> tuple[bool, Path | None]:
    """Put the files at `root/name`; return whether they were there, and what moved aside."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        aside = _tidy(root)
        place = root / name
        wanted = digest.measure_of(
            {path: file.data for path, file in files.items()},
            executable=[path for path, file in files.items() if file.executable],
        )
        present = _measured(place)
        if present is not None and present.digest == wanted.digest:
            _set_modes(place, files)
            return True, aside
        keep = os.path.lexists(place) and _is_worth_keeping(snapshot, name, present)
        if keep == "edited" and not force:
            raise SkillError(
                f"{place} {_what_is_there(place, name)}; it was left alone.",
                "Move it away yourself, or use --force, which moves it aside and says where.",
            )
        fresh = _beside(root, _NEW, name)
        _write(fresh, files)
        if os.path.lexists(place):
            place.rename(_beside(root, _OLD if keep else _TRASH, name))
        fresh.rename(place)
        return False, _tidy(root) or aside
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise StoreError(f"Cannot install into {root}: {error.strerror}{where}.") from error


def _what_is_there(place: Path, name: str) -> str:
    if place.is_symlink():
        return f"is a link to {os.readlink(place)}"
    if not place.is_dir():
        return "is not a folder"
    return f"holds bytes that are no published version of {name}"


def _beside(root: Path, kind: str, name: str) -> Path:
    return root / f".receipts-{kind}-{name}-{secrets.token_hex(4)}"


def _tidy(root: Path) -> Path | None:
    """Clear away what an install leaves beside its place; return where a kept folder went."""
    moved = None
    for entry in sorted(root.iterdir()):
        match = _LEFT.fullmatch(entry.name)
        if match and match[1] == _OLD:
            moved = _move_aside(entry, match[2])
        elif match and entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        elif match:
            entry.unlink()
    return moved


def _move_aside(entry: Path, name: str) -> Path:
    paths.create_state_root()
    stamp = runid.from_time(datetime.now(UTC))
    folder = paths.aside() / f"{stamp}-{secrets.token_hex(2)}"
    make_private_dir(folder)
    shutil.move(entry, folder / name)
    return folder / name


def _measured(place: Path) -> digest.Measured | None:
    if not place.is_dir() or place.is_symlink():
        return None
    try:
        return digest.measure(place)
    except SkillError:
        return None


def _is_worth_keeping(snapshot: Snapshot, name: str, present: digest.Measured | None) -> str | None:
    """Return `edited`, `extra` (files that do not count beside unedited bytes), or None."""
    if present is None or not any(v.digest == present.digest for v in snapshot.versions(name)):
        return "edited"
    kept = (item for item in present.left_out if item.path.rpartition("/")[2] not in _DESKTOP)
    return "extra" if any(kept) else None


_DESKTOP = frozenset(folder.LEFT_OUT_ANYWHERE)


def _write(fresh: Path, files: dict[str, File]) -> None:
    for path, file in files.items():
        target = fresh.joinpath(*path.split("/"))
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target, "xb") as stream:
            stream.write(file.data)
            stream.flush()
            os.fsync(stream.fileno())
    _set_modes(fresh, files)


def _set_modes(place: Path, files: dict[str, File]) -> None:
    if os.name != "posix":
        return
    for path, file in files.items():
        target = place.joinpath(*path.split("/"))
        mode = 0o755 if file.executable else 0o644
        if target.stat().st_mode & 0o111 != mode & 0o111:
            target.chmod(mode)


def _seed(snapshot: Snapshot, name: str, number: int) -> tuple[int, list[str]]:
    """Copy the receipts of a version's bytes into the local store."""
    skill_id = snapshot.skill_id(name, or_older=True)
    measured = snapshot.measure(name, number)
    seeded, skipped = 0, []
    for item in snapshot.receipts(skill_id, number) if skill_id else []:
        if item.known.state == BROKEN:
            skipped.append(f"Skipped {item.run_id}: invalid receipt.")
            continue
        if item.known.digest is None:
            skipped.append(f"Skipped {item.run_id}: no content digest (pre-migration receipt).")
        elif item.known.digest != measured.digest:
            # Filed under the bytes that it names, it would pass there for this machine's own.
            skipped.append(f"Skipped {item.run_id}: it measured other bytes.")
        else:
            try:
                filed = filing.file_receipt(snapshot.receipt_bytes(item), measured.files)
                seeded += not filed.already
            except ReceiptError as error:
                skipped.append(f"Skipped {item.run_id}: {error.message}")
    return seeded, skipped


def lines(done: Installed) -> list[str]:
    """Return what to print about an install."""
    verb = "is already installed" if done.unchanged else "was installed"
    found = [f"{done.skill} {done.version} of {done.team} {verb} at {done.path}."]
    if done.aside:
        found.append(f"What was there before was moved to {done.aside}.")
    if done.seeded:
        found.append(f"Copied {done.seeded} receipt(s) of these bytes to this machine.")
    if done.registered:
        found.append(f"Registered {done.path.parent} as a skill library, so that cards show it.")
    return [*found, *done.skipped]

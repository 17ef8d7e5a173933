"""Install: a published version, copied whole into a library, its receipts into the local store.

The library never shows half a version: files are written beside the place and moved into it. A
folder that somebody edited is never overwritten; with `--force` it is moved aside. Edited is one
that is not what an install or a publish left there, byte for byte, seen by the digest or not.
"""

import os
import re
import secrets
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from publish import copies, git, layout, managed, names, repository
from publish.known import BROKEN
from publish.managed import Managed
from publish.snapshot import Snapshot, Version
from publish.stored import Stored
from receipts import digest, filenames, folder, runid, skillmd
from receipts.errors import (
    ReceiptError,
    ReceiptsError,
    SkillError,
    StoreError,
    TeamError,
    UsageError,
)
from receipts.files import make_private_dir
from receipts.nearest import did_you_mean
from store import config, filing, library, locks, paths

# What a killed install leaves behind. Only what is named exactly so is touched.
_NEW = "new"  # half-written; deleted by the next install
_OLD = "old"  # somebody's edits on their way aside; never deleted
_TRASH = "trash"  # an unedited older version; deleted by the next install
_LEFT = re.compile(rf"\.receipts-({_NEW}|{_OLD}|{_TRASH})-([a-z0-9-]+)-[0-9a-f]{{8}}")
# What keeps a folder from being deleted.
_EDITED = "edited"
_EXTRA = "extra"
_DESKTOP = frozenset(folder.LEFT_OUT_ANYWHERE)


class Installed(NamedTuple):
    """What an install did.

    `modes` names the files whose executable bit was set or cleared, when nothing else was done.
    `aside` is where the folder went that was there before, when it was kept. `seeded` counts the
    receipts copied to this machine; `skipped` says why others were not. `elsewhere` are the copies
    of the skill in other libraries, which were left as they are.
    """

    team: str
    skill: str
    version: str
    path: Path
    unchanged: bool
    modes: list[str]
    aside: Path | None
    seeded: int
    skipped: list[str]
    registered: bool
    elsewhere: list[Path]


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
        wanted = snapshot.version(name, number)
        if wanted.digest is None:
            raise TeamError(wanted.problem or f"{name} v{number} cannot be measured.")
        files = snapshot.files(name, number)
        if problems := filenames.problems(files):
            raise TeamError(f"{name} v{number} cannot be installed: {problems[0]}")
        # What nobody measured, such as a .DS_Store that a push by hand brought, stays in the team.
        files = {path: file for path, file in files.items() if not folder.reason_left_out(path)}
        with locks.held("install"):
            unchanged, modes, aside = _place(snapshot, root, wanted, files, force=force)
        registered = to is not None and library.add_root(str(root))
        seeded, skipped = _seed(snapshot, name, number)
        return Installed(
            opened.name,
            name,
            f"v{number}",
            root / name,
            unchanged,
            modes,
            aside,
            seeded,
            skipped,
            registered,
            copies.elsewhere(root / name, snapshot.skill_id(name, or_older=True)),
        )


def _wanted(snapshot: Snapshot, skill: str, team: str) -> tuple[str, int]:
    name, at, label = skill.partition("@")
    number = layout.version_number(label)
    if at and number is None:
        raise UsageError(f"{label!r} is not a version.", "Versions are v1, v2 and so on.")
    numbers = snapshot.numbers(name) if names.is_skill_name(name) else []
    if not numbers:
        near = did_you_mean(name, snapshot.skills())
        raise TeamError(
            f"No skill named {name} exists in team {team}, as of the last sync.",
            near or "See what there is: receipts cards --team",
        )
    if number is not None and number not in numbers:
        known = ", ".join(f"v{n}" for n in numbers)
        raise TeamError(f"{name} has no version v{number}; it has {known}.")
    return name, number or numbers[0]


def _place(
    snapshot: Snapshot, root: Path, wanted: Version, files: dict[str, Stored], *, force: bool
) -> tuple[bool, list[str], Path | None]:
    """Put the files of a version below the root, in the folder of its name.

    Return whether they were there, whose executable bit was set or cleared, and what moved aside.
    """
    name = wanted.name
    try:
        root.mkdir(parents=True, exist_ok=True)
        aside = _tidy(root)
        place = root / name
        present = _measured(place)
        keep = _worth_keeping(snapshot, place, present) if os.path.lexists(place) else None
        is_there = present is not None and present.digest == wanted.digest
        if is_there and not (force and keep == _EDITED):
            return True, _set_modes(place, files), aside
        if keep == _EDITED and not force:
            raise SkillError(
                f"{place} {_what_is_there(place, name)}; it was left alone.",
                "Move it away yourself, or use --force, which moves it aside and says where.",
            )
        fresh = _beside(root, _NEW, name)
        _write(fresh, files)
        if os.path.lexists(place):
            place.rename(_beside(root, _OLD if keep else _TRASH, name))
        fresh.rename(place)
        return False, [], _tidy(root) or aside
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


def _worth_keeping(snapshot: Snapshot, place: Path, present: digest.Measured | None) -> str | None:
    """Return `edited`, `extra` (unedited bytes, and something that no version has), or None.

    A missing executable bit is nobody's work: copies and archives lose it.
    """
    numbers = [
        version.number
        for version in snapshot.versions(place.name)
        if present is not None and version.digest == present.digest
    ]
    files = [snapshot.files(place.name, number) for number in numbers]
    if present is None or not any(_is_unedited(place, of, snapshot) for of in files):
        return _EDITED
    runnable = {file.path for file in present.files if file.executable}
    made_runnable = not any(runnable <= _runnable(of) for of in files)
    kept = (item for item in present.left_out if item.path.rpartition("/")[2] not in _DESKTOP)
    return _EXTRA if made_runnable or any(kept) or _has_empty_folder(place) else None


def _runnable(files: dict[str, Stored]) -> set[str]:
    return {
        path for path, file in files.items() if file.executable and not folder.reason_left_out(path)
    }


def _has_empty_folder(place: Path) -> bool:
    return any(not folders and not files for _, folders, files in os.walk(place))


def _is_unedited(place: Path, files: dict[str, Stored], snapshot: Snapshot) -> bool:
    """Say whether a folder with a version's digest holds its bytes, but for what a publish writes.

    The digest sees every byte but those of SKILL.md's frontmatter. There a publish writes the
    managed fields: the folder may have been copied before, or hold this member's own.
    """
    if digest.SKILL_MD not in files:
        return True
    mine, published = (place / digest.SKILL_MD).read_bytes(), files[digest.SKILL_MD].data
    if mine == published:
        return True
    try:
        text, theirs = mine.decode(), published.decode()
        declared, known = managed.declared(text), managed.declared(theirs)
        own_license, its_license = (
            (skillmd.fields(t) or {}).get("license") for t in (text, theirs)
        )
        if not (known.skill_id and known.author and isinstance(its_license, str)):
            return False
        return (
            own_license in (None, its_license, snapshot.team.license)
            and declared.skill_id in (None, known.skill_id)
            and (declared.author in (None, known.author) or declared.author == _this_member())
            and managed.inject(text, Managed(its_license, known.skill_id, known.author, None))
            == theirs
        )
    except (ReceiptsError, UnicodeDecodeError):
        return False


def _this_member() -> str | None:
    """Return who publishes from this machine, as SKILL.md names them."""
    try:
        author = git.member_identity()
    except ReceiptsError:
        return None
    return f"{author.name} <{author.email}>"


def _write(fresh: Path, files: dict[str, Stored]) -> None:
    for path, file in files.items():
        target = folder.locate(fresh, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "xb") as stream:
            stream.write(file.data)
            stream.flush()
            os.fsync(stream.fileno())
    _set_modes(fresh, files)


def _set_modes(place: Path, files: dict[str, Stored]) -> list[str]:
    """Make executable what is so in the version and nothing else; return the paths that were not.

    Whoever may read a file may then execute it. A file system without such a bit keeps none.
    """
    if os.name != "posix":
        return []
    changed = []
    for path, file in files.items():
        target = folder.locate(place, path)
        mode = 0o755 if file.executable else 0o644
        if os.stat(target).st_mode & 0o111 != mode & 0o111:
            with suppress(PermissionError):  # what some of those answer
                os.chmod(target, mode)
            if os.stat(target).st_mode & 0o111 == mode & 0o111:
                changed.append(path)
    return changed


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
    if done.modes:
        found.append(f"Set the executable bit as in {done.version} of {', '.join(done.modes)}.")
    if done.aside:
        found.append(f"What was there before was moved to {done.aside}.")
    if done.seeded:
        found.append(f"Copied {done.seeded} receipt(s) of these bytes to this machine.")
    if done.registered:
        found.append(f"Registered {done.path.parent} as a skill library, so that cards show it.")
    return [*found, *done.skipped]

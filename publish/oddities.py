"""What stands in a team repository and is no part of its layout, or is not as it should be.

Each is named in one sentence and hides nothing else.
"""

from collections.abc import Collection

from publish import attributes, layout
from publish.git import MirrorDamaged
from publish.names import is_skill_name
from publish.snapshot import Snapshot
from receipts import check, runid
from receipts.errors import TeamError
from receipts.filenames import shortened
from receipts.forms import is_skill_id

_KEPT = ".gitkeep"
_LIMIT = 1 << 20


def everything(snapshot: Snapshot) -> list[str]:
    """Return a sentence for everything odd but what `Snapshot.people` names."""
    found = [*at_the_top(snapshot), *strays(snapshot)]
    for name in snapshot.skills():
        found += strays_of(snapshot, name)
        found += [doubt for version in snapshot.versions(name) for doubt in version.doubts]
    return [*found, *unlisted(snapshot)]


def at_the_top(snapshot: Snapshot) -> list[str]:
    """Return a sentence for each key that team.json gives twice, and each filter for git."""
    repeated = check.repeated_keys(_read(snapshot, layout.TEAM))
    return [
        *(f"{layout.TEAM}: {problem}." for problem in repeated),
        *attributes.filters(layout.ATTRIBUTES, _read(snapshot, layout.ATTRIBUTES)),
    ]


def strays(snapshot: Snapshot, among: Collection[str] | None = None) -> list[str]:
    """Return a sentence for each entry of `skills/` and `evals/` that no skill can own.

    Args:
        snapshot: The team.
        among: Look only at entries of these names; None for all.
    """
    found = []
    for folder, is_one, what, has_owner in (
        (layout.SKILLS, is_skill_name, "skill's folder", snapshot.is_skill),
        (layout.EVALS, is_skill_id, "skill's id", snapshot.owner_of),
    ):
        for name, entry in snapshot.names(folder):
            if name == _KEPT or (among is not None and name not in among):
                continue
            if not is_one(name):
                found.append(f"{folder}/{shortened(name)} is not a {what}; ignored.")
            elif not entry.is_tree:
                found.append(f"{folder}/{name} is not a folder; ignored.")
            elif not has_owner(name):
                snapshot.names(f"{folder}/{name}")  # whatever is wrong in it is met by that
    return found


def strays_of(snapshot: Snapshot, name: str) -> list[str]:
    """Return a sentence for each entry of a skill's folders that is no part of it."""
    found = [
        f"skills/{name}/{shortened(below)} is not a version; ignored."
        for below, _ in snapshot.names(f"{layout.SKILLS}/{name}")
        if below != layout.EVALS and not layout.version_number(below)
    ]
    for spelled in snapshot.spellings_of(snapshot.skill_id(name, or_older=True) or ""):
        folder = f"{layout.EVALS}/{spelled}"
        for version, entry in snapshot.names(folder):
            if not layout.version_number(version):
                if version != layout.ARCHIVE:
                    found.append(f"{folder}/{shortened(version)} is not a version; ignored.")
            elif not entry.is_tree:
                found.append(f"{folder}/{version} is not a folder; ignored.")
            else:
                found += [
                    f"{folder}/{version}/{shortened(file)} is not a receipt; ignored."
                    for file, _ in snapshot.names(f"{folder}/{version}")
                    if not _is_receipt_name(file)
                ]
    return found


def unlisted(snapshot: Snapshot, among: Collection[str] | None = None) -> list[str]:
    """Return a sentence for each unsafe name, and each folder too large to be listed, met so far.

    Those of a version are its own problem, and no part of this.

    Args:
        snapshot: The team.
        among: Of what is below the folders of skills and ids, only these; None for all.
    """

    def is_meant(folder: str) -> bool:
        steps = folder.split("/")
        return among is None or len(steps) == 1 or steps[1] in among

    unsafe = {
        path.decode("utf-8", "backslashreplace"): folder.decode("utf-8", "backslashreplace")
        for path, folder in snapshot.view.unsafe.items()
    }
    return [
        *(
            f"{shortened(path)} is an unsafe name; ignored."
            for path, folder in unsafe.items()
            if is_meant(folder) and not isinstance(layout.place_of(path), layout.VersionFile)
        ),
        *(why for folder, why in snapshot.oversized.items() if is_meant(folder)),
    ]


def _is_receipt_name(file: str) -> bool:
    """Say whether a file is named as a receipt or as the signature of one."""
    name = file.removesuffix(".sig")
    return name.endswith(".json") and runid.is_run_id(name.removesuffix(".json"))


def _read(snapshot: Snapshot, path: str) -> bytes:
    """Return a file's content, or nothing where it cannot be read: that is told elsewhere."""
    try:
        return snapshot.view.read(path.encode(), limit=_LIMIT)
    except MirrorDamaged:
        raise
    except TeamError:
        return b""

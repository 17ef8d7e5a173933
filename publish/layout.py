"""Where things stand in a team repository (layout 3), as functions of paths and nothing else.

team.json   people/<handle>.json   README.md   .gitattributes
skills/<name>/v<N>/**                    a version: added once, never changed
skills/<name>/evals/**                   evaluation assets: added and modified
evals/<skill id>/v<N>/<run id>.json      a receipt: written once
"""

import re
from typing import NamedTuple

from receipts import runid
from receipts.forms import is_skill_id

BRANCH = b"refs/heads/main"
LAYOUT_VERSION = 3
TEAM = "team.json"
README = "README.md"
ATTRIBUTES = ".gitattributes"
SKILLS = "skills"
EVALS = "evals"
PEOPLE = "people"
ARCHIVE = "archive"
"""Below a skill's id: receipts from before a migration, read for nothing."""

_VERSION = re.compile(r"v([1-9][0-9]{0,15})", re.ASCII)
_LARGEST_VERSION = 2**53 - 1  # the largest integer that every JSON reader keeps exact


class VersionFile(NamedTuple):
    """`skills/<name>/v<number>/<path>`."""

    name: str
    number: int
    path: str


class AssetFile(NamedTuple):
    """`skills/<name>/evals/<path>`."""

    name: str
    path: str


class ReceiptPath(NamedTuple):
    """`evals/<skill_id>/v<number>/<run_id>.json`; the id as it is spelled in the path."""

    skill_id: str
    number: int
    run_id: str


class PersonFile(NamedTuple):
    """`people/<handle>.json`."""

    handle: str


class TopFile(NamedTuple):
    """A file at the root that the layout knows: `team.json`, `README.md`, `.gitattributes`."""

    name: str


Place = VersionFile | AssetFile | ReceiptPath | PersonFile | TopFile


def place_of(path: str) -> Place | None:
    """Return what stands at a path, or None when the layout has no such place."""
    match path.split("/"):
        case [("team.json" | "README.md" | ".gitattributes") as name]:
            return TopFile(name)
        case ["skills", name, "evals", *rest] if rest:
            return AssetFile(name, "/".join(rest))
        case ["skills", name, version, *rest] if rest and (number := version_number(version)):
            return VersionFile(name, number, "/".join(rest))
        case ["evals", skill_id, version, file] if number := version_number(version):
            run_id = file.removesuffix(".json")
            if file.endswith(".json") and is_skill_id(skill_id) and runid.is_run_id(run_id):
                return ReceiptPath(skill_id, number, run_id)
        case ["people", file] if file.endswith(".json"):
            return PersonFile(file.removesuffix(".json"))
    return None


def version_number(text: str) -> int | None:
    """Return N of `vN`, or None: `v0`, `v03`, `V3` and `v1.0` are not versions."""
    match = _VERSION.fullmatch(text)
    number = int(match[1]) if match else 0
    return number if 0 < number <= _LARGEST_VERSION else None


def version_folder(name: str, number: int) -> str:
    """Return `skills/<name>/v<number>`."""
    return f"{SKILLS}/{name}/v{number}"


def assets_folder(name: str) -> str:
    """Return `skills/<name>/evals`."""
    return f"{SKILLS}/{name}/evals"


def receipt_path(skill_id: str, number: int, run_id: str) -> str:
    """Return `evals/<skill_id>/v<number>/<run_id>.json`."""
    return f"{EVALS}/{skill_id}/v{number}/{run_id}.json"


def person_path(handle: str) -> str:
    """Return `people/<handle>.json`."""
    return f"{PEOPLE}/{handle}.json"

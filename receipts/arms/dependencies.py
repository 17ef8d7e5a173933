"""Files outside a skill that its SKILL.md names, found in the repository around it.

A skill may tell an agent to run `tools/build.py` of the repository that it lives in. Without that
file no arm could do it, so what is there is staged beside the skill, and what is not is said.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from receipts import skillmd
from receipts.arms.assets.seeds import AGENT_FOLDERS
from receipts.digest import SKILL_MD
from receipts.errors import SkillError, StoreError
from receipts.files import read_limited

CAP = 20 << 20
"""Bytes that are staged at most, in all."""

# Behind a slash or `$` stands the rest of an address, or of a path from elsewhere.
_TOKEN = re.compile(r"(?<![\w./$@-])[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+", re.ASCII)
_NEVER = {"node_modules", ".git", "__tests__", *AGENT_FOLDERS}
# A script runs with what lies beside it.
_SCRIPTS = {
    *(".bash", ".cjs", ".js", ".mjs", ".mts", ".php", ".pl", ".ps1", ".py", ".rb", ".sh", ".ts"),
    ".zsh",
}
_SKILL_MD_LIMIT = 8 << 20
_MB = 1 << 20


class Dependencies(NamedTuple):
    """What a skill names outside of its folder.

    Attributes:
        staged: The files to stage, by their path in the repository, which is theirs in a sandbox.
        named: The named paths that the repository has, staged or not.
        missing: The named paths that look like files and are nowhere.
        lines: What to tell the person, one line each.
    """

    staged: dict[str, Path]
    named: tuple[str, ...]
    missing: tuple[str, ...]
    lines: tuple[str, ...]


def find(skill: Path) -> Dependencies:
    """Look up what the SKILL.md of a folder names outside of it.

    Links are not followed: a file that is reached through one counts as not there.

    Raises:
        SkillError: SKILL.md cannot be read.
    """
    folder = Path(os.path.realpath(skill))
    repository = next((each for each in folder.parents if (each / ".git").exists()), None)
    staged: dict[str, Path] = {}
    named, missing, lines = [], [], []
    left = CAP
    for path in sorted(_paths_in(_body(folder))):
        if _is_there(folder, path):
            continue
        if repository is None or not _is_there(repository, path):
            if "." in path:
                missing.append(path)
                lines.append(
                    f"SKILL.md references {path}, which is not present here; the skill may not run"
                )
            continue
        if (repository / path).is_relative_to(folder):
            continue
        named.append(path)
        if not _NEVER.isdisjoint(path.split("/")):
            lines.append(f"{path} is of a kind that is never staged; the skill may not run")
            continue
        files = {
            name: place for name, place in _files(repository, path, folder) if name not in staged
        }
        size = sum(place.stat(follow_symlinks=False).st_size for place in files.values())
        if size > left:
            lines.append(
                f"{path} is {size / _MB:.1f} MB; staging it would exceed the {CAP // _MB} MB cap;"
                " not staged"
            )
            continue
        left -= size
        staged |= files
        lines.append(f"Staging dependency {path}")
    return Dependencies(staged, tuple(named), tuple(missing), tuple(lines))


def _body(folder: Path) -> str:
    try:
        data = read_limited(folder / SKILL_MD, _SKILL_MD_LIMIT, follow_links=False)
    except FileNotFoundError:
        raise SkillError(f"{folder} has no SKILL.md.") from None
    except StoreError as error:
        raise SkillError(error.message, error.hint) from error
    text = data.decode("utf-8", "replace")
    parts = skillmd.split(text)
    return parts.body if parts else text


def _paths_in(text: str) -> set[str]:
    """Return the paths that a text names, without `.` segments and the dot that ends a sentence."""
    found = set()
    for token in _TOKEN.findall(text):
        segments = [
            segment for segment in token.rstrip(".-").split("/") if segment not in {"", "."}
        ]
        if len(segments) > 1 and ".." not in segments:
            found.add("/".join(segments))
    return found


def _is_there(root: Path, path: str) -> bool:
    """Say whether a path leads to a file or folder below a folder, without a link on the way."""
    place = os.path.join(root, *path.split("/"))
    return os.path.lexists(place) and os.path.realpath(place) == place


def _files(repository: Path, path: str, skill: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files to stage for a path: of a folder, and beside a script, whatever is below.

    The skill itself is not: it is staged in its own place, without what it is checked for.
    """
    place = repository / path
    if place.is_file() and place.suffix.lower() not in _SCRIPTS:
        yield path, place
        return
    for where, folders, files in os.walk(place if place.is_dir() else place.parent):
        folders[:] = [
            name for name in sorted(folders) if name not in _NEVER and Path(where, name) != skill
        ]
        for name in sorted(files):
            file = Path(where, name)
            if file.is_file() and not file.is_symlink():
                yield file.relative_to(repository).as_posix(), file

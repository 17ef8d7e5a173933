"""Skill libraries: the folders on this machine whose direct children are skills.

`~/.claude/skills` is always one while it exists; others are registered by path.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from receipts.digest import SKILL_MD
from receipts.errors import SkillError, StoreError, UsageError
from receipts.nearest import did_you_mean
from store import config


class Root(NamedTuple):
    """A library: its full path, and whether it was registered or is there by default."""

    path: Path
    registered: bool


class InstalledSkill(NamedTuple):
    """A skill in a library: the folder's name, its path and the library's."""

    name: str
    path: Path
    root: Path


class Installed(NamedTuple):
    """The skills of some libraries by name, and a sentence for each folder that cannot be read."""

    skills: list[InstalledSkill]
    problems: list[str]


class NoSuchSkill(SkillError):  # noqa: N818 - named for what the user reads
    """A name that no installed skill has; `known` are those that it may be misspelt from."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        otherwise = "Name its folder, or register its library with `receipts library add`."
        super().__init__(
            f"No skill called {name} is here or in a library.",
            f"{did_you_mean(name, known)} {otherwise}".strip(),
        )
        self.known = known


def default_root() -> Path:
    """Return the folder where Claude Code keeps a user's skills; it may not exist."""
    return Path(os.path.expanduser("~"), ".claude", "skills")


def roots() -> list[Root]:
    """Return the libraries, the default one first, each folder once.

    Registered folders that are missing now, as on a disk that is not mounted, are among them.

    Raises:
        StoreError: The configuration cannot be read.
    """
    found = [Root(default_root(), registered=False)] if default_root().is_dir() else []
    seen = {os.path.realpath(root.path) for root in found}
    for text in config.load().library():
        if os.path.realpath(text) not in seen:
            seen.add(os.path.realpath(text))
            found.append(Root(Path(text), registered=True))
    return found


def add_root(path: str) -> bool:
    """Register a library; False when it was one already.

    Raises:
        UsageError: It is a skill rather than a folder of skills.
        StoreError: It is not a folder, or the configuration cannot be read or written.
    """
    root = os.path.abspath(path)
    if not os.path.isdir(root):
        raise StoreError(f"{path} is not a folder.", "Name the folder that holds your skills.")
    if os.path.lexists(os.path.join(root, SKILL_MD)):
        raise UsageError(
            f"{path} is itself a skill.", f"Register the folder above it: {os.path.dirname(root)}"
        )
    if any(_is_same(root, known.path) for known in roots()):
        return False

    def change(document: dict[str, Any]) -> None:
        document.setdefault("library", []).append(root)

    config.update(change)
    return True


def remove_root(path: str) -> None:
    """Forget a registered library, whether or not it still exists; its skills stay where they are.

    Raises:
        UsageError: It is the default one.
        StoreError: It is not registered, or the configuration cannot be read or written.
    """
    root = os.path.abspath(path)
    if not any(_is_same(root, text) for text in config.load().library()):
        if _is_same(root, default_root()):
            raise UsageError(f"{path} is always a library while it exists.")
        raise StoreError(
            f"{path} is not a registered library.", "`receipts library list` shows which are."
        )

    def change(document: dict[str, Any]) -> None:
        document["library"] = [text for text in document["library"] if not _is_same(root, text)]

    config.update(change)


def skills_in(libraries: list[Root]) -> Installed:
    """Return the skills that stand directly in some libraries, each real folder once.

    A link to a skill's folder counts as that skill; nothing below a skill is looked at.
    """
    found = Installed([], [])
    seen: set[str] = set()
    for root in libraries:
        for path in _children(root, found.problems):
            real = os.path.realpath(path)
            if real not in seen and _is_skill(path, found.problems):
                seen.add(real)
                found.skills.append(InstalledSkill(path.name, path, root.path))
    found.skills.sort(key=lambda skill: skill.name)
    return found


def find(reference: str) -> Path:
    """Return the skill's folder that a person means by a path, or by the name of an installed one.

    Raises:
        NoSuchSkill: No library holds one of that name.
        SkillError: There is no such folder, or it is no skill.
        UsageError: Several libraries hold one.
        StoreError: The configuration cannot be read.
    """
    folder = find_folder(reference)
    if not _holds_skill_md(folder):
        raise SkillError(
            f"{reference} has no SKILL.md, so it is not a skill.",
            "Name the folder that holds SKILL.md.",
        )
    return folder


def find_folder(reference: str) -> Path:
    """As `find`, but a path may lead to any folder.

    Raises:
        NoSuchSkill: No library holds a skill of that name.
        SkillError: There is no such folder.
        UsageError: Several libraries hold one.
        StoreError: The configuration cannot be read.
    """
    if is_path(reference):
        if os.path.isdir(reference):
            return Path(reference)
        what = "is not a folder" if os.path.lexists(reference) else "does not exist"
        raise SkillError(f"{reference} {what}.", "Name the folder that holds SKILL.md.")
    installed = skills_in(roots()).skills
    paths = [skill.path for skill in installed if skill.name == reference]
    if not paths:
        raise NoSuchSkill(reference, [skill.name for skill in installed])
    if len(paths) > 1:
        listed = ", ".join(map(str, paths))
        raise UsageError(f"Several libraries hold {reference}: {listed}.", "Name one by its path.")
    return paths[0]


def is_path(reference: str) -> bool:
    """Say whether a person means a path: it exists, or it cannot be a folder's name alone."""
    is_name = reference != "" and os.path.basename(reference) == reference
    return os.path.lexists(reference) or not is_name


def _children(root: Root, problems: list[str]) -> list[Path]:
    try:
        # A name with a dot first is no skill's; installs build under such names.
        return sorted(path for path in root.path.iterdir() if not path.name.startswith("."))
    except OSError as error:
        problems.append(f"The library {root.path} cannot be read: {error.strerror}.")
        return []


def _is_skill(path: Path, problems: list[str]) -> bool:
    try:
        os.stat(path)  # says what is wrong with a link, or with the rights on the library
        return path.is_dir() and _holds_skill_md(path)
    except OSError as error:
        problems.append(f"{path} cannot be read: {error.strerror}.")
        return False


def _holds_skill_md(folder: Path) -> bool:
    return SKILL_MD in os.listdir(folder)  # in this very case, on every file system


def _is_same(first: str | Path, second: str | Path) -> bool:
    return os.path.realpath(first) == os.path.realpath(second)

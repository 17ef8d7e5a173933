"""Puts skills where an agent looks for them, and records what was put there."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from receipts.attempts.runfile import Snapshot, SnapshotFile
from receipts.attempts.specs import gitsource
from receipts.attempts.specs.model import GitSource
from receipts.attempts.specs.skills import Skill
from receipts.errors import SkillError
from receipts.filenames import shown


def install(skills: Iterable[Skill], root: Path) -> None:
    """Write skills into an agent's folder of skills, each as `NAME/`.

    Args:
        skills: The skills.
        root: The folder, which is made when it is not there.

    Raises:
        SkillError: A file cannot be written, or two take one place on this system.
    """
    for skill in skills:
        for path, file in skill.files.kept.items():
            target = root / skill.name / path
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                mode = 0o755 if file.executable else 0o644
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
                with open(os.open(target, flags, mode), "wb") as stream:
                    stream.write(file.data)
            except OSError as error:
                why = "its place is taken" if isinstance(error, FileExistsError) else error.strerror
                raise SkillError(
                    f"{shown(path)} of skill {skill.name} cannot be installed: {why}."
                ) from error


def snapshot(skill: Skill) -> Snapshot:
    """Return what a run's record says of a skill: every file that is installed, and whence."""
    files = {}
    for path, file in skill.files.kept.items():
        try:
            content = file.data.decode()
        except UnicodeDecodeError:
            content = None
        digest = hashlib.sha256(file.data).hexdigest()
        files[path] = SnapshotFile(content=content, hash=f"sha256:{digest}")
    repository, commit = _origin(skill)
    return Snapshot(
        name=skill.name,
        path=skill.path,
        source_kind="git" if isinstance(skill.source, GitSource) else "path",
        git_repo=repository,
        git_sha=commit,
        files=files,
    )


def _origin(skill: Skill) -> tuple[str | None, str | None]:
    if isinstance(skill.source, GitSource):
        return skill.source.repo, skill.commit
    around = gitsource.around(Path(skill.path).parent)
    return (around.repository, around.commit) if around else (None, None)

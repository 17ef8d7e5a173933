"""The files of a skill on their way to a team: read once, and refused with a sentence if unfit."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from publish import names
from publish.git import File
from receipts import folder, scrub
from receipts.digest import SKILL_MD
from receipts.errors import SkillError
from receipts.folder import Found
from store import paths

_LARGEST_FILE = 50 << 20  # hosts refuse files of twice that
_LARGEST_SKILL = 200 << 20


class Contents(NamedTuple):
    """A skill folder's bytes: the versioned files and the evaluation assets, by relative path."""

    name: str
    folder: Path
    files: dict[str, File]
    assets: dict[str, File]
    warnings: list[str]

    @property
    def skill_md(self) -> bytes:
        """The bytes of SKILL.md as they were read."""
        return self.files[SKILL_MD].data


class Finding(NamedTuple):
    """A place in a skill's file that looks like a credential."""

    path: str
    line: int
    rule: str

    @property
    def place(self) -> str:
        """`FILE:LINE`, as it is printed and as `--allow-finding` takes it."""
        return f"{self.path}:{self.line}"


def read(path: Path) -> Contents:
    """Read a skill folder whole, evaluation assets included.

    Raises:
        SkillError: It is no skill, lies in this machine's own state, or holds what cannot be
            published: a link, a name that some system cannot hold, a file that is too large.
    """
    top = Path(os.path.realpath(path))
    name = top.name
    if not names.is_skill_name(name):
        raise SkillError(
            f"The folder name {name!r} cannot be a skill's name: lower-case letters, digits and "
            "single hyphens, at most 64.",
            "Rename the folder.",
        )
    if top.is_relative_to(os.path.realpath(paths.state_root())):
        raise SkillError(f"{path} lies in the state folder of receipts itself.", "Publish a copy.")
    if top.is_dir() and not (top / SKILL_MD).is_file():
        raise SkillError(f"{path} has no SKILL.md.")
    found = [item for item in folder.walk(top, with_evals=True) if isinstance(item, Found)]
    if problems := names.problems(item.path for item in found):
        more = f" ({len(problems) - 1} more like it)" if problems[1:] else ""
        raise SkillError(f"{name} cannot be published: {problems[0]}{more}")
    return Contents(name, top, *_read(found), names.warnings(item.path for item in found))


def credentials_in(contents: Contents, secrets: Sequence[str]) -> list[Finding]:
    """Return each line of each file that looks like it holds a credential, one for each rule."""
    found = set()
    assets = {f"evals/{path}": file for path, file in contents.assets.items()}
    for path, file in {**contents.files, **assets}.items():
        text = file.data.decode("utf-8", "replace")
        line, counted = 1, 0
        for finding in sorted(scrub.find(text, secrets), key=lambda item: item.start):
            line += text.count("\n", counted, finding.start)
            counted = finding.start
            found.add(Finding(path, line, finding.rule))
    return sorted(found)


def refuse_credentials(findings: Sequence[Finding], allowed: Collection[str]) -> None:
    """Raise unless every finding is at a place that was allowed on the command line.

    Raises:
        SkillError: A credential shape stands at a place that was not allowed.
    """
    refused = [finding for finding in findings if finding.place not in allowed]
    if not refused:
        return
    shown = "; ".join(f"{finding.place} ({finding.rule})" for finding in refused[:5])
    more = f" and {len(refused) - 5} more" if refused[5:] else ""
    raise SkillError(
        f"Something shaped like a credential stands in {shown}{more}, so nothing was published.",
        f"Remove it, or if it is none: --allow-finding {refused[0].place}",
    )


def _read(found: Sequence[Found]) -> tuple[dict[str, File], dict[str, File]]:
    files: dict[str, File] = {}
    assets: dict[str, File] = {}
    total = 0
    for item in found:
        size = folder.size(item)
        total += size
        if size > _LARGEST_FILE or total > _LARGEST_SKILL:
            what = f"{item.path} is {size >> 20} MB" if size > _LARGEST_FILE else "The skill"
            raise SkillError(
                f"{what}: more than a team repository should hold ({_LARGEST_FILE >> 20} MB a "
                f"file, {_LARGEST_SKILL >> 20} MB a skill).",
                "Have the skill download it instead.",
            )
        file = File(*folder.read(item))
        if item.path.startswith("evals/"):
            assets[item.path.removeprefix("evals/")] = file
        else:
            files[item.path] = file
    return files, assets

"""The files of a skill on their way to a team: read once, and refused with a sentence if unfit."""

import codecs
import os
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from publish import names
from publish.git import File
from receipts import filenames, folder, scrub
from receipts.digest import SKILL_MD
from receipts.errors import SkillError
from receipts.folder import Found
from store import paths

_LARGEST_FILE = 50 << 20  # hosts refuse files of twice that
_LARGEST_SKILL = 200 << 20

_ASSETS = "evals"  # a folder; what has the name and is none does not count either
_MARKS = (  # the longer ones first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_LAYOUT = re.compile("[\t\n\f\r]")
# ASCII that takes two or four bytes a letter, somewhere in other bytes.
_WIDE_ASCII = re.compile(rb"(?:\0{1,3}[\t\n\r -~]){4,}")


class Contents(NamedTuple):
    """A skill folder's bytes: the versioned files and the evaluation assets, by relative path.

    `has_modes` says whether its executable bits are the author's. Windows has none, and file
    systems without them show every file as executable, SKILL.md among them.
    """

    name: str
    folder: Path
    files: dict[str, File]
    assets: dict[str, File]
    warnings: list[str]
    has_modes: bool = True

    @property
    def skill_md(self) -> bytes:
        """The bytes of SKILL.md as they were read."""
        return self.files[SKILL_MD].data


class Finding(NamedTuple):
    """A place in a skill's file, or with line 0 its name, that looks like a credential.

    `path` has `[redacted]` where the name does, for findings are printed and committed.
    """

    path: str
    line: int
    rule: str

    @property
    def place(self) -> str:
        """`FILE:LINE`, or `FILE` for a name, as printed and as `--allow-finding` takes it."""
        return f"{self.path}:{self.line}" if self.line else self.path


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
    walked = [item for item in folder.walk(top, with_evals=True) if isinstance(item, Found)]
    found = [item for item in walked if item.path != _ASSETS]
    if problems := filenames.problems(item.path for item in found):
        more = f" ({len(problems) - 1} more like it)" if problems[1:] else ""
        raise SkillError(f"{name} cannot be published: {problems[0]}{more}")
    warnings = filenames.warnings(item.path for item in found)
    if len(found) < len(walked):
        warnings.append(f"{_ASSETS} is a file, not a folder of assets; it was left out.")
    files, assets = _read(found)
    has_modes = os.name == "posix" and not files[SKILL_MD].executable
    if not has_modes:
        files, assets = (
            {path: file._replace(executable=False) for path, file in each.items()}
            for each in (files, assets)
        )
    return Contents(name, top, files, assets, warnings, has_modes)


def credentials_in(contents: Contents, secrets: Sequence[str]) -> list[Finding]:
    """Return each name and line of a file that looks like a credential, one for each rule."""
    found = set()
    assets = {f"{_ASSETS}/{path}": file for path, file in contents.assets.items()}
    for path, file in {**contents.files, **assets}.items():
        shown = scrub.scrub(path, secrets)
        found |= {Finding(shown, 0, finding.rule) for finding in scrub.find(path, secrets)}
        for text in _readings(file.data):
            found |= {Finding(shown, line, rule) for line, rule in _lines(text, secrets)}
    return sorted(found)


def _lines(text: str, secrets: Sequence[str]) -> Iterator[tuple[int, str]]:
    line, counted = 1, 0
    for finding in sorted(scrub.find(text, secrets), key=lambda item: item.start):
        line += text.count("\n", counted, finding.start)
        counted = finding.start
        yield line, finding.rule


def _readings(data: bytes) -> Iterator[str]:
    """Yield the texts that a file's bytes are, to a reader who knows or guesses their encoding.

    Windows PowerShell writes UTF-16, and appends it to files of another encoding.
    """
    yield data.decode("utf-8", "replace")
    marked = next((codec for mark, codec in _MARKS if data.startswith(mark)), None)
    if marked:
        yield data.decode(marked, "replace")
    elif b"\0" in data:
        # The wrong byte order may give a text too, of letters that no credential has.
        whole = [text for codec in _WIDE if (text := _whole_text(data, codec))]
        narrowed = _WIDE_ASCII.sub(lambda match: match[0].replace(b"\0", b""), data)
        yield from whole or ([] if narrowed == data else [narrowed.decode("utf-8", "replace")])


def _whole_text(data: bytes, codec: str) -> str | None:
    """Return bytes as text of one encoding, or None when something in them is no text in it."""
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return None
    return text if all(line.isprintable() for line in _LAYOUT.split(text)) else None


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
        f"Remove it, or if it is none: --allow-finding {shlex.quote(refused[0].place)}",
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
        if item.path.startswith(f"{_ASSETS}/"):
            assets[item.path.removeprefix(f"{_ASSETS}/")] = file
        else:
            files[item.path] = file
    return files, assets

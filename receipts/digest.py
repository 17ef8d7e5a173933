r"""The content digest: the one identity of a skill's bytes.

The digest is `sha256:` and the SHA-256 of one record for each file that counts, sorted by the
UTF-16 code units of its path: `<path>:<sha256 of the content>\n`, where `\` and line feed in the
path are written `\\` and `\n`. The content of every file is its raw bytes, except the top
`SKILL.md`, which is measured in its canonical form (`receipts.skillmd`). Modes and times never
count. The rules and the vectors that pin them are those of the `terum-skills` command line, so that
digests match in both.

Nothing is cached: hashing a skill costs about as much as asking whether it has changed.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from receipts import folder, skillmd
from receipts.errors import SkillError
from receipts.folder import Found, LeftOut

SKILL_MD = "SKILL.md"
# Canonicalising reads the whole text at once; no real SKILL.md comes near this.
_SKILL_MD_LIMIT = 8 << 20


class MeasuredFile(NamedTuple):
    """One file that counts.

    `sha256` is the hash in the file's record: of its bytes, or of the canonical text of SKILL.md.
    `size` is in bytes as stored. `executable` does not count, but is worth knowing.
    """

    path: str
    sha256: str
    size: int
    executable: bool


class Measured(NamedTuple):
    """A digest and everything that went into it.

    `certain` is False when SKILL.md has no certain canonical form; `doubts` says why.
    """

    digest: str
    certain: bool
    doubts: tuple[str, ...]
    files: tuple[MeasuredFile, ...]
    left_out: tuple[LeftOut, ...]
    canonical_skill_md: str | None


def content_digest(path: str | os.PathLike[str]) -> str:
    """Return the content digest of a skill folder: `sha256:` and 64 hex digits.

    Raises:
        SkillError: The folder cannot be read, or holds a link, a device or an unreadable file.
    """
    return measure(path).digest


def content_digest_of(files: Mapping[str, bytes]) -> str:
    """Return the content digest of a skill given as relative paths (with `/`) and contents.

    Raises:
        SkillError: A path is not text that UTF-8 can hold, or SKILL.md is too large.
    """
    return measure_of(files).digest


def measure(path: str | os.PathLike[str]) -> Measured:
    """Measure a skill folder: its digest, each file's hash, what was left out, what is uncertain.

    Raises:
        SkillError: As `content_digest`.
    """
    measured = []
    left_out = []
    canonical = None
    for found in folder.walk(path):
        if isinstance(found, LeftOut):
            left_out.append(found)
        elif found.path == SKILL_MD:
            canonical, file = _measure_skill_md(found)
            measured.append(file)
        else:
            measured.append(MeasuredFile(found.path, *folder.hash_file(found)))
    if any(file.path == SKILL_MD and file.executable for file in measured):
        # Nobody runs a text: the file system has no such bit and shows every file as executable.
        measured = [file._replace(executable=False) for file in measured]
    return _summed(measured, left_out, canonical)


def measure_of(files: Mapping[str, bytes], executable: Iterable[str] = ()) -> Measured:
    """Measure a skill given as relative paths and contents; `executable` names paths with that bit.

    Each content is asked for once, and not kept.

    Raises:
        SkillError: As `content_digest_of`.
    """
    runnable = frozenset(executable)
    measured = []
    left_out = []
    canonical = None
    for path, data in files.items():
        if why := folder.reason_left_out(path):
            left_out.append(LeftOut(path, why))
            continue
        content = data
        if path == SKILL_MD:
            _check_size(len(data))
            canonical = skillmd.canonical(data)
            content = canonical.text.encode()
        sha256 = hashlib.sha256(content).hexdigest()
        measured.append(MeasuredFile(path, sha256, len(data), path in runnable))
    return _summed(measured, left_out, canonical)


def _measure_skill_md(found: Found) -> tuple[skillmd.Canonical, MeasuredFile]:
    _check_size(folder.size(found))
    data, executable = folder.read(found)
    canonical = skillmd.canonical(data)
    sha256 = hashlib.sha256(canonical.text.encode()).hexdigest()
    return canonical, MeasuredFile(SKILL_MD, sha256, len(data), executable)


def _check_size(size: int) -> None:
    if size > _SKILL_MD_LIMIT:
        raise SkillError(
            f"SKILL.md is {size} bytes, more than the {_SKILL_MD_LIMIT} that can be measured.",
            "Move reference material into files of its own.",
        )


def _summed(
    measured: list[MeasuredFile], left_out: list[LeftOut], canonical: skillmd.Canonical | None
) -> Measured:
    measured.sort(key=lambda file: utf16_order(file.path))
    return Measured(
        digest=framed((file.path, file.sha256) for file in measured),
        certain=canonical is None or canonical.certain,
        doubts=canonical.doubts if canonical else (),
        files=tuple(measured),
        left_out=tuple(sorted(left_out)),
        canonical_skill_md=canonical.text if canonical else None,
    )


def framed(records: Iterable[tuple[str, str]]) -> str:
    """Return `sha256:` and the hash over one record for each path and hash, in the given order."""
    total = hashlib.sha256()
    for path, sha256 in records:
        total.update(f"{_escaped(path)}:{sha256}\n".encode())
    return f"sha256:{total.hexdigest()}"


def utf16_order(path: str) -> bytes:
    """Return the sort key of JavaScript's default string order.

    Raises:
        SkillError: The path holds half of a surrogate pair, which no file system or UTF-8 can.
    """
    try:
        return path.encode("utf-16-be")
    except UnicodeEncodeError:
        raise SkillError(f"The path {path!r} is not valid Unicode.", "Rename the file.") from None


def _escaped(path: str) -> str:
    return path.replace("\\", "\\\\").replace("\n", "\\n")

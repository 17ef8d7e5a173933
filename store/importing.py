"""A receipt or a result made elsewhere, taken into the local store for the bytes it measured."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from receipts import check, scrub
from receipts.digest import SKILL_MD, measure
from receipts.errors import ReceiptError
from receipts.receipt import ReceiptFile, read_receipt
from receipts.report import newer_line
from store.filing import Filed, file_receipt
from store.runs import short

if TYPE_CHECKING:
    from receipts.importers.declared import Subject


class Imported(NamedTuple):
    """What an import did: where the receipt stands, what was scrubbed, and what is odd about it.

    `scrubbed` has a line for each kind of secret that was removed and its field; `warnings` hold a
    sentence each.
    """

    filed: Filed
    receipt: ReceiptFile
    scrubbed: tuple[str, ...]
    warnings: tuple[str, ...]


def import_receipt(
    data: bytes,
    skill: str | os.PathLike[str],
    *,
    name: str = "The receipt",
    secrets: Iterable[str] = (),
    notices: Iterable[str] = (),
) -> Imported:
    """File a receipt, if it measured exactly the bytes of a skill folder.

    It is scrubbed before it is filed. One that a later version of this program wrote is kept.

    Args:
        data: The receipt.
        skill: The folder of the skill that it measured.
        name: What to call the receipt in an error, such as its path.
        secrets: Literal texts that may not be kept.
        notices: Warnings about the folder that were found before, to be told with the others.

    Raises:
        ReceiptError: It is not valid, names no digest, or measured other bytes.
        SkillError: The folder cannot be measured.
        StoreError: It cannot be filed.
    """
    named = _digest_of(read_receipt(data), name)
    measured = measure(skill)
    if measured.digest != named:
        raise ReceiptError(
            f"{name} measured other bytes: it names {short(named)}, "
            f"and {skill} is {short(measured.digest)}.",
            f"See what counts with `receipts digest {skill} --explain`.",
        )
    clean = scrub.scrub_document(data, tuple(secrets))
    file = read_receipt(clean.data)
    warnings = [*notices, *measured.doubts]
    if file.newer:
        warnings.append(f"{newer_line(file)}; it is kept, and later versions will show it.")
    warnings += check.repeated_keys(data)
    if file.receipt:
        warnings += check.problems(file.receipt)
    filed = file_receipt(clean.data, measured.files)
    return Imported(filed, file, tuple(scrub.summary(clean.removed)), tuple(warnings))


def import_result(
    data: bytes,
    skill: str | os.PathLike[str],
    *,
    name: str = "The result",
    secrets: Iterable[str] = (),
    notices: Iterable[str] = (),
) -> Imported:
    """File what another tool measured: its receipt, or a receipt made of its result.

    The results are saved runs of attempts, and the `benchmark.json` of the skill-creator skill. A
    receipt of one names its tool as the `source`, and is declared and not measured.

    Args:
        data: The receipt or the result.
        skill: The folder of the skill that it measured.
        name: What to call it in an error, such as its path.
        secrets: As for `import_receipt`.
        notices: As for `import_receipt`.

    Raises:
        ReceiptError: As `import_receipt`, or the result cannot be used.
        SkillError: The folder cannot be measured.
        StoreError: It cannot be filed.
    """
    from receipts.documents import Kind, kind_of

    kind = kind_of(data)
    if kind not in (Kind.RUN, Kind.BENCHMARK):
        return import_receipt(data, skill, name=name, secrets=secrets, notices=notices)
    from receipts.importers import benchmark, savedrun

    importer = savedrun if kind is Kind.RUN else benchmark
    made = importer.declared(data, _subject(Path(skill)), name)
    return import_receipt(
        made.data, skill, name=name, secrets=secrets, notices=[*notices, *made.warnings]
    )


def _subject(folder: Path) -> "Subject":
    from receipts.attempts.specs.frontmatter import name_in
    from receipts.importers.declared import Subject

    name, digest = folder.resolve().name, measure(folder).digest
    text = (folder / SKILL_MD).read_text("utf-8", "replace")
    return Subject(folder, name, name_in(text) or name, digest)


def _digest_of(file: ReceiptFile, name: str) -> str:
    if file.problem:
        raise ReceiptError(f"{name} is no valid receipt: {file.problem}.")
    if file.content_digest is None:
        raise ReceiptError(
            f"{name} names no content digest, so it cannot be matched to any bytes.",
            "Such receipts are for reading only: `receipts show` prints them.",
        )
    return file.content_digest

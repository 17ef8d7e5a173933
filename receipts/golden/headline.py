"""Every number of a report, computed from the records of a results file and from nothing else."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from receipts.golden.goldenfile import category_of
from receipts.golden.records import ERROR, REVIEW, SCORED

MEETS = "MEETS TARGET"
BELOW = "BELOW TARGET"
NO_SCORE = "NO SCORE"


class Share(NamedTuple):
    """So many of so many.

    Attributes:
        ok: Passes, and failures that their case declares acceptable.
        of: Graded cases and errors.
    """

    ok: int
    of: int

    @property
    def percent(self) -> str | None:
        """The share with one decimal; None of nothing.

        It is never 100.0 where something failed, nor 0.0 where something passed.
        """
        if not self.of:
            return None
        text = f"{100 * self.ok / self.of:.1f}"
        if text == "100.0" and self.ok < self.of:
            return "99.9"
        return "0.1" if text == "0.0" and self.ok else text

    def meets(self, target: Fraction) -> bool:
        """Say whether the exact share is at or above a target in percent."""
        return 100 * self.ok >= target * self.of


@dataclass
class Counts:
    """What became of the cases of one category, or of all."""

    passed: int = 0
    forgiven: int = 0
    failed: int = 0
    errors: int = 0
    review: int = 0
    skipped: int = 0

    @property
    def graded(self) -> int:
        """How many answers were graded by a rule."""
        return self.passed + self.forgiven + self.failed

    @property
    def share(self) -> Share:
        """What the headline counts: a crash is a failure, a rubric or a missing datum nothing."""
        return Share(self.passed + self.forgiven, self.graded + self.errors)


@dataclass
class Headline:
    """All counts of one results file.

    Attributes:
        overall: Of all categories.
        categories: Of each, in order of appearance.
        rubric_errors: Crashes on cases that no machine grades; they are in no percentage.
        records: How many records the file holds.
    """

    overall: Counts = field(default_factory=Counts)
    categories: dict[str, Counts] = field(default_factory=dict)
    rubric_errors: int = 0
    records: int = 0

    @property
    def is_score(self) -> bool:
        """Whether anything was graded; without that there is no number, and not a zero."""
        return self.overall.graded > 0

    @property
    def exit_code(self) -> int:
        """0 when every gradeable case was graded, 2 when one was not or there was none."""
        return 0 if self.is_score and not self.overall.errors + self.rubric_errors else 2

    def verdict(self, target: Fraction) -> str:
        """Return `MEETS TARGET`, `BELOW TARGET` or `NO SCORE`."""
        if not self.is_score:
            return NO_SCORE
        return MEETS if self.overall.share.meets(target) else BELOW


def count(records: Iterable[Mapping[str, Any]]) -> Headline:
    """Count the records of a results file."""
    found = Headline()
    for record in records:
        found.records += 1
        category = category_of(record)
        counts = found.categories.get(category)
        if counts is None:
            counts = found.categories[category] = Counts()
        status = record["status"]
        if status == SCORED:
            if record["pass"]:
                counts.passed += 1
            elif record.get("acceptable_failure_applied") is True:
                counts.forgiven += 1
            else:
                counts.failed += 1
        elif status == ERROR:
            if str(record.get("grade_rule")).startswith("rubric:"):
                found.rubric_errors += 1
            else:
                counts.errors += 1
        elif status == REVIEW:
            counts.review += 1
        else:
            counts.skipped += 1
    for counts in found.categories.values():
        for name, number in vars(counts).items():
            setattr(found.overall, name, getattr(found.overall, name) + number)
    return found


def points_below(share: Share, target: Fraction) -> str:
    """Return by how many points a share misses a target, with one decimal and never 0.0."""
    text = f"{float(target - Fraction(100 * share.ok, share.of)):.1f}"
    return "0.1" if text == "0.0" else text


def plain(target: Fraction) -> str:
    """Return a target as it was written: without zeros at the end."""
    text = f"{float(target):.10f}".rstrip("0").rstrip(".")
    return text or "0"

"""The non-regression gate: did any category fall since the last committed run?

Only records are read: neither golden set nor target nor headline, which can rise while a category
breaks. Rates are compared as exact fractions, without a margin for noise.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from receipts.golden.goldenfile import category_of
from receipts.golden.headline import Share
from receipts.golden.records import ERROR, SCORED, read

RATE = "rate"
COVERAGE = "coverage"
VANISHED = "vanished"

PASS = "pass"  # noqa: S105 - a verdict
BLOCKED = "blocked"
NO_BASELINE = "no-baseline"
NOTHING_COMPARABLE = "nothing-comparable"
CANNOT_COMPARE = "cannot-compare"

EXIT_CODES = {PASS: 0, BLOCKED: 1, NO_BASELINE: 0, NOTHING_COMPARABLE: 0, CANNOT_COMPARE: 2}


@dataclass
class Tally:
    """What one results file holds of one category.

    Attributes:
        scored: How many answers were graded.
        passed: How many of them were right; a forgiven failure is none.
        errors: How many cases crashed.
        left_out: Ids of the cases that no machine graded, on purpose.
    """

    scored: int = 0
    passed: int = 0
    errors: int = 0
    left_out: list[str] = field(default_factory=list)


class Finding(NamedTuple):
    """One way in which a category fell: `rate`, `coverage` or `vanished`."""

    axis: str
    category: str
    before: Tally
    after: Tally

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        found: dict[str, Any] = {"axis": self.axis, "category": self.category}
        if self.axis == RATE:
            found["before"] = [self.before.passed, self.before.scored]
            found["after"] = [self.after.passed, self.after.scored]
        else:
            found["scored_before"] = self.before.scored
            found["scored_after"] = self.after.scored
            found["errored_after"] = self.after.errors
            found["left_out_after"] = self.after.left_out
        return found

    def __str__(self) -> str:
        """Return it as a sentence."""
        before, after = self.before, self.after
        if self.axis == RATE:
            return f"{self.category} fell from {_rate(before)} to {_rate(after)}"
        errors = f"{after.errors} {'case' if after.errors == 1 else 'cases'} crashed"
        left = f", left out on purpose: {', '.join(after.left_out)}" if after.left_out else ""
        if self.axis == COVERAGE:
            return (
                f"{self.category} lost coverage: {before.scored} cases were scored, "
                f"{after.scored} are now ({errors}{left})"
            )
        return (
            f"{self.category} vanished: {before.scored} cases were scored "
            f"({_rate(before)} passed), none is now ({errors}{left})"
        )


@dataclass(frozen=True)
class Comparison:
    """What the gate says.

    Attributes:
        kind: `pass`, `blocked`, `no-baseline` or `nothing-comparable`.
        findings: Every way in which a category fell, sorted by category.
        compared: How many categories are scored in both files; None without a baseline.
        new: Categories that only the current file has scores of; they have nothing to fall from.
    """

    kind: str
    findings: tuple[Finding, ...] = ()
    compared: int | None = None
    new: tuple[str, ...] = ()


Tallies = dict[str, Tally]


def tallied(lines: Iterable[str]) -> Tallies:
    """Return what a results file holds, by category.

    Raises:
        ValueError: A line is no record that can be counted.
    """
    found: Tallies = {}
    for record in read(lines):
        category = record.get("category")
        if category.__class__ is not str:
            category = category_of(record)
        tally = found.get(category)
        if tally is None:
            tally = found[category] = Tally()
        status = record["status"]
        if status == SCORED:
            tally.scored += 1
            tally.passed += record["pass"]
        elif status == ERROR:
            tally.errors += 1
        else:
            tally.left_out.append(record["id"])
    return found


def has_scores(tallies: Tallies) -> bool:
    """Say whether anything was scored, so that there is something to fall from."""
    return any(tally.scored for tally in tallies.values())


def compare(current: Tallies, baseline: Tallies | None) -> Comparison:
    """Compare a run with the one before it.

    Args:
        current: What the run holds.
        baseline: What the last committed one holds; None when there is none.
    """
    if baseline is None:
        return Comparison(NO_BASELINE)
    scored = {category for category, tally in current.items() if tally.scored}
    before = {category: tally for category, tally in baseline.items() if tally.scored}
    new = tuple(sorted(scored - before.keys()))
    if not before:
        return Comparison(NOTHING_COMPARABLE, compared=0, new=new)
    findings: list[Finding] = []
    for category in sorted(before):
        findings += _fallen(category, before[category], current.get(category, Tally()))
    kind = BLOCKED if findings else PASS
    return Comparison(kind, tuple(findings), len(scored & before.keys()), new)


def _fallen(category: str, before: Tally, after: Tally) -> list[Finding]:
    if not after.scored:
        return [Finding(VANISHED, category, before, after)]
    found = []
    if after.passed * before.scored < before.passed * after.scored:
        found.append(Finding(RATE, category, before, after))
    if after.scored < before.scored:
        found.append(Finding(COVERAGE, category, before, after))
    return found


def _rate(tally: Tally) -> str:
    return f"{tally.passed}/{tally.scored} ({Share(tally.passed, tally.scored).percent}%)"

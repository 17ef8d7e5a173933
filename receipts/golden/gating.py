"""The gate as it is asked: which two files, what they come to, and how that is said."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from receipts.errors import CannotCompare
from receipts.golden import committed, gate, records
from receipts.golden.committed import Baseline

RESULTS = "results"
EVAL = "eval"


@dataclass(frozen=True)
class Gated:
    """A comparison and the files that it is of."""

    current: Path
    baseline: Baseline
    comparison: gate.Comparison

    @property
    def exit_code(self) -> int:
        """1 when a category fell, else 0."""
        return gate.EXIT_CODES[self.comparison.kind]

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        found = self.comparison
        return {
            "kind": found.kind,
            "exit": self.exit_code,
            "current": str(self.current),
            "baseline": self.baseline.path,
            "findings": [finding.document() for finding in found.findings],
            "categories_compared": found.compared,
            "not_in_baseline": list(found.new),
            "passed_over": self.baseline.passed_over,
            "from_history": self.baseline.deleted,
            "notes": self.baseline.notes,
        }

    def lines(self) -> list[str]:
        """Return it as it is printed: what it says first, then each finding, then what else."""
        baseline = self.baseline
        lines = [_verdict(self.comparison, baseline)]
        lines += [f"  {finding}" for finding in self.comparison.findings]
        if self.comparison.findings:
            lines.append("  The headline was not consulted: it can rise while a category falls.")
        if self.comparison.new:
            lines.append(f"Not in the baseline, so not compared: {', '.join(self.comparison.new)}.")
        if baseline.passed_over:
            listed = ", ".join(baseline.passed_over)
            lines.append(f"Passed over, because nothing was scored in it: {listed}.")
        if baseline.deleted:
            lines.append(f"{baseline.path} is not in HEAD any more; its last version is compared.")
        return lines + baseline.notes

    def annotations(self) -> list[str]:
        """Return it as the annotations of a GitHub workflow."""
        said = self.lines()
        if self.comparison.kind != gate.BLOCKED:
            title = "Non-regression gate"
            return [f"::notice title={title}::{_escaped(line.strip())}" for line in said]
        return [
            f"::error file={_property(str(self.current))},"
            f"title={_property(f'{finding.category}: {finding.axis}')}::{_escaped(str(finding))}"
            for finding in self.comparison.findings
        ] + [f"::notice title=Non-regression gate::{_escaped(said[0])}"]


def gated(current: Path | None, baseline: Path | None) -> Gated:
    """Compare a results file with the last committed one, or with one that is named.

    Args:
        current: A results file, or a folder with `results/` in it; None for `eval/`.
        baseline: Another results file; None for the last committed one.

    Raises:
        CannotCompare: A file cannot be read or compared.
    """
    place = current or Path(EVAL)
    file = committed.newest(place / RESULTS) if place.is_dir() or current is None else place
    if file.name.endswith(records.PARTIAL):
        raise CannotCompare(
            f"{file} is of a run that stopped part-way, so it cannot be compared.",
            "Run the golden set again: receipts golden.",
        )
    tallies = committed.tallies_of(file)
    if baseline is not None:
        found = committed.named(baseline)
    else:
        results = file.parent if file.parent.name == RESULTS else Path(EVAL) / RESULTS
        found = committed.last_committed(results, file)
    return Gated(file, found, gate.compare(tallies, found.tallies))


def _verdict(found: gate.Comparison, baseline: Baseline) -> str:
    if found.kind == gate.NO_BASELINE:
        return "Nothing was compared: there is no committed results file to compare with."
    if found.kind == gate.NOTHING_COMPARABLE:
        return f"Nothing was compared: nothing was scored in the baseline {baseline.path}."
    count = found.compared
    compared = f"{count} {'category' if count == 1 else 'categories'} compared"
    if found.kind == gate.PASS:
        return f"No category fell ({compared} with {baseline.path})."
    fell = len({finding.category for finding in found.findings})
    what = "1 category" if fell == 1 else f"{fell} categories"
    return f"Blocked: {what} fell ({compared} with {baseline.path})."


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")

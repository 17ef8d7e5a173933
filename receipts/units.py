"""What in a comparison is independent of what: the units that evidence counts.

Repetitions of one case meet the same task, so nine rows of three cases are three pieces of
evidence and not nine. A unit is a row where every case ran once, and else a case with all its
repetitions, won, lost or tied by the sign of its wins minus its losses. The sub-cases of a suite
share one agent session, so all of a suite is one unit.
"""

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from receipts.stats import is_pinned

if TYPE_CHECKING:
    from receipts.receipt import CaseResult, Comparison, Receipt

SUITE = "suite"
"""How a suite is called in `provenance.cases`; its sub-cases are not listed there."""


class CannotCluster(Exception):  # noqa: N818 - a sentence for the reader, no failure
    """Rows depend on each other, and the receipt does not say which."""


class Units(NamedTuple):
    """The units of a comparison.

    Attributes:
        kind: `row` or `case`.
        won: Units with more wins than losses.
        lost: Units with fewer.
        tied: All others.
        leads: How many units lead or trail by how many rows, by that number; ties left out.
    """

    kind: str
    won: int
    lost: int
    tied: int
    leads: dict[int, int]

    @property
    def total(self) -> int:
        """How many units there are."""
        return self.won + self.lost + self.tied


def units_of(receipt: "Receipt", name: str) -> Units:
    """Return the units of one of a receipt's comparisons.

    Raises:
        CannotCluster: Its rows are not independent, and `per_case` does not list exactly them.
        KeyError: There is no such comparison.
    """
    record = receipt.comparisons[name]
    pinned = is_pinned(record.win, record.loss, record.sign_p)
    has_suite = SUITE in receipt.provenance.cases
    if receipt.provenance.k == 1 and not pinned and not has_suite:
        decided = record.win + record.loss
        leads = {1: decided} if decided else {}
        return Units("row", record.win, record.loss, record.tie, leads)
    if pinned and not has_suite:
        raise CannotCluster(
            "the sign test is held at 1, so rows share agent sessions, and the receipt does not "
            "say which"
        )
    leads_by_unit: Counter[str] = Counter()
    for entry in _scored_rows(receipt, name, record):
        leads_by_unit[_unit(receipt, entry, has_suite=has_suite)] += _STEP[entry.outcomes[name]]
    found = list(leads_by_unit.values())
    won, lost = sum(lead > 0 for lead in found), sum(lead < 0 for lead in found)
    sizes = Counter(abs(lead) for lead in found if lead)
    return Units("case", won, lost, len(found) - won - lost, dict(sizes))


_STEP = {"win": 1, "loss": -1, "tie": 0}


def _unit(receipt: "Receipt", entry: "CaseResult", *, has_suite: bool) -> str:
    if has_suite and entry.case not in receipt.provenance.cases:
        return SUITE
    return entry.case


def _scored_rows(receipt: "Receipt", name: str, record: "Comparison") -> list["CaseResult"]:
    """Return the listed rows of a comparison, which must be exactly those that it counts.

    A row that could not be scored may be listed as a tie; it has an arm of which nothing is known.
    """
    listed = [entry for entry in receipt.per_case if name in entry.outcomes]
    outcomes = Counter(entry.outcomes[name] for entry in listed)
    if outcomes["tie"] > record.tie:
        known = [entry for entry in listed if not _may_be_unscored(entry, name)]
        if len(listed) - len(known) == outcomes["tie"] - record.tie:
            listed, outcomes["tie"] = known, record.tie
    if (outcomes["win"], outcomes["loss"], outcomes["tie"]) == (
        record.win,
        record.loss,
        record.tie,
    ):
        return listed
    rows = record.win + record.loss + record.tie
    why = (
        f"with k={receipt.provenance.k} the rows of one case are not independent"
        if receipt.provenance.k > 1
        else "the rows of a suite are not independent"
    )
    raise CannotCluster(f"{why}, and per_case does not list exactly the {rows} that were scored")


def _may_be_unscored(entry: "CaseResult", name: str) -> bool:
    arms = [entry.arms.get(arm) for arm in name.split("-vs-")]
    return entry.outcomes[name] == "tie" and any(arm is None or arm.passed is None for arm in arms)

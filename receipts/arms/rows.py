"""How one row is decided: one case, one repetition, one opponent.

The first rule that applies decides: a dead arm leaves the row unscored; all-or-nothing checks; and
where both arms got the same, the judge, if the case has a rubric.
"""

from receipts.arms.samples import Row, Sample

CHECKS = "checks"
TO_BE_JUDGED = "judge"


def decide(candidate: Sample, opponent: Sample, rubric: str | None) -> Row:
    """Return the row of a candidate's sample against an opponent's.

    A row that the judge is to decide comes back as a tie decided by `judge`; see
    `receipts.arms.judging`.
    """
    case, rep = candidate.case, candidate.rep

    def row(outcome: str, decided_by: str, reason: str = "") -> Row:
        return Row(case, rep, opponent.arm, outcome, decided_by, reason)

    if candidate.is_dead and opponent.is_dead:
        return row("tie", "both-arms-failed", candidate.ran.reason or "")
    if candidate.is_dead:
        return row("tie", "candidate-run-failed", candidate.ran.reason or "")
    if opponent.is_dead:
        return row("tie", "opponent-run-failed", opponent.ran.reason or "")
    if candidate.passed != opponent.passed:
        return row("win" if candidate.passed else "loss", CHECKS)
    if rubric is None:
        return row("tie", "checks-equal-no-judge")
    return row("tie", TO_BE_JUDGED)

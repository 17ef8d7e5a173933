"""What a run could not measure, by name: fields of a receipt that other clients do not know.

    dead_arms: [{arm, case, rep, reason}]          sessions that failed for good
    changed_during_run: {content, evals}           whether skill or cases were edited meanwhile
    uninformative_checks: [{case, check, result}]  checks that came out the same in every arm
    limits: {reached}                              the limit at which the run stopped

Whatever has another shape was written by somebody else, and is passed over. `receipts.report` says
what is here beside the report, and `receipts.check` what in it contradicts the rest.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from receipts.terminal import one_line
from receipts.units import SUITE

if TYPE_CHECKING:
    from receipts.receipt import CaseResult, Receipt

_MOST = 20
_LONGEST = 300


class DeadArm(NamedTuple):
    """A session that failed for good: of a case, or of the suite, in one repetition, from 0."""

    arm: str
    case: str
    rep: int
    reason: str


class Uninformative(NamedTuple):
    """A check that came out the same in every arm and repetition; `result` is passed or failed."""

    case: str
    check: str
    result: str


def dead_arms(receipt: "Receipt") -> list[DeadArm]:
    """Return the sessions that a receipt names as dead."""
    return [
        DeadArm(item["arm"], item["case"], item["rep"], item["reason"])
        for item in _maps(receipt, "dead_arms")
        if all(isinstance(item.get(key), str) for key in ("arm", "case", "reason"))
        and type(item.get("rep")) is int
        and item["rep"] >= 0
    ]


def uninformative_checks(receipt: "Receipt") -> list[Uninformative]:
    """Return the checks that a receipt names as telling nothing apart."""
    return [
        Uninformative(item["case"], item["check"], item["result"])
        for item in _maps(receipt, "uninformative_checks")
        if all(isinstance(item.get(key), str) for key in ("case", "check"))
        and item.get("result") in ("passed", "failed")
    ]


def notes(receipt: "Receipt") -> list[str]:
    """Return a sentence, made printable, for each thing that the run could not measure."""
    found = []
    reached = (receipt.block("limits") or {}).get("reached")
    if isinstance(reached, str) and reached:
        found.append(f"the run stopped before its end: {_short(reached)}")
    changed = receipt.block("changed_during_run") or {}
    if changed.get("content") is True:
        found.append(
            "the skill changed during the run; this measured the bytes as they were before"
        )
    if changed.get("evals") is True:
        found.append("the eval assets changed during the run; those from before it were used")
    found += _first(
        "dead arms",
        [
            f"dead arm: {_short(dead.arm)} of {_short(dead.case)}, repetition {dead.rep + 1}: "
            f"{_short(dead.reason)}"
            for dead in dead_arms(receipt)
        ],
    )
    return found + _first(
        "such checks",
        [
            f"check {_short(same.check)} of {_short(same.case)} {same.result} in every arm, so it "
            "tells nothing apart"
            for same in uninformative_checks(receipt)
        ],
    )


def contradictions(receipt: "Receipt") -> Iterator[str]:
    """Yield a sentence for each thing named here that the rest of the receipt contradicts."""
    dead = dead_arms(receipt)
    entries = {(entry.case, entry.rep): entry for entry in receipt.per_case}
    for index, one in enumerate(dead):
        entry = entries.get((one.case, one.rep))
        if entry is not None and _is_alive(entry, one.arm):
            yield (
                f"dead_arms[{index}]: {_short(one.arm)} of {_short(one.case)} rep {one.rep} is "
                "dead, but per_case counts it"
            )
    lost = _lost_rows(receipt, dead)
    unscored = receipt.expected_rows - receipt.scored_rows
    if receipt.method == "arms" and lost > max(unscored, 0):
        yield f"dead_arms: these cost {lost} row(s), but {unscored} were not scored"
    seen = {
        (entry.case, check, passed)
        for entry in receipt.per_case
        if entry.outcomes  # what no scored row counts may differ
        for arm in entry.arms.values()
        for check, passed in arm.checks
    }
    for index, same in enumerate(uninformative_checks(receipt)):
        if (same.case, same.check, same.result != "passed") in seen:
            yield (
                f"uninformative_checks[{index}]: {_short(same.check)} of {_short(same.case)} "
                f"{same.result} everywhere, but not in per_case"
            )


def _is_alive(entry: "CaseResult", arm: str) -> bool:
    """Say whether an entry knows how an arm did, or decides a row of it.

    A tie decides nothing: clients may list a row that was not scored as one.
    """
    result = entry.arms.get(arm)
    decided = (
        outcome != "tie" and arm in name.split("-vs-") for name, outcome in entry.outcomes.items()
    )
    return (result is not None and result.passed is not None) or any(decided)


def _lost_rows(receipt: "Receipt", dead: list[DeadArm]) -> int:
    """Return how many rows cannot have been scored, at the least: a suite has one or more."""
    cases = {*receipt.provenance.cases, SUITE}
    return len(
        {
            (one.case, one.rep, name)
            for one in dead
            for name in receipt.comparisons
            if one.arm in name.split("-vs-") and one.case in cases
        }
    )


def _maps(receipt: "Receipt", field: str) -> list[dict[str, Any]]:
    items = (receipt.__pydantic_extra__ or {}).get(field)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _first(what: str, lines: list[str]) -> list[str]:
    more = len(lines) - _MOST
    return [*lines[:_MOST], f"and {more} more {what}"] if more > 0 else lines


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"

"""Two receipts of arms side by side: whether they may be compared, and the rows that changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from receipts import comparable, report
from receipts.comparable import NOT_RECORDED, Difference
from receipts.numbers import fixed
from receipts.terminal import one_line

if TYPE_CHECKING:
    from receipts.receipt import CaseResult, Comparison, Receipt

_ORDER = {"loss": 0, "tie": 1, "win": 2}
_WORDS = {True: "passed", False: "failed", None: "unknown"}


class Changed(NamedTuple):
    """A row of both receipts that came out differently.

    Attributes:
        case: The case.
        rep: Its repetition, from 0.
        outcomes: What changed of its outcomes, A's and B's, by comparison.
        passed: What changed of whether an arm passed all checks, A's and B's, by arm.
    """

    case: str
    rep: int
    outcomes: dict[str, tuple[str, str]]
    passed: dict[str, tuple[bool | None, bool | None]]

    @property
    def is_better(self) -> bool:
        """Whether some outcome of B is better."""
        return any(_ORDER[b] > _ORDER[a] for a, b in self.outcomes.values())

    @property
    def is_worse(self) -> bool:
        """Whether some outcome of B is worse."""
        return any(_ORDER[b] < _ORDER[a] for a, b in self.outcomes.values())

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "case": self.case,
            "rep": self.rep,
            "outcomes": {name: list(pair) for name, pair in self.outcomes.items()},
            "passed": {arm: list(pair) for arm, pair in self.passed.items()},
        }

    def __str__(self) -> str:
        """Return it as a line, made printable."""
        parts = [f"{name} {a} -> {b}" for name, (a, b) in self.outcomes.items()]
        parts += [f"{arm} {_WORDS[a]} -> {_WORDS[b]}" for arm, (a, b) in self.passed.items()]
        return one_line(f"{self.case} rep {self.rep}: {', '.join(parts)}")


@dataclass(frozen=True)
class ArmsComparison:
    """Two receipts of arms: A before, B after.

    Attributes:
        a: The receipt before.
        b: The receipt after.
    """

    a: "Receipt"
    b: "Receipt"

    @cached_property
    def differences(self) -> list[Difference]:
        """In what they differ, so that their numbers may not be compared; empty when they may."""
        return comparable.comparable(self.a, self.b)

    @cached_property
    def changed(self) -> list[Changed]:
        """The rows of both that came out differently, in A's order."""
        others = _rows(self.b)
        return [
            row
            for key, one in _rows(self.a).items()
            if key in others and (row := _changed(one, others[key])) is not None
        ]

    @cached_property
    def shared(self) -> int:
        """How many rows both list."""
        return len(_rows(self.a).keys() & _rows(self.b).keys())

    def only(self, here: "Receipt", there: "Receipt") -> list[str]:
        """Return the cases of which one receipt lists a row that the other does not list."""
        keys = [key for key in _rows(here) if key not in _rows(there)]
        return list(dict.fromkeys(case for case, _ in keys))

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "method": self.a.method,
            "comparable": not self.differences,
            "differences": [item._asdict() for item in self.differences],
            "unrecorded": comparable.unrecorded(self.a, self.b),
            "a": _summary(self.a),
            "b": _summary(self.b),
            "comparisons": {
                name: {
                    "a": one.model_dump(),
                    "b": other.model_dump(),
                    "net_lift_delta": other.net_lift - one.net_lift,
                }
                for name, one, other in self._comparisons()
            },
            "arm_scores": {
                arm: {"a": score, "b": self.b.arm_scores[arm]}
                for arm, score in self.a.arm_scores.items()
                if arm in self.b.arm_scores
            },
            "shared_rows": self.shared,
            "changed": [row.document() for row in self.changed],
            "better": sum(row.is_better for row in self.changed),
            "worse": sum(row.is_worse for row in self.changed),
            "only_a": self.only(self.a, self.b),
            "only_b": self.only(self.b, self.a),
        }

    def lines(self) -> Iterator[str]:
        """Yield what is printed, a line each; whether they may be compared comes first."""
        yield "not comparable:" if self.differences else "comparable: no difference is recorded"
        for what, first, second in self.differences:
            ends = f"{first or NOT_RECORDED} in A, {second or NOT_RECORDED} in B"
            yield f"  {one_line(f'{what}: {ends}')}"
        for name, receipt in (("A", self.a), ("B", self.b)):
            skill = one_line(receipt.skill_name)
            yield f"{name}: run {receipt.run_id} of {skill}, {_bytes(receipt)}"
            yield f"  {receipt.verdict}: {one_line(receipt.attribution)}"
        for name, one, other in self._comparisons():
            yield f"A {report.recorded_line(name, one)}"
            yield f"B {report.recorded_line(name, other)}"
            yield f"  net lift moved by {_points(other.net_lift - one.net_lift)}"
        yield from self._rows()

    def _rows(self) -> Iterator[str]:
        if not self.shared:
            yield "rows: none is listed in both"
        else:
            better = sum(row.is_better for row in self.changed)
            worse = sum(row.is_worse for row in self.changed)
            counts = f"{better} better, {worse} worse"
            yield f"rows that changed: {len(self.changed)} of {self.shared} ({counts})"
        for row in self.changed:
            yield f"  {row}"
        for name, here, there in (("A", self.a, self.b), ("B", self.b, self.a)):
            if cases := self.only(here, there):
                yield one_line(f"with rows in {name} alone: {', '.join(cases)}")

    def _comparisons(self) -> list[tuple[str, "Comparison", "Comparison"]]:
        return [
            (name, one, self.b.comparisons[name])
            for name, one in self.a.comparisons.items()
            if name in self.b.comparisons
        ]


def compared(a: "Receipt", b: "Receipt") -> ArmsComparison:
    """Return the comparison of two receipts of arms."""
    return ArmsComparison(a, b)


def _rows(receipt: "Receipt") -> "dict[tuple[str, int], CaseResult]":
    return {(row.case, row.rep): row for row in receipt.per_case}


def _changed(a: "CaseResult", b: "CaseResult") -> Changed | None:
    outcomes: dict[str, tuple[str, str]] = {
        name: (outcome, b.outcomes[name])
        for name, outcome in a.outcomes.items()
        if b.outcomes.get(name, outcome) != outcome
    }
    passed = {
        arm: (result.passed, b.arms[arm].passed)
        for arm, result in a.arms.items()
        if arm in b.arms and b.arms[arm].passed is not result.passed
    }
    return Changed(a.case, a.rep, outcomes, passed) if outcomes or passed else None


def _summary(receipt: "Receipt") -> dict[str, Any]:
    return {
        "run_id": receipt.run_id,
        "skill_name": receipt.skill_name,
        "version": receipt.version,
        "content_digest": receipt.content_digest,
        "verdict": receipt.verdict,
        "declared": receipt.block("source") is not None,
    }


def _bytes(receipt: "Receipt") -> str:
    version = f"{receipt.version}, " if receipt.version else ""
    return f"{version}{(receipt.content_digest or 'bytes not recorded')[:19]}"


def _points(delta: float) -> str:
    text = fixed(100 * delta, 0)
    return f"{text if text.startswith('-') else f'+{text}'} pp"

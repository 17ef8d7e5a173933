"""From sessions to rows: what is scored in them, what decides each row, and whom the judge asks."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from receipts.arms import judging, mulberry, rows
from receipts.arms.calls import Caller
from receipts.arms.journal import Journal, Record
from receipts.arms.outcome import Key, Outcome
from receipts.arms.plan import CANDIDATE, Plan, Unit
from receipts.arms.samples import Row, Sample
from receipts.arms.spending import Spending

_UNASKED = "judge-not-asked"
_EVEN = 0.5


def samples(plan: Plan, out: Outcome) -> Iterable[Sample]:
    """Yield what is scored in the sessions that ended, in the plan's order."""
    ran = {(one.case, one.rep, one.arm): one for one in out.ran}
    for unit in plan.units:
        for case in unit.checks:
            for arm in plan.arms:
                if one := ran.get((*unit.key, arm.name)):
                    yield Sample(case, unit.rep, arm.name, one, one.checks.get(case, ()))


def undecided(plan: Plan, scored: Iterable[Sample]) -> Iterable[Row]:
    """Yield every row that has both its samples, as far as no judge is needed for it."""
    known = {(one.case, one.rep, one.arm): one for one in scored}
    for unit in plan.units:
        for case in unit.checks:
            candidate = known.get((case, unit.rep, CANDIDATE))
            for opponent in plan.opponents:
                other = known.get((case, unit.rep, opponent))
                if candidate and other:
                    yield rows.decide(candidate, other, unit.rubric)


class Bench:
    """The judge's bench: asks about the rows that are left to him, several at a time."""

    def __init__(
        self,
        plan: Plan,
        out: Outcome,
        caller: Caller,
        spending: Spending,
        journal: Journal,
        judged: dict[Key, Record],
        stop: threading.Event,
    ) -> None:
        self._plan = plan
        self._out = out
        self._caller = caller
        self._spending = spending
        self._journal = journal
        self._judged = judged
        self._stop = stop
        self._units = {unit.key: unit for unit in plan.units}
        self._samples = {(one.case, one.rep, one.arm): one for one in out.samples}
        self._lock = threading.Lock()

    def decide(
        self,
        decided: list[Row],
        pool: ThreadPoolExecutor,
        wait: Callable[[list[Future[Any]]], None],
    ) -> list[Row]:
        """Return the rows, with those decided that were left to the judge.

        The order in which he is shown the two is drawn here, a draw for each of his rows, so that
        it is the same however many are asked at once and however often a run goes on.
        """
        draw = mulberry.draws()
        jobs: dict[int, Future[Row]] = {}
        for index, row in enumerate(decided):
            if row.decided_by == rows.TO_BE_JUDGED:
                jobs[index] = pool.submit(self._row, replace(row, swapped=next(draw) < _EVEN))
        wait(list(jobs.values()))
        return [jobs[index].result() if index in jobs else row for index, row in enumerate(decided)]

    def _row(self, row: Row) -> Row:
        record = self._judged.get((row.case, row.rep, row.opponent))
        if record is None:
            record = self._asked(row, self._units[row.case, row.rep])
        if record is None:
            return replace(row, decided_by=_UNASKED, swapped=None)
        return replace(
            row,
            outcome=record["outcome"],
            decided_by=record["decided_by"],
            reason=record["reason"],
            swapped=record["swapped"],
        )

    def _asked(self, row: Row, unit: Unit) -> Record | None:
        """Ask, and return what goes into the journal; None when the run may or shall not ask."""
        if self._stop.is_set() or not self._spending.may_ask():
            return None
        plan = self._plan
        candidate, opponent = (
            self._tail(self._samples[row.case, row.rep, arm]) for arm in (CANDIDATE, row.opponent)
        )
        material = judging.Material(unit.case.task, unit.rubric or "", candidate, opponent)
        last = plan.agent.escalation_model or plan.judge_model
        judgement = judging.judge(
            material,
            lambda question, model: self._caller.ask(question, model, "judge"),
            models=(plan.judge_model, plan.judge_model, last),
            swapped=bool(row.swapped),
            stop=self._stop,
        )
        spent = sum(answer["cost_usd"] or 0.0 for answer in judgement.answers)
        if self._stop.is_set():
            self._journal.append({"kind": "stopped", "spent": spent})
            return None
        record = {
            "kind": "judged",
            "case": row.case,
            "rep": row.rep,
            "opponent": row.opponent,
            "outcome": judgement.outcome,
            "decided_by": judgement.decided_by,
            "reason": judgement.reason,
            "swapped": row.swapped,
            "answers": judgement.answers,
            "spent": spent,
        }
        self._journal.append(record)
        with self._lock:
            self._out.answers[row.case, row.rep, row.opponent] = judgement.answers
        return record

    def _tail(self, sample: Sample) -> str:
        transcript = self._plan.folder / "transcripts" / sample.ran.transcript
        pieces = self._plan.agent.judged_pieces(transcript, Path(sample.ran.sandbox))
        return judging.tail(pieces)

"""The printed report of a receipt, line for line as the other client prints it.

One number differs on purpose. After a run that includes a suite the receipt holds a sign test of
1.0, because rows that share one agent session are not independent; the other client prints the
test recomputed from the counts, and its own documentation says to trust the receipt. We print
what the receipt holds, there and everywhere. Where its numbers contradict its counts,
`receipts.check` says so; the report does not repair them in silence.

Texts in a receipt are anybody's, so every line is made printable.
"""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from receipts import holes
from receipts.forms import BASELINE, INCUMBENT
from receipts.numbers import fixed, percent
from receipts.stats import is_pinned, net_lift, sign_test
from receipts.terminal import printable

if TYPE_CHECKING:
    from receipts.receipt import Comparison, Efficiency, Receipt, ReceiptFile, Triggers

_ERROR_CHARACTERS = 120
_NOT_AVAILABLE = "n/a"


def report_lines(receipt: "Receipt", trigger_rows: Iterable[Mapping[str, Any]] = ()) -> list[str]:
    """Return the lines of the report, in order; a section with nothing to say is left out.

    Args:
        receipt: The receipt to print, from what it holds.
        trigger_rows: The rows of its trigger run (`prompt`, `expected`, `fired`, `error`), which
            only the run's own `run.jsonl` has; those that went the wrong way are listed.
    """
    lines = [_verdict(receipt), f"why: {_line(receipt.attribution)}"]
    lines += [_skipped(*item) for item in receipt.environment_skips.items()]
    lines += [
        f"dropped ({dropped.kind}): {_line(case)} — {_line(dropped.detail)}"
        for case, dropped in receipt.dropped_cases.items()
    ]
    lines += [recorded_line(name, item) for name, item in _in_order(receipt.comparisons)]
    scores = [f"{_line(arm)} {_rate(score)}" for arm, score in receipt.arm_scores.items()]
    runs = [
        f"{_line(arm)} {tally.passed}/{tally.total}"
        for arm, tally in receipt.case_runs.items()
        if tally.total > 0
    ]
    lines += [f"arm scores: {' · '.join(scores)}"] if scores else []
    lines += [f"case-runs passed: {' · '.join(runs)}"] if runs else []
    lines += [_triggers(receipt.triggers)] if receipt.triggers else []
    lines += [_wrong(row) for row in trigger_rows if row.get("fired") != row.get("expected")]
    means = [_means(*item) for item in receipt.efficiency.items()]
    lines += [f"efficiency: {' | '.join(filter(None, means))}"] if any(means) else []
    return lines


def recorded_line(name: str, comparison: "Comparison") -> str:
    """Return the line of one comparison as a receipt records it, a pinned sign test included."""
    return _comparison(
        name,
        comparison.win,
        comparison.loss,
        comparison.tie,
        comparison.net_lift,
        comparison.sign_p,
    )


def comparison_line(name: str, wins: int, losses: int, ties: int) -> str:
    """Return the line of one comparison, its numbers computed from the counts.

    Raises:
        TypeError: A count is not an integer.
        ValueError: A count is negative.
    """
    lift, p = net_lift(wins, losses, ties), sign_test(wins, losses, ties)
    return _comparison(name, wins, losses, ties, lift, p)


def attribution(rows: Iterable[tuple[str, str]]) -> str:
    """Return the sentence that says why, from what decided the baseline rows.

    Args:
        rows: Outcome ("win", "loss" or "tie") and what decided it ("checks", "judge" and others)
            of every scored row against the baseline.
    """
    deciders: dict[str, list[str]] = {"win": [], "loss": [], "tie": []}
    for outcome, decided_by in rows:
        deciders[outcome].append(decided_by)
    if not any(deciders.values()):
        return "no execution comparisons ran"
    if not deciders["win"] and not deciders["loss"]:
        return "all comparisons tied"
    parts = [
        f"{verb} on {_what(deciders[outcome])}"
        for verb, outcome in (("wins", "win"), ("loses", "loss"))
        if deciders[outcome]
    ]
    if ties := len(deciders["tie"]):
        parts.append("1 tie" if ties == 1 else f"{ties} ties")
    return "; ".join(parts)


def notes(receipt: "Receipt") -> list[str]:
    """Return what a reader should know beside the report: an import, a pinned test, holes."""
    lines = []
    source = receipt.block("source")
    if source is not None:
        tool = " ".join(str(source[key]) for key in ("tool", "version") if source.get(key))
        lines.append(f"declared by {_line(tool) or 'another tool'}, not measured by receipts")
    compared = receipt.comparisons.values()
    if any(is_pinned(item.win, item.loss, item.sign_p) for item in compared):
        lines.append(
            "sign test held at p=1.000: rows that share one agent session are not independent"
        )
    return lines + holes.notes(receipt)


def newer_line(file: "ReceiptFile") -> str:
    """Return the one line that stands for a receipt of a later version of this program."""
    return f"newer than this version of receipts ({_line(file.newer_by)})"


def _line(text: str) -> str:
    """Return text on one line, its blanks as they are: nothing in a receipt can forge a line."""
    return printable(text).replace("\n", " ")


def _verdict(receipt: "Receipt") -> str:
    status = receipt.execution_status
    scored = f"{receipt.scored_rows}/{receipt.expected_rows} scored"
    return f"verdict: {receipt.verdict}" + (
        "" if status == "complete" else f" [{status} — {scored}]"
    )


def _skipped(case: str, missing: list[str]) -> str:
    line = f"skipped (environment): {_line(case)}"
    return f"{line} — missing {_line(', '.join(missing))}" if missing else line


def _in_order(comparisons: Mapping[str, "Comparison"]) -> list[tuple[str, "Comparison"]]:
    """Return baseline, incumbent, then whatever else another client compared."""
    first = {BASELINE: 0, INCUMBENT: 1}
    return sorted(comparisons.items(), key=lambda item: first.get(item[0], len(first)))


def _comparison(name: str, wins: int, losses: int, ties: int, lift: float, p: float) -> str:
    record = f"{wins}W / {losses}L / {ties}T over {wins + losses + ties} comparisons"
    return f"{_line(name)}: {percent(lift)} net lift ({record}, sign test p={fixed(p, 3)})"


def _rate(rate: float | None) -> str:
    return _NOT_AVAILABLE if rate is None else fixed(rate, 2)


def _triggers(counts: "Triggers") -> str:
    return (
        f"triggers: recall={_rate(counts.recall)} precision={_rate(counts.precision)} "
        f"(tp={counts.tp} fn={counts.fn} fp={counts.fp} tn={counts.tn})"
    )


def _wrong(row: Mapping[str, Any]) -> str:
    """Return the line of a prompt that went the wrong way."""
    word = "MISS" if row.get("expected") else "FALSE-FIRE"
    line = f"  {word}: {printable(json.dumps(row.get('prompt'), ensure_ascii=False))}"
    if error := row.get("error"):
        line += f" (selection call errored: {_line(str(error)[:_ERROR_CHARACTERS])})"
    return line


def _means(arm: str, means: "Efficiency") -> str:
    """Return one arm's part of the efficiency line; empty when the agent reported nothing."""
    parts = []
    if means.turns is not None:
        parts.append(f"{fixed(means.turns, 1)} turns")
    if means.duration_ms is not None:
        parts.append(f"{fixed(means.duration_ms / 1000, 1)}s")
    if means.cost_usd is not None:
        parts.append(f"${fixed(means.cost_usd, 2)}")
    return f"{_line(arm)} {' · '.join(parts)}" if parts else ""


def _what(deciders: list[str]) -> str:
    by_checks = sum(decided_by == "checks" for decided_by in deciders)
    return "execution checks" if 2 * by_checks >= len(deciders) else "judge calls"

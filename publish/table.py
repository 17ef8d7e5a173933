"""Cards as a table for a terminal, or as plain lines for anything else."""

from typing import TYPE_CHECKING, NamedTuple

from receipts import evidence, terminal
from receipts.forms import BASELINE
from receipts.numbers import percent
from receipts.receipt import Receipt
from receipts.recency import day
from store import cards
from store.cards import Card

if TYPE_CHECKING:
    from rich.text import Text

_HEADINGS = ("skill", "where", "card", "score", "measured by, how")
_COLOURS = {"PASS": "green", "NEUTRAL": "yellow", "FAIL": "red"}
_DIM = (cards.STALE, cards.NONE)
_LONGEST = 60


class _Row(NamedTuple):
    skill: str
    where: str
    state: str
    score: str
    provenance: str
    how: str
    verdict: str
    reason: str


def print_table(found: list[Card]) -> None:
    """Print cards on stdout.

    On a terminal with colour, in columns where it is wide enough for them and else some lines a
    card; into a file or pipe one plain line a card.
    """
    rows = [_row(card) for card in found]
    if not terminal.is_shown():
        _print_plain(rows)
        return
    from receipts.columns import fitted

    table = fitted(_HEADINGS, [_cells(row) for row in rows], flowing=_HEADINGS.index("score"))
    if table is not None:
        terminal.print_rich(table)
        return
    for row in rows:
        terminal.print_rich(_stacked(*_cells(row)))


def _row(card: Card) -> _Row:
    where = terminal.one_line(terminal.shortened(card.path or f"{card.team} {card.version or ''}"))
    if card.path and card.version:
        where += f" (= {terminal.one_line(card.team or '')} {card.version})"
    receipt = Receipt.model_validate_json(card.receipt) if card.receipt else None
    name, reason = terminal.one_line(card.name), terminal.one_line(card.reason)
    if receipt is None:
        return _Row(name, where, card.state, "—", "", "", "", reason)
    provenance = receipt.provenance
    who = terminal.one_line(provenance.runner_handle)[:_LONGEST] or "unknown"
    source = "this machine" if card.source == cards.LOCAL else "team"
    return _Row(
        name,
        where,
        card.state,
        score(receipt),
        f"{who}, {day(receipt.run_id, provenance.timestamp)}, {source}",
        _how(receipt),
        receipt.verdict,
        reason,
    )


def score(receipt: Receipt) -> str:
    """Return verdict, the number of rows behind it and their evidence, from one receipt alone."""
    partial = (
        ""
        if receipt.execution_status == "complete"
        else f" [{receipt.execution_status} — {receipt.scored_rows}/{receipt.expected_rows} scored]"
    )
    record = receipt.comparisons.get(BASELINE)
    if record is None:
        return f"{receipt.verdict} n={receipt.scored_rows}{partial}"
    count = record.win + record.loss + record.tie
    counts = f"{record.win}W/{record.loss}L/{record.tie}T, n={count}"
    if grade := evidence.grade_of(receipt):
        counts += f", evidence {grade}"
    return f"{receipt.verdict} {percent(record.net_lift)} ({counts}){partial}"


def _how(receipt: Receipt) -> str:
    provenance = receipt.provenance
    parts = [
        "" if receipt.method == "arms" else receipt.method,
        provenance.model,
        f"k={provenance.k}",
        provenance.cc_version,
        "declared, not measured" if receipt.block("source") is not None else "",
    ]
    shown = (terminal.one_line(part)[:_LONGEST] for part in parts)
    return ", ".join(part for part in shown if part)


def _print_plain(rows: list[_Row]) -> None:
    for row in rows:
        details = "; ".join(part for part in (row.provenance, row.how) if part)
        line = f"{row.skill}  {row.where}  {row.state}"
        if row.verdict:
            line += f"  {row.score}  ({details})"
        terminal.print_text(f"{line}  — {row.reason}" if row.reason else line)


def _cells(row: _Row) -> "list[Text]":
    """Return what stands in each column, coloured; names and reasons are no markup."""
    from rich.text import Text

    shown = Text(row.score if row.verdict else "", style=_COLOURS.get(row.verdict, ""))
    if row.reason:
        shown.append(("\n" if row.verdict else "") + row.reason, style="dim")
    return [
        Text(row.skill),
        Text(row.where),
        Text(row.state, style="dim" if row.state in _DIM else ""),
        shown,
        Text("\n".join(filter(None, (row.provenance, row.how)))),
    ]


def _stacked(skill: "Text", where: "Text", state: "Text", score: "Text", by: "Text") -> "Text":
    """Return the cells of a row on lines of their own: name and place, and the rest indented."""
    from rich.text import Text

    first, *reason = score.split("\n")
    lines = [Text("  ").join([skill, where]), Text("  ").join([state, first]), *reason]
    lines += [Text("; ").join(by.split("\n"))] if by else []
    return Text("\n  ").join(lines)

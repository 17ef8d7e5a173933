"""Cards as a table for a terminal, or as plain lines for anything else."""

import sys
from typing import NamedTuple

from receipts import terminal
from receipts.forms import BASELINE
from receipts.numbers import percent
from receipts.receipt import Receipt
from receipts.recency import day
from store import cards
from store.cards import Card

_HEADINGS = ("skill", "where", "card", "score", "measured by", "how")
_COLOURS = {"PASS": "green", "NEUTRAL": "yellow", "FAIL": "red"}
_DIM = (cards.STALE, cards.NONE)
_NARROWEST = 72  # six columns in less are a word a line, or nothing at all
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
    """Print cards on stdout, with colour and columns on a terminal that is wide enough for them."""
    rows = [_row(card) for card in found]
    if sys.stdout.isatty() and terminal.columns() >= _NARROWEST:
        _print_rich(rows)
    else:
        _print_plain(rows)


def _row(card: Card) -> _Row:
    where = terminal.one_line(card.path or f"{card.team} {card.version or ''}")
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
    """Return verdict and the number of rows behind it, from one receipt alone."""
    partial = (
        ""
        if receipt.execution_status == "complete"
        else f" [{receipt.execution_status} — {receipt.scored_rows}/{receipt.expected_rows} scored]"
    )
    record = receipt.comparisons.get(BASELINE)
    if record is None:
        return f"{receipt.verdict} n={receipt.scored_rows}{partial}"
    count = record.win + record.loss + record.tie
    counts = f"{record.win}W/{record.loss}L/{record.tie}T"
    return f"{receipt.verdict} {percent(record.net_lift)} ({counts}, n={count}){partial}"


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


def _print_rich(rows: list[_Row]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in _HEADINGS:
        table.add_column(heading, overflow="fold")
    for row in rows:
        state = Text(row.state, style="dim" if row.state in _DIM else "")
        shown = Text(row.score if row.verdict else "", style=_COLOURS.get(row.verdict, ""))
        if row.reason:
            shown.append(("\n" if row.verdict else "") + row.reason, style="dim")
        cells = [
            Text(row.skill),
            Text(row.where),
            state,
            shown,
            Text(row.provenance),
            Text(row.how),
        ]
        table.add_row(*cells)
    terminal.print_table(table)

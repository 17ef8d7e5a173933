"""`docs/transports.md`: tables whose cells the tests record, and the words around them.

A test that records a cell fails when the committed page says something else, unless the page is
being written: `python -m tests.transports`.
"""

import json
import os
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[2] / "docs" / "transports.md"
# A folder into which the outcomes of a run go, when the page is written from them.
RECORDS = "RECEIPTS_TRANSPORTS_RECORDS"

Cells = dict[tuple[str, tuple[str, ...], str], str]


class Table(NamedTuple):
    """One table: its heading, the prose above, the columns that name a row, those recorded."""

    title: str
    intro: str
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def record(title: str, row: tuple[str, ...], column: str, text: str) -> None:
    """Take down an outcome, and hold the committed page to it."""
    folder = os.environ.get(RECORDS)
    if folder:
        with Path(folder, f"{os.getpid()}.jsonl").open("a") as stream:
            stream.write(json.dumps([title, row, column, text]) + "\n")
        return
    said = parse(PAGE.read_text("utf-8")).get((title, row, column), "nothing")
    assert text == said, (
        f"{PAGE.name}, {title}, {' / '.join(row)}, {column}: the page says {said!r}. "
        "Write it anew with: python -m tests.transports"
    )


def recorded(folder: Path) -> Cells:
    """Return what the tests took down in a folder."""
    lines = [line for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    return {
        (title, tuple(row), column): text for title, row, column, text in map(json.loads, lines)
    }


def render(tables: Iterable[Table], cells: Mapping[tuple[str, tuple[str, ...], str], str]) -> str:
    """Return the page."""
    parts = [_HEAD]
    for table in tables:
        heads = (*table.keys, *table.columns)
        lines = [_line(heads), "|" + "---|" * len(heads)]
        lines += [
            _line((*row, *(cells[table.title, row, name] for name in table.columns)))
            for row in table.rows
        ]
        parts.append(
            f"## {table.title}\n\n{textwrap.fill(table.intro, 100)}\n\n" + "\n".join(lines) + "\n"
        )
    return "\n".join(parts)


def parse(text: str) -> Cells:
    """Return the cells of a page."""
    cells: Cells = {}
    for part in text.split("\n## ")[1:]:
        title, _, rest = part.partition("\n")
        table = [_split(line) for line in rest.splitlines() if line.startswith("|")]
        heads = table[0]
        first = heads.index(next(head for head in heads if head.startswith("**")))
        for line in table[2:]:
            for head, cell in zip(heads[first:], line[first:], strict=True):
                cells[title, tuple(line[:first]), head] = cell
    return cells


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _split(line: str) -> list[str]:
    cells = line.strip("| ").replace("\\|", "\0").split(" | ")
    return [cell.replace("\0", "|") for cell in cells]


_HEAD = """\
# Transports: what works how

Every cell of the tables below was recorded by a test that ran the `receipts` command line against a
real server. `python -m tests.transports` runs them all and writes this page; they fail when it says
something else. Where a table does not say otherwise, its tests had no terminal to ask on, and did
all of a team's work: create, publish with a receipt, join from a second machine, sync, install.

How objects travel: **git** is the `git` command, with all that it knows. **dulwich** is git's
protocol spoken in our own process, to a folder through `git upload-pack` and `git receive-pack`.
**files** means that the other repository's files are read and written directly.
[Why](adr/0004-choice-of-transport.md).
"""

"""Rows in columns, where a terminal is wide enough to read them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from receipts import terminal

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_GAP = 2
_FLOWING = 30  # a sentence in less is a word a line


def fitted(
    headings: Sequence[str], rows: "Sequence[Sequence[Text]]", *, flowing: int | None = None
) -> "Table | None":
    """Return rows as a table, or None when the terminal is too narrow for it.

    No cell is broken, but for those of one column that may flow: between words.

    Args:
        headings: One for each column.
        rows: The cells of each row; a cell may hold several lines.
        flowing: The index of the column that may flow.
    """
    from rich.cells import cell_len
    from rich.table import Table

    widths = []
    for index, column in enumerate(zip(*rows, strict=True)):
        widest = max(cell_len(line) for cell in column for line in cell.plain.split("\n"))
        if index == flowing:
            words = (word for cell in column for word in cell.plain.split())
            widest = min(widest, max(_FLOWING, *map(cell_len, words)))
        widths.append(max(widest, len(headings[index])))
    if sum(widths) + _GAP * (len(widths) - 1) > terminal.columns():
        return None
    table = Table(box=None, pad_edge=False, header_style="bold")
    for index, (heading, width) in enumerate(zip(headings, widths, strict=True)):
        table.add_column(heading, min_width=width, no_wrap=index != flowing)
    for row in rows:
        table.add_row(*row)
    return table

"""The page has the rows that there are tests for, and no word that was not generated."""

import os

import pytest

from tests.transports import page
from tests.transports.tables import TABLES


@pytest.mark.skipif(page.RECORDS in os.environ, reason="the page is about to be written")
def test_the_page_is_the_generated_one() -> None:
    text = page.PAGE.read_text("utf-8")
    assert page.render(TABLES, page.parse(text)) == text


@pytest.mark.skipif(page.RECORDS in os.environ, reason="the page is about to be written")
def test_a_cell_that_differs_is_noticed() -> None:
    table = TABLES[0]
    with pytest.raises(AssertionError, match=r"the page says '\w+'"):
        page.record(table.title, table.rows[0], table.columns[0], "by pigeon")

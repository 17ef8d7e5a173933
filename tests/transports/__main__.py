"""Run every test of the transports and write the page from what they recorded."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

from tests.transports import page
from tests.transports.tables import TABLES


def main() -> int:
    """Return pytest's exit code; the page is written only when every test passed."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[page.RECORDS] = folder
        # A part that is missing would leave a cell empty.
        os.environ["RECEIPTS_REQUIRE_PARTS"] = "1"
        code = pytest.main([str(Path(__file__).parent), "-q", *sys.argv[1:]])
        if code == pytest.ExitCode.OK:
            page.PAGE.write_text(page.render(TABLES, page.recorded(Path(folder))), "utf-8")
        return code


if __name__ == "__main__":
    sys.exit(main())

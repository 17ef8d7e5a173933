"""`receipts` with limits on silence that a test can wait for: `python -m ... SECONDS ARGUMENTS`."""

import sys

from publish.git import process
from receipts import cli

if __name__ == "__main__":
    process.SILENCE_SECONDS = process.CONNECT_SECONDS = float(sys.argv.pop(1))
    cli.main()

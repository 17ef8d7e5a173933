"""`python -m receipts`."""

from receipts.cli import main

main()

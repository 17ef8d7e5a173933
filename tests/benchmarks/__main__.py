"""Measure every row of the table, or some: `python -m tests.benchmarks [GROUP …]`."""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks import page
from tests.benchmarks.results import Result
from tests.benchmarks.rows import GROUPS
from tests.benchmarks.world import FULL, ROOT, SMALL, Sizes, opened

_PAGE = ROOT / "docs" / "performance.md"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--small", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write all figures")
    parser.add_argument("--page", action="store_true", help="write the table into the docs")
    arguments = parser.parse_args()
    if unknown := set(arguments.groups) - set(GROUPS):
        parser.error(f"no such group: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        groups = arguments.groups or list(GROUPS)
        results = measure(Path(folder), SMALL if arguments.small else FULL, groups)
    if arguments.json:
        document = {**machine(), "results": [result.document() for result in results]}
        arguments.json.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    if arguments.page:
        page.write(_PAGE, results, heading())
    print(page.table(results))


def measure(folder: Path, sizes: Sizes, groups: list[str]) -> list[Result]:
    """Measure the rows of some groups, saying each as it is found."""
    results = []
    with opened(folder, sizes) as world:
        for group in groups:
            began = time.monotonic()
            for result in GROUPS[group](world):
                results.append(result)
                met = "met" if result.met else "missed"
                figure = f"{result.measured:.3g} ({result.must})"
                print(f"{result.row} {result.variant}: {figure} {met}", file=sys.stderr)
            print(f"-- {group}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return results


def machine() -> dict[str, object]:
    """Return what the figures depend on."""
    git = subprocess.run(["git", "--version"], capture_output=True, text=True).stdout.split()
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "python": platform.python_version(),
        "git": git[2],
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
    }


def heading() -> str:
    """Return the line above the table."""
    values = machine()
    return (
        f"Measured {values['date']} on {values['system']} with {values['processors']} processors, "
        f"Python {values['python']}, git {values['git']}."
    )


if __name__ == "__main__":
    main()

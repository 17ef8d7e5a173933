"""`receipts compare`."""

import os
from typing import TYPE_CHECKING, Any

import click

from receipts import terminal
from receipts.errors import EvalError, ReceiptError, ResultsError, UsageError
from receipts.options import json_option
from store import completing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from receipts.attempts.comparing.comparison import Comparison
    from receipts.receipt import Receipt

BELOW_THE_BAR = 3


@click.command(
    "compare",
    epilog="Examples: receipts compare previous latest; receipts compare demo-full demo-short "
    "--json; receipts compare old.json new.json --fail-on-regression 10",
)
@click.argument(
    "references",
    metavar="A B [C...]",
    nargs=-1,
    required=True,
    shell_complete=completing.saved_runs,
)
@click.option(
    "--fail-on-regression",
    "points",
    type=click.FloatRange(0, 100),
    metavar="P",
    help="Exit with 3 when a task's success fell by more than P percentage points.",
)
@click.option("--verbose", "-v", is_flag=True, help="Print pass@k and pass^k as well.")
@json_option
def command(
    references: tuple[str, ...], *, points: float | None, verbose: bool, as_json: bool
) -> int:
    """Say what moved from A to B, how sure that is, and what else could have moved it.

    A and B are saved runs of attempts: the name or file of a spec, which means its latest run, a
    run's id or file, `latest`, or `previous`. Further runs stand in the same table, each held
    against A. Two receipts, by their files or run ids, compare too when one method made them.

    A regression is no failure unless --fail-on-regression asks for it: with few attempts a drop is
    noise as often as not.
    """
    if len(references) < 2:
        raise UsageError("Name two runs.", "`receipts compare previous latest`, for instance.")
    found = [_resolved(reference) for reference in references]
    _refuse_one_twice(references, found)
    receipts = [item for item in found if not isinstance(item, str)]
    if not receipts:
        paths = [item for item in found if isinstance(item, str)]
        return _compare_runs(paths, points, verbose=verbose, as_json=as_json)
    if len(receipts) < len(found):
        raise ResultsError("A saved run and a receipt do not compare.", "Name some of one kind.")
    if points is not None:
        raise UsageError("--fail-on-regression is for saved runs, and these are receipts.")
    if len(receipts) > 2:
        raise UsageError(f"Two receipts compare, and {len(receipts)} are named.")
    _compare_receipts(receipts, as_json=as_json)
    return 0


def _resolved(reference: str) -> "str | Receipt":
    """Return the path of a saved run, or a receipt."""
    from receipts.attempts import results
    from receipts.documents import Kind, kind_of_file
    from receipts.runid import is_run_id

    is_file = reference.endswith(".json") and os.path.isfile(reference)
    if is_run_id(reference) or (is_file and kind_of_file(reference) is Kind.RECEIPT):
        return _receipt(reference)
    return results.resolve(reference, results.root_of(os.curdir))


def _receipt(reference: str) -> "Receipt":
    from receipts.report import newer_line
    from store import lookup

    found = lookup.find(reference)
    if found.file.receipt is None:
        raise ReceiptError(f"{reference} is {newer_line(found.file)}, so it is not compared.")
    for note in found.notes:
        terminal.say(f"note: {note}")
    return found.file.receipt


def _refuse_one_twice(references: "Sequence[str]", found: "Sequence[str | Receipt]") -> None:
    seen: dict[object, str] = {}
    for reference, item in zip(references, found, strict=True):
        key = (
            os.path.realpath(item) if isinstance(item, str) else (item.run_id, item.content_digest)
        )
        if key in seen:
            raise ResultsError(
                f"{seen[key]} and {reference} are one run.",
                "Name two: the name of a spec means its latest run, and an older one has an id "
                "(`receipts list SPEC`).",
            )
        seen[key] = reference


def _compare_runs(
    paths: "Sequence[str]", points: float | None, *, verbose: bool, as_json: bool
) -> int:
    from receipts.attempts.comparing import printed, table
    from receipts.attempts.comparing.several import several
    from receipts.attempts.runfile import read

    found = several([read(path, "checked") for path in paths])
    gate = _gate(found.comparisons, points) if points is not None else None
    if as_json:
        document = found.comparisons[0].document() if len(paths) == 2 else found.document()
        if gate is not None:
            document.setdefault("extra", {})["fail_on_regression"] = gate
        terminal.print_json(document)
    elif len(paths) == 2:
        printed.print_comparison(found.comparisons[0], verbose=verbose)
    else:
        table.print_several(found, verbose=verbose)
    return _judged(gate)


def _gate(comparisons: "Sequence[Comparison]", points: float) -> dict[str, Any]:
    """Return what fell by more than so many points.

    Raises:
        EvalError: In some comparison nothing was measured on both sides, so nobody can tell.
    """
    for comparison in comparisons:
        if not any(row.delta is not None for row in comparison.rows):
            first, other = comparison.names
            raise EvalError(
                f"No task was measured in both {first} and {other}, so --fail-on-regression "
                "cannot tell.",
                "See why with `receipts compare` without it.",
            )
    fell = {item.names[1]: item.fell(points) for item in comparisons}
    return {"points": points, "fell": fell, "failed": any(fell.values())}


def _judged(gate: dict[str, Any] | None) -> int:
    if gate is None or not gate["failed"]:
        return 0
    for name, tasks in gate["fell"].items():
        if tasks:
            terminal.say(
                f"{name} fell by more than {gate['points']:g} percentage points in {len(tasks)} "
                f"task(s): {terminal.one_line(', '.join(tasks))}"
            )
    return BELOW_THE_BAR


def _compare_receipts(receipts: "Sequence[Receipt]", *, as_json: bool) -> None:
    from receipts.compare import compare_receipts

    first, second = receipts
    comparison = compare_receipts(first, second)
    if as_json:
        terminal.print_json(comparison.document())
        return
    for line in comparison.lines():
        terminal.print_content(line)

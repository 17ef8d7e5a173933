"""`receipts list`."""

from typing import TYPE_CHECKING, Any

import click

from receipts import terminal
from receipts.nearest import did_you_mean
from receipts.options import json_option
from store import completing

if TYPE_CHECKING:
    from receipts.attempts.listing import Listed
    from store.runs import LocalRun, Survey

_COLUMNS = ("run", "skill", "verdict", "scored", "model", "k", "who", "digest")


@click.command(
    "list",
    epilog="Examples: receipts list; receipts list ~/.claude/skills/tdd --json; receipts list "
    "demo.eval.yaml",
)
@click.argument(
    "what",
    metavar="[SKILL|PATH|SPEC]",
    required=False,
    shell_complete=completing.skills_and_specs,
)
@json_option
def command(what: str | None, *, as_json: bool) -> None:
    """List the evaluation runs on this machine, newest first, and the saved runs of this project.

    SKILL lists the runs of skills of that name; PATH those that measured exactly the bytes of that
    folder; SPEC the saved runs of that spec, by its name or file. A name may be both. Without any,
    each spec of this project is listed with its latest run.
    """
    saved, is_spec_file = _saved(what)
    has_saved = bool(saved.specs or saved.runs)
    found, note = _surveyed(what, saved, is_spec_file=is_spec_file)
    if as_json:
        terminal.print_json(_whole(found, saved, note))
    else:
        _print(found, saved)
    for item in found.left_out:
        terminal.say(f"{item.kind}: {item.path} {item.why}")
    if has_saved:
        from receipts.attempts import listing

        for problem in listing.problems(saved):
            terminal.say(f"unreadable: {problem}")
    if note:
        terminal.say(f"note: {note}")
    if not found.runs and not note and not has_saved:
        terminal.say("No evaluation runs on this machine.")


def _saved(what: str | None) -> "tuple[Listed, bool]":
    """Return the saved runs that are asked for, and whether nothing but they can be meant."""
    import os

    from receipts.attempts import listing, references, results

    root = results.root_of(os.curdir)
    if what is None:
        return listing.of_all(root), False
    if references.is_spec_file(what):
        return listing.of_spec(root, results.spec_of(what, root)), True
    if references.is_spec(what, root):
        return listing.of_spec(root, what), False
    return listing.Listed([], []), False


def _surveyed(what: str | None, saved: "Listed", *, is_spec_file: bool) -> "tuple[Survey, str]":
    """Return the runs of the local store that are asked for, and a sentence about others."""
    from store import runs

    if is_spec_file:
        return runs.Survey([], []), ""
    found = runs.survey()
    if what is None or (saved.runs and not found.runs):
        return found, ""
    found, note = _only(found, what)
    return found, "" if saved.runs and not found.runs else note


def _whole(found: "Survey", saved: "Listed", note: str) -> dict[str, Any]:
    from receipts.attempts import listing

    return {
        "runs": [_document(run) for run in found.runs[::-1]],
        "left_out": [{**item._asdict(), "path": str(item.path)} for item in found.left_out],
        "note": note,
        **listing.documents(saved),
    }


def _print(found: "Survey", saved: "Listed") -> None:
    if found.runs:
        _print_rows([_row(run) for run in found.runs[::-1]])
    if not saved.specs and not saved.runs:
        return
    from receipts.attempts import cells, listing

    if found.runs:
        terminal.print_text("")
    for headings, rows in listing.tables(saved):
        cells.print_table(headings, [cells.plain(*row) for row in rows])


def _only(found: "Survey", skill: str) -> "tuple[Survey, str]":
    """Return the runs of one skill, and a sentence about those that are not listed."""
    from receipts.digest import measure
    from store import library

    if not library.is_path(skill):
        matching = [run for run in found.runs if _name(run) == skill]
        digests = {run.digest for run in matching}
        left_out = [item for item in found.left_out if item.digest in digests]
        note = ""
        if not matching:
            known = [*filter(None, map(_name, found.runs)), *_specs()]
            note = f"No run on this machine is of a skill or spec called {skill}. "
            note = (note + did_you_mean(skill, known)).rstrip()
        return found._replace(runs=matching, left_out=left_out), note
    folder = library.find(skill)
    digest = measure(folder).digest
    name = folder.resolve().name
    others = sum(_name(run) == name and run.digest != digest for run in found.runs)
    matching = [run for run in found.runs if run.digest == digest]
    left_out = [item for item in found.left_out if item.digest == digest]
    note = "" if matching else f"No run on this machine measured exactly these bytes of {name}."
    if others:
        note += f"{' ' if note else ''}{others} other run(s) of {name} measured other bytes."
    return found._replace(runs=matching, left_out=left_out), note


def _specs() -> list[str]:
    import os

    from receipts.attempts import results

    return results.specs(results.root_of(os.curdir))


def _document(run: "LocalRun") -> dict[str, Any]:
    receipt = run.file.receipt
    return {
        "run_id": run.run_id,
        "skill": _name(run),
        "verdict": receipt.verdict if receipt else None,
        "method": receipt.method if receipt else None,
        "execution_status": receipt.execution_status if receipt else None,
        "scored_rows": receipt.scored_rows if receipt else None,
        "expected_rows": receipt.expected_rows if receipt else None,
        "model": receipt.provenance.model if receipt else None,
        "k": receipt.provenance.k if receipt else None,
        "who": receipt.provenance.runner_handle if receipt else None,
        "content_digest": run.digest,
        "path": str(run.path),
        "newer": run.file.newer,
    }


def _row(run: "LocalRun") -> list[str]:
    from store.runs import short

    receipt = run.file.receipt
    if receipt is None:
        return [run.run_id, "", "(newer)", "", "", "", "", short(run.digest)]
    provenance = receipt.provenance
    cells = [
        run.run_id,
        receipt.skill_name,
        receipt.verdict,
        f"{receipt.scored_rows}/{receipt.expected_rows}",
        provenance.model,
        str(provenance.k),
        provenance.runner_handle,
        short(run.digest),
    ]
    return [terminal.one_line(cell) for cell in cells]


def _print_rows(rows: list[list[str]]) -> None:
    """Print a table where the terminal is wide enough, else two lines a run.

    Into a file or pipe goes one line a run, with tabs between.
    """
    if not terminal.is_shown():
        for row in rows:
            terminal.print_text("\t".join(row))
        return
    from rich.text import Text

    from receipts.columns import fitted

    # Cells are texts of receipts, so they are not read as markup.
    table = fitted(_COLUMNS, [[Text(cell) for cell in row] for row in rows])
    if table is not None:
        terminal.print_rich(table)
        return
    for run, skill, verdict, scored, model, k, who, digest in rows:
        terminal.print_text("  ".join(filter(None, (run, skill, verdict, scored))))
        terminal.print_text("  " + ", ".join(filter(None, (model, k and f"k={k}", who, digest))))


def _name(run: "LocalRun") -> str | None:
    return run.file.receipt.skill_name if run.file.receipt else None

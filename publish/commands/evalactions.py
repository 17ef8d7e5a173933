"""What `receipts eval` does, by the option that says so; each returns the exit code."""

from typing import TYPE_CHECKING, Any

from receipts import terminal

if TYPE_CHECKING:
    from pathlib import Path

    from publish.evaluation.one import Manner
    from publish.evaluation.request import Finished, Request
    from publish.evaluation.series import Series
    from receipts.arms.plan import Limits

INTERRUPTED = 130
COULD_NOT_RUN = 2
SOME_FAILED = 1
Options = dict[str, Any]


def evaluate(options: Options) -> int:
    """Evaluate one skill, or several one after another."""
    if len(options["references"]) != 1 or options["batch"]:
        return _evaluate_several(options)
    from publish.evaluation import one
    from publish.evaluation.preparing import prepared
    from publish.evaluation.stopping import stopping
    from receipts.arms.preflight import Preflight

    [folder] = _folders(options)
    manner, preflight = _manner(options), Preflight()
    opened = prepared(
        _request(options, folder),
        terminal.say,
        is_answerable=manner.is_answerable,
        preflight=preflight,
        stopping=stopping,
    )
    return _printed(one.evaluate(opened, manner, preflight), options)


def resume(options: Options) -> int:
    """Continue a run."""
    from publish.evaluation import one
    from publish.evaluation.resuming import resumed
    from receipts.arms.preflight import Preflight

    opened = resumed(
        options["resume"],
        _limits(options),
        options["parallel"],
        terminal.say,
        heavy=options["heavy"],
    )
    return _printed(one.evaluate(opened, _manner(options), Preflight()), options)


def put_into_queue(options: Options) -> int:
    """Queue skills instead of evaluating them."""
    from publish.evaluation import waiting
    from store.runs import short

    put = waiting.put(_folders(options), options["window"], options["team"])
    if options["as_json"]:
        terminal.print_json({"queued": [{**waiting.document(i), "new": new} for i, new in put]})
        return 0
    for item, is_new in put:
        what = "Queued" if is_new else "Already queued:"
        terminal.print_text(f"{what} {item.skill} ({short(item.digest)}) for {item.window}.")
    return 0


def list_queue(options: Options) -> int:
    """List what waits."""
    from publish.evaluation import waiting
    from store import queue

    listing = queue.listed()
    if options["as_json"]:
        items = [waiting.document(item) for item in listing.items]
        terminal.print_json({"items": items, "problems": listing.problems})
        return 0
    for item in listing.items:
        terminal.print_text(waiting.line(item))
    for problem in listing.problems:
        terminal.say(f"note: {problem}")
    if not listing.items:
        terminal.say("Nothing is queued.")
    return 0


def take_out_of_queue(options: Options) -> int:
    """Take skills out of the queue."""
    from publish.evaluation import waiting

    gone = waiting.take_out(options["references"])
    if options["as_json"]:
        terminal.print_json({"dequeued": [waiting.document(item) for item in gone]})
        return 0
    for item in gone:
        terminal.print_text(f"Took {item.skill} out of the queue.")
    return 0


def drain(options: Options) -> int:
    """Evaluate what waits."""
    from pathlib import Path

    from publish.evaluation import waiting

    series = _series(options)
    try:
        drained = waiting.drain(series, _request(options, Path()))
    except KeyboardInterrupt:
        return _closed(series, options, {}, interrupted=True)
    more: dict[str, Any] = {
        "skipped": [waiting.document(item) for item in drained.skipped],
        "still_queued": [waiting.document(item) for item in drained.failed],
    }
    code = _closed(series, options, more, failed=len(drained.failed))
    if drained.line:
        terminal.say(f"error: {drained.line}")
    return code


def _evaluate_several(options: Options) -> int:
    from publish.evaluation import several

    folders = _folders(options)
    series, manner = _series(options), _manner(options)
    if not folders:
        terminal.say("Every installed skill has a run of its exact bytes here.")
    requests = [_request(options, folder) for folder in folders]
    ended = several.evaluate(series, requests, manner, batch=options["batch"])
    code = _closed(
        series,
        options,
        {"queued": ended.queued},
        total=len(requests),
        interrupted=ended.interrupted,
    )
    if series.failed:
        terminal.say(f"error: {series.failed} of {len(requests)} evals failed.")
    return code


def _closed(
    series: "Series",
    options: Options,
    more: dict[str, Any],
    *,
    total: int | None = None,
    interrupted: bool = False,
    failed: int | None = None,
) -> int:
    """Print how a series ended, and return the exit code."""
    failed = series.failed if failed is None else failed
    if options["as_json"]:
        terminal.print_json({"evals": series.documents(), "failed": failed, **more})
    elif series.results:
        count = series.evaluated
        terminal.print_text(f"Evaluated {count} of {total or count}; {failed} failed.")
    if interrupted:
        return INTERRUPTED
    return SOME_FAILED if failed else 0


def _printed(done: "Finished", options: Options) -> int:
    """Print how a run ended, and return the exit code."""
    from publish.evaluation import printing

    printing.say_warnings(done)
    if options["as_json"]:
        terminal.print_json(printing.document(done))
    else:
        printing.print_report(done)
    if done.interrupted:
        return INTERRUPTED
    return COULD_NOT_RUN if done.failed else 0


def _folders(options: Options) -> "list[Path]":
    """Return the folders of the skills that are meant, each once."""
    from publish.evaluation import several
    from store.library import find

    if options["pending"]:
        return several.pending()
    return several.distinct([find(reference) for reference in options["references"]])


def _series(options: Options) -> "Series":
    from publish.evaluation.series import Series

    return Series(_manner(options), _limits(options), as_json=options["as_json"])


def _manner(options: Options) -> "Manner":
    from publish.evaluation.one import Manner

    return Manner("none" if options["as_json"] else options["progress"], options["yes"])


def _limits(options: Options) -> "Limits":
    from receipts.arms.plan import Limits

    return Limits(options["max_cost"], options["max_sessions"])


def _request(options: Options, folder: "Path") -> "Request":
    from publish.evaluation.request import Request

    return Request(
        folder=folder,
        agent=options["agent"],
        team=options["team"],
        k=options["k"],
        cases=options["cases"],
        execution=not options["triggers_only"],
        triggers=not options["execution_only"] and not options["aa"],
        model=options["model"],
        judge_model=options["judge_model"],
        parallel=options["parallel"],
        limits=_limits(options),
        commit=not options["no_commit"],
        private=options["private"],
        baseline_twice=options["aa"],
        generate=not options["no_gen"],
        heavy=options["heavy"],
    )

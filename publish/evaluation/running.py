"""The run that was prepared, its receipt, and who gets that."""

import os
import threading
from dataclasses import replace

from publish.evaluation.request import Finished, Prepared
from receipts import digest
from receipts.arms import assets, document, engine
from receipts.arms.journal import Journal
from receipts.arms.listening import Listener
from receipts.arms.preflight import Preflight
from receipts.errors import ReceiptsError
from receipts.files import write_atomic
from store import runs


def run(
    prepared: Prepared,
    listener: Listener,
    stop: threading.Event,
    preflight: Preflight | None = None,
) -> Finished:
    """Run what was prepared, file its receipt and share it where it belongs.

    Args:
        prepared: The run.
        listener: Is told how it goes.
        stop: Set by another thread or a signal to end it.
        preflight: What is known already of the agent and its models.

    Raises:
        EvalError: The agent, a model or the arms are not what they must be; nothing was scored.
    """
    from receipts import scrub  # for the receipt: nothing of it is needed before

    plan = prepared.plan
    if prepared.start is not None:
        Journal(plan.folder).append(prepared.start)
    out = engine.run(plan, listener, stop, preflight)
    identity = replace(prepared.identity, changed=_changed(prepared))
    secrets = scrub.secrets_from(os.environ)
    warnings = _warnings(prepared, identity)
    unread = sum(row.decided_by == "judge-unparseable" for row in out.rows)
    if unread:
        warnings.append(
            f"{unread} rows count as ties only because the judge's answers could not be read; "
            f"they are in {plan.folder / 'transcripts' / 'calls'}."
        )
    warnings += [
        f"{one.case} rep{one.rep} {one.arm}: {odd}" for one in out.ran for odd in one.oddities
    ]
    write_atomic(plan.folder / "run.jsonl", document.run_log(plan, out, identity))
    shown = document.receipt(plan, out, replace(identity, private=False), secrets)
    scored = any(row.is_scored for row in out.rows) or any(
        t.fired is not None for t in out.triggers
    )
    rows = document.trigger_rows(out)
    failed = bool(plan.expected_rows) and not any(row.is_scored for row in out.rows)
    finished = Finished(
        folder=plan.folder,
        receipt=None,
        shown=shown,
        trigger_rows=rows,
        warnings=warnings,
        last_line=None,
        interrupted=out.interrupted,
        limited=out.reached is not None,
        failed=failed,
        baseline_twice=prepared.baseline_twice,
        sessions=out.sessions,
        cost_usd=out.cost_usd,
    )
    if (out.interrupted and not scored) or prepared.baseline_twice:
        if prepared.baseline_twice:
            write_atomic(plan.folder / runs.SELF_CHECK, shown)
        return finished
    data = document.receipt(plan, out, identity, secrets) if identity.private else shown
    write_atomic(plan.folder / runs.RECEIPT, data)
    last = None if out.interrupted else _share(prepared)
    return finished._replace(receipt=data, last_line=last)


def _changed(prepared: Prepared) -> tuple[bool, bool]:
    """Say whether the folder's content and its evaluation assets are other than those staged."""
    try:
        content = digest.content_digest(prepared.source) != prepared.identity.digest
    except ReceiptsError:
        return True, True
    try:
        evals = assets.digest_of(prepared.source / "evals") != prepared.evals_digest
    except ReceiptsError:
        evals = True
    return content, evals


def _warnings(prepared: Prepared, identity: document.Identity) -> list[str]:
    content, evals = identity.changed
    warnings = []
    if content:
        warnings.append(
            f"{prepared.source} changed while it was evaluated. The receipt is of the bytes as "
            f"they were at the start ({runs.short(identity.digest)}), not as they are now."
        )
    if evals:
        warnings.append("The evaluation assets changed meanwhile; the run used the earlier ones.")
    return warnings


def _share(prepared: Prepared) -> str | None:
    from publish import sharing  # with git: nothing of it is needed before the sessions have ended

    plan = prepared.plan
    found = [run for run in runs.find_run(plan.folder.name) if run.path == plan.folder]
    if not found:
        return None
    return sharing.share(
        found[0],
        prepared.source,
        team=prepared.team,
        no_commit=not prepared.commit,
    )

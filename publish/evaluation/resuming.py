"""A run taken up again: one that was killed, or one that was interrupted or met a limit."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from publish.evaluation import pace, surroundings
from publish.evaluation.folders import remove_if_unused
from publish.evaluation.limiting import refuse_spent, refuse_unkept
from publish.evaluation.request import STAGED, Prepared, Request
from receipts import agents, jsontext, runid
from receipts.arms import assets, document
from receipts.arms.heaviness import Heaviness
from receipts.arms.journal import Journal
from receipts.arms.plan import CANDIDATE, Arm, Limits, Plan
from receipts.errors import EvalError, StoreError, UsageError
from receipts.files import make_private_dir, read_limited
from store import filing, manifest, running, runs


@contextmanager
def resumed(
    run_id: str,
    limits: Limits,
    parallel: int,
    said: Callable[[str], None],
    *,
    heavy: bool | None = None,
) -> Iterator[Prepared]:
    """Take up a run that was killed, or one that was interrupted or met a limit.

    One without a receipt goes on under its own id. One with a receipt keeps it, and a new run takes
    its finished sessions over.

    Args:
        run_id: The run.
        limits: The limits from now on; what it spent before counts.
        parallel: Sessions at a time.
        said: Is told what a person should know.
        heavy: Whether sessions run one at a time all the same; None means as at its start.

    Raises:
        ReceiptsError: There is no such run, it is going on, or it has nothing left to do.
    """
    folder = running.find(run_id)
    records = Journal(folder).records()
    start = next((record for record in records if record.get("kind") == "start"), None)
    if start is None:
        raise UsageError(
            f"The run {run_id} cannot be continued: its journal has no beginning.",
            "It was imported, or ended before its first step; start a new one.",
        )
    with running.held(folder):
        has_run = any(record.get("kind") == "session" for record in records)
        for needed in (STAGED, *(["transcripts"] if has_run else [])):
            if not (folder / needed).is_dir():
                raise UsageError(
                    f"The run {run_id} cannot be continued: its folder `{needed}` is gone.",
                    "`receipts clean` removes it from old runs; start a new run.",
                )
        refuse_spent(run_id, records, limits)
        resumed_from = None
        if _is_complete(folder / runs.SELF_CHECK):
            raise UsageError(f"The run {run_id} is complete; there is nothing to continue.")
        if (folder / runs.RECEIPT).exists():
            found = [run for run in runs.find_run(run_id) if run.path == folder]
            if not found:
                raise UsageError(
                    f"The run {run_id} cannot be continued: its receipt cannot be used.",
                    "`receipts list` says why; start a new run.",
                )
            receipt = found[0].file.receipt
            if receipt is None or receipt.execution_status == "complete":
                raise UsageError(f"The run {run_id} is complete; there is nothing to continue.")
            if continued := _continued_as(folder):
                raise UsageError(
                    f"The run {run_id} was already continued, as {continued}.",
                    "Continue that one, or start a new run.",
                )
            resumed_from, folder = run_id, _taken_over(folder, str(start["digest"]))
        try:
            prepared = _recalled(folder, start, limits, resumed_from)
            is_heavy = bool(prepared.identity.beside.get("heavy")) if heavy is None else heavy
            evidence = str(prepared.identity.beside.get("heavy_evidence", ""))
            name = prepared.plan.skill_name
            pace_now = pace.at_a_time(parallel, Heaviness(is_heavy, evidence), name, said)
            yield prepared._replace(plan=replace(prepared.plan, parallel=pace_now))
        finally:
            if resumed_from:
                remove_if_unused(folder)
    said(f"Continued as run {folder.name}." if resumed_from else f"Continued run {run_id}.")


def _is_complete(document: Path) -> bool:
    return _read(document).get("execution_status") == "complete"


def _continued_as(folder: Path) -> str | None:
    """Return the run that took over the sessions of a run, or None."""
    for other in sorted(folder.parent.iterdir()):
        provenance = _read(other / runs.RECEIPT).get("provenance")
        if isinstance(provenance, dict) and provenance.get("resumed_from") == folder.name:
            return other.name
    return None


def _read(path: Path) -> dict[str, Any]:
    with suppress(FileNotFoundError, NotADirectoryError, StoreError, jsontext.JsonError):
        document = jsontext.loads(read_limited(path, jsontext.LIMIT, follow_links=False))
        return document if isinstance(document, dict) else {}
    return {}


def _recalled(
    folder: Path, start: dict[str, Any], limits: Limits, resumed_from: str | None
) -> Prepared:
    """Return a run as its journal's first line says it was prepared.

    Raises:
        UsageError: The line is of another version.
    """
    try:
        agent = agents.find(start["agent"])
        refuse_unkept(agent, limits)
        version = agent.version()
        loaded = assets.load(folder / STAGED / CANDIDATE / "evals")
        names = [arm["name"] for arm in start["arms"]]
        arms = tuple(
            Arm(
                arm["name"],
                folder / STAGED / arm["staged"] if arm["staged"] else None,
                arm["version"],
            )
            for arm in start["arms"]
        )
        plan = Plan(
            folder=folder,
            skill_name=start["skill"],
            agent=agent,
            arms=arms,
            assets=loaded,
            cases=tuple(case for case in loaded.cases if case.name in start["cases"]),
            suite=start["suite"],
            triggers=start["triggers"],
            k=start["k"],
            model=start["model"],
            judge_model=start["judge_model"],
            parallel=1,
            limits=limits,
            catalogue=start["catalogue"],
            dependencies=surroundings.taken(folder),
        )
        identity = document.Identity(
            run_id=folder.name,
            digest=start["digest"],
            handle=start["handle"],
            skill_id=start["skill_id"],
            agent_version=start["agent_version"],
            started=datetime.fromisoformat(start["started"]),
            selection=tuple(start["selection"]),
            private=start["private"],
            resumed_from=resumed_from,
            beside=dict(start["beside"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"The run {folder.name} was begun by another version of receipts: {error!r}.",
            "Start a new one.",
        ) from error
    if version != start["agent_version"]:
        raise EvalError(
            f"The run {folder.name} was begun with {start['agent_version']}, not {version}.",
            "Its sessions would not be comparable; start a new run.",
        )
    if CANDIDATE not in names:
        raise UsageError(f"The run {folder.name} has no candidate.")
    return Prepared(
        plan,
        identity,
        Path(start["source"]),
        start["team"],
        start["commit"],
        start["baseline_twice"],
        loaded.digest,
    )


def first_line(
    request: Request, plan: Plan, identity: document.Identity, source: Path
) -> dict[str, Any]:
    """Return the journal's first line: all that continuing the run needs."""
    return {
        "kind": "start",
        "skill": plan.skill_name,
        "source": str(source),
        "digest": identity.digest,
        "started": identity.started.isoformat(),
        "agent": plan.agent.reference,
        "agent_version": identity.agent_version,
        "arms": [
            {
                "name": arm.name,
                "staged": arm.skill.name if arm.skill else None,
                "version": arm.version,
            }
            for arm in plan.arms
        ],
        "cases": [case.name for case in plan.cases],
        "selection": list(request.cases),
        "suite": plan.suite,
        "triggers": plan.triggers,
        "k": plan.k,
        "model": plan.model,
        "judge_model": plan.judge_model,
        "catalogue": dict(plan.catalogue),
        "handle": identity.handle,
        "skill_id": identity.skill_id,
        "private": identity.private,
        "team": request.team,
        "commit": request.commit,
        "baseline_twice": request.baseline_twice,
        "beside": dict(identity.beside),
    }


def _taken_over(folder: Path, content: str) -> Path:
    """Claim a new run that begins with what another one finished."""
    fresh = filing.claim(content, runid.from_time(datetime.now(UTC)))
    try:
        for name in (manifest.NAME, "journal.jsonl"):
            shutil.copyfile(folder / name, fresh / name)
        for name in ("transcripts", STAGED):
            shutil.copytree(folder / name, fresh / name, symlinks=True)
        make_private_dir(fresh / "sandboxes")
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise EvalError(f"Cannot copy the run {folder.name}: {error.strerror or error}.") from error
    return fresh

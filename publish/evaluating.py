"""`receipts eval` of one skill: what is measured, the run, its receipt, and who gets that."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from publish import incumbent, repository, sharing
from publish.snapshot import Snapshot
from receipts import agents, digest, runid, scrub, skillmd
from receipts.arms import assets, document, engine, staging
from receipts.arms.journal import Journal
from receipts.arms.listening import Listener
from receipts.arms.plan import BASELINE, CANDIDATE, INCUMBENT, Arm, Limits, Plan
from receipts.errors import EvalError, ReceiptsError, SkillError, UsageError
from receipts.files import make_private_dir, write_atomic
from store import config, filing, manifest, running, runs
from store.config import TeamEntry

STAGED = "staged"
_TRIES = 3  # copies of a folder that is being written to, until one is of a piece


@dataclass(frozen=True)
class Request:
    """What was asked for.

    Attributes:
        folder: The skill's folder.
        agent: `claude`, `codex` or `command:<template>`.
        cases: Only these cases; empty means all, with the suite.
        model: None means the agent's own default.
        judge_model: None means the model.
        baseline_twice: Compare the baseline with itself, to see what the instrument alone produces.
    """

    folder: Path
    agent: str = "claude"
    team: str | None = None
    k: int = 1
    cases: tuple[str, ...] = ()
    execution: bool = True
    triggers: bool = True
    model: str | None = None
    judge_model: str | None = None
    parallel: int = 4
    limits: Limits = field(default_factory=Limits)
    commit: bool = True
    private: bool = False
    baseline_twice: bool = False


class Finished(NamedTuple):
    """A run that ended.

    Attributes:
        folder: Where it is kept.
        receipt: The receipt's bytes, or None when nothing was scored before it was interrupted.
        shown: The receipt with what a private run leaves out of it.
        trigger_rows: The rows of its trigger prompts.
        warnings: What a reader should know beside the report, a sentence each.
        last_line: What became of the receipt, or None.
        interrupted: Whether it was ended before its time by the person.
    """

    folder: Path
    receipt: bytes | None
    shown: bytes
    trigger_rows: list[dict[str, Any]]
    warnings: list[str]
    last_line: str | None
    interrupted: bool
    failed: bool


class Prepared(NamedTuple):
    """A run that can start: its plan, and what its receipt will say beside the numbers."""

    plan: Plan
    identity: document.Identity
    source: Path
    team: str | None
    commit: bool
    baseline_twice: bool
    evals_digest: str


@contextmanager
def prepared(request: Request, said: Callable[[str], None]) -> Iterator[Prepared]:
    """Check everything that can refuse a run, and make its folder; nothing is paid for yet.

    The folder is held while the block runs, and is removed again when nothing was done in it.

    Raises:
        ReceiptsError: The folder, its cases, the agent or the state of this machine.
    """
    source = request.folder.resolve()
    agent = agents.find(request.agent)
    version = agent.version()
    checked = assets.load(source / "evals")
    for warning in checked.warnings:
        said(f"warning: {warning}")
    started = datetime.now(UTC)
    entry = _team(request.team)
    folder, measured = _claim(source, started, baseline_twice=request.baseline_twice)
    try:
        with running.held(folder):
            staged = folder / STAGED / CANDIDATE
            loaded = assets.load(staged / "evals")
            skill_id, arms = _arms(
                request, entry, staged, measured.digest, source.name, folder, said
            )
            model = request.model or agent.default_model
            plan = Plan(
                folder=folder,
                skill_name=source.name,
                agent=agent,
                arms=arms,
                assets=loaded,
                cases=_selected(loaded, request, source.name, said),
                suite=request.execution and loaded.suite is not None and not request.cases,
                triggers=request.triggers and loaded.triggers is not None and not request.cases,
                k=request.k,
                model=model,
                judge_model=request.judge_model or model,
                parallel=request.parallel,
                limits=request.limits,
                catalogue=_catalogue(source),
            )
            if not (plan.units or plan.triggers):
                raise EvalError(
                    f"There is nothing to run for {source.name}: nothing is selected.",
                    "See `receipts eval --help` for what selects them.",
                )
            identity = document.Identity(
                run_id=folder.name,
                digest=measured.digest,
                handle=entry.handle if entry and entry.handle else "local",
                skill_id=skill_id,
                agent_version=version,
                started=started,
                selection=request.cases,
                private=request.private,
            )
            write_atomic(folder / manifest.NAME, manifest.encode(measured.files))
            Journal(folder).append(_start(request, plan, identity, source))
            yield Prepared(
                plan,
                identity,
                source,
                request.team,
                request.commit,
                request.baseline_twice,
                loaded.digest,
            )
    finally:
        _remove_if_unused(folder)


def run(prepared_run: Prepared, listener: Listener, stop: threading.Event) -> Finished:
    """Run what was prepared, file its receipt and share it where it belongs.

    Raises:
        EvalError: The agent, a model or the arms are not what they must be; nothing was scored.
    """
    plan = prepared_run.plan
    out = engine.run(plan, listener, stop)
    identity = replace(prepared_run.identity, changed=_changed(prepared_run))
    secrets = scrub.secrets_from(os.environ)
    warnings = _warnings(prepared_run, identity)
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
    if (out.interrupted and not scored) or prepared_run.baseline_twice:
        if prepared_run.baseline_twice:
            write_atomic(plan.folder / "aa.json", shown)
        return Finished(plan.folder, None, shown, rows, warnings, None, out.interrupted, failed)
    data = document.receipt(plan, out, identity, secrets)
    write_atomic(plan.folder / runs.RECEIPT, data)
    last = None if out.interrupted else _share(prepared_run)
    return Finished(plan.folder, data, shown, rows, warnings, last, out.interrupted, failed)


@contextmanager
def resumed(
    run_id: str, limits: Limits, parallel: int, said: Callable[[str], None]
) -> Iterator[Prepared]:
    """Take up a run that was killed, or one that was interrupted or met a limit.

    One without a receipt goes on under its own id. One with a receipt keeps it, and a new run takes
    its finished sessions over.

    Raises:
        ReceiptsError: There is no such run, it is going on, or it has nothing left to do.
    """
    folder = running.find(run_id)
    start = next((r for r in Journal(folder).records() if r.get("kind") == "start"), None)
    if start is None:
        raise UsageError(
            f"The run {run_id} cannot be continued: it has no journal.",
            "It was imported, or ended before its first step; start a new one.",
        )
    with running.held(folder):
        resumed_from = None
        if (folder / runs.RECEIPT).exists():
            receipt = runs.find_run(run_id)[0].file.receipt
            if receipt is None or receipt.execution_status == "complete":
                raise UsageError(f"The run {run_id} is complete; there is nothing to continue.")
            resumed_from, folder = run_id, _taken_over(folder, str(start["digest"]))
        try:
            yield _recalled(folder, start, limits, parallel, resumed_from)
        finally:
            if resumed_from:
                _remove_if_unused(folder)
    said(f"Continued as run {folder.name}." if resumed_from else f"Continued run {run_id}.")


def _recalled(
    folder: Path, start: dict[str, Any], limits: Limits, parallel: int, resumed_from: str | None
) -> Prepared:
    """Return a run as its journal's first line says it was prepared.

    Raises:
        UsageError: The line is of another version.
    """
    try:
        agent = agents.find(start["agent"])
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
            parallel=parallel,
            limits=limits,
            catalogue=start["catalogue"],
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


def _start(
    request: Request, plan: Plan, identity: document.Identity, source: Path
) -> dict[str, Any]:
    """Return the journal's first line: all that continuing the run needs."""
    return {
        "kind": "start",
        "skill": plan.skill_name,
        "source": str(source),
        "digest": identity.digest,
        "started": identity.started.isoformat(),
        "agent": request.agent,
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
    }


def _claim(
    source: Path, started: datetime, *, baseline_twice: bool
) -> tuple[Path, digest.Measured]:
    """Make the run's folder under the digest of a copy of the skill, and put the copy into it."""
    for _ in range(_TRIES):
        measured = digest.measure(source)
        run_id = runid.from_time(started)
        folder = filing.claim(measured.digest, run_id, self_check=baseline_twice)
        try:
            staging.take(source, folder / STAGED / CANDIDATE)
            staged = digest.measure(folder / STAGED / CANDIDATE)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        if staged.digest == measured.digest:
            return folder, staged
        shutil.rmtree(folder, ignore_errors=True)
    raise SkillError(
        f"{source} is being written to: no two copies of it are alike.", "Wait, then run again."
    )


def _arms(
    request: Request,
    entry: TeamEntry | None,
    staged: Path,
    content: str,
    name: str,
    folder: Path,
    said: Callable[[str], None],
) -> tuple[str | None, tuple[Arm, ...]]:
    """Return the skill's id and the arms: baseline, candidate, and the team's incumbent if any."""
    skill_id = _declared_id(staged)
    if request.baseline_twice:
        return skill_id, (Arm(BASELINE, None), Arm(CANDIDATE, None))
    two = (Arm(BASELINE, None), Arm(CANDIDATE, staged))
    if entry is None:
        return skill_id, two
    try:
        with repository.opened(entry) as opened:
            snapshot = _fetched(opened, said)
            if snapshot is None:
                return skill_id, two
            skill_id = skill_id or (
                snapshot.skill_id(name, or_older=True) if snapshot.is_skill(name) else None
            )
            found = incumbent.find(snapshot, name, content, skill_id)
            if found is None or not request.execution:
                return skill_id, two
            incumbent.write(snapshot, found, folder / STAGED / INCUMBENT)
            repository.remember(opened)
    except EvalError:
        raise
    except ReceiptsError as error:
        said(f"note: no incumbent: {error}")
        return skill_id, two
    return skill_id, (*two, Arm(INCUMBENT, folder / STAGED / INCUMBENT, found.version.label))


def _fetched(opened: repository.Repository, said: Callable[[str], None]) -> Snapshot | None:
    try:
        return opened.fetch()
    except ReceiptsError as error:
        said(f"note: {opened.name} could not be refreshed: {error.message}")
    with suppress(ReceiptsError):
        return opened.snapshot()
    return None


def _team(name: str | None) -> TeamEntry | None:
    teams = config.teams()
    return config.team(name) if name or len(teams) == 1 else None


def _selected(
    loaded: assets.Assets, request: Request, name: str, said: Callable[[str], None]
) -> tuple[assets.Case, ...]:
    if not request.execution:
        return ()
    known = {case.name: case for case in loaded.cases}
    for wanted in request.cases:
        if wanted not in known:
            from receipts.nearest import did_you_mean

            near = did_you_mean(wanted, known)
            raise UsageError(f"No eval case named {wanted} for {name}.", near or "")
    if request.cases and loaded.suite:
        said(
            f"Skipping evals/suite.yaml: --case {request.cases[0]} names an authored case; "
            "the suite runs only in a full run."
        )
    return tuple(c for c in loaded.cases if not request.cases or c.name in request.cases)


def _catalogue(source: Path) -> dict[str, str]:
    """Return name and description of the skills beside this one, itself included."""
    found = {}
    for folder in {source, *(entry for entry in source.parent.iterdir() if entry.is_dir())}:
        with suppress(OSError):
            text = (folder / digest.SKILL_MD).read_bytes()[: 256 << 10].decode("utf-8", "replace")
            described = (skillmd.fields(text) or {}).get("description")
            found[folder.name] = described if isinstance(described, str) else ""
    return found


def _declared_id(staged: Path) -> str | None:
    with suppress(OSError):
        return Snapshot.declared_id((staged / digest.SKILL_MD).read_bytes())
    return None


def _changed(prepared_run: Prepared) -> tuple[bool, bool]:
    """Say whether the folder's content and its evaluation assets are other than those staged."""
    try:
        content = digest.content_digest(prepared_run.source) != prepared_run.identity.digest
    except ReceiptsError:
        return True, True
    try:
        evals = assets.load(prepared_run.source / "evals").digest != prepared_run.evals_digest
    except ReceiptsError:
        evals = True
    return content, evals


def _warnings(prepared_run: Prepared, identity: document.Identity) -> list[str]:
    content, evals = identity.changed
    warnings = []
    if content:
        warnings.append(
            f"{prepared_run.source} changed while it was evaluated. The receipt is of the bytes as "
            f"they were at the start ({runs.short(identity.digest)}), not as they are now."
        )
    if evals:
        warnings.append("The evaluation assets changed meanwhile; the run used the earlier ones.")
    return warnings


def _share(prepared_run: Prepared) -> str | None:
    plan = prepared_run.plan
    found = [run for run in runs.find_run(plan.folder.name) if run.path == plan.folder]
    if not found:
        return None
    return sharing.share(
        found[0],
        prepared_run.source,
        team=prepared_run.team,
        no_commit=not prepared_run.commit,
    )


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


def _remove_if_unused(folder: Path) -> None:
    """Remove a run's folder in which nothing was paid for that could be continued."""
    if (folder / runs.RECEIPT).exists() or (folder / "aa.json").exists():
        return
    kept = {"session", "trigger", "judged"}
    with suppress(ReceiptsError):
        if any(record.get("kind") in kept for record in Journal(folder).records()):
            return
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.parent.rmdir()

"""What comes before an evaluation is paid for: everything that can refuse it, and its folder."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from publish.evaluation import folders, generated, opponents, pace, resuming, surroundings
from publish.evaluation.limiting import refuse_narrow, refuse_unkept
from publish.evaluation.request import STAGED, Prepared, Request
from publish.evaluation.surroundings import Surroundings
from receipts import agents
from receipts.agents import Agent
from receipts.arms import assets, document
from receipts.arms.generation import Material, material
from receipts.arms.plan import CANDIDATE, Arm, Plan
from receipts.arms.preflight import Preflight
from receipts.errors import EvalError, UsageError
from receipts.files import write_atomic
from store import manifest, running

Said = Callable[[str], None]
Stopping = Callable[[], AbstractContextManager[threading.Event]]


def _never() -> AbstractContextManager[threading.Event]:
    return nullcontext(threading.Event())


@contextmanager
def prepared(
    request: Request,
    said: Said,
    *,
    is_answerable: bool = True,
    preflight: Preflight | None = None,
    stopping: Stopping = _never,
) -> Iterator[Prepared]:
    """Check everything that can refuse a run, and make its folder.

    Nothing is paid for yet, but for cases that had to be generated. The folder is held while the
    block runs, and is removed again when nothing was done in it.

    Args:
        request: What was asked for.
        said: Is told what a person should know beforehand.
        is_answerable: Whether there is somebody to agree to generated cases, or who has.
        preflight: Asks whether the agent answers, before cases are generated.
        stopping: Gives an event that ends the generation when a person asks to.

    Raises:
        ReceiptsError: The folder, its cases, the agent or the state of this machine.
    """
    source = request.folder.resolve()
    agent = agents.find(request.agent)
    refuse_unkept(agent, request.limits)
    version = agent.version()
    kinds = generated.wanted(request, source, said, is_answerable=is_answerable)
    checked = (assets.read if kinds else assets.load)(source / "evals")
    for warning in checked.warnings:
        said(f"warning: {warning}")
    started = datetime.now(UTC)
    entry = opponents.team(request.team)
    folder, measured = folders.claim(source, started, baseline_twice=request.baseline_twice)
    try:
        with running.held(folder):
            around = surroundings.take(source, folder, said)
            heavy = pace.heaviness_of(folder / STAGED / CANDIDATE, answer=request.heavy)
            made = None
            if kinds:
                with stopping() as stop:
                    made = generated.fill(
                        folder,
                        source,
                        kinds,
                        _material(source.name, folder, agent, around),
                        model=request.model or agent.default_model,
                        limits=request.limits,
                        preflight=preflight or Preflight(),
                        stop=stop,
                        said=said,
                    )
            skill_id, arms = opponents.arms(
                request, entry, folder, measured.digest, source.name, said
            )
            plan = _plan(request, source.name, folder, agent, arms, around, said)
            identity = document.Identity(
                run_id=folder.name,
                digest=measured.digest,
                handle=entry.handle if entry and entry.handle else "local",
                skill_id=skill_id,
                agent_version=version,
                started=started,
                selection=request.cases,
                private=request.private,
                beside={
                    "heavy": heavy.is_heavy,
                    "heavy_evidence": heavy.evidence,
                    "missing_dependencies": list(around.missing),
                    "generated_assets": sorted(made.files) if made else [],
                },
            )
            write_atomic(folder / manifest.NAME, manifest.encode(measured.files))
            parallel = pace.at_a_time(request.parallel, heavy, source.name, said)
            yield Prepared(
                replace(plan, parallel=parallel),
                identity,
                source,
                request.team,
                request.commit,
                request.baseline_twice,
                plan.assets.digest,
                resuming.first_line(request, plan, identity, source),
                made,
            )
    finally:
        folders.remove_if_unused(folder)


def _plan(
    request: Request,
    name: str,
    folder: Path,
    agent: Agent,
    arms: tuple[Arm, ...],
    around: Surroundings,
    said: Said,
) -> Plan:
    """Return what the run is going to do with what is staged in its folder.

    Raises:
        ReceiptsError: What was selected is not there, or is nothing.
    """
    loaded = assets.load(folder / STAGED / CANDIDATE / "evals")
    model = request.model or agent.default_model
    plan = Plan(
        folder=folder,
        skill_name=name,
        agent=agent,
        arms=arms,
        assets=loaded,
        cases=_selected(loaded, request, name, said),
        suite=request.execution and loaded.suite is not None and not request.cases,
        triggers=request.triggers and loaded.triggers is not None and not request.cases,
        k=request.k,
        model=model,
        judge_model=request.judge_model or model,
        parallel=request.parallel,
        limits=request.limits,
        catalogue=around.catalogue,
        dependencies=around.dependencies,
    )
    if not (plan.units or plan.triggers):
        raise EvalError(
            f"There is nothing to run for {name}: nothing is selected.",
            "See `receipts eval --help` for what selects them.",
        )
    refuse_narrow(plan)
    return plan


def _material(name: str, folder: Path, agent: Agent, around: Surroundings) -> Material:
    return material.read(
        name,
        folder / STAGED / CANDIDATE,
        agent,
        catalogue=around.catalogue,
        dependencies=around.dependencies,
    )


def _selected(
    loaded: assets.Assets, request: Request, name: str, said: Said
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

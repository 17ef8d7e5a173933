"""Cases and triggers that a model wrote for a run: kept with it, shown, and put into the skill.

They are in the run's own copy of the skill from the start. Until a person agreed they are nowhere
else, and the next run of the same bytes takes them up, so that none is paid for twice.
"""

import json
import shutil
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from publish.evaluation.folders import GENERATED
from publish.evaluation.request import STAGED, Request, shown_model
from receipts import jsontext
from receipts.arms import generation
from receipts.arms.calls import Caller
from receipts.arms.generation import CASES, TRIGGERS, Material, placing
from receipts.arms.journal import Journal
from receipts.arms.judging import Reply
from receipts.arms.plan import CANDIDATE, Limits
from receipts.arms.preflight import Preflight
from receipts.arms.spending import Spending
from receipts.errors import EvalError, ReceiptsError, StoreError
from receipts.files import make_private_dir, read_limited, write_atomic
from store import running
from store.runs import OFFER


@dataclass(frozen=True)
class Generated:
    """Files for the `evals/` of a skill that nobody has agreed to yet.

    Attributes:
        run: The run's folder.
        skill: The skill's folder.
        files: Contents by path below `evals/`.
        spent_usd: What they cost, as far as the agent said.
    """

    run: Path
    skill: Path
    files: dict[str, bytes]
    spent_usd: float

    @property
    def summary(self) -> str:
        """The line that says what was made."""
        count = sum(path.startswith(f"{CASES}/") for path in self.files)
        cases = f"generated ({count})" if count else "as they were"
        triggers = "generated" if len(self.files) > count else "as they were"
        return f"eval assets: cases: {cases} · triggers: {triggers}"

    def difference(self) -> list[str]:
        """Return what they add to the skill, as the lines of a diff."""
        lines = []
        for path, data in self.files.items():
            lines += ["--- /dev/null", f"+++ {self.skill.name}/evals/{path}"]
            lines += [f"+{line}" for line in data.decode().splitlines()]
        return lines

    def accept(self) -> None:
        """Put the files into the skill, and their cost into the run's journal.

        Raises:
            ReceiptsError: They cannot be put there; then none is.
        """
        placing.put(self.files, self.skill)
        Journal(self.run).append({"kind": GENERATED, "spent": self.spent_usd})
        (self.run / OFFER).unlink(missing_ok=True)

    def decline(self) -> None:
        """Keep the files with the run alone; no later run takes them up."""
        (self.run / OFFER).unlink(missing_ok=True)


def wanted(
    request: Request, skill: Path, said: Callable[[str], None], *, is_answerable: bool
) -> tuple[str, ...]:
    """Return the kinds of assets to generate: those that a run wants and the skill lacks.

    Where nobody could agree to them, a run does without what is only a part of it.

    Args:
        request: What was asked for.
        skill: The skill's folder.
        said: Is told what the run does without.
        is_answerable: Whether there is somebody to agree, or who has.

    Raises:
        EvalError: The assets that are there cannot be used, or something else is in their place.
    """
    if not request.generate or request.cases:
        return ()
    evals = skill / "evals"
    kinds = generation.missing(evals, execution=request.execution, triggers=request.triggers)
    if len(kinds) < request.execution + request.triggers and kinds and not is_answerable:
        said(
            f"note: {skill.name} has no {kinds[0]}, so none run. They are generated where somebody "
            "can agree to them: on a terminal, or with --yes."
        )
        return ()
    if CASES in kinds:
        placing.refuse_taken(evals)
    return kinds


def fill(
    run: Path,
    skill: Path,
    kinds: Collection[str],
    material: Material,
    *,
    model: str,
    limits: Limits,
    preflight: Preflight,
    stop: threading.Event,
    said: Callable[[str], None],
) -> Generated:
    """Fill a run's copy of a skill with the kinds of assets that it lacks.

    Args:
        run: The run's folder, with the skill staged in it.
        skill: The skill's own folder.
        kinds: What is missing.
        material: What the model is given.
        model: The model.
        limits: Those of the run.
        preflight: Asks first whether the model answers.
        stop: Ends it.
        said: Is told what is going on.

    Raises:
        ReceiptsError: Nothing usable came of it.
        KeyboardInterrupt: It was stopped.
    """
    offer = {"kinds": sorted(kinds), "model": model}
    earlier = _taken_over(run, offer)
    if earlier:
        said(f"Using what run {earlier} generated for these bytes; nobody had agreed to it yet.")
    else:
        words = shown_model(material.agent.name, model)
        said(f"Generating {' and '.join(sorted(kinds))} for {skill.name} with {words}…")
        spending = Spending(limits)
        spending.add(preflight.check(material.agent, model, run, stop))
        caller = Caller(material.agent, run, spending, stop)
        files = generation.generate(
            kinds,
            material,
            lambda question: _ask(caller, spending, question, model),
            model=model,
            now=datetime.now(UTC),
            stop=stop,
        )
        for path, data in files.items():
            make_private_dir((run / GENERATED / path).parent)
            write_atomic(run / GENERATED / path, data)
        document = {**offer, "spent_usd": spending.cost_usd}
        write_atomic(run / OFFER, json.dumps(document).encode() + b"\n")
    made = Generated(run, skill, _files(run), _offer(run).get("spent_usd", 0.0))
    for path, data in made.files.items():
        target = run / STAGED / CANDIDATE / "evals" / path
        make_private_dir(target.parent)
        write_atomic(target, data)
    return made


def _ask(caller: Caller, spending: Spending, question: str, model: str) -> Reply:
    if not spending.may_ask():
        raise EvalError(f"{spending.reached}, and the cases are not generated yet.")
    return caller.ask(question, model, "generation", seconds=generation.SECONDS)


def _files(run: Path) -> dict[str, bytes]:
    """Return what is kept of a run's generated files, the cases first."""
    top = run / GENERATED
    paths = [*sorted(top.glob(f"{CASES}/*.yaml")), *sorted(top.glob(f"{TRIGGERS}.yaml"))]
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in paths}


def _offer(run: Path) -> dict[str, Any]:
    """Return what a run generated that nobody has answered, or an empty map."""
    with suppress(FileNotFoundError, StoreError, jsontext.JsonError):
        document = jsontext.loads(read_limited(run / OFFER, 1 << 16, follow_links=False))
        return document if isinstance(document, dict) else {}
    return {}


def _taken_over(run: Path, wanted: dict[str, Any]) -> str | None:
    """Move what an earlier run of these bytes generated into this one, and return its id."""
    for other in sorted(run.parent.iterdir(), reverse=True):
        offer = _offer(other)
        if other == run or {key: offer.get(key) for key in wanted} != wanted:
            continue
        try:
            with running.held(other):
                for name in (GENERATED, OFFER):
                    (other / name).rename(run / name)
        except (OSError, ReceiptsError):  # another process is asking about it this moment
            continue
        shutil.rmtree(other, ignore_errors=True)
        return other.name
    return None

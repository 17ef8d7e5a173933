"""One skill evaluated for a person who watches: what is to come, their answer, the run."""

import threading
from contextlib import AbstractContextManager
from typing import NamedTuple

from publish.evaluation import progress, running
from publish.evaluation.generated import Generated
from publish.evaluation.request import Finished, Prepared, shown_model
from publish.evaluation.stopping import stopping
from receipts import terminal
from receipts.arms import extent
from receipts.arms.journal import Journal
from receipts.arms.plan import Plan
from receipts.arms.preflight import Preflight
from receipts.errors import Cancelled, EvalError, ReceiptsError
from receipts.options import confirm


class Manner(NamedTuple):
    """How a person is told and asked.

    Attributes:
        progress: The way to show what is going on; see `progress.WAYS`.
        yes: Whether every question is answered with yes.
    """

    progress: str
    yes: bool

    @property
    def is_answerable(self) -> bool:
        """Whether a question gets an answer."""
        return self.yes or terminal.is_interactive()


def evaluate(
    opened: AbstractContextManager[Prepared], manner: Manner, preflight: Preflight
) -> Finished:
    """Evaluate what is prepared when `opened` is entered.

    Raises:
        ReceiptsError: It could not be prepared or run, or the person said no.
        KeyboardInterrupt: It was interrupted before there was anything to keep.
    """
    with opened as prepared:
        terminal.say(expected(prepared.plan))
        if prepared.generated:
            _agree(prepared.generated, manner)
        with stopping() as stop:
            shown = progress.chosen(manner.progress, prepared.plan)
            beside = threading.Thread(target=_beside, args=(prepared, shown))
            beside.start()
            try:
                return running.run(prepared, shown, stop, preflight)
            except OSError as error:
                where = f" ({error.filename})" if error.filename else ""
                raise EvalError(
                    f"The run cannot go on: {error.strerror or error}{where}.",
                    f"What ran is kept; `receipts eval --resume {prepared.plan.folder.name}` goes "
                    "on.",
                ) from error
            finally:
                beside.join()
                shown.close()


def _beside(prepared: Prepared, shown: progress.Progress) -> None:
    """Say what a run will take, and load what its end needs: neither holds up its first session."""
    from publish import sharing
    from publish.evaluation import estimating

    del sharing
    if prepared.start is not None and prepared.plan.units:
        try:
            shown.said(estimating.line(prepared.plan, prepared.identity.skill_id))
        except (ReceiptsError, OSError) as error:
            shown.said(f"note: no estimate from earlier runs: {error}")


def expected(plan: Plan) -> str:
    """Return the line that says how much a run starts at most."""
    most = extent.of(plan)
    done = sum(record.get("kind") == "session" for record in Journal(plan.folder).records())
    parts = []
    if most.sessions:
        each = "a failed one is tried twice"
        ran = f"{done} of them are done; " if done else ""
        parts.append(f"{most.sessions} sessions ({ran}{each})")
    if most.judge_calls:
        parts.append(f"at most {most.judge_calls} judge calls")
    if most.trigger_calls:
        parts.append(f"{most.trigger_calls} trigger calls")
    limits = []
    if plan.limits.sessions is not None:
        limits.append(f"--max-sessions {plan.limits.sessions}")
    if plan.limits.cost_usd is not None:
        limits.append(f"--max-cost {plan.limits.cost_usd:g}")
    until = f"; it stops at {' and '.join(limits)}" if limits else ""
    model = shown_model(plan.agent.name, plan.model)
    return f"{plan.skill_name} with {model}: {', '.join(parts)}{until}."


def _agree(made: Generated, manner: Manner) -> None:
    """Show what was generated, and put it into the skill if the person agrees.

    Raises:
        NeedsAnswer: There is nobody to ask.
        Cancelled: The person said no.
    """
    for line in made.difference():
        terminal.say(line)
    terminal.say(made.summary)
    place = made.run / "generated"
    if not manner.yes:
        terminal.say(
            f"They are kept in {place}, and not yet in {made.skill / 'evals'}. The same files are "
            "used when this is run again with --yes."
        )
    answer = True if manner.yes else None
    if not confirm("Add these files to the skill and run them?", answer=answer, flag="--yes"):
        made.decline()
        raise Cancelled(f"Nothing was added to {made.skill}.", f"The files stay in {place}.")
    made.accept()
    terminal.say(
        f"Generated assets: {place} — this run's copy, kept for the record; the skill folder now "
        "holds them too. Review before trusting them."
    )

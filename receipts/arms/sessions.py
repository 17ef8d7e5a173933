"""One session of a unit in one arm: its sandbox, at most two attempts, and its checks."""

import contextlib
import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from receipts.agents import Failure, Session, Task, plain_environment
from receipts.arms import checks, sandbox
from receipts.arms.contamination import Gate
from receipts.arms.journal import Journal
from receipts.arms.listening import Listener
from receipts.arms.plan import Arm, Plan, Unit
from receipts.arms.samples import CheckOutcome, Ran
from receipts.arms.sandbox import Sandbox, SeedError
from receipts.arms.spending import Spending
from receipts.terminal import one_line

# Trying these again costs as much and ends the same way.
_FINAL = frozenset(
    {"timeout", "turn-limit", "contaminated", "not-logged-in", "no-such-model", "disk-full"}
)
# What ends one session of these ends the next as well.
_ENDS_THE_RUN = {
    "not-logged-in": "the agent is no longer logged in",
    "no-such-model": "the model is no longer there",
    "disk-full": "the disk is running full",
}


@dataclass
class Seeded:
    """The sandboxes of a unit in these arms, made before the first of its sessions is paid for.

    `is_admitted` says whether the run's limits have room for all of its sessions.
    """

    arms: tuple[Arm, ...]
    lock: threading.Lock = field(default_factory=threading.Lock)
    sandboxes: dict[str, Sandbox] = field(default_factory=dict)
    failure: SeedError | None = None
    is_admitted: bool = False


@dataclass(frozen=True)
class Seen:
    """What a check sees of a session: its text in pieces, and the commands that it ran."""

    plan: Plan
    transcript: Path
    text: str

    def pieces(self) -> Iterator[str]:
        """Yield the final text, then every text and tool call's input, in order."""
        return itertools.chain([self.text], self.plan.agent.pieces(self.transcript))

    def commands(self) -> Iterator[str]:
        """Yield the shell commands, in order."""
        return self.plan.agent.commands(self.transcript)


class Sessions:
    """Runs sessions; threads may run several at once."""

    def __init__(
        self,
        plan: Plan,
        spending: Spending,
        gate: Gate,
        listener: Listener,
        stop: threading.Event,
        journal: Journal,
    ) -> None:
        self._plan = plan
        self._journal = journal
        self._spending = spending
        self._gate = gate
        self._listener = listener
        self._stop = stop
        self._transcripts = plan.folder / "transcripts"
        self._transcripts.mkdir(mode=0o700, parents=True, exist_ok=True)

    def seed(self, unit: Unit, seeded: Seeded) -> bool:
        """Make the sandboxes of a unit once, of all its arms; return whether they could be made.

        When they could, the unit is admitted if the limits have room for all its sessions.
        """
        with seeded.lock:
            if not seeded.sandboxes and seeded.failure is None:
                try:
                    seeded.sandboxes = {arm.name: self._sandbox(unit, arm) for arm in seeded.arms}
                except SeedError as error:
                    seeded.failure = error
                else:
                    seeded.is_admitted = self._spending.reserve(len(seeded.arms))
            return seeded.failure is None

    def run(self, unit: Unit, arm: Arm, place: Sandbox) -> Ran | None:
        """Run a session in a sandbox, twice if the first attempt fails.

        Returns:
            What came of it, or None when the run was stopped or may start no more.
        """
        label = f"  {unit.case.name} rep{unit.rep} {arm.name}"
        if not self._spending.start():
            return None
        self._listener.session(unit, arm.name, "running")
        session = self._attempt(unit, arm, place)
        failure = session.failure
        if failure is None or failure.kind in _FINAL or self._stop.is_set():
            return self._settled(unit, arm, place, session, label, retried=False)
        kept = self._transcript(unit, arm)
        with contextlib.suppress(OSError):  # it may not even have started
            kept.replace(kept.with_name(f"{kept.stem}.attempt-1.jsonl"))
        self._listener.said(f"{label}: agent run failed, retrying once: {one_line(failure.reason)}")
        if not self._spending.start_another():
            return None
        try:
            place = self._sandbox(unit, arm)
        except SeedError as error:
            self._spending.ended(None, failed=True)
            session = replace(session, failure=Failure("crashed", error.detail), cost_usd=None)
        else:
            session = self._attempt(unit, arm, place)
        return self._settled(unit, arm, place, session, label, retried=True)

    def _settled(
        self, unit: Unit, arm: Arm, place: Sandbox, session: Session, label: str, *, retried: bool
    ) -> Ran | None:
        """Return what came of a session's last attempt; None when the run was stopped in it."""
        failure = session.failure
        if failure is None:
            return self._ran(unit, arm, place, session, retried=retried)
        if failure.kind == "stopped":
            return None
        if why := _ENDS_THE_RUN.get(failure.kind):
            self._spending.end(why)
        self._say_dead(label, failure, retried=retried)
        return self._of(unit, arm, place, session, failure, {}, retried=retried)

    def _sandbox(self, unit: Unit, arm: Arm) -> Sandbox:
        place = sandbox.new(self._plan.folder)
        plan = self._plan
        sandbox.seed(
            place, unit.case, arm, plan.skill_name, plan.agent, plan.dependencies, self._stop
        )
        return place

    def _attempt(self, unit: Unit, arm: Arm, place: Sandbox) -> Session:
        task = Task(
            prompt=unit.case.task,
            folder=place.folder,
            home=place.home,
            transcript=self._transcript(unit, arm),
            model=self._plan.model,
            max_turns=unit.case.max_turns,
            timeout=unit.case.timeout_minutes * 60,
        )
        try:
            session = self._plan.agent.run(
                task, stop=self._stop, on_skills=lambda skills: self._gate.report(arm.name, skills)
            )
        except OSError as error:
            session = Session(failure=_lost(error))
        which = {"case": unit.case.name, "rep": unit.rep, "arm": arm.name}
        self._journal.append({"kind": "attempt", **which, "spent": session.cost_usd})
        self._spending.ended(session.cost_usd, failed=session.failure is not None)
        if session.failure is None and (difference := self._gate.differs(arm.name, session.skills)):
            return replace(session, failure=Failure("contaminated", difference))
        return session

    def _ran(
        self, unit: Unit, arm: Arm, place: Sandbox, session: Session, *, retried: bool
    ) -> Ran | None:
        self._listener.session(unit, arm.name, "checking", session.cost_usd)
        seen = Seen(self._plan, self._transcript(unit, arm), session.text)
        outcomes = {}
        try:
            environment = plain_environment(place.home)
            for case, wanted in unit.checks.items():
                results = checks.evaluate_all(wanted, place.folder, seen, environment, self._stop)
                outcomes[case] = tuple(CheckOutcome(*result) for result in results)
        except OSError as error:
            return self._of(unit, arm, place, session, _lost(error), {}, retried=retried)
        if self._stop.is_set():
            return None  # a check may have been cut short, and a hole is not a failure
        return self._of(unit, arm, place, session, None, outcomes, retried=retried)

    def _of(
        self,
        unit: Unit,
        arm: Arm,
        place: Sandbox,
        session: Session,
        failure: Failure | None,
        outcomes: dict[str, tuple[CheckOutcome, ...]],
        *,
        retried: bool,
    ) -> Ran:
        return Ran(
            case=unit.case.name,
            rep=unit.rep,
            arm=arm.name,
            reason=(failure.reason or failure.kind) if failure else None,
            kind=failure.kind if failure else None,
            retried=retried,
            checks=outcomes,
            skills=session.skills,
            turns=session.turns,
            duration_ms=session.duration_ms,
            cost_usd=session.cost_usd,
            tokens=session.tokens,
            model_id=session.model_id,
            spawned_agents=session.spawned_agents,
            oddities=session.oddities,
            transcript=self._transcript(unit, arm).name,
            sandbox=str(place.folder),
        )

    def _say_dead(self, label: str, failure: Failure, *, retried: bool) -> None:
        reason = one_line(failure.reason)
        if failure.kind == "timeout":
            self._listener.said(f"{label}: timed out, not retried: {reason}")
        elif retried:
            self._listener.said(f"{label}: agent run failed twice, scoring empty: {reason}")
        else:
            self._listener.said(f"{label}: agent run failed, not retried: {reason}")

    def _transcript(self, unit: Unit, arm: Arm) -> Path:
        return self._transcripts / f"{unit.case.name}.{arm.name}.{unit.rep}.jsonl"


def _lost(error: OSError) -> Failure:
    """Return the failure of a session that took its own folders or transcript away."""
    name = Path(str(error.filename)).name if error.filename else ""
    where = f" ({name})" if name else ""
    reason = f"its sandbox, home or transcript is no longer usable: {error.strerror}{where}"
    return Failure("crashed", reason)

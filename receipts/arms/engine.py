"""One evaluation by arms, from its plan to its rows.

Everything that can refuse comes before the first paid session, but for what a session itself has to
say of its skills. Each thing done is in the journal before anything relies on it, so that a run
that was killed goes on where it ended.
"""

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from receipts.arms import deciding, judging, requirements, sandbox, selection
from receipts.arms.calls import Caller
from receipts.arms.contamination import Gate
from receipts.arms.deciding import Bench
from receipts.arms.journal import Journal
from receipts.arms.listening import Listener
from receipts.arms.outcome import Outcome, recall
from receipts.arms.plan import Arm, Plan, Unit
from receipts.arms.preflight import Preflight
from receipts.arms.samples import Dropped, Row, Skipped, Trigger
from receipts.arms.sessions import Seeded, Sessions
from receipts.arms.spending import Spending
from receipts.errors import EvalError

_TICK = 0.2  # how often a waiting main thread looks up, so that a signal reaches it on every system


def run(
    plan: Plan,
    listener: Listener,
    stop: threading.Event,
    preflight: Preflight | None = None,
) -> Outcome:
    """Run what is not yet in the journal of the plan's folder, and return everything.

    Args:
        plan: What to do.
        listener: Is told how it goes.
        stop: Set by another thread or a signal to end the run; what ran is returned.
        preflight: What is known already of the agent and its models.

    Raises:
        EvalError: The agent or a model is not there, or the arms are not what they must be.
    """
    return _Run(plan, listener, stop, preflight or Preflight()).go()


class _Run:
    def __init__(
        self, plan: Plan, listener: Listener, stop: threading.Event, preflight: Preflight
    ) -> None:
        self._plan = plan
        self._preflight = preflight
        self._listener = listener
        self._asked_to_stop = stop
        # Ends the sessions, when we are asked to or when the arms turn out to differ.
        self._stop = threading.Event()
        self._journal = Journal(plan.folder)
        self._out, self._judged = recall(self._journal)
        self._spending = Spending(
            plan.limits,
            sessions=self._out.sessions,
            cost_usd=self._out.cost_usd,
            dearest_usd=self._out.dearest_usd,
            silent=self._out.silent,
        )
        known = {ran.arm: ran.skills for ran in reversed(self._out.ran) if ran.skills is not None}
        self._gate = Gate(plan, known)
        self._sessions = Sessions(
            plan, self._spending, self._gate, listener, self._stop, self._journal
        )
        self._caller = Caller(plan.agent, plan.folder, self._spending, self._stop)
        self._lock = threading.Lock()
        self._opening: list[Future[None]] = []

    def go(self) -> Outcome:
        out = self._out
        todo = self._units()
        prompts = self._prompts()
        if todo or prompts:
            self._check_models()
        with ThreadPoolExecutor(self._plan.parallel, "session") as pool:
            try:
                left = self._open(pool, todo)
                jobs = [
                    *(pool.submit(self._session, unit, seeded, arm) for unit, seeded, arm in left),
                    *(pool.submit(self._select, *prompt) for prompt in prompts),
                ]
                self._wait(jobs)
                out.triggers.sort(key=self._place_of_prompt)
                out.samples = list(deciding.samples(self._plan, out))
                out.rows = self._judge(pool)
            except BaseException:
                self._stop.set()
                raise
        out.skill_lists = dict(self._gate.lists)
        out.interrupted = self._asked_to_stop.is_set()
        out.reached = self._spending.reached
        out.cost_usd = self._spending.cost_usd
        out.sessions = self._spending.sessions
        return out

    # What is left to do

    def _units(self) -> list[tuple[Unit, Seeded]]:
        """Return the units with a session to run, each with the arms that are left to run."""
        known = {skipped.case for skipped in self._out.skipped}
        dropped = {(dropped.case, dropped.rep) for dropped in self._out.dropped}
        done = {(ran.case, ran.rep, ran.arm) for ran in self._out.ran}
        asked: dict[str, tuple[str, ...]] = {}
        todo = []
        for unit in self._plan.units:
            name = unit.case.name
            if name not in asked and name not in known:
                asked[name] = self._probe(unit)
            if name in known or asked.get(name) or unit.key in dropped:
                for arm in self._plan.arms:
                    self._listener.session(unit, arm.name, "skipped")
                continue
            arms = tuple(arm for arm in self._plan.arms if (*unit.key, arm.name) not in done)
            for ran in self._out.ran:
                if (ran.case, ran.rep) == unit.key:
                    self._listener.session(
                        unit, ran.arm, "dead" if ran.is_dead else "done", ran.cost_usd
                    )
            if arms:
                todo.append((unit, Seeded(arms)))
        return todo

    def _probe(self, unit: Unit) -> tuple[str, ...]:
        """Return the tools that a case needs and this machine lacks, and say so."""
        if not unit.case.requires:
            return ()
        with sandbox.temporary(self._plan.folder) as place:
            missing = requirements.missing(unit.case.requires, place.home, self._asked_to_stop)
        if missing:
            self._out.skipped.append(Skipped(unit.case.name, missing))
            self._journal.append({"kind": "skipped", "case": unit.case.name, "missing": missing})
            self._listener.said(
                f"  {unit.case.name}: SKIPPED (environment) — missing {', '.join(missing)}"
            )
        return missing

    def _place_of_prompt(self, trigger: Trigger) -> tuple[bool, int]:
        """Return where a prompt stands in its file; calls end in any order."""
        triggers = self._plan.assets.triggers
        prompts = (triggers.should if trigger.expected else triggers.should_not) if triggers else ()
        return not trigger.expected, prompts.index(trigger.prompt)

    def _prompts(self) -> list[tuple[str, bool]]:
        triggers = self._plan.assets.triggers if self._plan.triggers else None
        if triggers is None:
            return []
        done = {(one.prompt, one.expected) for one in self._out.triggers}
        wanted = [(p, True) for p in triggers.should] + [(p, False) for p in triggers.should_not]
        return [prompt for prompt in dict.fromkeys(wanted) if prompt not in done]

    # Before the run is paid for

    def _check_models(self) -> None:
        plan = self._plan
        models = [plan.model]
        if any(unit.rubric for unit in plan.units) and plan.judge_model != plan.model:
            models.append(plan.judge_model)
        for model in models:
            cost = self._preflight.check(plan.agent, model, plan.folder, self._asked_to_stop)
            self._spending.add(cost)
            self._journal.append({"kind": "preflight", "model": model, "spent": cost})

    def _open(
        self, pool: ThreadPoolExecutor, todo: list[tuple[Unit, Seeded]]
    ) -> list[tuple[Unit, Seeded, Arm]]:
        """Start the first session of each arm, and no other before all said their skills.

        With a limit of dollars, start no other before one said what a session costs, too.

        Returns:
            The sessions that are left to start.
        """
        started: set[tuple[str, int]] = set()
        jobs: list[Future[None]] = []
        for unit, seeded in todo:
            if (self._gate.is_open and self._spending.is_foreseeable) or self._is_over():
                break
            started.add(unit.key)
            jobs = [pool.submit(self._session, unit, seeded, arm) for arm in seeded.arms]
            while not self._gate.wait(_TICK) and not all(job.done() for job in jobs):
                self._look_up()
            self._refuse_contaminated()
            if not self._spending.is_foreseeable:
                self._wait(jobs)
                self._refuse_contaminated()
        self._opening = jobs
        return [
            (unit, seeded, arm)
            for unit, seeded in todo
            if unit.key not in started
            for arm in seeded.arms
        ]

    def _refuse_contaminated(self) -> None:
        if self._gate.problem:
            raise EvalError(
                self._gate.problem,
                f"No other session had started. {self._gate.advice}",
            )

    # Sessions

    def _session(self, unit: Unit, seeded: Seeded, arm: Arm) -> None:
        if self._stop.is_set() or (self._spending.reached and not seeded.is_admitted):
            return
        if not self._sessions.seed(unit, seeded):
            self._drop(unit, seeded)
            return
        if not seeded.is_admitted:
            return
        ran = self._sessions.run(unit, arm, seeded.sandboxes[arm.name])
        if ran is None:
            return
        with self._lock:
            self._journal.append(ran.record())
            self._out.ran.append(ran)
        self._listener.session(unit, arm.name, "dead" if ran.is_dead else "done", ran.cost_usd)

    def _drop(self, unit: Unit, seeded: Seeded) -> None:
        failure = seeded.failure
        if failure is None or self._stop.is_set():
            return
        with self._lock:
            if any((one.case, one.rep) == unit.key for one in self._out.dropped):
                return
            dropped = Dropped(unit.case.name, unit.rep, failure.kind, failure.detail)
            self._journal.append(
                {
                    "kind": "dropped",
                    "case": dropped.case,
                    "rep": dropped.rep,
                    "dropped": dropped.kind,
                    "detail": dropped.detail,
                }
            )
            self._out.dropped.append(dropped)
        self._listener.said(f"  {unit.case.name}: ABORTED ({failure.kind}) — {failure.detail}")
        for arm in self._plan.arms:
            self._listener.session(unit, arm.name, "dropped")

    def _select(self, prompt: str, expected: bool) -> None:  # noqa: FBT001 - a row of the file
        if self._stop.is_set() or not self._spending.may_ask():
            return
        spent = 0.0

        def ask(question: str) -> judging.Reply:
            nonlocal spent
            reply = self._caller.ask(question, self._plan.model, "trigger")
            spent += reply.cost_usd or 0.0
            return reply

        trigger = selection.select(
            prompt, self._plan.catalogue, self._plan.skill_name, expected=expected, ask=ask
        )
        if self._stop.is_set():
            self._journal.append({"kind": "stopped", "spent": spent})
            return
        with self._lock:
            self._journal.append({"kind": "trigger", **trigger._asdict(), "spent": spent})
            self._out.triggers.append(trigger)

    # Rows

    def _judge(self, pool: ThreadPoolExecutor) -> list[Row]:
        """Decide every row, and say how each went."""
        bench = Bench(
            self._plan,
            self._out,
            self._caller,
            self._spending,
            self._journal,
            self._judged,
            self._stop,
        )
        undecided = list(deciding.undecided(self._plan, self._out.samples))
        decided = bench.decide(undecided, pool, self._wait)
        for row in decided:
            self._listener.said(
                f"  {row.case} rep{row.rep} candidate-vs-{row.opponent}: "
                f"{row.outcome} ({row.decided_by})"
            )
        return decided

    # Waiting

    def _wait(self, jobs: list[Future[Any]]) -> None:
        """Wait for jobs, looking up often enough that an interruption is heard at once.

        Raises whatever a job raised.
        """
        pending = {*jobs, *self._opening}
        self._opening = []
        while pending:
            done, pending = wait(pending, _TICK, FIRST_COMPLETED)
            self._look_up()
            for job in done:
                job.result()

    def _look_up(self) -> None:
        if self._asked_to_stop.is_set():
            self._stop.set()

    def _is_over(self) -> bool:
        return self._stop.is_set() or self._spending.reached is not None

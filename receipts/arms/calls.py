"""Calls to a model without tools: the judge, the selection of a skill, the generation of cases."""

import itertools
import threading
from pathlib import Path

from receipts.agents import Agent, Session, Task
from receipts.arms import sandbox
from receipts.arms.judging import Reply
from receipts.arms.spending import Spending

SECONDS = 120.0
_NETWORK = frozenset({"network", "rate-limited", "overloaded", "timeout"})


class Caller:
    """Asks an agent's model one thing at a time, each in a folder of its own. Threads may ask."""

    def __init__(self, agent: Agent, run: Path, spending: Spending, stop: threading.Event) -> None:
        self._agent = agent
        self._run_folder = run
        self._transcripts = run / "transcripts" / "calls"
        self._spending = spending
        self._stop = stop
        # A run that goes on keeps the calls that it made before.
        self._numbers = itertools.count(1 + sum(1 for _ in self._transcripts.glob("*.jsonl")))

    def ask(self, prompt: str, model: str, what: str, *, seconds: float = SECONDS) -> Reply:
        """Return what a model answered; `what` names the call's transcript."""
        session = self._run(prompt, model, what, seconds)
        self._spending.add(session.cost_usd)
        if failure := session.failure:
            network = failure.kind in _NETWORK
            return Reply(session.text, failure.reason or failure.kind, network, session.cost_usd)
        return Reply(session.text, None, network=False, cost_usd=session.cost_usd)

    def _run(self, prompt: str, model: str, what: str, seconds: float) -> Session:
        self._transcripts.mkdir(mode=0o700, parents=True, exist_ok=True)
        with sandbox.temporary(self._run_folder) as place:
            task = Task(
                prompt=prompt,
                folder=place.folder,
                home=place.home,
                transcript=self._transcripts / f"{what}.{next(self._numbers)}.jsonl",
                model=model,
                max_turns=1,
                timeout=seconds,
                tools=False,
            )
            return self._agent.run(task, stop=self._stop)

"""Whether an agent answers for a model: one small task before anything else is paid for."""

import threading
from pathlib import Path

from receipts.agents import Agent, Session, Task
from receipts.arms import sandbox
from receipts.errors import EvalError

_SECONDS = 120.0


class Preflight:
    """What is known of an agent's models: each is asked once, however many runs go on with it."""

    def __init__(self) -> None:
        self._answered: set[tuple[str, str]] = set()

    def check(self, agent: Agent, model: str, run: Path, stop: threading.Event) -> float:
        """Have a model do one small task, as an arm's session would, unless it did so before.

        Args:
            agent: The agent.
            model: The model as it was asked for.
            run: The run's folder, which keeps the transcript.
            stop: Ends it.

        Returns:
            What it cost, in dollars.

        Raises:
            EvalError: The agent did not answer; says why.
            KeyboardInterrupt: It was stopped.
        """
        if (agent.name, model) in self._answered:
            return 0.0
        session = _asked(agent, model, run, stop)
        failure = session.failure
        if failure and failure.kind == "stopped":
            raise KeyboardInterrupt
        if failure:
            raise EvalError(
                f"preflight agent task failed — check that `{agent.name}` is logged in "
                f"and the model '{model}' is available: {failure.reason or failure.kind}",
                "Nothing of the run was paid for.",
            )
        self._answered.add((agent.name, model))
        return session.cost_usd or 0.0


def _asked(agent: Agent, model: str, run: Path, stop: threading.Event) -> Session:
    with sandbox.temporary(run) as place:
        transcripts = run / "transcripts"
        transcripts.mkdir(mode=0o700, parents=True, exist_ok=True)
        return agent.run(
            Task(
                prompt="Reply with the single word: ok",
                folder=place.folder,
                home=place.home,
                transcript=transcripts / "preflight.jsonl",
                model=model,
                max_turns=1,
                timeout=_SECONDS,
            ),
            stop=stop,
        )

"""The endpoint that tests run agents against."""

import threading
from collections import defaultdict
from collections.abc import Callable

from receipts.scripted import Endpoint, Reply, Turn
from receipts.scripted.endpoint import Response
from tests.model.faults import Fault

Script = Callable[[Turn], Reply | Fault]


class Model(Endpoint):
    """A scripted model whose script may answer with a fault, and that keeps what it was asked.

    Attributes:
        turns: The questions of each task, in the order in which they came.
    """

    def __init__(self, script: Script) -> None:
        super().__init__(self._played)
        self.turns: dict[str, list[Turn]] = defaultdict(list)
        self._own = script
        self._lock = threading.Lock()
        self._faults = threading.local()

    def _played(self, turn: Turn) -> Reply:
        with self._lock:
            self.turns[turn.task].append(turn)
        answer = self._own(turn)
        self._faults.now = answer if isinstance(answer, Fault) else None
        return answer if isinstance(answer, Reply) else Reply("a right answer")

    def reply(self, turn: Turn) -> Response:
        """Answer, or send the fault that the script gave."""
        right = super().reply(turn)
        fault: Fault | None = self._faults.now
        return fault.response(turn.agent, right) if fault else right

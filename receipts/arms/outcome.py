"""What a run came to, and what of it an earlier process of the same run left in the journal."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from receipts.arms.journal import Journal, Record
from receipts.arms.samples import Dropped, Ran, Row, Sample, Skipped, Trigger
from receipts.errors import EvalError

if TYPE_CHECKING:
    from collections.abc import Callable

Key = tuple[str, int, str]
"""A row: its case, repetition and opponent."""


@dataclass
class Outcome:
    """What a run came to.

    Attributes:
        ran: Every session that ended, dead ones included.
        samples: What was scored in them, case by case.
        rows: Every row that has both its samples.
        answers: The judge's raw answers, by case, repetition and opponent.
        skill_lists: The resolved skill list of each arm that said one.
        reached: The limit or the interruption that ended the run early, or None.
        cost_usd: Dollars spent on everything, as far as the agent reported them.
        dearest_usd: Dollars of the dearest session of earlier processes, if the agent said any.
        sessions: How many sessions were paid for, second attempts included.
        silent: How many of those of earlier processes did not say their cost.
    """

    ran: list[Ran] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    answers: dict[Key, list[dict[str, Any]]] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    triggers: list[Trigger] = field(default_factory=list)
    skill_lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    reached: str | None = None
    interrupted: bool = False
    cost_usd: float = 0.0
    dearest_usd: float | None = None
    sessions: int = 0
    silent: int = 0


class Recalled(NamedTuple):
    """What a journal holds: the outcome so far, and the judge's decisions."""

    outcome: Outcome
    judged: dict[Key, Record]


def recall(journal: Journal) -> Recalled:
    """Take up what an earlier process of a run did.

    Raises:
        EvalError: The journal is damaged or of another version.
    """
    out, judged = Outcome(), dict[Key, Record]()

    def take_judged(record: Record) -> None:
        key = record["case"], record["rep"], record["opponent"]
        judged[key] = record
        out.answers[key] = record["answers"]

    readers: dict[str, Callable[[Record], None]] = {
        "session": lambda r: out.ran.append(Ran.of_record(r)),
        "skipped": lambda r: out.skipped.append(Skipped(r["case"], tuple(r["missing"]))),
        "dropped": lambda r: out.dropped.append(
            Dropped(r["case"], r["rep"], r["dropped"], r["detail"])
        ),
        "trigger": lambda r: out.triggers.append(
            Trigger(r["prompt"], r["expected"], r["fired"], tuple(r["selected"]), r["error"])
        ),
        "judged": take_judged,
    }
    for record in journal.records():
        try:
            if reader := readers.get(str(record.get("kind"))):
                reader(record)
            spent = record.get("spent")
            out.cost_usd += spent if isinstance(spent, int | float) else 0.0
            if record.get("kind") == "attempt":
                out.sessions += 1
                if spent is None:
                    out.silent += 1
                else:
                    out.dearest_usd = max(out.dearest_usd or 0.0, spent)
        except (KeyError, TypeError, ValueError) as error:
            raise EvalError(
                f"The journal of the run in {journal.folder} cannot be read: {error!r}.",
                "It is damaged or of another version; start a new run.",
            ) from error
    return Recalled(out, judged)

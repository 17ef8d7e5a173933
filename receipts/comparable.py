"""Whether the numbers of two receipts may be set side by side, and what keeps them from it.

Two receipts compare when everything but the skill's bytes was the same: what was asked of which
agent, how, how often and in what surroundings. The list is the one that hosts of benchmarks learnt
to ask for. What only one receipt records is a difference too, for nobody can say that it is none;
what neither records is no difference, and `unrecorded` names it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from receipts.receipt import Receipt

NOT_RECORDED = "not recorded"


class Difference(NamedTuple):
    """Something in which two receipts differ, in words; None is what a receipt does not record."""

    what: str
    first: str | None
    second: str | None

    def __str__(self) -> str:
        """Return it as a line, not yet made printable."""
        first, second = (self.first or NOT_RECORDED), (self.second or NOT_RECORDED)
        return f"{self.what}: {first} here, {second} there"


def comparable(first: "Receipt", second: "Receipt") -> list[Difference]:
    """Return in what two receipts differ; nothing means that their numbers may be compared."""
    return [
        Difference(what, one, other) for what, one, other in _pairs(first, second) if one != other
    ]


def unrecorded(first: "Receipt", second: "Receipt") -> list[str]:
    """Return what neither of two receipts records, so that nobody knows whether they differ."""
    return [what for what, one, other in _pairs(first, second) if one is other is None]


def _pairs(first: "Receipt", second: "Receipt") -> list[tuple[str, str | None, str | None]]:
    both_have_ids = first.skill_id is not None and second.skill_id is not None
    skill = ("skill", _skill_id if both_have_ids else _skill_name)
    return [(what, read(first), read(second)) for what, read in [*_BEFORE, skill, *_BEHIND]]


def _skill_id(receipt: "Receipt") -> str | None:
    return receipt.skill_id and receipt.skill_id.lower()


def _skill_name(receipt: "Receipt") -> str | None:
    return receipt.skill_name


def _text(field: str) -> Callable[["Receipt"], str | None]:
    """Return a reader of a text of the provenance, which this or another client wrote."""

    def read(receipt: "Receipt") -> str | None:
        value = getattr(receipt.provenance, field, None)
        return value if isinstance(value, str) and value else None

    return read


def _listed(field: str, *, null: str | None = None) -> Callable[["Receipt"], str | None]:
    """Return a reader of a list of texts, in which order and repetitions mean nothing.

    Args:
        field: The field of the provenance.
        null: What null stands for; None where it stands for nothing.
    """

    def read(receipt: "Receipt") -> str | None:
        value = getattr(receipt.provenance, field, ())
        if value is None:
            return null
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return None
        return ", ".join(sorted(set(value))) or "none"

    return read


def _agent_version(receipt: "Receipt") -> str | None:
    # cc_version is the field that every client writes; it holds the version of whatever agent ran.
    return _text("agent_version")(receipt) or _text("cc_version")(receipt)


def _engine(receipt: "Receipt") -> str | None:
    version = _text("engine_version")(receipt)
    return version and version.partition(".")[0]


_BEFORE: list[tuple[str, Callable[["Receipt"], str | None]]] = [
    ("method", lambda receipt: receipt.method)
]
_BEHIND: list[tuple[str, Callable[["Receipt"], str | None]]] = [
    ("agent", _text("agent")),
    ("agent version", _agent_version),
    ("model", _text("model")),
    ("judge model", _text("judge_model")),
    ("k", lambda receipt: str(receipt.provenance.k)),
    ("cases", _listed("cases")),
    ("case selection", _listed("case_selection", null="all")),
    ("eval assets", _text("eval_digest")),
    ("isolation", _listed("isolation")),
    ("engine major version", _engine),
]

"""What every kind of check is made of: a test, and the arguments that it is read from."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from receipts.jsyaml.jsnumber import number_text
from receipts.jsyaml.units import LONE_SURROGATE, to_units

if TYPE_CHECKING:
    from receipts.arms.checks.scene import Scene


class Malformed(ValueError):  # noqa: N818 - named for what the author reads
    """A check's argument is none that its kind takes; says why."""


class Outcome(NamedTuple):
    """Whether a test passed, and what a person wants to know when it did not."""

    passed: bool
    detail: str = ""


class Test(Protocol):
    """A check that can be made of a session. Two that are equal ask the same."""

    @property
    def name(self) -> str:
        """How a receipt names it: the kind, a colon and the argument."""

    @property
    def always(self) -> bool | None:
        """What it comes to whatever a session does; None when that depends on the session."""

    def announce(self, scene: "Scene") -> None:
        """Say what it is going to ask of the transcript, which is read once for all tests."""

    def run(self, scene: "Scene") -> Outcome:
        """Make the test.

        Raises:
            OSError: Something that it needs cannot be read or started.
            MatchError: A search came to no end.
            ReceiptsError: Something that it needs is not there.
        """


def text_of(value: Any, what: str = "it") -> str:  # noqa: ANN401 - any YAML value
    """Return an argument as text; numbers and truth values as JavaScript writes them.

    Raises:
        Malformed: It is nothing, a list or a map, or holds what no file or command can.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(float(value))
    if not isinstance(value, str):
        raise Malformed(f"{what} must be a text")
    if "\0" in value or LONE_SURROGATE.search(to_units(value)):
        raise Malformed(f"{what} holds a character that no file or command can")
    return value


def fields_of(value: Any, names: Iterable[str]) -> list[Any]:  # noqa: ANN401 - any YAML value
    """Return the values of a map that has these keys and no others, in this order.

    Raises:
        Malformed: It is no map, lacks a key or has another.
    """
    wanted = list(names)
    if not isinstance(value, dict) or set(value) != set(wanted):
        raise Malformed(f"it must be a map with exactly {', '.join(wanted)}")
    return [value[name] for name in wanted]

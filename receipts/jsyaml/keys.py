"""What a map demands of its keys."""

from receipts.jsyaml.errors import Fault
from receipts.jsyaml.nodes import AnyNode, Scalar

# An implicit key's colon must be this near its start.
KEY_LIMIT = 1024


class UniqueKeys:
    """Refuses a scalar key that equals an earlier one, as JavaScript's `===` has it."""

    def __init__(self) -> None:
        self._seen: set[tuple[type, object]] = set()

    def add(self, key: AnyNode, at: int) -> None:
        """Remember a key.

        Raises:
            Fault: It was there before.
        """
        if not isinstance(key, Scalar):
            return
        value = key.value
        if value is not None and not isinstance(value, str | bool | float):
            return
        if value != value:
            return
        size = len(self._seen)
        self._seen.add((type(value), value))
        if len(self._seen) == size:
            raise Fault("Map keys must be unique", at)

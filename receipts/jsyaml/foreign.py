"""JavaScript values that YAML can ask for by a tag and that plain data has no name for.

They appear only where the text says `!!set`, `!!omap`, `!!binary` or `!!timestamp`, or declares
`%YAML 1.1`. `dump` writes each as `YAML.stringify` does.
"""

from typing import Any, TypeAlias

# Plain data, as `load` returns it and `dump` takes it.
Data: TypeAlias = Any


class Foreign:
    """The base of these values: compared by identity, like every JavaScript object."""

    __slots__ = ()


class JsMap(Foreign):
    """A `Map` (`!!omap`): entries in order, keys of any kind."""

    __slots__ = ("entries",)

    def __init__(self, entries: list[tuple[Data, Data]]) -> None:
        self.entries = entries


class JsSet(Foreign):
    """A `Set` (`!!set`): distinct items in order."""

    __slots__ = ("items",)

    def __init__(self, items: list[Data]) -> None:
        self.items = items


class JsBytes(Foreign):
    """A `Buffer` (`!!binary`)."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data


class JsDate(Foreign):
    """A `Date` (`!!timestamp`), as its ISO 8601 text in UTC with milliseconds."""

    __slots__ = ("iso",)

    def __init__(self, iso: str) -> None:
        self.iso = iso

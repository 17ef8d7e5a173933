"""What a receipt is, and how a run becomes one.

The names below are the surface that others build on. Each is imported when it is first used, so
that `import receipts` costs nothing and a verb that needs no model never loads one.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from receipts.digest import content_digest, content_digest_of
    from receipts.receipt import Receipt

__all__ = ["Receipt", "content_digest", "content_digest_of"]

_HOMES = {
    "Receipt": "receipts.receipt",
    "content_digest": "receipts.digest",
    "content_digest_of": "receipts.digest",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute is of any type
    """Import an exported name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the exported names without importing their homes."""
    return sorted({*globals(), *__all__})

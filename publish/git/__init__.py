"""The one place that knows dulwich and the git command line; what the rest of `publish` uses of it.

Each name is imported when it is first used, so that a verb that only needs an address or a name
does not load dulwich.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from publish.git.bare import create_bare
    from publish.git.edit import File
    from publish.git.failures import (
        EditConflict,
        FolderTooLarge,
        MirrorBusy,
        MirrorDamaged,
        Rewritten,
    )
    from publish.git.identity import Identity, member_identity
    from publish.git.mirror import Mirror
    from publish.git.remote import Remote
    from publish.git.safewrite import Change, Written, safe_write
    from publish.git.sync import check_whole, fetch, repaired
    from publish.git.told import count_as_told
    from publish.git.transport import RemoteState, remote_state
    from publish.git.tree import LARGEST_FILE, Entry, TreeView

__all__ = [
    "LARGEST_FILE",
    "Change",
    "EditConflict",
    "Entry",
    "File",
    "FolderTooLarge",
    "Identity",
    "Mirror",
    "MirrorBusy",
    "MirrorDamaged",
    "Remote",
    "RemoteState",
    "Rewritten",
    "TreeView",
    "Written",
    "check_whole",
    "count_as_told",
    "create_bare",
    "fetch",
    "member_identity",
    "remote_state",
    "repaired",
    "safe_write",
]

_HOMES = {
    "LARGEST_FILE": "tree",
    "Change": "safewrite",
    "EditConflict": "failures",
    "Entry": "tree",
    "File": "edit",
    "FolderTooLarge": "failures",
    "Identity": "identity",
    "Mirror": "mirror",
    "MirrorBusy": "failures",
    "MirrorDamaged": "failures",
    "Remote": "remote",
    "RemoteState": "transport",
    "Rewritten": "failures",
    "TreeView": "tree",
    "Written": "safewrite",
    "check_whole": "sync",
    "count_as_told": "told",
    "create_bare": "bare",
    "fetch": "sync",
    "member_identity": "identity",
    "remote_state": "transport",
    "repaired": "sync",
    "safe_write": "safewrite",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute is of any type
    """Import an exported name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the exported names without importing their homes."""
    return sorted({*globals(), *__all__})

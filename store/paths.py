"""Where this machine keeps what: `~/.terum/skills`, or the folder that `RECEIPTS_HOME` names.

Asking for a path makes nothing. The folders are made, for their owner alone, by the first write.
"""

import os
from pathlib import Path

from receipts.errors import StoreError
from receipts.files import make_private_dir, write_atomic

HOME_VARIABLE = "RECEIPTS_HOME"

_README = b"""\
The state of `receipts` (and of terum-skills, when you use it) on this machine.

config.json   teams, identity and skill libraries
evals/local/  one folder for each evaluation run, by the digest of the bytes that it measured
run/          the evaluations that wait to be run
keys/         this machine's signing key
aside/        skill folders that an install moved out of the way; yours to look at and delete
repositories/ team repositories that were made on this machine; the only copy of their teams' work
mirrors/      copies of the team repositories; may be deleted, the next sync fetches them again
cache/        may be deleted
locks/        empty files that commands lock while they write; leave them

Transcripts of evaluation runs are not scrubbed of secrets and never leave this machine.
"""
_CACHEDIR_TAG = b"""\
Signature: 8a477f597d28d172789f06886806bc55
# This folder can be made again from the team repositories, so backups may leave it out.
# About this file: https://bford.info/cachedir/
"""


def state_root() -> Path:
    """Return the folder of this machine's state; it may not exist yet.

    Raises:
        StoreError: `RECEIPTS_HOME` is empty, relative or no folder, or there is no home folder.
    """
    given = os.environ.get(HOME_VARIABLE)
    root = os.path.join(_home(), ".terum", "skills") if given is None else given
    if given is not None and not os.path.isabs(given):
        what = f"is the relative path {given!r}" if given else "is empty"
        raise StoreError(
            f"{HOME_VARIABLE} {what}.",
            f"Set it to the full path of a folder, or unset it to use {Path('~/.terum/skills')}.",
        )
    if os.path.lexists(root) and not os.path.isdir(root):
        raise StoreError(
            f"{root} is not a folder, so nothing can be kept there.",
            f"Move it away, or set {HOME_VARIABLE} to the full path of a folder.",
        )
    return Path(root)


def create_state_root() -> Path:
    """Make the state folder if need be, with a README that says what is in it, and return it.

    Raises:
        StoreError: As `state_root`, or it cannot be made.
    """
    root = state_root()
    make_private_dir(root)
    readme = root / "README"
    if not os.path.lexists(readme):
        write_atomic(readme, _README)
    return root


def create_disposable(folder: Path) -> None:
    """Make a folder below the state root whose loss costs nothing, and tag it for backup tools.

    Raises:
        StoreError: It cannot be made.
    """
    create_state_root()
    make_private_dir(folder)
    tag = folder / "CACHEDIR.TAG"
    if not os.path.lexists(tag):
        write_atomic(tag, _CACHEDIR_TAG)


def config_file() -> Path:
    """Return the path of config.json."""
    return state_root() / "config.json"


def runs_root() -> Path:
    """Return the folder that holds one folder for each digest that was measured."""
    return state_root() / "evals" / "local"


def self_checks() -> Path:
    """Return the folder of runs that compared the baseline with itself."""
    return state_root() / "evals" / "self"


def queue_file() -> Path:
    """Return the path of the evaluations that wait to be run."""
    return state_root() / "run" / "eval-queue.json"


def mirrors() -> Path:
    """Return the folder of the mirrors of team repositories; disposable."""
    return state_root() / "mirrors"


def mirror_path(team: str) -> Path:
    """Return where the bare mirror of a team's repository is kept.

    Raises:
        StoreError: The team's name cannot be a folder's name.
    """
    if not team or team.startswith(".") or not all(c.isalnum() or c in "._- " for c in team):
        raise StoreError(
            f"The team name {team!r} cannot name a folder.",
            "Use letters, digits, dot, underscore and hyphen, and start with none of the marks.",
        )
    return mirrors() / f"{team}.git"


def cache() -> Path:
    """Return the folder of what can be computed again; disposable."""
    return state_root() / "cache"


def keys() -> Path:
    """Return the folder of this machine's signing key."""
    return state_root() / "keys"


def aside() -> Path:
    """Return the folder for skills that an install moved out of the way."""
    return state_root() / "aside"


def repositories() -> Path:
    """Return the folder of team repositories that were made on this machine."""
    return state_root() / "repositories"


def locks() -> Path:
    """Return the folder of the files that commands lock while they write."""
    return state_root() / "locks"


def _home() -> str:
    # On Windows this is %USERPROFILE%; elsewhere $HOME, or what the user database says.
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        raise StoreError(
            "This user has no home folder.", f"Set {HOME_VARIABLE} to the full path of a folder."
        )
    return home

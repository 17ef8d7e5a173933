"""In what two runs differ besides their results: skills, servers, the user's setup, the judge."""

import hashlib
from typing import NamedTuple

from receipts.attempts.runfile import Run, RunFile, Snapshot

SERVER = "mcp:"
"""What stands before the name of a server among the things that were ablated."""

_SHORT = 7  # digits of a commit or digest that are shown


class Drift(NamedTuple):
    """A skill that both runs had and whose installed files differ.

    Attributes:
        source_kind: `git` when either side's came from a repository's commit, else `path`.
        a_ref: The first seven digits of A's commit, or of the digest of its files.
        b_ref: The same of B's.
    """

    name: str
    source_kind: str
    a_ref: str
    b_ref: str


class Labels(NamedTuple):
    """How the sides of an ablation pair are called, after what was removed."""

    a: str
    b: str


def drift(a: RunFile, b: RunFile) -> list[Drift]:
    """Return the skills of both runs whose files differ, in A's order.

    Files are compared by path and hash alone; a new commit with the same files is no drift.
    """
    others = {snapshot.name: snapshot for snapshot in b.skill_snapshots}
    found = []
    for snapshot in a.skill_snapshots:
        other = others.get(snapshot.name)
        if not snapshot.name or other is None or not (snapshot.files or other.files):
            continue
        digest, other_digest = _digest(snapshot), _digest(other)
        if digest != other_digest:
            kind = "git" if "git" in (snapshot.source_kind, other.source_kind) else "path"
            refs = (snapshot.git_sha or digest)[:_SHORT], (other.git_sha or other_digest)[:_SHORT]
            found.append(Drift(snapshot.name, kind, *refs))
    return found


def labels(a: RunFile, b: RunFile) -> Labels | None:
    """Return what to call the sides when one is the other with something removed, else None.

    What a run says was removed is held against what both really had.
    """
    if customizations_differ(a.run, b.run) or bool(a.run.ablated) == bool(b.run.ablated):
        return None
    cut, full = (a, b) if a.run.ablated else (b, a)
    removed = set(cut.run.ablated)
    servers = {name.removeprefix(SERVER) for name in removed if name.startswith(SERVER)}
    skills = {name for name in removed if not name.startswith(SERVER)}
    if not _is_rest(set(cut.skills), set(full.skills), skills):
        return None
    cut_servers, full_servers = cut.run.mcp_servers, full.run.mcp_servers
    if (
        cut_servers is not None
        and full_servers is not None
        and not _is_rest(set(cut_servers), set(full_servers), servers)
    ):
        return None
    what = ", ".join(sorted(removed))
    is_bare = not cut.skills and cut_servers == [] and not may_have_loaded(cut.run)
    without = "without any skills or servers" if is_bare else f"without {what}"
    names = (without, f"with {what}")
    return Labels(*names) if cut is a else Labels(*names[::-1])


def customizations_differ(a: Run, b: Run) -> bool:
    """Say whether one run alone loaded the user's own setup, or both another one."""
    if a.user_customizations != b.user_customizations:
        return True
    loaded, others = a.loaded_user_customizations, b.loaded_user_customizations
    if not a.user_customizations or loaded is None or others is None:
        return False
    return set(loaded) != set(others)


def may_have_loaded(run: Run) -> bool:
    """Say whether something of the user's own setup may have been there."""
    return run.user_customizations and run.loaded_user_customizations != []


def judge_of(run: RunFile) -> str | None:
    """Return backend and model of the judge, None unless one graded and is known."""
    if run.run.judge_backend is None:
        return None
    if all(attempt.judge_seconds is None for attempt in run.attempts):
        return None
    return f"{run.run.judge_backend}:{run.run.judge_model or '(default model)'}"


def _is_rest(cut: set[str], full: set[str], removed: set[str]) -> bool:
    return removed <= full and cut == full - removed


def _digest(snapshot: Snapshot) -> str:
    lines = [f"{path}:{file.hash}" for path, file in sorted(snapshot.files.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()

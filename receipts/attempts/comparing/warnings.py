"""What a comparison warns of: everything besides the skill that may have moved a number."""

from typing import NamedTuple

from receipts.attempts.comparing.surroundings import (
    Drift,
    Labels,
    customizations_differ,
    judge_of,
    may_have_loaded,
)
from receipts.attempts.runfile import RunFile


class Flags(NamedTuple):
    """What differs, in the order of the document."""

    k_mismatch: bool
    spec_mismatch: bool
    neighbourhood_mismatch: bool
    mcp_mismatch: bool
    user_customizations_mismatch: bool
    cross_backend_user_customizations: bool
    judge_mismatch: bool


class Warned(NamedTuple):
    """A warning: its kind, and the sentence that is printed."""

    kind: str
    text: str


def flags(a: RunFile, b: RunFile, pair: Labels | None) -> Flags:
    """Return what differs; skills and servers are meant to differ on an ablation pair."""
    servers, other_servers = a.run.mcp_servers, b.run.mcp_servers
    judge, other_judge = judge_of(a), judge_of(b)
    return Flags(
        k_mismatch=a.run.k != b.run.k,
        spec_mismatch=a.run.spec != b.run.spec,
        neighbourhood_mismatch=pair is None and sorted(a.skills) != sorted(b.skills),
        mcp_mismatch=pair is None
        and servers is not None
        and other_servers is not None
        and set(servers) != set(other_servers),
        user_customizations_mismatch=customizations_differ(a.run, b.run),
        cross_backend_user_customizations=a.run.backend != b.run.backend
        and (may_have_loaded(a.run) or may_have_loaded(b.run)),
        judge_mismatch=judge is not None and other_judge is not None and judge != other_judge,
    )


def warnings(
    a: RunFile,
    b: RunFile,
    flags: Flags,
    drifted: list[Drift],
    names: tuple[str, str] = ("A", "B"),
) -> list[Warned]:
    """Return the warnings of a comparison, in their fixed order.

    Args:
        a: The run before.
        b: The run after.
        flags: What differs.
        drifted: The skills whose files changed.
        names: What the two are called.
    """
    one, other = names
    stopped = [name for name, run in zip(names, (a, b), strict=True) if run.run.interrupted]
    found = [
        (
            flags.spec_mismatch,
            "spec",
            f"{one} is a run of {a.run.spec}, {other} of {b.run.spec}: make sure that they "
            "ask the same",
        ),
        (
            flags.k_mismatch,
            "k",
            f"{one} made {a.run.k} attempts a task, {other} {b.run.k}: pass@k and pass^k do not "
            "compare",
        ),
        (
            bool(stopped),
            "interrupted",
            f"{' and '.join(stopped)} stopped before all attempts had run: fewer attempts move a "
            "rate more",
        ),
        (
            flags.neighbourhood_mismatch,
            "neighbourhood",
            f"{one} had the skills {_listed(a.skills)}, {other} {_listed(b.skills)}: skills "
            "compete to be picked",
        ),
        (
            flags.mcp_mismatch,
            "mcp",
            f"{one} had the servers {_listed(a.run.mcp_servers)}, {other} "
            f"{_listed(b.run.mcp_servers)}: tools alone can move a rate",
        ),
        (
            flags.cross_backend_user_customizations,
            "cross-backend",
            f"{a.run.backend} and {b.run.backend} each loaded what the user has set up for it: run "
            "both without user customizations to compare the agents",
        ),
        (
            flags.user_customizations_mismatch and not flags.cross_backend_user_customizations,
            "user-customizations",
            f"{one} loaded {_loaded(a)}, {other} {_loaded(b)}: run both with "
            "--no-user-customizations",
        ),
        *(
            (
                item.source_kind == "git",
                "drift",
                f"the files of {item.name} changed from {item.a_ref} to {item.b_ref}: give its "
                "source a `ref` to keep them",
            )
            for item in drifted
        ),
        (
            flags.judge_mismatch,
            "judge",
            f"{one} was graded by {judge_of(a)}, {other} by {judge_of(b)}: one may be stricter; "
            "run both with the same --judge-model",
        ),
    ]
    return [Warned(kind, text) for applies, kind, text in found if applies]


def _listed(names: list[str] | None) -> str:
    return ", ".join(sorted(names or ())) or "(none)"


def _loaded(run: RunFile) -> str:
    if not run.run.user_customizations:
        return "no user customizations"
    loaded = run.run.loaded_user_customizations
    return "user customizations" if loaded is None else f"the user's {_listed(loaded)}"

"""What every receipt made of another tool's result has in common."""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from receipts import jsontext, runid

LOCAL = "local"
UNKNOWN = "unknown"


class Subject(NamedTuple):
    """The skill that a result is declared of.

    Attributes:
        folder: Its folder.
        name: The folder's name, which its receipts carry.
        called: What its SKILL.md calls it, or the folder's name where that says nothing.
        digest: Its content digest.
    """

    folder: Path
    name: str
    called: str
    digest: str


class Declared(NamedTuple):
    """A receipt made of another tool's result, and what is odd about that result."""

    data: bytes
    warnings: tuple[str, ...] = ()


class Ran(NamedTuple):
    """What another tool says of a run.

    Attributes:
        tool: The tool.
        version: The tool's version; empty when it does not say.
        when: When the run ended; None when it does not say.
        model: The model that was measured.
        judge_model: The model that judged.
        agent_version: The version of the agent.
        k: Repetitions.
        cases: The names of what was asked.
    """

    tool: str
    version: str = ""
    when: datetime | None = None
    model: str = UNKNOWN
    judge_model: str = UNKNOWN
    agent_version: str = UNKNOWN
    k: int = 1
    cases: Iterable[str] = ()


def receipt(document: bytes, ran: Ran, subject: Subject, fields: dict[str, Any]) -> bytes:
    """Return a receipt of a result of another tool.

    Args:
        document: The tool's own document, whose hash the receipt names.
        ran: What it says of the run.
        subject: The skill that it is declared of.
        fields: What the receipt says beside that: its verdict and numbers.
    """
    when = ran.when or datetime.now(UTC)
    source = {"tool": ran.tool, "sha256": hashlib.sha256(document).hexdigest()}
    if ran.version:
        source["version"] = ran.version
    return jsontext.dump(
        {
            "schema_version": 2,
            "skill_id": None,
            "skill_name": subject.name,
            "version": None,
            "content_digest": subject.digest,
            "run_id": _run_id(when),
            "expected_rows": 0,
            "scored_rows": 0,
            "comparisons": {},
            "arm_scores": {},
            "triggers": None,
            "efficiency": {},
            **fields,
            "source": source,
            "provenance": {
                "engine_version": f"{ran.tool} {ran.version}".strip(),
                "engine_commit": UNKNOWN,
                "cc_version": ran.agent_version,
                "model": ran.model,
                "judge_model": ran.judge_model,
                "k": ran.k,
                "cases": list(ran.cases),
                "arm_skill_lists": {},
                "timestamp": when.isoformat(),
                "runner_handle": LOCAL,
            },
        }
    )


def _run_id(when: datetime) -> str:
    moment = when if when.tzinfo else when.replace(tzinfo=UTC)
    try:
        return runid.from_time(moment)
    except ValueError:  # the first or last day that there is, in another time zone
        return runid.from_time(datetime.now(UTC))

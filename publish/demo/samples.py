"""Sample receipts, for the demonstration that has no time to evaluate anything."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from receipts import stats


def receipt(path: Path, skill: str, digest: str, *, wins: int, losses: int, ties: int) -> None:
    """Write a sample receipt as an evaluation by arms would write it."""
    now = datetime.now(UTC)
    rows = wins + losses + ties
    record: dict[str, Any] = {
        "win": wins,
        "loss": losses,
        "tie": ties,
        "net_lift": stats.net_lift(wins, losses, ties),
        "sign_p": stats.sign_test(wins, losses, ties),
    }
    document = {
        "schema_version": 2,
        "skill_id": None,
        "skill_name": skill,
        "version": None,
        "content_digest": digest,
        "run_id": now.strftime("%Y%m%dT%H%M%SZ"),
        "verdict": stats.verdict(wins, losses, ties),
        "attribution": f"wins on execution checks; loses on execution checks; {ties} ties"
        if wins
        else "loses on execution checks; 1 tie",
        "execution_status": "complete",
        "expected_rows": rows,
        "scored_rows": rows,
        "comparisons": {"candidate-vs-baseline": record},
        "arm_scores": {"baseline": 0.61, "candidate": 0.82 if wins else 0.2},
        "triggers": None,
        "efficiency": {
            "baseline": {"turns": 3, "duration_ms": 22800, "cost_usd": 0.11},
            "candidate": {"turns": 5, "duration_ms": 41200, "cost_usd": 0.2},
        },
        "provenance": {
            "engine_version": "demo",
            "engine_commit": "unknown",
            "cc_version": "demo",
            "model": "sonnet",
            "judge_model": "sonnet",
            "k": rows,
            "cases": ["release-notes"],
            "arm_skill_lists": {"baseline": [], "candidate": [skill]},
            "timestamp": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "runner_handle": "ada",
        },
    }
    path.write_text(json.dumps(document, indent=2) + "\n", "utf-8")

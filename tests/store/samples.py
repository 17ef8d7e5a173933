"""Receipts and skills to fill a store with."""

import json
from pathlib import Path
from typing import Any

DIGEST = "sha256:" + "ab" * 32
OTHER = "sha256:" + "cd" * 32
RUN = "20260916T042108Z"
ROOT = Path(__file__).parents[2]


def document(digest: str = DIGEST, run_id: str = RUN, **fields: Any) -> dict[str, Any]:
    return {
        "schema_version": 2,
        "skill_id": None,
        "skill_name": "deploy-check",
        "version": None,
        "content_digest": digest,
        "run_id": run_id,
        "verdict": "PASS",
        "attribution": "wins on execution checks; 1 tie",
        "execution_status": "complete",
        "expected_rows": 3,
        "scored_rows": 3,
        "comparisons": {
            "candidate-vs-baseline": {
                "win": 2,
                "loss": 0,
                "tie": 1,
                "net_lift": 2 / 3,
                "sign_p": 0.5,
            }
        },
        "arm_scores": {"baseline": 0.25, "candidate": 0.75},
        "triggers": None,
        "efficiency": {},
        "provenance": {
            "engine_version": "0.1.0",
            "engine_commit": "unknown",
            "cc_version": "2.0.0",
            "model": "sonnet",
            "judge_model": "sonnet",
            "k": 1,
            "cases": ["a", "b", "c"],
            "arm_skill_lists": {},
            "timestamp": "2026-09-16T04:21:08.000Z",
            "runner_handle": "ana",
        },
        **fields,
    }


def receipt(digest: str = DIGEST, run_id: str = RUN, **fields: Any) -> bytes:
    return json.dumps(document(digest, run_id, **fields), indent=2).encode() + b"\n"


def put(state: Path, data: bytes, digest: str = DIGEST, run_id: str = RUN) -> Path:
    """Write a receipt into the store by hand, as another client would."""
    place = state / "evals" / "local" / digest.removeprefix("sha256:") / run_id
    place.mkdir(parents=True)
    (place / "receipt.json").write_bytes(data)
    return place


def skill(folder: Path, text: str = "# s\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: {folder.name}\ndescription: d\n---\n{text}")
    return folder

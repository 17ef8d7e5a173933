"""The receipt of a run, and the `run.jsonl` beside it, from what the run came to.

The receipt may be shared; `run.jsonl` stays on this machine, so it alone has the details of checks,
the judge's raw answers and, of a private run, cost and skill lists.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from receipts import stats
from receipts._version import __version__
from receipts.arms import tally
from receipts.arms.outcome import Outcome
from receipts.arms.plan import CANDIDATE, SUITE, Plan
from receipts.arms.samples import CheckOutcome, Row
from receipts.report import attribution

Map = dict[str, Any]


@dataclass(frozen=True)
class Identity:
    """What a receipt says beside its numbers.

    Attributes:
        run_id: The run's id.
        digest: The content digest of the staged bytes.
        handle: Who ran it, or `local`.
        skill_id: The skill's uuid, or None.
        agent_version: What the agent's `--version` printed.
        started: When the run began.
        selection: The names given with `--case`; empty for all.
        changed: Whether the folder's content and its evaluation assets changed meanwhile.
        private: Leave cost and skill lists out.
        resumed_from: The run whose sessions this one took over, or None.
        beside: What only `run.jsonl` says, in its `_meta`: whether the skill is heavy and why, what
            it names that is missing, and which assets were generated.
    """

    run_id: str
    digest: str
    handle: str
    skill_id: str | None
    agent_version: str
    started: datetime
    selection: tuple[str, ...] = ()
    changed: tuple[bool, bool] = (False, False)
    private: bool = False
    resumed_from: str | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)


def receipt(plan: Plan, out: Outcome, identity: Identity, secrets: Iterable[str] = ()) -> bytes:
    """Return the receipt of a run, scrubbed, as it is filed.

    Raises:
        ValueError: It does not fit the schema, which is a defect.
    """
    from receipts import scrub  # both once there is a receipt, and not before the first session
    from receipts.receipt import read_receipt

    document = _document(plan, out, identity)
    if identity.private:
        _make_private(document)
    data = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False).encode(
        "utf-8", "backslashreplace"
    )
    data = scrub.scrub_document(data + b"\n", tuple(secrets)).data
    if problem := read_receipt(data).problem:
        raise ValueError(f"invalid receipt: {problem}")
    return data


def run_log(plan: Plan, out: Outcome, identity: Identity) -> bytes:
    """Return the run's `run.jsonl`: `_meta`, then a line for each row, session and the triggers."""
    lines: list[Map] = [_meta(plan, out, identity)]
    checks = {(s.case, s.rep, s.arm): s.checks for s in out.samples}
    lines += [_row(plan, row, checks, out) for row in out.rows]
    for sample in out.samples:
        ran = sample.ran
        lines.append(
            {
                "kind": "arm",
                "case": sample.case,
                "rep": sample.rep,
                "arm": sample.arm,
                "failed": sample.is_dead,
                "reason": ran.reason,
                "retried": ran.retried,
                "fraction": sample.share,
                "turns": ran.turns,
                "duration_ms": ran.duration_ms,
                "cost_usd": ran.cost_usd,
                "tokens": ran.tokens,
                "skill_list": ran.skills,
                "model_id": ran.model_id,
                "spawns_agents": ran.spawned_agents,
                "oddities": ran.oddities,
                "transcript": ran.transcript,
                "sandbox": ran.sandbox,
            }
        )
    if plan.triggers:
        lines.append(
            {
                "kind": "triggers",
                "skill": plan.skill_name,
                "rows": trigger_rows(out),
                **tally.trigger_counts(out.triggers),
            }
        )
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def trigger_rows(out: Outcome) -> list[Map]:
    """Return the rows of the trigger prompts, as the report lists those that went wrong."""
    return [
        {
            "prompt": one.prompt,
            "expected": one.expected,
            "fired": one.fired,
            "selected": list(one.selected),
            "correct": one.fired == one.expected,
            **({"error": one.error} if one.error is not None else {}),
        }
        for one in out.triggers
    ]


def _document(plan: Plan, out: Outcome, identity: Identity) -> Map:
    arms = [arm.name for arm in plan.arms]
    names = {opponent: f"candidate-vs-{opponent}" for opponent in plan.opponents}
    scored = [row for row in out.rows if row.is_scored]
    counted = tally.counted(out.samples, out.rows)
    by_arm = {arm: [s for s in counted if s.arm == arm] for arm in arms}
    comparisons = {
        names[opponent]: tally.comparison(
            [row for row in scored if row.opponent == opponent], pinned=plan.suite
        )
        for opponent in plan.opponents
        if plan.expected_rows
    }
    against_baseline = [row for row in scored if row.opponent == "baseline"]
    baseline = comparisons.get("candidate-vs-baseline")
    document: Map = {
        "schema_version": 2,
        "skill_id": identity.skill_id,
        "skill_name": plan.skill_name,
        "version": None,
        "content_digest": identity.digest,
        "run_id": identity.run_id,
        "verdict": stats.verdict(baseline["win"], baseline["loss"], baseline["tie"])
        if baseline
        else "NEUTRAL",
        "attribution": attribution((row.outcome, row.decided_by) for row in against_baseline),
        "execution_status": tally.status(plan.expected_rows, len(scored)),
        "expected_rows": plan.expected_rows,
        "scored_rows": len(scored),
        "comparisons": comparisons,
        "arm_scores": {arm: tally.arm_score(by_arm[arm]) for arm in arms},
        "environment_skips": {one.case: list(one.missing) for one in out.skipped},
        "dropped_cases": _dropped(plan, out),
        "per_case": tally.per_case(out.samples, out.rows, names),
        "case_runs": {arm: tally.case_runs(by_arm[arm]) for arm in arms},
        "triggers": tally.trigger_counts(out.triggers) if plan.triggers else None,
        "efficiency": {arm: tally.efficiency(by_arm[arm]) for arm in arms},
        "provenance": _provenance(plan, out, identity),
    }
    return document | _beyond(plan, out, identity)


def _provenance(plan: Plan, out: Outcome, identity: Identity) -> Map:
    started = identity.started.astimezone(UTC)
    lists = {arm.name: _listed(out.skill_lists.get(arm.name)) for arm in plan.arms}
    provenance: Map = {
        "engine_version": __version__,
        "engine_commit": "unknown",
        "cc_version": identity.agent_version,
        "model": plan.model,
        "judge_model": plan.judge_model,
        "timestamp": f"{started:%Y-%m-%dT%H:%M:%S}.{started.microsecond // 1000:03}Z",
        "runner_handle": identity.handle,
        "k": plan.k,
        "cases": [case.name for case in plan.cases] + ([SUITE] if plan.suite else []),
        "arm_skill_lists": lists,
        "agent": plan.agent.name,
        "agent_version": identity.agent_version,
        "eval_digest": plan.assets.digest,
        "case_selection": list(identity.selection) or None,
        "isolation": list(plan.agent.isolation),
    }
    incumbent = next((arm.version for arm in plan.arms if arm.version), None)
    if incumbent:
        provenance["incumbent_version"] = incumbent
    if identity.resumed_from:
        provenance["resumed_from"] = identity.resumed_from
    return provenance


def _beyond(plan: Plan, out: Outcome, identity: Identity) -> Map:
    """Return what other clients do not know: holes by name, and what the numbers cannot say."""
    found: Map = {}
    order = [arm.name for arm in plan.arms]
    dead = sorted(
        (one for one in out.ran if one.is_dead), key=lambda r: (r.case, r.rep, order.index(r.arm))
    )
    if dead:
        found["dead_arms"] = [
            {"arm": one.arm, "case": one.case, "rep": one.rep, "reason": one.reason} for one in dead
        ]
    if any(identity.changed):
        content, evals = identity.changed
        found["changed_during_run"] = {"content": content, "evals": evals}
    same = tally.uninformative(tally.counted(out.samples, out.rows))
    if same:
        found["uninformative_checks"] = same
    if out.interrupted:
        found["limits"] = {"reached": f"interrupted after {out.sessions} session(s)"}
    elif out.reached:
        found["limits"] = {"reached": out.reached}
    return found


def _dropped(plan: Plan, out: Outcome) -> Map:
    """Return why each case was dropped; of one that ran in other repetitions, in which it was."""
    found: Map = {}
    for one in sorted(out.dropped, key=lambda one: (one.case, one.rep)):
        detail = one.detail if plan.k == 1 else f"repetition {one.rep + 1}: {one.detail}"
        if earlier := found.get(one.case):
            detail = f"{earlier['detail']}; {detail}"
        found[one.case] = {"kind": one.kind, "detail": detail}
    return found


def _make_private(document: Map) -> None:
    lists = document["provenance"]["arm_skill_lists"]
    document["provenance"]["arm_skill_lists"] = dict.fromkeys(lists)
    for means in document["efficiency"].values():
        means["cost_usd"] = None


def _meta(plan: Plan, out: Outcome, identity: Identity) -> Map:
    return {
        "_meta": {
            "skill_id": identity.skill_id,
            "skill_name": plan.skill_name,
            "run_id": identity.run_id,
            "cc_version": identity.agent_version,
            "agent": plan.agent.name,
            "model": plan.model,
            "judge_model": plan.judge_model,
            "expected_rows": plan.expected_rows,
            "staged_dependencies": sorted(plan.dependencies),
            "arm_skill_lists": {
                arm.name: _listed(out.skill_lists.get(arm.name)) for arm in plan.arms
            },
            "spawns_agents": any(one.spawned_agents for one in out.ran),
            "cost_usd": out.cost_usd,
            "sessions": out.sessions,
            **identity.beside,
        }
    }


def _row(
    plan: Plan,
    row: Row,
    checks: Mapping[tuple[str, int, str], tuple[CheckOutcome, ...]],
    out: Outcome,
) -> Map:
    line: Map = {
        "kind": "execution",
        "skill": plan.skill_name,
        "case": row.case,
        "rep": row.rep,
        "comparison": f"candidate-vs-{row.opponent}",
        "outcome": row.outcome,
        "decided_by": row.decided_by,
        "reason": row.reason,
        "checks_candidate": checks.get((row.case, row.rep, CANDIDATE), ()),
        "checks_opponent": checks.get((row.case, row.rep, row.opponent), ()),
    }
    if row.swapped is not None:
        line["swapped"] = row.swapped
    if answers := out.answers.get((row.case, row.rep, row.opponent)):
        line["judge_answers"] = answers
    return line


def _listed(skills: tuple[str, ...] | None) -> list[str] | None:
    return None if skills is None else list(skills)

"""Checks: what a case asks of a session by looking, without a judge.

A check is written as a map of one kind and its argument. `read` makes a `Check` of it, and
`evaluate` looks at what a session left; neither ever fails a run. A check that is written wrongly
has a `problem`, and fails by name. The kinds are one class each, by what they look at:
`transcript`, `commands`, `files`, `json_` and `shell`.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from receipts import jsontext
from receipts.arms.checks.base import Malformed, Outcome, Test, text_of
from receipts.arms.checks.commands import CommandMatching
from receipts.arms.checks.files import FileExists, FileMatches
from receipts.arms.checks.json_ import JsonPathEquals
from receipts.arms.checks.scene import Scene, Seen
from receipts.arms.checks.shell import ExitsWith
from receipts.arms.checks.transcript import Mentions
from receipts.arms.matching import MatchError
from receipts.errors import ReceiptsError
from receipts.nearest import did_you_mean

__all__ = ["KINDS", "Check", "CheckResult", "Seen", "evaluate", "evaluate_all", "read"]

KINDS: dict[str, Callable[[Any], Test]] = {
    "transcript_mentions": Mentions.present,
    "transcript_omits": Mentions.absent,
    "command_matching": CommandMatching.some,
    "no_command_matching": CommandMatching.none,
    "file_exists": FileExists.present,
    "file_absent": FileExists.absent,
    "command_succeeds": ExitsWith.success,
    "json_path_equals": JsonPathEquals.read,
    "file_matches": FileMatches.read,
    "exit_code_is": ExitsWith.read,
}
_LONGEST_SPEC = 200


@dataclass(frozen=True)
class Check:
    """A check of a case.

    Attributes:
        name: How it is named in a receipt.
        test: What it does; None when it is written wrongly. Equal for checks that ask the same.
        problem: Why it is written wrongly, or None.
    """

    name: str
    test: Test | None
    problem: str | None = None

    @property
    def cannot_fail(self) -> bool:
        """Whether it passes whatever a session does. False proves nothing."""
        return self.test is not None and self.test.always is True

    @property
    def cannot_pass(self) -> bool:
        """Whether it fails whatever a session does. False proves nothing."""
        return self.test is None or self.test.always is False


class CheckResult(NamedTuple):
    """What a check came to. `detail` may hold what a session wrote, and stays on this machine."""

    name: str
    passed: bool
    detail: str


def read(spec: Any) -> Check:  # noqa: ANN401 - any YAML value
    """Read a check: a map of one kind and its argument, or a kind alone."""
    if isinstance(spec, str):
        kind, has_argument, argument = spec, False, None
    elif isinstance(spec, dict) and len(spec) == 1:
        [(kind, argument)] = spec.items()
        has_argument = True
    else:
        return Check(_shown(spec), None, "unrecognized check spec")
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS, "'{}'")
        return Check(kind, None, f"unknown check kind '{kind}'{'. ' * bool(hint)}{hint}")
    try:
        test = KINDS[kind](argument)
    except Malformed as error:
        name = f"{kind}:{_shown(argument)}" if has_argument else kind
        return Check(name, None, f"malformed check: {error}")
    return Check(test.name, test)


def evaluate(
    check: Check,
    sandbox: Path,
    seen: Seen,
    environment: Mapping[str, str],
    stop: threading.Event | None = None,
) -> CheckResult:
    """Evaluate one check, as `evaluate_all` does."""
    [result] = evaluate_all([check], sandbox, seen, environment, stop)
    return result


def evaluate_all(
    checks: Sequence[Check],
    sandbox: Path,
    seen: Seen,
    environment: Mapping[str, str],
    stop: threading.Event | None = None,
) -> list[CheckResult]:
    """Evaluate the checks of one session, in order; the transcript is read once for all of them.

    Args:
        checks: The checks. Nothing that goes wrong with one raises; it fails and says why.
        sandbox: The folder that the session worked in.
        seen: Its transcript.
        environment: That of the commands that a check runs.
        stop: Ends them early when set; a check that was stopped counts as failed.
    """
    scene = Scene(sandbox, seen, environment, stop)
    for check in checks:
        if check.test:
            check.test.announce(scene)
    return [_evaluated(check, scene) for check in checks]


def _evaluated(check: Check, scene: Scene) -> CheckResult:
    if check.test is None:
        return CheckResult(check.name, passed=False, detail=check.problem or "")
    try:
        outcome = check.test.run(scene)
    except ReceiptsError as error:
        outcome = Outcome(passed=False, detail=str(error))
    except (MatchError, OSError) as error:
        outcome = Outcome(passed=False, detail=f"it could not be evaluated: {error}")
    return CheckResult(check.name, outcome.passed, outcome.detail)


def _shown(spec: Any) -> str:  # noqa: ANN401 - any YAML value
    """Return what stands in the place of a check, on one line."""
    try:
        return text_of(spec)[:_LONGEST_SPEC]
    except Malformed:
        pass
    try:
        return jsontext.dumps(spec)[:_LONGEST_SPEC]
    except (TypeError, ValueError, RecursionError):
        return "a value that is no check"

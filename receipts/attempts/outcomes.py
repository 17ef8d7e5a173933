"""How one attempt ended, and what each end means for the numbers.

Noise (a crash, a throttle, a timeout, a judge without a verdict) says nothing about the skill: it
leaves every denominator, and is counted apart.
"""

from enum import StrEnum


class Outcome(StrEnum):
    """How an attempt ended, as a saved run spells it."""

    PASS = "pass"  # noqa: S105 - no password
    TASK_FAIL = "task_fail"
    JUDGE_ERROR = "judge_error"
    INFRA_ERROR = "infra_error"
    TIMEOUT = "timeout"
    CHEAT = "cheat"
    NOT_CHECKED = "not_checked"

    @property
    def is_usable(self) -> bool:
        """Whether it counts toward the success rate: the attempt got a fair chance."""
        return self in _USABLE

    @property
    def is_noise(self) -> bool:
        """Whether something broke that is not the skill; reports call this "unusable".

        `not_checked` is neither usable nor noise: the task asked for no verdict.
        """
        return self in _NOISE

    @property
    def tells_activation(self) -> bool:
        """Whether the session ran to its end, so that what was not activated is known."""
        return self not in _CUT_SHORT


_USABLE = frozenset({Outcome.PASS, Outcome.TASK_FAIL, Outcome.CHEAT})
_CUT_SHORT = frozenset({Outcome.INFRA_ERROR, Outcome.TIMEOUT})
_NOISE = _CUT_SHORT | {Outcome.JUDGE_ERROR}

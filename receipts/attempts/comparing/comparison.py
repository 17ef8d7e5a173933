"""The comparison of two saved runs: A before, B after."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from receipts.attempts.comparing import certainty
from receipts.attempts.comparing.certainty import Certainty
from receipts.attempts.comparing.notices import Notice, notices
from receipts.attempts.comparing.rows import Matched, Row, difference, matched
from receipts.attempts.comparing.surroundings import Drift, Labels, drift, labels
from receipts.attempts.comparing.warnings import Flags, Warned, flags, warnings
from receipts.attempts.runfile import RunFile
from receipts.attempts.scores import average
from receipts.attempts.usage import Totals, finite, totals
from receipts.errors import ResultsError

_ROUNDING = 1e-9  # 0.7 - 0.6 is a little less than a tenth


@dataclass(frozen=True)
class Comparison:
    """Two runs and what follows from their attempts; nothing here fails on a regression.

    Attributes:
        a: The run before.
        b: The run after.
        names: What the two are called in sentences.
    """

    a: RunFile
    b: RunFile
    names: tuple[str, str] = ("A", "B")

    @cached_property
    def matched(self) -> Matched:
        """Tasks of both, and those of one alone."""
        return matched(self.a, self.b)

    @property
    def rows(self) -> list[Row]:
        """Tasks of both."""
        return self.matched.rows

    @cached_property
    def labels(self) -> Labels | None:
        """What the sides are called when one is the other with something removed."""
        return labels(self.a, self.b)

    @cached_property
    def drift(self) -> list[Drift]:
        """Skills whose files changed."""
        return drift(self.a, self.b)

    @cached_property
    def flags(self) -> Flags:
        """What differs besides."""
        return flags(self.a, self.b, self.labels)

    @cached_property
    def warnings(self) -> list[Warned]:
        """What to beware of, in sentences."""
        return warnings(self.a, self.b, self.flags, self.drift, self.names)

    @cached_property
    def notices(self) -> list[Notice]:
        """What else changed."""
        return notices(self.a, self.b, self.rows, self.names)

    @cached_property
    def a_usage(self) -> Totals:
        """What A cost, tasks without a partner included."""
        return totals(self.a.attempts)

    @cached_property
    def b_usage(self) -> Totals:
        """What B cost."""
        return totals(self.b.attempts)

    @cached_property
    def averages(self) -> tuple[float, float]:
        """The mean scores of the tasks that both sides measured; 0 when there is none."""
        both = [row for row in self.rows if row.delta is not None]
        a, b = average(row.a_score for row in both), average(row.b_score for row in both)
        return a or 0.0, b or 0.0

    @cached_property
    def activation_averages(self) -> tuple[float | None, float | None]:
        """The same of activation scores; None when there is none."""
        both = [row for row in self.rows if row.activation_delta is not None]
        return average(row.a_activation for row in both), average(row.b_activation for row in both)

    @property
    def regressions(self) -> list[str]:
        """Tasks whose score fell."""
        return [row.name for row in self.rows if row.is_regression]

    @property
    def activation_regressions(self) -> list[str]:
        """Tasks whose activation score fell."""
        return [row.name for row in self.rows if row.is_activation_regression]

    def fell(self, points: float) -> list[str]:
        """Return the tasks whose score fell by more than so many percentage points."""
        return [
            row.name
            for row in self.rows
            if row.is_regression and -100 * (row.delta or 0.0) > points + _ROUNDING
        ]

    @property
    def unmeasured(self) -> list[str]:
        """Tasks that are in no average because a side has no score."""
        return [row.name for row in self.rows if row.is_unmeasured]

    @cached_property
    def certainties(self) -> list[Certainty]:
        """How sure each row's rates are."""
        return [certainty.of_row(row, certainty.success) for row in self.rows]

    @cached_property
    def certainty(self) -> Certainty:
        """How sure the averages are."""
        return certainty.of_all(self.certainties)

    @cached_property
    def activation_certainties(self) -> list[Certainty]:
        """How sure each row's activation scores are."""
        return [certainty.of_row(row, certainty.activation) for row in self.rows]

    def document(self) -> dict[str, Any]:
        """Return it as JSON: the reference's keys in its order, and ours under `extra`."""
        averages, activation = self.averages, self.activation_averages
        return {
            "a": self.a.run.model_dump(mode="json"),
            "b": self.b.run.model_dump(mode="json"),
            "a_label": self.labels.a if self.labels else None,
            "b_label": self.labels.b if self.labels else None,
            "a_skills": self.a.skills,
            "b_skills": self.b.skills,
            "matched": [row.document() for row in self.rows],
            "unmatched_a": self.matched.only_a,
            "unmatched_b": self.matched.only_b,
            **self.flags._asdict(),
            "skill_drift": [item._asdict() for item in self.drift],
            "warnings": [warning.text for warning in self.warnings],
            "a_usage": self.a_usage.document(),
            "b_usage": self.b_usage.document(),
            "a_matched_avg": averages[0],
            "b_matched_avg": averages[1],
            "aggregate_delta": averages[1] - averages[0],
            "a_matched_activation_avg": activation[0],
            "b_matched_activation_avg": activation[1],
            "aggregate_activation_delta": difference(*activation),
            "regressions": self.regressions,
            "has_regression": bool(self.regressions),
            "activation_regressions": self.activation_regressions,
            "has_activation_regression": bool(self.activation_regressions),
            "unmeasured": self.unmeasured,
            "token_delta": self.b_usage.total_tokens - self.a_usage.total_tokens,
            "wall_delta": finite(self.b_usage.wall_seconds - self.a_usage.wall_seconds),
            "extra": self._extra(),
        }

    def _extra(self) -> dict[str, Any]:
        return {
            "level": 0.95,
            "rate_method": certainty.RATES,
            "needed_method": certainty.NEEDED,
            "warning_kinds": [warning.kind for warning in self.warnings],
            "notices": [notice.document() for notice in self.notices],
            "aggregate": self.certainty.document(),
            "activation": certainty.of_all(self.activation_certainties).document(),
            "tasks": [
                {
                    "task_name": row.name,
                    **success.document(),
                    "activation": activation.document() if activation.is_measured else None,
                }
                for row, success, activation in zip(
                    self.rows, self.certainties, self.activation_certainties, strict=True
                )
            ],
        }


def compared(a: RunFile, b: RunFile, names: tuple[str, str] = ("A", "B")) -> Comparison:
    """Return the comparison of two runs.

    Args:
        a: The run before.
        b: The run after.
        names: What the two are called in sentences.

    Raises:
        ResultsError: They are of different eras, so that their numbers measured different things.
    """
    if a.run.era != b.run.era:
        raise ResultsError(
            "These runs loaded skills in different ways, so their numbers do not compare: "
            f"{_era(a)} in {names[0]}, {_era(b)} in {names[1]}.",
            "Run the older one again.",
        )
    return Comparison(a, b, names)


def _era(run: RunFile) -> str:
    return "before that was recorded" if run.run.era is None else repr(run.run.era)

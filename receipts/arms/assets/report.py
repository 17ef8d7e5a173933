"""What is wrong and what is odd in eval assets, collected so that an author sees all at once."""

from receipts.errors import EvalError
from receipts.terminal import one_line

_MOST_SHOWN = 20
_MOST_WARNINGS = 100


class Report:
    """The problems and warnings of one reading; each names its file, and its line where it can."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.warnings: list[str] = []

    def refuse(self, place: str, sentence: str) -> None:
        """Add a problem, which ends the reading when all was looked at."""
        self.problems.append(_line(place, sentence))

    def warn(self, place: str, sentence: str) -> None:
        """Add a warning, which ends nothing."""
        self.warnings.append(_line(place, sentence))

    def shown_warnings(self) -> tuple[str, ...]:
        """Return the warnings, and of very many the first and their number."""
        more = len(self.warnings) - _MOST_WARNINGS
        last = [f"and {more} more"] if more > 0 else []
        return (*self.warnings[:_MOST_WARNINGS], *last)

    def raise_problems(self) -> None:
        """Raise if there were problems.

        Raises:
            EvalError: There were; it names them.
        """
        if not self.problems:
            return
        if len(self.problems) == 1:
            raise EvalError(self.problems[0])
        more = len(self.problems) - _MOST_SHOWN
        last = [f"and {more} more"] if more > 0 else []
        lines = "".join(f"\n  {line}" for line in [*self.problems[:_MOST_SHOWN], *last])
        raise EvalError(
            f"{len(self.problems)} things must be put right before an evaluation:{lines}"
        )


def _line(place: str, sentence: str) -> str:
    return one_line(f"{place}: {sentence}{'' if sentence.endswith('?') else '.'}")

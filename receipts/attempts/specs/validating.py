"""Checks a spec without running it and without a network."""

from dataclasses import dataclass

from receipts.attempts.specs import reading, skills, tasks
from receipts.attempts.specs.model import Spec
from receipts.attempts.specs.skills import Neighbourhood
from receipts.filenames import shown
from receipts.files import StrPath


@dataclass(frozen=True)
class Validated:
    """A spec that can be run, as far as can be told without running it.

    Attributes:
        spec: The spec.
        neighbourhood: Its skills.
        warnings: What is odd, one sentence each.
    """

    spec: Spec
    neighbourhood: Neighbourhood
    warnings: tuple[str, ...]

    @property
    def asserting(self) -> int:
        """How many tasks say which skills must activate."""
        return sum(task.activates is not None for task in self.spec.tasks)


def validate(path: StrPath) -> Validated:
    """Read a spec, the files that it names and its skills, as far as they are on this machine.

    Raises:
        SpecError: It cannot be run; every reason is named, with file and line.
    """
    spec = reading.read(path)
    neighbourhood = skills.resolve(spec, fetch=False)
    odd = [
        f"Task {shown(task.name)!r} has an 'assert' that is no Python here: {why}."
        for task in spec.tasks
        if task.check and (why := tasks.syntax_problem(task.check))
    ]
    missing = [
        f"{shown(str(folder))} of 'extra_path' is no folder."
        for folder in spec.extra_path
        if not folder.is_dir()
    ]
    uncached = [
        f"{shown(str(source))} is not on this machine yet, so which skills activate is checked when"
        " the spec is run."
        for source in neighbourhood.uncached
    ]
    return Validated(spec, neighbourhood, (*neighbourhood.warnings, *uncached, *odd, *missing))

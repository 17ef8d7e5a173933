"""Checks by a command of the case's own: `command_succeeds` and `exit_code_is`."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from receipts.arms.checks.base import Malformed, Outcome, fields_of, text_of
from receipts.jsyaml.units import LONE_SURROGATE, from_units, to_units

if TYPE_CHECKING:
    from receipts.arms.checks.scene import Scene

SECONDS = 120.0
_NAMED_UNITS = 60
_STDERR_SHOWN = 500
_COMMENT_OR_NOTHING = re.compile(r"\s*(?:#.*)?")
# Commands of which nobody has to run anything to know the end.
_PLAIN = re.compile(r"(:|true)|(false)|exit(?:[ \t]+([0-9]{1,3}))?")


@dataclass(frozen=True)
class ExitsWith:
    """A shell command, run in the sandbox, ends with an exit code.

    `kind` is the check that it was read from.
    """

    kind: str
    command: str
    code: int

    @classmethod
    def success(cls, argument: Any) -> Self:  # noqa: ANN401 - any YAML value
        """Read `command_succeeds`."""
        return cls("command_succeeds", text_of(argument), 0)

    @classmethod
    def read(cls, argument: Any) -> Self:  # noqa: ANN401 - any YAML value
        """Read `exit_code_is`."""
        command, code = fields_of(argument, ("command", "code"))
        if isinstance(code, bool) or code not in range(256):
            raise Malformed("code must be a whole number from 0 to 255")
        return cls("exit_code_is", text_of(command, "command"), int(code))

    @property
    def name(self) -> str:
        """The kind, the code if it is asked for, and how the command begins."""
        start = from_units(to_units(self.command)[:_NAMED_UNITS])
        shown = LONE_SURROGATE.sub("", start)
        code = f"{self.code} " if self.kind == "exit_code_is" else ""
        return f"{self.kind}:{code}{shown}"

    @property
    def always(self) -> bool | None:
        """A command that does nothing ends alike everywhere."""
        code = _known_code(self.command)
        return None if code is None else code == self.code

    def announce(self, scene: "Scene") -> None:
        """Ask nothing of the transcript."""

    def run(self, scene: "Scene") -> Outcome:
        """Run the command."""
        from receipts import processes

        ended = processes.run(
            processes.shell(self.command),
            folder=scene.sandbox,
            environment=scene.environment,
            timeout=SECONDS,
            stop=scene.stop,
        )
        if ended.how != "exited":
            return Outcome(passed=False, detail=_ENDS.get(ended.how, ended.how))
        stderr = ended.stderr.strip()[-_STDERR_SHOWN:]
        code = ended.exit_code or 0
        if code < 0:  # ended by a signal, which a shell calls 128 and its number
            code = 128 - code
        detail = f"exit code {code}{': ' * bool(stderr)}{stderr}"
        return Outcome(code == self.code, detail)


_ENDS = {
    "timeout": f"it took longer than {SECONDS:g} seconds",
    "disk-full": "it was ended because the disk was running full",
    "stopped": "it was stopped with the run",
    "too-much-output": "it was ended because it wrote without end",
    "not-started": "it could not be started",
}


def _known_code(command: str) -> int | None:
    """Return the exit code of a command that only names it, or None."""
    lines = [line for line in command.split("\n") if not _COMMENT_OR_NOTHING.fullmatch(line)]
    if not lines:
        return 0
    if len(lines) > 1:
        return None
    plain = _PLAIN.fullmatch(lines[0].strip(" \t;"))
    if plain is None:
        return None
    return 1 if plain[2] else int(plain[3] or 0) % 256

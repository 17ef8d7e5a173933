"""What a run leaves out: `--ablate NAME` resolved to skills and MCP servers of the spec."""

from collections.abc import Iterable
from dataclasses import dataclass

from receipts.errors import SpecError
from receipts.filenames import shown
from receipts.nearest import did_you_mean

_SKILL, _SERVER = "skill:", "mcp:"


@dataclass(frozen=True)
class Ablation:
    """What is left out.

    Attributes:
        skills: Names of skills. With any of them no task's expectation of activation is asked.
        servers: Names of MCP servers.
    """

    skills: frozenset[str] = frozenset()
    servers: frozenset[str] = frozenset()

    @property
    def recorded(self) -> list[str]:
        """What the run's record says: skills bare, servers as `mcp:NAME`, sorted."""
        return sorted([*self.skills, *(f"{_SERVER}{name}" for name in self.servers)])


def resolve(names: Iterable[str], skills: Iterable[str], servers: Iterable[str]) -> Ablation:
    """Resolve names that a user gave.

    Args:
        names: Each bare, or with `skill:` or `mcp:` before it; case counts.
        skills: The skills that the spec declares.
        servers: The MCP servers that it declares.

    Raises:
        SpecError: A name is declared as neither, or as both.
    """
    declared = {_SKILL: frozenset(skills), _SERVER: frozenset(servers)}
    found: dict[str, set[str]] = {_SKILL: set(), _SERVER: set()}
    problems = []
    for name in dict.fromkeys(names):
        kinds = [kind for kind in declared if _bare(name, kind) in declared[kind]]
        if len(kinds) == 1:
            found[kinds[0]].add(_bare(name, kinds[0]))
        elif kinds:
            problems.append(
                f"{shown(name)} is a skill and an MCP server of the spec; ablate"
                f" {_SKILL}{name} or {_SERVER}{name}."
            )
        else:
            problems.append(_unknown(name, declared))
    if problems:
        raise SpecError(" ".join(problems), problems=tuple(problems))
    return Ablation(frozenset(found[_SKILL]), frozenset(found[_SERVER]))


def _bare(name: str, kind: str) -> str:
    """Return a name without the qualifier of its own kind; another kind's makes it no name."""
    return name.removeprefix(kind)


def _unknown(name: str, declared: dict[str, frozenset[str]]) -> str:
    known = [*declared[_SKILL], *(f"{_SERVER}{server}" for server in declared[_SERVER])]
    hint = did_you_mean(name, [*known, *declared[_SERVER]])
    there = f"It has {', '.join(sorted(known))}." if known else "It has none."
    return f"The spec declares no skill and no MCP server {shown(name)}. {hint or there}"

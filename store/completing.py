"""What the shell offers where a name or a path of this machine is typed.

Nothing here fails, writes or says anything: the person is in the middle of a line.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

Names = Callable[["click.Context"], Iterable[str]]
Completer = Callable[["click.Context", "click.Parameter", str], "list[CompletionItem]"]


def completer(names: Names, *, path: str = "") -> Completer:
    """Return the function that click's `shell_complete` of a parameter asks for.

    Args:
        names: The names that can stand there, given the command line so far; none after it raises.
        path: `dir` or `file` where a path can stand there too; the shell itself looks those up.
    """

    def complete(
        context: "click.Context",
        parameter: "click.Parameter",  # noqa: ARG001 - click's signature
        incomplete: str,
    ) -> "list[CompletionItem]":
        import shlex

        from click.shell_completion import CompletionItem

        known: set[str] = set()
        with contextlib.suppress(Exception):
            known.update(names(context))
        # A name that a shell would take for something else had to be quoted; it is left out.
        fitting = (name for name in known if shlex.quote(name) == name)
        # Paths first: bash forgets what it was offered before them.
        paths = [CompletionItem(incomplete, type=path)] if path else []
        return paths + [CompletionItem(n) for n in sorted(fitting) if n.startswith(incomplete)]

    return complete


def installed_skills(context: "click.Context") -> Iterator[str]:  # noqa: ARG001 - as `Names`
    """Yield the names of the skills in the libraries."""
    from store import library

    return (skill.name for skill in library.skills_in(library.roots()).skills)


def team_names(context: "click.Context") -> Iterator[str]:  # noqa: ARG001 - as `Names`
    """Yield the names of this machine's teams."""
    from store import config

    return (entry.name for entry in config.teams())


def registered_libraries(context: "click.Context") -> list[str]:  # noqa: ARG001 - as `Names`
    """Return the paths of the registered libraries."""
    from store import config

    return config.load().library()


def specs_with_runs(context: "click.Context") -> list[str]:  # noqa: ARG001 - as `Names`
    """Return the names of the specs that have saved runs here."""
    import os

    from receipts.attempts import results

    return results.specs(results.root_of(os.curdir))


def references(context: "click.Context") -> Iterator[str]:
    """Yield what a saved run is called by: its spec, its id, or a word."""
    import os

    from receipts.attempts import results

    root = results.root_of(os.curdir)
    yield from (results.LATEST, results.PREVIOUS)
    for spec in specs_with_runs(context):
        yield spec
        yield from (run.run_id for run in results.runs(root, spec))


def _skills_and_specs(context: "click.Context") -> Iterator[str]:
    yield from installed_skills(context)
    yield from specs_with_runs(context)


def _nothing(context: "click.Context") -> Iterable[str]:  # noqa: ARG001 - as `Names`
    return ()


def cases_of_skills(context: "click.Context") -> Iterator[str]:
    """Yield the names of the cases of the skills that the command line names."""
    from store import library

    # An option without its value yet leaves the words before it where click had put them.
    for reference in context.params.get("references") or context.args:
        folder = library.find(reference) / "evals" / "cases"
        yield from (path.stem for path in folder.iterdir() if path.suffix in (".yaml", ".yml"))


def agents(context: "click.Context") -> tuple[str, ...]:  # noqa: ARG001 - as `Names`
    """Return the agents that have a name."""
    return ("claude", "codex")


def runs_to_continue(context: "click.Context") -> Iterator[str]:  # noqa: ARG001 - as `Names`
    """Yield the ids of runs that are not complete."""
    from store import runs

    found = runs.survey()
    yield from (item.run_id for item in found.left_out if item.run_id)
    for run in found.runs:
        receipt = run.file.receipt
        if receipt is not None and receipt.execution_status != "complete":
            yield run.run_id


folders = completer(_nothing, path="dir")
libraries = completer(registered_libraries)
saved_runs = completer(references, path="file")
specs = completer(specs_with_runs, path="file")
skills_and_specs = completer(_skills_and_specs, path="dir")
skills = completer(installed_skills, path="dir")
skills_and_files = completer(installed_skills, path="file")
teams = completer(team_names)
cases = completer(cases_of_skills)
agent_names = completer(agents)
unfinished_runs = completer(runs_to_continue)

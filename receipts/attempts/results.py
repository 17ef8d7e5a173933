"""Where runs live, and which one is meant.

A results root is a folder that holds a folder `.caliper`. The nearest one at or above the working
folder counts, and the search does not leave the git repository, so that every command run anywhere
in a project finds the same runs: `.caliper/results/SPEC/RUN-ID.json`.
"""

import os
import re
from datetime import UTC, datetime
from typing import NamedTuple

from receipts.errors import ResultsError
from receipts.files import StrPath
from receipts.nearest import did_you_mean

LIMIT = 512 * 1024**2
"""Bytes that a saved run may have; one of 10,000 attempts with transcripts has some 50 million."""
MARKER = ".caliper"
LATEST = "latest"
PREVIOUS = "previous"

_RUN_ID = re.compile(r"(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)(?:-(\d+))?\Z")
_JSON = ".json"
_SPEC_ENDINGS = (".eval.yaml", ".eval.yml", ".yaml", ".yml")


class UnusableRoot(ResultsError):  # noqa: N818 - named for what the user reads
    """A file stands where the folder of results is to be."""

    exit_code = 2


class SavedRun(NamedTuple):
    """The place of a saved run."""

    spec: str
    run_id: str
    path: str


def root_of(start: StrPath) -> str:
    """Return the results root of a folder: the one that is there, or where the first run makes it.

    That is the top of the git repository, or the folder itself where there is none.
    """
    first = folder = os.path.abspath(start)
    while True:
        if os.path.isdir(os.path.join(folder, MARKER)):
            return folder
        if os.path.lexists(os.path.join(folder, ".git")):  # a file in a worktree
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return first
        folder = above


def folder_of(root: StrPath) -> str:
    """Return the folder below a root that holds a folder for each spec; it may not be there yet.

    Raises:
        UnusableRoot: A file stands in its place.
    """
    marker = os.path.join(root, MARKER)
    results = os.path.join(marker, "results")
    for place in (marker, results):
        if os.path.lexists(place) and not os.path.isdir(place):
            raise UnusableRoot(
                f"{place} is a file, and the saved runs belong into a folder of that name.",
                "Move the file away.",
            )
    return results


def id_of(ended: datetime) -> str:
    """Return the id of a run that ended then: `2026-07-01T10-00-00Z`, in UTC."""
    try:
        moment = ended.astimezone(UTC) if ended.tzinfo else ended
    except OverflowError:  # the first or last day that there is, in another time zone
        moment = ended
    return f"{moment.year:04}{moment:-%m-%dT%H-%M-%SZ}"


def is_stamped(run_id: str) -> bool:
    """Say whether text is an id as saved runs are given: `2026-07-01T10-00-00Z`, or with `-2`."""
    return _RUN_ID.match(run_id) is not None


def spec_name(path: StrPath) -> str:
    """Return the name of a spec, after its file: without its ending, and without `.eval`."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return stem.removesuffix(".eval")


def specs(root: StrPath) -> list[str]:
    """Return the names of the specs that have a saved run, sorted.

    Raises:
        UnusableRoot: As `folder_of`.
    """
    return sorted(
        entry.name
        for entry in _entries(folder_of(root))
        if entry.is_dir() and any(_is_run(inside) for inside in _entries(entry.path))
    )


def runs(root: StrPath, spec: str) -> list[SavedRun]:
    """Return the saved runs of a spec, oldest first.

    The order is that of the file names: the second, then the number of a run in the same second. A
    file of another name stands where its name sorts, so that `baseline.json` is later than all.

    Raises:
        UnusableRoot: As `folder_of`.
        ResultsError: The spec's name leads out of the folder of results.
    """
    results = folder_of(root)
    folder = os.path.normpath(os.path.join(results, spec))
    if os.path.dirname(folder) != os.path.normpath(results):
        raise ResultsError(f"{spec} is no name of a spec.")
    name = os.path.basename(folder)
    found = [
        SavedRun(name, entry.name.removesuffix(_JSON), entry.path)
        for entry in _entries(folder)
        if _is_run(entry)
    ]
    return sorted(found, key=lambda run: _order(run.run_id))


def resolve(reference: str, root: StrPath) -> str:
    """Return the path of the run that a reference means.

    A path that ends in `.json` is that file. A spec's name or file means its latest run, and so do
    `latest` for all specs and `previous` for the run before it of the same spec. A run id is looked
    for among all specs, or given as `SPEC/RUN-ID`.

    Raises:
        UnusableRoot: As `folder_of`.
        ResultsError: There is no such run, or more than one.
    """
    if reference.endswith(_JSON):
        return _file(reference, root)
    known = _known(root)
    name = _spec_of(reference, known)
    if name is not None and (found := runs(root, name)):
        return found[-1].path
    if reference in (LATEST, PREVIOUS):
        return _recent(root, known, reference)
    spec, _, run_id = reference.rpartition("/")
    matching = [
        run
        for name in ([spec] if spec in known else known)
        for run in runs(root, name)
        if run.run_id == run_id
    ]
    if len(matching) == 1:
        return matching[0].path
    if matching:
        places = ", ".join(f"{run.spec}/{run.run_id}" for run in matching)
        raise ResultsError(f"{reference} names several runs.", f"Say which one: {places}.")
    if os.path.isfile(reference):
        raise ResultsError(
            f"{reference} is no saved run, whose names end in {_JSON}.",
            "Name a spec, a run id, or the run's file.",
        )
    raise _no_run_of(reference, root, known)


def spec_of(reference: str, root: StrPath) -> str:
    """Return the spec that a reference names, by its name or its file, and that has saved runs.

    Raises:
        UnusableRoot: As `folder_of`.
        ResultsError: It has none.
    """
    known = _known(root)
    name = _spec_of(reference, known)
    if name is None:
        raise _no_run_of(reference, root, known)
    return name


def pick(spec_or_path: str, run_id: str, root: StrPath) -> str:
    """Return the path of one run of a spec, by its id; the id means nothing beside a file's path.

    Raises:
        ResultsError: As `resolve`, or the spec has no such run.
    """
    path = resolve(spec_or_path, root)
    if spec_or_path.endswith(_JSON):
        return path
    picked = os.path.join(os.path.dirname(path), f"{run_id}{_JSON}")
    if os.path.basename(picked) != f"{run_id}{_JSON}" or not os.path.isfile(picked):
        ids = [run.run_id for run in runs(root, os.path.basename(os.path.dirname(path)))]
        raise ResultsError(
            f"{spec_or_path} has no saved run {run_id}.",
            did_you_mean(run_id, ids) or f"Its latest is {ids[-1]}.",
        )
    return picked


def _known(root: StrPath) -> list[str]:
    """Return the specs that have a saved run, of which there is one."""
    known = specs(root)
    if not known:
        raise ResultsError(
            f"There are no saved runs under {root}.",
            "Run a spec first, or work in the folder where you ran it.",
        )
    return known


def _no_run_of(reference: str, root: StrPath, known: list[str]) -> ResultsError:
    return ResultsError(
        f"There is no saved run of {reference} under {root}.",
        did_you_mean(reference, known) or f"There are runs of {', '.join(known)}.",
    )


def _file(reference: str, root: StrPath) -> str:
    if os.path.lexists(reference):
        return reference
    near = did_you_mean(spec_name(reference), specs(root))
    raise ResultsError(f"There is no file {reference}.", near)


def _spec_of(reference: str, known: list[str]) -> str | None:
    """Return the spec that a reference names, by its name or by its file."""
    plain = os.path.normpath(reference)
    if plain in known:
        return plain
    if reference.endswith(_SPEC_ENDINGS) and (name := spec_name(reference)) in known:
        return name
    return None


def _recent(root: StrPath, known: list[str], word: str) -> str:
    latest = [runs(root, name)[-1] for name in known]
    newest = max(latest, key=lambda run: (is_stamped(run.run_id), _order(run.run_id)))
    if word == LATEST:
        return newest.path
    before = runs(root, newest.spec)[:-1]
    if not before:
        raise ResultsError(
            f"{newest.spec} has one saved run, {newest.run_id}, and none before it.",
            "Name the run that you mean.",
        )
    return before[-1].path


def _order(run_id: str) -> tuple[str, int]:
    match = _RUN_ID.match(run_id)
    return (match[1], int(match[2] or 0)) if match else (run_id, 0)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise ResultsError(f"{folder} cannot be read: {error.strerror or error}.") from error


def _is_run(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(_JSON) and not entry.name.startswith(".") and entry.is_file()

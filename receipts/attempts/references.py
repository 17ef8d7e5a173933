"""Which words mean a saved run where a receipt or a skill could be meant as well."""

import os

from receipts.attempts import results
from receipts.documents import Kind, kind_of_file
from receipts.runid import is_run_id

_SPEC_ENDINGS = (".eval.yaml", ".eval.yml")


def saved_run(reference: str, root: str) -> str | None:
    """Return the path of the saved run that a reference means, None where it means something else.

    A file is one by what it holds. What exists as a path is no name. The id of a receipt's run
    (`20260701T100000Z`) is none of a saved run (`2026-07-01T10-00-00Z`).

    Args:
        reference: What a person typed.
        root: The results root.

    Raises:
        UnusableRoot: A file stands in the place of the folder of results.
        ResultsError: It means a saved run, and there is none, or more than one.
    """
    if is_spec_file(reference):
        return results.resolve(reference, root)
    if os.path.lexists(reference):
        is_run = os.path.isfile(reference) and kind_of_file(reference) is Kind.RUN
        return reference if is_run else None
    if is_run_id(reference):
        return None
    if is_spec(os.path.normpath(reference), root):
        return results.resolve(reference, root)
    if reference in (results.LATEST, results.PREVIOUS):
        return results.resolve(reference, root)
    if results.is_stamped(reference.rpartition("/")[2]):
        return results.resolve(reference, root)
    return None


def is_spec_file(reference: str) -> bool:
    """Say whether a reference is the file of a spec, which need not exist, and nothing else."""
    return reference.endswith(_SPEC_ENDINGS)


def is_spec(name: str, root: str) -> bool:
    """Say whether a spec of this name has saved runs.

    Raises:
        UnusableRoot: As `saved_run`.
    """
    return os.path.basename(name) == name and name in results.specs(root)

"""Whether generated files would do: fit to be shared, loaded as cases, and seeded once."""

import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from receipts import hygiene
from receipts.arms import assets, sandbox
from receipts.arms.generation.material import Material
from receipts.arms.plan import CANDIDATE, Arm
from receipts.arms.sandbox import SeedError
from receipts.errors import EvalError


def unfit(files: Mapping[str, bytes], material: Material) -> list[str]:
    """Return what in files must not be in a shared text, a finding each."""
    named = {f"evals/{path}": data for path, data in files.items()}
    return [str(finding) for finding in hygiene.unfit_to_share(named, material.author)]


def problems(files: Mapping[str, bytes], material: Material, stop: threading.Event) -> list[str]:
    """Return why files could not be used as evaluation assets, one sentence each.

    What a person is only warned of is a reason here.
    """
    with tempfile.TemporaryDirectory(prefix="receipts-generated-") as place:
        evals = Path(place, "evals")
        for path, data in files.items():
            target = evals / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        try:
            loaded = assets.read(evals)
        except EvalError as error:
            return error.message.split("\n")
        if loaded.warnings:
            return list(loaded.warnings)
        return [
            sentence
            for case in loaded.cases
            if (sentence := _unseedable(case, material, Path(place), stop))
        ]


def _unseedable(
    case: assets.Case, material: Material, run: Path, stop: threading.Event
) -> str | None:
    """Return why a candidate's sandbox cannot be made for a case, or None."""
    arm = Arm(CANDIDATE, material.folder)
    try:
        place = sandbox.new(run)
        sandbox.seed(place, case, arm, material.name, material.agent, material.dependencies, stop)
    except SeedError as error:
        return f"{case.file}: its sandbox cannot be made: {error.detail}"
    return None

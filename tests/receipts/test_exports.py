import subprocess
import sys

import pytest

import receipts

SURFACE = ["Receipt", "content_digest", "content_digest_of"]


def test_the_exported_names() -> None:
    assert receipts.__all__ == SURFACE
    assert set(SURFACE) <= set(dir(receipts))
    for name in SURFACE:
        assert getattr(receipts, name).__name__ == name


def test_other_names_are_no_attributes() -> None:
    with pytest.raises(AttributeError, match="module 'receipts' has no attribute 'digests'"):
        receipts.digests  # noqa: B018 - the access is the test


@pytest.mark.parametrize(
    "statement",
    [
        "import receipts; dir(receipts)",
        "import receipts.jsontext, receipts.runid, receipts.stats, receipts.numbers",
        "import receipts.stamping, receipts.forms, receipts.report, receipts.check",
        "from receipts import content_digest",
    ],
)
def test_no_model_is_loaded_before_one_is_needed(statement: str) -> None:
    code = f"{statement}\nimport sys\nassert 'pydantic' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)

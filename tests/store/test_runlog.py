import json
from pathlib import Path

import pytest

from store.runlog import trigger_rows

ROW = {"prompt": "rename this", "expected": False, "fired": True, "correct": False}


def test_the_rows_of_the_trigger_line_come_back(tmp_path: Path) -> None:
    lines = [
        {"_meta": {"skill_name": "triggers"}},
        {"kind": "execution", "reason": 'says "triggers"'},
        {"kind": "triggers", "rows": [ROW, {**ROW, "fired": None, "error": "timeout"}]},
    ]
    (tmp_path / "run.jsonl").write_text("\n".join(map(json.dumps, lines)) + '\n{"kind":"trig')
    assert [row["fired"] for row in trigger_rows(tmp_path)] == [True, None]


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"kind":"triggers"}',
        '{"kind":"triggers","rows":5}',
        '{"kind":"triggers","rows":[5,{"prompt":5},{"prompt":"a","expected":1,"fired":true}]}',
        '["triggers"]',
        '{"kind":"triggers"',
        "[" * 100_000 + '"triggers"',
    ],
)
def test_what_is_no_trigger_line_gives_no_rows(tmp_path: Path, text: str) -> None:
    assert trigger_rows(tmp_path) == []
    (tmp_path / "run.jsonl").write_text(text)
    assert trigger_rows(tmp_path) == []

"""Transcripts apart: however a file is laid out, what is left of it says the same."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts.attempts import runfile, saving
from receipts.attempts.runfile import RunFile
from receipts.attempts.transcripts import without
from receipts.errors import ResultsError
from tests.receipts.attempts import samples


def _stripped(run: RunFile) -> RunFile:
    """Return a run without the transcripts that hold a turn."""
    document = run.model_dump()
    for task in document["task_results"]:
        for attempt in task["attempts"]:
            attempt["transcript"] = None if attempt["transcript"] else attempt["transcript"]
    return RunFile.model_validate(document)


@given(samples.runs())
def test_what_is_left_is_the_run_without_them(run: RunFile) -> None:
    looked: list[bytes] = []
    rest = without(saving.content(run), looked.append)
    assert RunFile.model_validate_json(rest) == _stripped(run)
    with_turns = [attempt.transcript for attempt in run.attempts if attempt.transcript]
    assert [json.loads(piece) for piece in looked] == [
        [turn.model_dump(mode="json") for turn in turns] for turns in with_turns
    ]


@given(samples.runs(), st.sampled_from([None, 1, 2, "\t"]))
def test_a_file_in_another_layout_is_read_all_the_same(run: RunFile, indent: int | None) -> None:
    data = json.dumps(run.model_dump(mode="json"), indent=indent).encode()
    assert RunFile.model_validate_json(without(data)) in (run, _stripped(run))


_LINE = '"transcript": [\n'


@pytest.mark.parametrize(
    "text",
    [
        f"{{\n  {_LINE}  ]\n",
        f"  {_LINE}  ]",
        f'{{"a": "\n  {_LINE}  ]", "b": 1}}',
        f"{{\n  {_LINE}    1]\n  ], 2]\n}}",
        f"{{ {_LINE} ] }}",
        f'{{\n  "x": {_LINE}  ]\n}}',
        f"{{\n  {_LINE}  1\n}}",
    ],
)
def test_what_only_looks_like_one_makes_no_json_out_of_none(text: str) -> None:
    def is_json(data: bytes) -> bool:
        try:
            json.loads(data)
        except ValueError:
            return False
        return True

    pieces: list[bytes] = []
    rest = without(text.encode(), pieces.append)
    assert is_json(text.encode()) == (is_json(rest) and all(map(is_json, pieces)))


@pytest.mark.parametrize("how", ["kept", "checked"])
def test_a_wrong_transcript_is_refused_with_its_place(how: str, tmp_path: Path) -> None:
    attempts = [samples.attempt(1, transcript=[{"role": "user", "content": "working"}])]
    run = samples.run(samples.task("a", attempts=attempts))
    text = saving.content(run).decode().replace('"working"', "null")
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(ResultsError, match=r"attempts\[0\]\.transcript\[0\]\.content must be text"):
        runfile.read(path, how)  # type: ignore[arg-type]
    assert runfile.read(path, "skipped").task_results[0].attempts[0].transcript is None

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts import check, report
from receipts.jsontext import dumps
from receipts.receipt import Receipt, read_receipt, stamp
from receipts.recency import recency
from tests.garbling import garbled
from tests.receipts.samples import document
from tests.shared import DATA, shared

DIGEST = "sha256:" + "d" * 64
SKILL_ID = "4e80fd2a-04bc-4d9f-88f7-a849d92879f1"
RUN_ID = "20260916T042108Z"


def written(value: Any) -> bytes:
    return json.dumps(value).encode()


def changed(path: str, value: Any) -> bytes:
    """Return the sample receipt with one value replaced; `path` is as in a problem sentence."""
    top = document()
    *parents, last = [
        int(part) if part.isdigit() else part
        for part in path.replace("[", ".").replace("]", "").split(".")
    ]
    inner: Any = top
    for part in parents:
        inner = inner[part]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return written(top)


def check_folder(folder: Path) -> int:
    index = (folder / "index.jsonl").read_text("utf-8").split("\n")
    cases = [json.loads(line) for line in index if line]
    for case in cases:
        data = (folder / case["file"]).read_bytes()
        file = read_receipt(data)
        assert file.data == data
        assert (file.kind == "usable") is case["accept"], case["id"]
        if case["accept"]:
            assert Receipt.model_validate_json(data) == file.receipt
            assert file.problem == ""
            continue
        with pytest.raises(ValueError, match=r"."):
            Receipt.model_validate_json(data)
        parts = case["issue_path"].split(".")
        path = "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in parts)
        assert path.removeprefix(".") in file.problem, case["id"]
        assert "\n" not in file.problem
    return len(cases)


def test_kept_cases() -> None:
    assert check_folder(DATA / "receipts") == 33


def test_shared_cases() -> None:
    assert check_folder(shared("receipts")) >= 58


def test_every_level_keeps_unknown_fields() -> None:
    data = (DATA / "receipts/accept/v2-unknown-fields-everywhere.json").read_bytes()
    receipt = Receipt.model_validate_json(data)
    assert json.loads(receipt.model_dump_json(exclude_unset=True)) == json.loads(data)


def test_odd_text_is_kept_at_every_level() -> None:
    odd: Any = {"\ud800": ["\udc00", {"\ud800x": 1}], "\u2028": "\x00", "x": "\x1b"}
    changes = {
        "skill_name": "\ud800",
        "attribution": "\udfff\x07",
        "comparisons": {
            "\ud800": {"win": 0, "loss": 0, "tie": 0, "net_lift": 0, "sign_p": 1, **odd}
        },
        "provenance": document()["provenance"] | odd,
        **odd,
    }
    receipt = read_receipt(written(document(**changes))).receipt
    assert receipt is not None
    assert (receipt.skill_name, receipt.attribution) == ("\ud800", "\udfff\x07")
    for level in (receipt, receipt.provenance, receipt.comparisons["\ud800"]):
        assert level.model_extra is not None
        assert odd.items() <= level.model_extra.items()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema_version", 2.0),
        ("expected_rows", 5.0),
        ("expected_rows", -0.0),
        ("scored_rows", 2**53 - 1),
        ("skill_id", None),
        ("skill_id", SKILL_ID.upper()),
        ("skill_id", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
        ("skill_id", "4e80fd2a-04bc-8d9f-B8f7-a849d92879f1"),
        ("version", None),
        ("version", "v1"),
        ("version", "a" * 40),
        ("run_id", "99999999T999999Z"),
        ("attribution", ""),
        ("comparisons", {}),
        ("comparisons.candidate-vs-baseline.sign_p", 42),
        ("comparisons.candidate-vs-baseline.net_lift", -1e300),
        ("arm_scores.baseline", None),
        ("environment_skips", {"case": []}),
        ("environment_skips", ...),
        ("dropped_cases", ...),
        ("per_case", ...),
        ("per_case", []),
        ("per_case[0].arms.baseline.passed", None),
        ("per_case[0].arms.baseline.checks", []),
        ("per_case[0].rep", 0.0),
        ("case_runs", ...),
        ("triggers", None),
        ("triggers.recall", None),
        ("efficiency.baseline.turns", None),
        ("provenance.k", 1.0),
        ("provenance.timestamp", ""),
        ("provenance.arm_skill_lists.baseline", None),
        ("method", 7),
        ("golden", "someone else's"),
    ],
)
def test_accepts(path: str, value: Any) -> None:
    assert read_receipt(changed(path, value)).problem == ""


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("schema_version", True, "must be 1 or 2"),
        ("schema_version", "2", "must be 1 or 2"),
        ("schema_version", 0, "must be 1 or 2"),
        ("schema_version", 2.5, "must be 1 or 2"),
        ("schema_version", [], "must be 1 or 2"),
        ("skill_id", "", "must be a uuid"),
        ("skill_id", SKILL_ID + "\n", "must be a uuid"),
        ("skill_id", SKILL_ID.replace("-", ""), "must be a uuid"),
        ("skill_id", "4e80fd2a-04bc-9d9f-88f7-a849d92879f1", "must be a uuid"),
        ("skill_id", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "must be a uuid"),
        ("skill_name", None, "must be text"),
        ("version", "v0", "must be v1, v2 and so on, or 40 hex digits"),
        ("version", "v\u0661", "must be v1, v2 and so on, or 40 hex digits"),
        ("version", ..., "is missing"),
        ("content_digest", None, "must be sha256: and 64 lower-case hex digits"),
        ("content_digest", DIGEST.upper(), "must be sha256: and 64 lower-case hex digits"),
        ("run_id", RUN_ID + "\n", "must be a run id of the form YYYYMMDDTHHMMSSZ"),
        ("run_id", 20260916, "must be text"),
        ("verdict", 1, "must be 'PASS', 'NEUTRAL' or 'FAIL'"),
        ("execution_status", "done", "must be 'complete', 'partial' or 'failed'"),
        ("expected_rows", True, "must be a whole number"),
        ("expected_rows", "5", "must be a whole number"),
        ("expected_rows", 2**53, "must be a whole number within ±9007199254740991"),
        ("expected_rows", None, "must be a whole number"),
        ("comparisons", [], "must be a map"),
        ("comparisons.candidate-vs-baseline", None, "must be a map"),
        ("comparisons.candidate-vs-baseline.win", -1, "must be at least 0"),
        ("comparisons.candidate-vs-baseline.net_lift", "0", "must be a number"),
        ("comparisons.candidate-vs-baseline.net_lift", False, "must be a number"),
        ("comparisons.candidate-vs-baseline.sign_p", ..., "is missing"),
        ("arm_scores.baseline", True, "must be a number"),
        ("arm_scores", ..., "is missing"),
        ("environment_skips", None, "must be a map"),
        ("environment_skips", {"case": None}, None),
        ("dropped_cases", None, "must be a map"),
        ("dropped_cases.x.kind", "other", "must be 'setup' or 'staging'"),
        ("per_case", None, "must be a list"),
        ("per_case", {}, "must be a list"),
        ("per_case[0].case", 1, "must be text"),
        ("per_case[0].arms.baseline.passed", 1, "must be true or false"),
        ("per_case[0].arms.baseline.passed", ..., "is missing"),
        ("per_case[0].arms.baseline.checks[0]", "ab", "must be a pair of text and true or false"),
        (
            "per_case[0].arms.baseline.checks[0]",
            ["a", True, 1],
            "must be a pair of text and true or false",
        ),
        ("per_case[0].arms.baseline.checks[0][1]", 1, "must be true or false"),
        ("per_case[0].arms.baseline.checks[0][0]", None, "must be text"),
        ("case_runs", None, "must be a map"),
        ("case_runs.baseline.total", 1.5, "must be a whole number"),
        ("triggers", [], "must be a map"),
        ("triggers.recall", "1", "must be a number"),
        ("efficiency.baseline.cost_usd", ..., "is missing"),
        ("provenance", None, "must be a map"),
        ("provenance.runner_handle", ..., "is missing"),
        ("provenance.cases", None, "must be a list"),
        ("provenance.cases[0]", 1, "must be text"),
        ("provenance.k", True, "must be a whole number"),
    ],
)
def test_refuses(path: str, value: Any, reason: str | None) -> None:
    data = changed(path, value)
    file = read_receipt(data)
    assert (file.kind, file.receipt) == ("invalid", None)
    assert file.problem.startswith(path)
    if reason:
        assert file.problem == f"{path}: {reason}"
    with pytest.raises(ValueError, match=r"."):
        Receipt.model_validate_json(data.decode())


@pytest.mark.parametrize("number", ["1e400", "-1e400", "9" * 400, "9" * 5000])
def test_refuses_numbers_that_are_infinite(number: str) -> None:
    data = changed("arm_scores.baseline", "HERE").replace(b'"HERE"', number.encode())
    assert read_receipt(data).problem == "arm_scores.baseline: must be a finite number"
    data = changed("scored_rows", "HERE").replace(b'"HERE"', number.encode())
    assert read_receipt(data).problem == "scored_rows: must be a whole number"


def test_the_last_of_two_equal_keys_counts() -> None:
    data = written(document())
    assert read_receipt(data[:-1] + b', "verdict": "FAIL"}').receipt is not None
    assert read_receipt(data[:-1] + b', "verdict": null}').kind == "invalid"


def test_schema_1_has_no_digest_and_schema_2_has_one() -> None:
    history = document(schema_version=1, version="a" * 40)
    del history["content_digest"]
    file = read_receipt(written(history))
    assert file.receipt is not None
    assert file.receipt.content_digest is None
    assert "content_digest" not in file.receipt.model_fields_set
    assert read_receipt(written(history | {"schema_version": 2})).problem == (
        "content_digest: is missing, and schema 2 records the digest of the bytes it evaluated"
    )


@pytest.mark.parametrize(
    ("changes", "newer_by"),
    [
        ({"schema_version": 3}, "schema_version: must be 1 or 2"),
        (
            {"schema_version": 4.0, "comparisons": None},
            "schema_version: must be 1 or 2 (and 1 more)",
        ),
        ({"verdict": "MIXED"}, "verdict: must be 'PASS', 'NEUTRAL' or 'FAIL'"),
    ],
)
def test_newer_receipts_are_kept_apart(changes: dict[str, Any], newer_by: str) -> None:
    file = read_receipt(written(document(**changes)))
    assert (file.kind, file.newer, file.receipt, file.problem) == ("newer", True, None, "")
    assert file.newer_by == newer_by
    assert (file.content_digest, file.run_id) == (DIGEST, RUN_ID)
    assert (file.skill_id, file.version) == (SKILL_ID, "v3")
    with pytest.raises(ValueError, match=r"."):
        Receipt.model_validate_json(file.data)


def test_of_newer_receipts_only_well_formed_names_are_told() -> None:
    names = {"content_digest": "md5:1", "run_id": "now", "skill_id": 7, "version": None}
    file = read_receipt(written({"schema_version": 3, **names}))
    assert file.newer
    assert (file.content_digest, file.run_id, file.skill_id, file.version) == (None,) * 4


def test_an_unknown_verdict_is_newer_only_when_nothing_else_is_wrong() -> None:
    file = read_receipt(written(document(verdict="MIXED", skill_name="")))
    assert file.problem == "skill_name: must hold at least one character (and 1 more)"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "not JSON: expecting value (line 1, column 1)"),
        (b"\x00\xff\xfe", "not JSON: a byte is not UTF-8 (line 1, column 2)"),
        (b"\xef\xbb\xbf{}", "not JSON: it starts with a byte order mark (line 1, column 1)"),
        (b"[]", "the document: must be a map"),
        (b"null", "the document: must be a map"),
        (b"{}", "schema_version: is missing (and 14 more)"),
        (b"[" * 5000, "not JSON: nested deeper than 200 levels (line 1, column 201)"),
        (
            b" " * 1_048_577,
            "the document has 1,048,577 bytes, more than the 1,048,576 that are read",
        ),
    ],
)
def test_what_is_no_receipt(data: bytes, problem: str) -> None:
    assert read_receipt(data).problem == problem


def test_problems_are_one_printable_line() -> None:
    name = "a\n\x1b[31m{0}" + "b" * 500
    problem = read_receipt(written(document(arm_scores={name: "1"}))).problem
    assert problem == f"arm_scores.a \\x1b[31m{{0}}{'b' * 47}: must be a number"


@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_no_bytes_make_reading_raise(data: bytes) -> None:
    assert read_receipt(data).kind == "invalid"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every member and item below a value."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in entries:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


ODD_SCALARS = (
    *(None, True, False, 0, 1, -1, 2, 3, 10**20, 1.5, 1e308, "", "x", "\ud800", "MIXED"),
    *("0001-01-01T00:00+14:00", "9999-12-31T23:59:59-14:00", "99999999T999999Z"),
)
ODD: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(ODD_SCALARS) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
WRONG: list[Any] = [..., None, True, 0, -1, 3, 1.5, "", "MIXED", [], {}, [[]], {"": None}]
NUMBERS = ("1e400", "-1e400", "-0", "9007199254740993", "9" * 5000, "1.10")


def test_whatever_is_missing_or_of_another_type_is_told() -> None:
    for path in places(document()):
        for value in WRONG:
            top = document()
            inner: Any = top
            for part in path[:-1]:
                inner = inner[part]
            if value is ...:
                del inner[path[-1]]
            else:
                inner[path[-1]] = value
            assert_told(written(top))


@given(st.data())
def test_no_document_makes_reading_raise(data: st.DataObject) -> None:
    top = document()
    for _ in range(data.draw(st.integers(1, 3))):
        parents = [(), *(path for path in places(top) if path)]
        inner: Any = top
        for part in data.draw(st.sampled_from(parents)):
            if isinstance(inner[part], dict | list):
                inner = inner[part]
        if not inner:
            continue
        keys = sorted(inner) if isinstance(inner, dict) else range(len(inner))
        key = data.draw(st.sampled_from(keys))
        if data.draw(st.booleans()):
            inner[key] = data.draw(ODD)
        else:
            del inner[key]
    text = written(top)
    number = data.draw(st.sampled_from(NUMBERS))
    assert_told(text)
    assert_told(text.replace(b"true", number.encode()).replace(b"1.5", number.encode()))


@given(garbled(written(document()), json.dumps(document(), indent=2).encode()))
def test_no_spoilt_receipt_makes_reading_raise(data: bytes) -> None:
    assert_told(data)


UNKNOWN = st.dictionaries(
    st.text(max_size=4).map("x-{}".format) | st.just("\ud800"), ODD, min_size=1, max_size=2
)
OPEN = [
    (),
    ("provenance",),
    ("triggers",),
    ("comparisons", "candidate-vs-baseline"),
    ("efficiency", "baseline"),
    ("per_case", 0),
    ("per_case", 0, "arms", "baseline"),
    ("case_runs", "baseline"),
    ("dropped_cases", "x"),
]


@given(st.dictionaries(st.sampled_from(OPEN), UNKNOWN, min_size=1, max_size=3))
def test_whatever_is_unknown_is_kept_wherever_it_stands(
    added: dict[tuple[str | int, ...], dict[str, Any]],
) -> None:
    top = document()
    for path, fields in added.items():
        inner: Any = top
        for part in path:
            inner = inner[part]
        inner |= fields
    receipt = read_receipt(written(top)).receipt
    assert receipt is not None
    # Compared as texts: what a failure prints must be plain, whatever the names are.
    for path, fields in added.items():
        level: Any = receipt
        for part in path:
            level = level[part] if hasattr(level, "__getitem__") else vars(level)[part]
        kept = {key: level.model_extra[key] for key in fields}
        assert dumps(kept, ascii_only=True) == json.dumps(fields)
    stamped = json.loads(stamp(written(top), skill_id=SKILL_ID, version="v9"))
    top |= {"skill_id": SKILL_ID, "version": "v9"}
    assert json.dumps(stamped, sort_keys=True) == json.dumps(top, sort_keys=True)


@given(ODD)
def test_no_json_makes_reading_raise(value: Any) -> None:
    assert_told(written(value))


def assert_told(data: bytes) -> None:
    """Read bytes, and hold every consumer of what was read to raising nothing."""
    file = read_receipt(data)
    assert (file.receipt is not None) == (file.kind == "usable")
    assert bool(file.problem) == (file.kind == "invalid")
    assert bool(file.newer_by) == file.newer
    if file.receipt is not None:
        assert all("\n" not in problem for problem in check.problems(file.receipt))
        assert report.report_lines(file.receipt, [])
        report.notes(file.receipt)
        recency(file.receipt.run_id, file.receipt.provenance.timestamp)


def test_method_and_blocks_are_whatever_other_clients_write() -> None:
    plain = Receipt.model_validate(document())
    assert plain.method == "arms"
    assert plain.block("golden") is None
    golden = Receipt.model_validate(document(method="golden", golden={"target": 0.9}, source=[1]))
    assert golden.method == "golden"
    assert golden.block("golden") == {"target": 0.9}
    assert golden.block("source") is None
    assert Receipt.model_validate(document(method={"a": 1})).method == "arms"


def test_a_bytearray_is_json_too() -> None:
    assert Receipt.model_validate_json(bytearray(written(document()))).verdict == "PASS"


def test_many_odd_names_end_soon() -> None:
    start = time.monotonic()
    names = {f"\ud800{number}": 0 for number in range(40_000)}
    assert read_receipt(written(document(**names))).kind == "usable"
    assert time.monotonic() - start < 20

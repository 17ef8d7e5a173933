import json
from typing import Any

import pytest

from receipts.jsontext import JsonError
from receipts.receipt import read_receipt, stamp, unstamped_equal
from tests.receipts.samples import document
from tests.shared import DATA

SKILL_ID = "aaaaaaaa-04bc-4d9f-88f7-a849d92879f1"
RUN_ID = "20260916T042108Z"
NEXT = "20260916T042109Z"


def local(**changes: Any) -> bytes:
    changed = document(skill_id=None, version=None, **changes)
    return json.dumps(changed, indent=2).replace("\n", "\r\n").encode()


def test_a_stamp_changes_two_values_and_no_other_byte() -> None:
    before = local()
    after = stamp(before, skill_id=SKILL_ID, version="v7")
    assert after == before.replace(
        b'"skill_id": null', f'"skill_id": "{SKILL_ID}"'.encode()
    ).replace(b'"version": null', b'"version": "v7"')
    assert stamp(after, skill_id=SKILL_ID, version="v7", run_id=RUN_ID) == after
    file = read_receipt(after)
    assert (file.kind, file.skill_id, file.version) == ("usable", SKILL_ID, "v7")


def test_a_moved_run_keeps_its_first_run_id() -> None:
    once = stamp(local(), skill_id=SKILL_ID, version="v7", run_id=NEXT)
    twice = stamp(once, skill_id=SKILL_ID, version="v7", run_id="20260916T042110Z")
    home = stamp(twice, skill_id=SKILL_ID, version="v7", run_id=RUN_ID)
    for data, run_id in ((once, NEXT), (twice, "20260916T042110Z"), (home, RUN_ID)):
        assert json.loads(data)["original_run_id"] == RUN_ID
        assert read_receipt(data).run_id == run_id
        assert unstamped_equal(data, local())
    assert once.endswith(f',\r\n  "original_run_id": "{RUN_ID}"\r\n}}'.encode())


def test_something_else_in_place_of_the_first_run_id_is_no_run_id() -> None:
    moved = stamp(local(original_run_id=None), skill_id=SKILL_ID, version="v1", run_id=NEXT)
    assert json.loads(moved)["original_run_id"] == RUN_ID
    assert unstamped_equal(moved, local())


def test_every_accepted_case_survives_a_stamp() -> None:
    for path in (DATA / "receipts/accept").iterdir():
        before = path.read_bytes()
        after = stamp(before, skill_id=SKILL_ID, version="v2", run_id=NEXT)
        assert unstamped_equal(before, after)
        assert read_receipt(after).kind == "usable"


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (b'{"x": 1, "y": [1.0, 0]}', b'{ "y": [1, -0], "x": 1e0 }', True),
        (b'{"x": 1}', b'{"x": true}', False),
        (b'{"x": 0}', b'{"x": false}', False),
        (b'{"x": [1]}', b'{"x": [true]}', False),
        (b'{"x": [1]}', b'{"x": [1, 1]}', False),
        (b'{"x": {"a": 1}}', b'{"x": {"b": 1}}', False),
        (b'{"x": []}', b'{"x": {}}', False),
        (b'{"x": null}', b"{}", False),
        (b'{"x": "1"}', b'{"x": 1}', False),
        (b'{"x": "\\u0061"}', b'{"x": "a"}', True),
        (b'{"skill_id": 1, "version": 2}', b"{}", True),
        (b'{"run_id": "20260916T042108Z"}', b'{"run_id": "20260916T042109Z"}', False),
        (b"{", b"{", True),
        (b"{", b"{}", False),
        (b"[1]", b"[1.0]", False),
    ],
)
def test_equality(a: bytes, b: bytes, equal: bool) -> None:
    assert unstamped_equal(a, b) is equal
    assert unstamped_equal(b, a) is equal


@pytest.mark.parametrize("data", [b"", b"[]", b"null"])
def test_only_maps_are_stamped(data: bytes) -> None:
    with pytest.raises(JsonError):
        stamp(data, skill_id=SKILL_ID, version="v1")

import json
import time
from typing import Any

import pytest

from receipts.jsontext import JsonError
from receipts.receipt import read_receipt, stamp, unstamped_equal
from receipts.stamping import ROOM
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
        (b'{"x": "a [redacted] b"}', b'{"x": "a  b"}', True),
        (b'{"x": "a [redacted] b"}', b'{"x": "a b"}', False),
        (b'{"x": "ab[redacted]ba"}', b'{"x": "aba"}', False),
        (b'{"x": "[redacted]a[redacted]b"}', b'{"x": "b a"}', False),
        (b'{"x": "[redacted]"}', b'{"x": 1}', False),
        (b'{"x": "[redacted]"}', b"{}", False),
        (b'{"[redacted]": 1, "[redacted] (2)": 2}', b'{"k": 1, "[redacted]": 2}', True),
        (b'{"[redacted]": 1, "[redacted] (2)": 2}', b'{"k": 2, "[redacted]": 1}', False),
        (b'{"of [redacted] (2)": 1, "y": 2}', b'{"y": 2, "of k (2)": 1}', True),
        (b'{"of [redacted] (2)": 1}', b'{"of k": 1}', True),
        (b'{"of [redacted]": 1}', b'{"by k": 1}', False),
        (b"{", b"{", True),
        (b"{", b"{}", False),
        (b"[1]", b"[1.0]", False),
    ],
)
def test_equality(a: bytes, b: bytes, equal: bool) -> None:
    assert unstamped_equal(a, b) is equal
    assert unstamped_equal(b, a) is equal


def test_equality_takes_no_longer_than_the_receipts_are_long() -> None:
    many = json.dumps(
        {"x": "[redacted]a" * 40_000, "y": {f"[redacted]{n}": n for n in range(9999)}}
    )
    plain = json.dumps({"x": "a" * 400_000 + "b", "y": {f"k{n}": n for n in range(9999)}})
    start = time.process_time()
    assert not unstamped_equal(many.encode(), plain.encode())
    assert unstamped_equal(many.encode(), many.encode() + b" ")
    assert time.process_time() - start < 2


def test_the_room_for_a_stamp_is_enough() -> None:
    before = document()
    for key in ("skill_id", "version", "original_run_id"):
        before.pop(key, None)
    data = json.dumps(before, indent=8).encode()
    longest = f"v{2**53 - 1}"
    assert len(stamp(data, skill_id=SKILL_ID, version=longest, run_id=NEXT)) < len(data) + ROOM


@pytest.mark.parametrize("data", [b"", b"[]", b"null"])
def test_only_maps_are_stamped(data: bytes) -> None:
    with pytest.raises(JsonError):
        stamp(data, skill_id=SKILL_ID, version="v1")

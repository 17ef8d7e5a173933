import json
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts.jsontext import JsonError
from receipts.scrub import Removed, scrub_document, summary
from tests.shared import DATA, shared

TOKEN = "ghp_" + "a1B2c3D4e5" * 2
OTHER = "ghp_" + "f6G7h8I9j0" * 2
DIGEST = "sha256:" + "0f" * 32
EVIDENCE = {
    "schema_version": 2,
    "skill_id": str(uuid.UUID(int=1 << 64)),
    "version": "v12",
    "content_digest": DIGEST,
    "run_id": "20260102T030405Z",
    "original_run_id": "20260102T030404Z",
    "provenance": {"engine_commit": "0123456789ab", "timestamp": "2026-01-02T03:04:05.678Z"},
    "source": {"sha256": "0f" * 32},
}


def clean(document: Any, *secrets: str) -> Any:
    data, _ = scrub_document(json.dumps(document).encode(), secrets)
    return json.loads(data)


def fields(document: Any, *secrets: str) -> list[str]:
    return [one.field for one in scrub_document(json.dumps(document).encode(), secrets).removed]


def test_only_the_bytes_of_a_secret_change() -> None:
    data = (
        f'{{ "attribution" : "why: {TOKEN}",\r\n\t"n":1.50e+00,'
        ' "caf\\u00e9": "\\u00fc", "x":[ {} ] }\n'
    )
    expected = data.replace(TOKEN, "[redacted]").encode()
    assert scrub_document(data.encode()) == (expected, (Removed("github-token", "attribution"),))


def test_a_document_without_secrets_is_the_same_bytes() -> None:
    data = json.dumps(EVIDENCE).encode()
    assert scrub_document(data) == (data, ())


def test_every_text_is_scrubbed_also_of_fields_that_nobody_knows() -> None:
    document = {
        "attribution": TOKEN,
        "skill_name": TOKEN,
        "future": {"deep": [[TOKEN]]},
        "per_case": [{"case": TOKEN, "arms": {"with_skill": {"checks": [[TOKEN, True]]}}}],
        "dropped_cases": {TOKEN: {"kind": "setup", "detail": TOKEN}},
    }
    assert TOKEN not in json.dumps(clean(document))
    assert fields(document) == [
        "attribution",
        "skill_name",
        "future.deep[0][0]",
        "per_case[0].case",
        "per_case[0].arms.with_skill.checks[0][0]",
        "dropped_cases.[redacted]",
        "dropped_cases.[redacted].detail",
    ]


@pytest.mark.parametrize("field", ["skill_id", "version", "content_digest", "run_id"])
def test_evidence_is_exempt_only_in_its_own_form(field: str) -> None:
    named = str(EVIDENCE[field])
    assert clean(EVIDENCE, named) == EVIDENCE | {
        key: value for key, value in EVIDENCE.items() if value == named
    }
    assert clean({field: f"{named} {TOKEN}"}) == {field: f"{named} [redacted]"}
    assert clean({"elsewhere": {field: named}}, named) == {"elsewhere": {field: "[redacted]"}}


def test_evidence_deeper_down_is_exempt_from_named_secrets() -> None:
    secrets = ("0123456789ab", "2026-01-02T03:04:05.678Z", "0f" * 32)
    assert clean(EVIDENCE, *secrets) == EVIDENCE


@pytest.mark.parametrize(
    "identity",
    [
        DIGEST,
        "0f" * 20,
        "0f" * 32,
        "sha512-" + "Ab1/" * 21 + "Ab==",
        "030ad8f5-0dd5-48b3-a475-e8a9fba003e7",
    ],
)
def test_a_whole_digest_or_id_is_evidence_anywhere(identity: str) -> None:
    document = {"git_sha": identity, "list": [identity], identity: 1}
    assert clean(document) == document
    assert clean({"note": identity}, identity) == {"note": "[redacted]"}


def test_a_field_named_for_a_secret_is_judged_by_its_name() -> None:
    document = {
        "password": "hunter2",
        "api_key": "0f" * 20,
        "Authorization": "Bearer abc123def456",
        "Cookie": "session=abc123def456; theme=dark",
        "tokens": ["a1b2c3d4e5f6"],
        "nested": {"client_secret": "a1B2c3D4e5F6"},
    }
    assert clean(document) == {
        "password": "[redacted]",
        "api_key": "[redacted]",
        "Authorization": "Bearer [redacted]",
        "Cookie": "session=[redacted]; theme=dark",
        "tokens": ["[redacted]"],
        "nested": {"client_secret": "[redacted]"},
    }


def test_a_field_named_for_a_secret_without_one_stays() -> None:
    document = {
        "password": "the password of the account",
        "token_count": "120000",
        "secret_name": "my-secret-v2",
        "tokens": "12,345 tokens",
        "all_pass": "2024-01-01",
        "api_key": "${API_KEY}",
    }
    assert clean(document) == document


def test_keys_that_become_equal_stay_apart() -> None:
    document = {"arm_scores": {TOKEN: 1, OTHER: 2, "[redacted] (2)": 3, "plain": 4}}
    assert clean(document) == {
        "arm_scores": {"[redacted]": 1, "[redacted] (3)": 2, "[redacted] (2)": 3, "plain": 4}
    }
    assert clean(clean(document)) == clean(document)


def test_a_key_that_stands_twice_becomes_one_key_twice() -> None:
    data = f'{{"{TOKEN}": 1, "{TOKEN}": 2}}'.encode()
    assert scrub_document(data).data == b'{"[redacted]": 1, "[redacted]": 2}'


def test_a_secret_in_a_string_in_a_string_leaves_both_readable() -> None:
    inner = json.dumps({"password": 'hunter2"x', "key": TOKEN})
    outer = clean({"log": json.dumps(inner)})
    assert TOKEN not in outer["log"]
    assert json.loads(json.loads(outer["log"])).keys() == {"password", "key"}


NUMBER = 123456789012


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"password": NUMBER, "k": NUMBER}, {"password": "[redacted]", "k": NUMBER}),
        ({"deep": [{"db_pass": -1.5e10}]}, {"deep": [{"db_pass": "[redacted]"}]}),
        ({"pwd": [NUMBER, True, None]}, {"pwd": ["[redacted]", True, None]}),
        ({"password": 123}, {"password": 123}),  # too short, as a text would be
        ({"password_length": NUMBER}, {"password_length": NUMBER}),
        ({"token": NUMBER, "tokens": 2345678}, {"token": NUMBER, "tokens": 2345678}),
    ],
)
def test_a_number_is_judged_by_its_field_as_a_text_is(document: Any, expected: Any) -> None:
    assert clean(document) == expected
    data, removed = scrub_document(json.dumps(document).encode())
    assert len(removed) == json.dumps(expected).count("[redacted]")
    assert scrub_document(data) == (data, ())


def test_a_named_number_goes_wherever_it_stands_but_for_the_evidence() -> None:
    document = {"schema_version": 2, "x": [NUMBER, 2, 12], "y": {"z": NUMBER + 1}}
    assert clean(document, str(NUMBER), "2") == {
        **document,
        "x": ["[redacted]", "[redacted]", 12],
    }
    assert fields(document, str(NUMBER)) == ["x[0]"]


BASIC = "Basic dXNlcjpwYXNzd29yZA=="
KEY = "a1B2c3D4e5F6g7H8"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (["Authorization", BASIC], ["Authorization", "Basic [redacted]"]),
        (["Host", "x", "authorization", f"SSWS {KEY}"],
         ["Host", "x", "authorization", "SSWS [redacted]"]),
        ([["Cookie", f"sid={KEY}; Path=/"]], [["Cookie", "sid=[redacted]; Path=/"]]),
        (["X-Api-Key", KEY], ["X-Api-Key", "[redacted]"]),
        (["curl", "--token", KEY, "--password", "hunter2"],
         ["curl", "--token", "[redacted]", "--password", "[redacted]"]),
        (["password", NUMBER], ["password", "[redacted]"]),
        ({"name": "Authorization", "value": BASIC},
         {"name": "Authorization", "value": "Basic [redacted]"}),
        ({"value": "hunter2", "name": "DB_PASSWORD"},
         {"value": "[redacted]", "name": "DB_PASSWORD"}),
        ({"Key": "api_key", "x": KEY, "Value": KEY},
         {"Key": "api_key", "x": KEY, "Value": "[redacted]"}),
    ],
)  # fmt: skip
def test_a_name_beside_a_value_tells_what_it_is(document: Any, expected: Any) -> None:
    assert clean(document) == expected
    data, _ = scrub_document(json.dumps(document).encode())
    assert scrub_document(data) == (data, ())


@pytest.mark.parametrize(
    "document",
    [
        ["password", "oauth2", "argon2"],
        ["reset-password", "login-2fa-flow"],
        ["Authorization", "the user signs in with oauth2"],
        ["token", "count", NUMBER],
        {"name": "password", "value": "is long enough", "weight": NUMBER},
        {"name": "token_count", "value": KEY},
        {
            "provenance": {
                "cases": ["password", "login-2fa"],
                "arm_skill_lists": {"a": ["pwd", "k8s"]},
            }
        },
        {"environment_skips": {"case": ["API_KEY", "b2c-tenant-1a2b"]}},
    ],
)
def test_words_beside_words_stay(document: Any) -> None:
    assert clean(document) == document


def test_an_odd_field_name_is_quoted() -> None:
    assert fields({"a.b c": TOKEN}) == ['["a.b c"]']
    assert fields([TOKEN]) == ["[0]"]
    assert fields(TOKEN) == ["the document"]


def test_the_summary_counts_rule_and_field_and_shows_no_text() -> None:
    document = {"attribution": f"{TOKEN} and {OTHER}", "why": "PASSWORD=hunter2"}
    removed = scrub_document(json.dumps(document).encode()).removed
    assert summary(removed) == [
        "redacted 2 github-token in attribution",
        "redacted 1 assignment in why",
    ]
    assert summary(()) == []


def test_what_is_not_json_is_refused() -> None:
    with pytest.raises(JsonError):
        scrub_document(b'{"a": ')


TEXTS = (
    st.sampled_from([TOKEN, OTHER, "PASSWORD=hunter2", "plain", DIGEST, "a\n" + TOKEN]) | st.text()
)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def shape(value: Any, name: str = "") -> Any:
    """Return a value without its texts, and without numbers that stand under a secret's name."""
    if isinstance(value, dict):
        return [shape(one, key) for key, one in value.items()]
    if isinstance(value, list):
        return [shape(one, name) for one in value]
    is_hidden = isinstance(value, int) and name in ("PASSWORD=hunter2", "PASSWORD=[redacted]")
    return str if isinstance(value, str) or is_hidden else value


@given(DOCUMENTS)
def test_a_scrubbed_document_has_the_same_shape_and_its_evidence(document: Any) -> None:
    whole = {**EVIDENCE, "rest": document}
    data, removed = scrub_document(json.dumps(whole).encode())
    after = json.loads(data)
    assert {key: after[key] for key in EVIDENCE} == EVIDENCE
    assert shape(after) == shape(whole)
    assert TOKEN not in json.dumps(after)
    assert bool(removed) == (after != whole)
    assert scrub_document(data) == (data, ())


def test_copied_receipts_lose_nothing() -> None:
    paths = sorted((DATA / "receipts" / "accept").glob("*.json"))
    assert paths
    for path in paths:
        assert scrub_document(path.read_bytes()) == (path.read_bytes(), ()), path


def test_no_shared_receipt_loses_anything() -> None:
    for path in sorted(shared("receipts", "accept").glob("*.json")):
        assert scrub_document(path.read_bytes()) == (path.read_bytes(), ()), path

import base64
import json
from urllib.parse import quote

import pytest

from receipts.scrub import find, scrub, secrets_from

SECRET = "Tr0ub4dor & three/ü"
PLAIN = "correcthorsebattery1"


def test_a_named_secret_is_hidden_whatever_it_looks_like() -> None:
    assert scrub("it is plain here, plainly", ["plain"]) == "it is [redacted] here, [redacted]ly"
    assert [finding.rule for finding in find("a plain b", ["plain"])] == ["named-secret"]


def test_the_longest_secret_goes_first() -> None:
    assert scrub("abc abcdef", ["abc", "abcdef"]) == "[redacted] [redacted]"


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_blank_secrets_are_ignored(blank: str) -> None:
    assert scrub("a b\nc", [blank]) == "a b\nc"


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").replace("%2F", "%2f").replace("%C3%BC", "%c3%bc"),
        SECRET.replace(" ", "+").replace("&", "%26").replace("/", "%2F").replace("ü", "%C3%BC"),
        json.dumps(SECRET)[1:-1],
        json.dumps(json.dumps(SECRET))[3:-3],
    ],
)
def test_other_spellings_of_a_named_secret_are_hidden(written: str) -> None:
    clean = scrub(f"start {written} end", [SECRET])
    assert clean == "start [redacted] end"


@pytest.mark.parametrize("before", ["", "u", "us", "use"])
@pytest.mark.parametrize("after", ["", "x", "xy"])
def test_base64_of_a_named_secret_is_hidden_at_every_offset(before: str, after: str) -> None:
    text = base64.b64encode(f"{before}{PLAIN}{after}".encode()).decode()
    assert scrub(f"data: {text};", [PLAIN]) == "data: [redacted];"
    assert scrub(f"{text}\n{text}", [PLAIN]) == "[redacted]\n[redacted]"


def test_url_safe_base64_of_a_named_secret_is_hidden() -> None:
    secret = "????>>>>~~~~"
    text = base64.urlsafe_b64encode(secret.encode()).decode()
    assert "_" in text
    assert scrub(text, [secret]) == "[redacted]"


def test_a_secret_within_the_mark_breaks_no_mark() -> None:
    assert scrub("[redacted] red", ["red", "[redacted]", "]"]) == "[redacted] [redacted]"


def test_a_lone_surrogate_in_a_secret_is_no_error() -> None:
    assert scrub("x \ud800abcdefgh y", ["\ud800abcdefgh"]) == "x [redacted] y"


def test_secrets_are_taken_from_variables_whose_name_says_so() -> None:
    environment = {
        "GITHUB_TOKEN": "ghs_abcdefgh1",
        "OPENAI_API_KEY": "sk-abcdefgh12",
        "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMIK7MDENG",
        "PGPASSWORD": "hunter2hunter2",
        "DB_PASSWD": "Passw0rd!",
        "MYSQL_PWD": "m0r3secret",
        "DEPLOY_KEY": "0123456789abcdef",
        "gcp_credentials": '{"k": "v1"}',
        "DATABASE_PASSWORD_URL": "postgres://me:pw12345@db/x",
        "SIGNING_PASSPHRASE": "a phrase of four words",
    }
    assert set(secrets_from(environment)) == set(environment.values()) - {
        "postgres://me:pw12345@db/x"
    }


def test_the_longest_value_comes_first_and_none_twice() -> None:
    environment = {"A_TOKEN": "abcdefg1", "B_TOKEN": "abcdefg123", "C_TOKEN": " abcdefg1 "}
    assert secrets_from(environment) == ("abcdefg123", "abcdefg1")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOME", "/home/someone-1"),
        ("EDITOR", "some-editor-1"),
        ("MAX_THINKING_TOKENS", "32000000"),
        ("TOKENIZERS_PARALLELISM", "true"),
        ("API_KEY", "short1"),
        ("API_KEY", "changeme-please"[:8]),
        ("API_KEY", "your-api-key"),
        ("SSH_KEY_PATH", "/home/me/.ssh/id_ed25519"),
        ("SECRET_STORE", "keychain-1"),
        ("MY_SECRET", "/run/secrets/my-secret"),
        ("TOKEN", "disabled"),
        ("TOKEN_ENDPOINT", "https://login.example/token1"),
        ("MY_TOKEN", "https://login.example/token1"),
        ("MONKEY", "banana-banana-1"),
    ],
)
def test_what_is_no_secret_or_too_plain_is_not_taken(name: str, value: str) -> None:
    assert secrets_from({name: value}) == ()

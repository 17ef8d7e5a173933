from collections import Counter

import pytest

from receipts.scrub import find, scrub
from receipts.scrub.rules import RULES
from tests.receipts.scrub.corpus import Positive, negatives, positives

POSITIVES = list(positives())
NEGATIVES = list(negatives())


@pytest.mark.parametrize("case", POSITIVES, ids=lambda case: f"{case.rule}: {case.text[:30]!r}")
def test_a_secret_goes_and_what_is_around_it_stays(case: Positive) -> None:
    clean = scrub(case.text)
    hidden = [
        finding
        for finding in find(case.text)
        if case.secret in case.text[finding.start : finding.end]
    ]
    assert [finding.rule for finding in hidden] == [case.rule]
    # Other secrets of the text go too, so its rest is compared scrubbed.
    assert clean == scrub(case.clean) or clean == case.clean
    assert scrub(clean) == clean
    assert find(clean) == []


# What may stand right before a secret, or before the name that tells it.
BEFORE = (
    *("", " ", "\n", '"', "'", "`", "=", ":", ",", "/", "(", "[", "{", "<", ">", "|", "&quot;"),
    *("%3D", "%3d", "%20", "=3D", "\\n", "\\\\n", "\\t", "\\u0022", "\\x3d"),
    *("\x1b[m", "\x1b[31m", "\x1b[1;31m", "\x1b[38;5;196m", "\x1b[38;2;255;0;10m", "\x1b[K"),
    *("\\u001b[31m", "\\x1b[0m", "\\033[1m", "\\e[4m", "error\x1b[31m"),
    *("_", "__", "(_", " *", "**"),
)
# Without the colour code, or decoded, these characters could belong to what follows.
JOINED = ("error\x1b[31m", "=3D")
AFTER = ("", " x", '"', "'", "\n", ",", ")", "*", "**", "`", "\x1b[0m", "_")
# Of these the look alone tells nothing, or their own first character may stand in a longer run.
BY_PLACE = {
    *("azure-storage-key", "azure-signature", "aws-secret-key", "webhook-url", "url-password"),
    *("authorization-header", "bearer-token", "cookie", "login-argument", "docker-login"),
    *("assignment", "cut-private-key"),
}
A_SAMPLE_EACH = {case.rule: case.secret for case in reversed(POSITIVES)}
VALUE = "a1B2c3D4e5F6g7H8i9J0"
TOLD_BY_PLACE = (
    *("Authorization: Bearer {}", "authorization: {}", "Authorization=Basic dXNl{}"),
    *(
        "Proxy-Authorization: Negotiate {}",
        "Authorization: SSWS {}",
        "Authorization%3A%20SSWS%20{}",
    ),
    *("Authorization: Klaviyo-API-Key pk_{}", "Authorization: AWS AKIAIOSFODNN7:{}"),
    *('"Authorization","Basic dXNl{}"', '["Authorization", "SSWS {}"]', "Bearer {}"),
    *("Cookie: session={}", "password={}", "PWD={}", "pwd={}", "db_pass={}", "api_key={}"),
    *("machine h login u password {}", "sshpass -p {}", "--password {}", "--token {}"),
    *("AccountKey={}", "X-Api-Key: {}", "token: {}", '"password": "{}"', "postgres://u:{}@h"),
    *("Password: **{}**", "**Password:** {}", "password: _{}_", "token=`{}`"),
    *('"password"\x1b[0m: \x1b[0;32m"{}"', "Authorization\x1b[39m:\x1b[37m \x1b[39mSSWS {}"),
)


@pytest.mark.parametrize("rule", sorted(A_SAMPLE_EACH.keys() - BY_PLACE))
def test_a_token_is_known_whatever_stands_around_it(rule: str) -> None:
    secret = A_SAMPLE_EACH[rule]
    for before in BEFORE:
        for after in AFTER:
            text = before + secret + after
            clean = scrub(text)
            hidden = [f for f in find(text) if f.start <= len(before) < f.end]
            assert hidden, text
            assert hidden[0].end >= len(before + secret), text
            # A token of Terraform starts with any letters, so a colour's may be taken along.
            is_joined = before in JOINED or (rule == "terraform-token" and "[" in before)
            assert is_joined or clean.startswith(before + "[redacted]"), text
            assert scrub(clean) == clean


@pytest.mark.parametrize("told", TOLD_BY_PLACE)
def test_a_value_is_known_by_its_place_whatever_stands_before_it(told: str) -> None:
    for before in BEFORE:
        text = before + told.format(VALUE)
        clean = scrub(text)
        assert VALUE not in clean, text
        assert scrub(clean) == clean


@pytest.mark.parametrize(("rule", "text"), NEGATIVES, ids=repr)
def test_what_only_looks_like_a_secret_stays(rule: str, text: str) -> None:
    assert [finding.rule for finding in find(text)] == []
    assert scrub(text) == text


def test_every_rule_has_samples() -> None:
    names = {rule.name for rule in RULES}
    good = Counter(case.rule for case in POSITIVES)
    bad = Counter(rule for rule, _ in NEGATIVES)
    assert set(good) == set(bad) == names
    assert min(good.values()) >= 3
    assert min(bad.values()) >= 2

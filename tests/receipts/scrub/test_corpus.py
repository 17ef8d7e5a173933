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

"""Ours against the real npm `yaml`: the same data, the same text, the same refusals."""

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from receipts.jsyaml import dump
from receipts.jsyaml.units import from_units
from tests.parts import require_part
from tests.receipts.jsyaml import generators, oracle
from tests.shared import DATA, shared

SEED = 2_900
FRONTMATTER = re.compile(r"---\s*\n(.*?\n)---(?:\r?\n|\Z)", re.DOTALL)


@pytest.fixture(autouse=True)
def _npm_yaml() -> None:
    require_part(oracle.PRESENT, "npm yaml: run `npm ci --prefix tests/node`")


def frontmatters() -> list[str]:
    texts = [
        path.read_bytes().decode("utf-8", "replace")
        for root in (DATA / "skills", shared("skills"))
        for path in sorted(root.rglob("SKILL.md"))
    ]
    found = [match[1] for text in texts if (match := FRONTMATTER.match(text))]
    assert len(found) >= 40
    return found


def check_texts(texts: list[str]) -> None:
    texts = [from_units(text) for text in texts]
    answers = oracle.ask([{"text": text} for text in texts])
    different = [
        (text, theirs, ours)
        for text, theirs in zip(texts, answers, strict=True)
        if not oracle.agree(theirs, ours := oracle.read(text)) and "unsupported" not in ours
    ]
    assert not different, different[:3]


def check_values(values: list[Any]) -> None:
    answers = oracle.ask([{"data": oracle.tagged(value)} for value in values])
    different = [
        (value, theirs, ours)
        for value, theirs in zip(values, answers, strict=True)
        if theirs.get("yaml") != (ours := dump(value))
    ]
    assert not different, different[:3]


def test_every_real_frontmatter() -> None:
    check_texts(frontmatters())


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (generators.soup, 400),
        (lambda rng: generators.Document(rng).text(), 800),
        (lambda rng: generators.mutated(rng, generators.Document(rng).text()), 500),
    ],
    ids=["tokens in no order", "documents", "damaged documents"],
)
def test_random_texts(make: Callable[[Random], str], count: int) -> None:
    rng = Random(SEED)
    check_texts([make(rng) for _ in range(count)])


def test_damaged_real_frontmatters() -> None:
    rng = Random(SEED)
    real = frontmatters()
    check_texts([generators.mutated(rng, rng.choice(real)) for _ in range(600)])


def test_random_values() -> None:
    rng = Random(SEED)
    check_values([generators.value(rng, rng.randint(1, 5), []) for _ in range(600)])


def test_deeply_nested_values() -> None:
    rng = Random(SEED)
    check_values([generators.deep_value(rng) for _ in range(150)])


def test_few_answers_are_withheld() -> None:
    rng = Random(SEED)
    real = frontmatters()
    texts = [from_units(generators.mutated(rng, rng.choice(real))) for _ in range(300)]
    assert not [text for text in texts if "unsupported" in oracle.read(text)]


@pytest.mark.parametrize("depth", [200, 500])
@pytest.mark.parametrize(
    "make",
    [
        lambda depth: "[" * depth + "]" * depth,
        lambda depth: "{a: " * depth + "1" + "}" * depth,
        lambda depth: "- " * depth + "a",
        lambda depth: "".join(f"{' ' * level}a:\n" for level in range(depth)),
        lambda depth: "? " * depth + "a",
    ],
    ids=["flow lists", "flow maps", "lists", "maps", "keys"],
)
def test_deep_texts(make: Callable[[int], str], depth: int) -> None:
    check_texts([make(depth)])

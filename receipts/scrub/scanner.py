"""Finding secrets in one text, and putting a mark in their place.

Both are free of IO and linear. A text is scrubbed until nothing is found, so that scrubbing it
again changes nothing: a token may come to light when the one that it was stuck to is gone.
"""

import bisect
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from receipts.scrub import named
from receipts.scrub.rule import Rule
from receipts.scrub.rules import RULES
from receipts.scrub.values import MARK

# Codes that colour a terminal, raw or with their escape written out in a string.
_COLOURED = re.compile(r"(?:\x1b|\\u001[bB]|\\x1[bB]|\\033|\\e)\[")
_COLOUR = re.compile(rf"{_COLOURED.pattern}[0-9;]{{0,40}}[mK]")
_NUMBER = re.compile(r"-?[0-9]++(?>(?:\.[0-9]++)?)(?>(?:[eE][+-]?[0-9]++)?)")
_LEAD = 40
_JSON_KEY = re.compile(r"(\\{0,16}+\")[ \t\r\n]*+:[ \t\r\n]*+\Z")
_JSON_END = re.compile(r"\s*+(?:[,}\]]|\Z)|\\+[nrt]")
_MARK = re.compile(re.escape(MARK))


def _keywords(*, ignores_case: bool) -> list[tuple[str, int]]:
    """Return each keyword with the rank of its rule: one flat list, as most texts hold none."""
    return [
        (keyword, rank)
        for rank, rule in enumerate(RULES)
        if rule.ignores_case is ignores_case
        for keyword in rule.keywords
    ]


_EXACT = _keywords(ignores_case=False)
_IN_ANY_CASE = _keywords(ignores_case=True)


class Finding(NamedTuple):
    """Where a secret is and which rule says so; never the secret itself.

    `start` and `end` are offsets in characters. Secrets that overlap are one finding, under the
    name of the most telling rule.
    """

    rule: str
    start: int
    end: int


class Scanner:
    """Looks for every kind of secret, and for those that the caller names."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._named = named.NamedSecrets(secrets)

    def find(self, text: str) -> list[Finding]:
        """Return the secrets of a text in order, none touching another's characters."""
        ranked = sorted(self._outside_marks(text))
        findings: list[Finding] = []
        best = 0
        for start, end, rank in ranked:
            if findings and start < findings[-1].end:
                last = findings[-1]
                best = min(best, rank)
                findings[-1] = Finding(_name(best), last.start, max(last.end, end))
            else:
                best = rank
                findings.append(Finding(_name(rank), start, end))
        return findings

    def scrub(self, text: str) -> tuple[str, list[str]]:
        """Return a text without its secrets, and the rule of each that was removed."""
        rules: list[str] = []
        while findings := self.find(text):
            pieces: list[str] = []
            done = 0
            for finding in findings:
                pieces += (text[done : finding.start], _mark(text, finding))
                done = finding.end
            text = "".join((*pieces, text[done:]))
            rules += (finding.rule for finding in findings)
        return text, rules

    def names(self, text: str) -> bool:
        """Say whether a text holds a secret that the caller named."""
        return next(self._named.spans(text), None) is not None

    def _outside_marks(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield start, end and rank of what was found, but for findings that would break a mark."""
        marks = [match.start() for match in _MARK.finditer(text)]
        for start, end, rank in self._everywhere(text):
            if start < end and not (marks and _breaks_a_mark(text, marks, start, end)):
                yield start, end, rank

    def _everywhere(self, text: str) -> Iterator[tuple[int, int, int]]:
        yield from self._spans(text)
        codes = list(_COLOUR.finditer(text)) if _COLOURED.search(text) else []
        if not codes:
            return
        # What stands in colours is looked at once more without them: `"password": \\e[32m"…"`.
        places, shifts, shift = [], [], 0
        for code in codes:
            places.append(code.start() - shift)
            shift += code.end() - code.start()
            shifts.append(shift)

        def there(place: int) -> int:
            index = bisect.bisect_right(places, place)
            return place + (shifts[index - 1] if index else 0)

        for start, end, rank in self._spans(_COLOUR.sub("", text)):
            if start < end:
                yield there(start), there(end - 1) + 1, rank

    def _spans(self, text: str) -> Iterator[tuple[int, int, int]]:
        for start, end in self._named.spans(text):
            yield start, end, -1
        for rank, rule in _rules_for(text):
            for start, end in rule.spans(text):
                yield start, end, rank


def _mark(text: str, finding: Finding) -> str:
    """Return what stands in the place of a secret: of a number in JSON, a text, as JSON needs."""
    if _NUMBER.fullmatch(text, finding.start, finding.end):
        key = _JSON_KEY.search(text[max(finding.start - _LEAD, 0) : finding.start])
        if key and _JSON_END.match(text, finding.end):
            return f"{key[1]}{MARK}{key[1]}"
    return MARK


def _name(rank: int) -> str:
    return named.RULE if rank < 0 else RULES[rank].name


def _rules_for(text: str) -> Iterator[tuple[int, Rule]]:
    """Yield the rules of which a keyword occurs."""
    lowered = text.lower()
    ranks = {rank for keyword, rank in _EXACT if keyword in text}
    ranks.update(rank for keyword, rank in _IN_ANY_CASE if keyword in lowered)
    for rank in sorted(ranks):
        yield rank, RULES[rank]


def _breaks_a_mark(text: str, marks: list[int], start: int, end: int) -> bool:
    """Say whether a span begins or ends within a mark, or holds nothing but marks."""
    for place in (start, end):
        index = bisect.bisect_left(marks, place) - 1
        if index >= 0 and marks[index] < place < marks[index] + len(MARK):
            return True
    return not text[start:end].replace(MARK, "")

"""The AWS secret access key: forty characters without any mark, told by the key id beside it."""

import bisect
import re
from collections.abc import Iterator

from receipts.scrub.rule import Span, compiled, standing_alone

_ID = re.compile(r"A[KS]IA[0-9A-Z]{16}", re.ASCII)
_BODY = "A-Za-z0-9/+"
_SECRET = rf"{standing_alone(f'[{_BODY}]', _BODY)}[{_BODY}]{{39}}(?![{_BODY}])"

_BESIDE = 400
"""Characters between an id and a secret that belong together: a few lines of a credentials file."""


def beside_id(text: str) -> Iterator[Span]:
    """Yield every run that looks like a secret access key near a key id."""
    ids = [match.start() for match in _ID.finditer(text)]
    if not ids:
        return
    for match in compiled(_SECRET).finditer(text):
        if _is_mixed(match[0]) and _is_near(ids, match.start()):
            yield match.span()


def _is_mixed(run: str) -> bool:
    """Say whether a run has both cases and a digit or sign; a commit id has no capitals."""
    return run != run.lower() and run != run.upper() and not run.isalpha()


def _is_near(places: list[int], place: int) -> bool:
    index = bisect.bisect(places, place)
    return any(abs(place - near) <= _BESIDE for near in places[max(index - 1, 0) : index + 1])

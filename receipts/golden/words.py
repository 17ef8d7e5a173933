"""Text made comparable: the same answer, not the same keystrokes."""

import json
import unicodedata
from decimal import Decimal

from receipts import jsontext

_INVISIBLE = "\u200b\u2060\ufeff\u00ad"  # the joiners U+200C and U+200D change what is read
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_SINGLE = "\u2018\u2019\u201a\u201b"
_DOUBLE = "\u201c\u201d\u201e\u201f"
_STRIPPED = dict.fromkeys(map(ord, _INVISIBLE))
_ALIKE = {
    **dict.fromkeys(map(ord, _DASHES), "-"),
    **dict.fromkeys(map(ord, _SINGLE), "'"),
    **dict.fromkeys(map(ord, _DOUBLE), '"'),
}


def normalised(text: str, *, fold: bool = True) -> str:
    """Return text as it is compared.

    Invisible characters go, NFKC, dashes and quotes that look alike become one, letters are folded
    in full (a sharp s is two), each run of whitespace is one space, and none is left at the ends.

    Args:
        text: Any text; lone surrogates stay.
        fold: Whether upper and lower case are the same.
    """
    if text.isascii():
        return " ".join((text.lower() if fold else text).split())
    seen = ""
    # Folding can undo the composition, and composing can make a letter that folds again. Each
    # round maps towards the fixed point; no character needs more than three.
    while seen != text:
        seen = text
        text = unicodedata.normalize("NFKC", text.translate(_STRIPPED)).translate(_ALIKE)
        if fold:
            text = text.casefold()
    return " ".join(text.split())


def as_text(value: object) -> str:
    """Return what a value is compared as: a text as it is, anything else as its JSON text.

    Raises:
        ValueError: It is nested too deeply.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, jsontext.Number):
        return value.text
    try:
        if isinstance(value, dict | list):
            return jsontext.dumps(value)
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        raise ValueError("a value is nested too deeply") from None
    except (ValueError, TypeError):  # an integer of more digits than Python writes, an odd key
        return format(Decimal(value), "f") if isinstance(value, int) else str(value)

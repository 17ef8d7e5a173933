r"""What a backslash and what follows it stand for, where that is one unit."""

import re

from receipts.arms.jsregex.errors import RegexError

_LETTERS = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_HEX = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})")
_OCTAL = re.compile(r"[0-3][0-7]{0,2}|[4-7][0-7]?")
_CONTROL = re.compile(r"c([A-Za-z])")
_CONTROL_IN_CLASS = re.compile(r"c([A-Za-z0-9_])")


def character(text: str, at: int, *, in_class: bool, has_names: bool) -> tuple[int, int]:
    r"""Return the unit that the escape at an offset stands for, and the offset behind it.

    Args:
        text: The pattern.
        at: The offset of the backslash.
        in_class: Whether it stands in brackets, where `\b` is a backspace.
        has_names: Whether the pattern names a group; then `\k` is no letter.

    Raises:
        RegexError: Nothing may follow the backslash as it does.
    """
    following = text[at + 1 : at + 2]
    if not following:
        raise RegexError(r"it ends in `\`")
    if in_class and following == "b":
        return 0x08, at + 2
    if following in _LETTERS:
        return _LETTERS[following], at + 2
    if found := (_CONTROL_IN_CLASS if in_class else _CONTROL).match(text, at + 1):
        return ord(found[1]) % 32, found.end()
    if following == "c":  # then the backslash stands for itself, and c is what comes next
        return ord("\\"), at + 1
    if found := _HEX.match(text, at + 1):
        return int(found[1] or found[2], 16), found.end()
    if found := _OCTAL.match(text, at + 1):
        return int(found[0], 8), found.end()
    if following == "k" and has_names:
        raise RegexError(r"`\k` stands where no name of a group can follow")
    return ord(following), at + 2

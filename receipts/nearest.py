"""The name that a person probably meant: one answer for verbs, teams, skills and fields."""

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest to a misspelt one, or None when none is near.

    Args:
        word: What was typed; upper and lower case are not told apart.
        known: The names that there are.
    """
    import difflib

    names = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), names, 1)
    return names[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str], shown: str = "{}") -> str:
    """Return `Did you mean NAME?` for the nearest known name, or an empty text.

    Args:
        word: What was typed.
        known: The names that there are.
        shown: How a name is shown, with `{}` in its place.
    """
    near = nearest(word, known)
    return "" if near is None else f"Did you mean {shown.format(near)}?"

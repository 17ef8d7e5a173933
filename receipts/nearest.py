"""The name that a person probably meant: one answer for verbs, teams and skills."""

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], shown: str = "{}") -> str:
    """Return `Did you mean NAME?` for the known name nearest to a misspelt one, or an empty text.

    Args:
        word: What was typed; upper and lower case are not told apart.
        known: The names that there are.
        shown: How a name is shown, with `{}` in its place.
    """
    import difflib

    names = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), names, 1)
    return f"Did you mean {shown.format(names[near[0]])}?" if near else ""

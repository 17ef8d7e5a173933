"""What a pattern can be refused for."""


class RegexError(ValueError):
    """A pattern is none in JavaScript, or would mean something else in Python; says which."""

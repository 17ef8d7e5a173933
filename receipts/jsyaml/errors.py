"""What a YAML text can be refused for, and the internal signal that carries the place."""


class YamlError(ValueError):
    """The text is not YAML that npm `yaml` reads without errors.

    Attributes:
        message: What was found, without the place.
        line: Line of the place, from 1; lines end at LF only.
        column: Column of the place in UTF-16 units, from 1.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"{message} at line {line}, column {column}")
        self.message = message
        self.line = line
        self.column = column


class AliasError(YamlError):
    """The text parses, but its data cannot be built: npm `yaml` throws in `toJS`.

    An alias has no anchor before it, or aliases expand more than a hundred times.
    """


class Unsupported(YamlError):  # noqa: N818 - named for what the caller learns
    """What npm `yaml` makes of this text is not certain, so no answer is given."""


class Fault(Exception):  # noqa: N818 - never leaves this package
    """A refusal on its way to `load`, which knows the text and so the line and column."""

    def __init__(self, message: str, at: int, kind: type[YamlError] = YamlError) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.kind = kind

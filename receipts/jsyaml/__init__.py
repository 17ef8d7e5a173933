"""YAML exactly as the npm package `yaml` 2.9 reads and writes it.

A skill's identity is a hash over re-emitted YAML, so both directions must agree with the original
to the byte, on any text. `load` is `YAML.parseDocument(text).toJS()`, and `dump` is
`YAML.stringify(value)`, both with default options. Nothing here knows what the YAML is for.

The way through: `lexer` cuts the text into tokens, `builder` groups them into a concrete tree,
`compose` checks that and makes nodes, `plain` turns nodes into data, `lines` says where in the text
they stand; `emitter` writes data.
"""

from receipts.jsyaml.compose import Composed, compose
from receipts.jsyaml.emitter import emit
from receipts.jsyaml.errors import AliasError, Fault, Unsupported, YamlError
from receipts.jsyaml.foreign import Data, Foreign, JsBytes, JsDate, JsMap, JsSet
from receipts.jsyaml.lines import Lines
from receipts.jsyaml.plain import plain_data
from receipts.jsyaml.units import line_and_column, to_units

__all__ = [
    "AliasError",
    "Foreign",
    "JsBytes",
    "JsDate",
    "JsMap",
    "JsSet",
    "Lines",
    "Unsupported",
    "YamlError",
    "dump",
    "load",
    "load_with_lines",
]


def load(text: str) -> Data:
    """Read the only YAML document of a text.

    Returns:
        dict (in source order, keys as JavaScript makes them text), list, str, float, bool or None;
        what an alias reaches is the same object. The tags `!!set`, `!!omap`, `!!binary` and
        `!!timestamp` give the `Foreign` classes.

    Raises:
        YamlError: The original reports errors.
        AliasError: The original reports none, but cannot turn the document into data.
        Unsupported: What the original does is not certain.
    """
    data, _, _ = _loaded(text)
    return data


def load_with_lines(text: str) -> tuple[Data, Lines]:
    """Read as `load` does, and return with the data where in the text it stands.

    Raises:
        YamlError: As `load`.
    """
    data, composed, units = _loaded(text)
    return data, Lines(composed.root, units)


def _loaded(text: str) -> tuple[Data, Composed, str]:
    units = to_units(text)
    try:
        composed = compose(units)
        return plain_data(composed), composed, units
    except Fault as fault:
        raise fault.kind(fault.message, *line_and_column(units, fault.at)) from None


def dump(value: Data) -> str:
    """Write plain data as YAML; the text ends in a line feed.

    A dict, list or `Foreign` object met more than once is written once, with an anchor, and named
    by aliases after that. Numbers are doubles, as in JavaScript.

    Raises:
        TypeError: The data holds something else, or a dict's key is not a str.
    """
    return emit(value)

"""How a scalar inside a collection key is written: close to how the source wrote it."""

import re

from receipts.jsyaml.emitter import scalar_number
from receipts.jsyaml.errors import AliasError, Fault
from receipts.jsyaml.foreign import JsBytes, JsDate
from receipts.jsyaml.jsnumber import exponential, number_text, shortest_digits, to_number
from receipts.jsyaml.nodes import MergeKey, Scalar
from receipts.jsyaml.schema import NULL, TAG, Schema
from receipts.jsyaml.strings import Place, string_text

_LINE_WIDTH = 80
_MIN_WIDTH = 20
_DECIMAL = re.compile(r"-?[0-9]")
_MIDNIGHT = re.compile(r"(?:T00:00:00)?\.000Z\Z")
_TEXTS_OF_NOTHING = {
    "str": "undefined",
    "null": "null",
    "bool": "false",
    "int": ".nan",
    "float": ".nan",
    "merge": "<<",
}
_RADIX = {"BIN": "b", "OCT": "o", "HEX": "x"}


def scalar_text(node: Scalar, schema: Schema, place: Place) -> str:
    """Return a scalar as npm `yaml` writes it back.

    Raises:
        Fault: Its tag promises a timestamp that its text is not.
    """
    kind = _kind(node, schema)
    if kind in ("int", "float"):
        return _number(node, schema)
    if kind == "bool":
        return _boolean(node, schema)
    if kind == "null":
        return node.source if node.source is not None and NULL.reads(node.source) else "null"
    if kind == "merge":
        return "<<"
    value = node.value
    if isinstance(value, JsDate):
        return _MIDNIGHT.sub("", value.iso)
    if isinstance(value, JsBytes):
        return _binary(value, node, place)
    if kind == "timestamp":
        raise Fault("A timestamp that is none cannot be written", node.end, AliasError)
    # A scalar that carries a collection's tag is not checked for reading back as something else.
    checks = schema.reads_as_other if kind != "collection" else _never
    return string_text(value if isinstance(value, str) else "", place, checks, node.style)


def tagged_collection_text(tag: str | None, schema: Schema) -> str | None:
    """Return what a collection with a scalar's tag is written as: that tag's text of nothing.

    None when its tag is none of a scalar's.
    """
    if tag is None or not any(known.name == tag for known in schema.tags):
        return None
    return _TEXTS_OF_NOTHING.get(tag.removeprefix(TAG), "")


def _never(_text: str) -> bool:
    return False


def _kind(node: Scalar, schema: Schema) -> str:
    """Return which tag writes the scalar: its own, else the one for its value."""
    if node.tag:
        if any(tag.name == node.tag for tag in schema.tags):
            return node.tag.removeprefix(TAG)
        if node.tag in schema.collection_tags:
            return "collection"
    value = node.value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, float):
        return "int" if value.is_integer() else "float"
    if isinstance(value, MergeKey) or (value == "<<" and schema.version == "1.1"):
        return "merge"
    return "str"


def _boolean(node: Scalar, schema: Schema) -> str:
    value = bool(node.value)
    source = node.source or ""
    for tag in schema.tags:
        if tag.name == f"{TAG}bool" and tag.reads(source) and tag.resolve(source) is value:
            return source
    return "true" if value else "false"


def _binary(value: JsBytes, node: Scalar, place: Place) -> str:
    import base64

    text = base64.b64encode(value.data).decode()
    if node.style != "double":
        width = max(_LINE_WIDTH - len(place.indent), _MIN_WIDTH)
        joint = "\n" if node.style == "literal" else " "
        text = joint.join(text[at : at + width] for at in range(0, len(text), width))
    return string_text(text, place, _never, node.style)


def _number(node: Scalar, schema: Schema) -> str:
    value = node.value
    if not isinstance(value, float):
        # The tag did not fit the text, which stayed a string.
        text = value if isinstance(value, str) else ""
        number = to_number(text)
        import json

        return json.dumps(text, ensure_ascii=False) if _is_finite(number) else scalar_number(number)
    if node.form in _RADIX and value.is_integer():
        return _in_radix(int(value), node.form, schema)
    if node.form == "EXP" and _is_finite(value):
        sign = "-" if value < 0 else ""
        return sign + (exponential(*shortest_digits(value)) if value else "0e+0")
    if node.form == "TIME" and _is_finite(value):
        return _sexagesimal(value)
    text = scalar_number(value)
    digits = node.fraction_digits
    if node.form or not digits or not _DECIMAL.match(text) or "e" in text:
        return text
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(digits, '0')}"


def _in_radix(value: int, form: str, schema: Schema) -> str:
    digits = format(abs(value), _RADIX[form])
    if schema.version == "1.1":
        prefix = {"BIN": "0b", "OCT": "0", "HEX": "0x"}[form]
        return f"{'-' if value < 0 else ''}{prefix}{digits}"
    return f"0{_RADIX[form]}{digits}"


def _is_finite(value: float) -> bool:
    return value - value == 0


def _sexagesimal(value: float) -> str:
    sign = "-" if value < 0 else ""
    rest = abs(value)
    seconds = rest % 60
    parts = [seconds]
    if rest < 60:
        parts.insert(0, 0.0)
    else:
        rest = (rest - seconds) / 60
        minutes = rest % 60
        parts.insert(0, minutes)
        if rest >= 60:
            parts.insert(0, (rest - minutes) / 60)
    text = ":".join(number_text(part).rjust(2, "0") for part in parts)
    return sign + re.sub(r"000000[0-9]*\Z", "", text)

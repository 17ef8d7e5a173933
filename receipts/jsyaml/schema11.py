"""The schema of YAML 1.1, for texts that declare `%YAML 1.1`."""

import re

from receipts.jsyaml.jsnumber import parse_digits, parse_float
from receipts.jsyaml.schema import (
    BINARY,
    MERGE_TAG,
    NAN_OR_INFINITY,
    NULL,
    STRING,
    TAG,
    TIMESTAMP_TAG,
    ScalarTag,
    Schema,
)
from receipts.jsyaml.timestamp import sexagesimal


def _integer(text: str, skip: int, radix: int) -> float:
    signed = text[0] in "+-"
    value = parse_digits(text[skip + signed :].replace("_", ""), radix)
    return -value if text[0] == "-" else value


def _float(text: str) -> float:
    return parse_float(text.replace("_", ""))


_YAML11 = (
    STRING,
    NULL,
    ScalarTag(f"{TAG}bool", lambda _: True, re.compile(r"Y|y|[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON")),
    ScalarTag(f"{TAG}bool", lambda _: False, re.compile(r"N|n|[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF")),
    ScalarTag(
        f"{TAG}int", lambda text: _integer(text, 2, 2), re.compile(r"[-+]?0b[0-1_]+"), form="BIN"
    ),
    ScalarTag(
        f"{TAG}int", lambda text: _integer(text, 1, 8), re.compile(r"[-+]?0[0-7_]+"), form="OCT"
    ),
    ScalarTag(f"{TAG}int", lambda text: _integer(text, 0, 10), re.compile(r"[-+]?[0-9][0-9_]*")),
    ScalarTag(
        f"{TAG}int",
        lambda text: _integer(text, 2, 16),
        re.compile(r"[-+]?0x[0-9a-fA-F_]+"),
        form="HEX",
    ),
    NAN_OR_INFINITY,
    ScalarTag(
        f"{TAG}float",
        _float,
        re.compile(r"[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?[eE][-+]?[0-9]+"),
        form="EXP",
    ),
    ScalarTag(f"{TAG}float", _float, re.compile(r"[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*")),
    BINARY,
    MERGE_TAG,
    ScalarTag(
        f"{TAG}int",
        sexagesimal,
        re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+"),
        form="TIME",
    ),
    ScalarTag(
        f"{TAG}float",
        sexagesimal,
        re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*"),
        form="TIME",
    ),
    TIMESTAMP_TAG,
)


def yaml11_schema() -> Schema:
    """Return a fresh schema of YAML 1.1."""
    schema = Schema(list(_YAML11), {}, version="1.1")
    schema.first_characters |= frozenset("<yYoOeE")
    schema.collection_tags.update(schema.collections)
    return schema

"""`%YAML` and `%TAG` lines, and the full names of tags."""

import re

from receipts.jsyaml.cst import Token
from receipts.jsyaml.errors import Fault
from receipts.jsyaml.jsnumber import JS_BLANK
from receipts.jsyaml.schema import TAG, Schema, core_schema
from receipts.jsyaml.units import from_units, to_units

_BLANKS = re.compile(r"[ \t]+")
_VERSION = re.compile(r"[0-9]+\.[0-9]+")
_LOCAL_ESCAPES = re.compile(r"[!,\[\]{}]")


class Directives:
    """What the directives before a document say."""

    def __init__(self) -> None:
        self.version = "1.2"
        self.prefixes = {"!!": TAG}

    def add(self, token: Token) -> None:
        """Obey a directive line; unknown ones are ignored.

        Raises:
            Fault: It has the wrong number of parts, or names no version.
        """
        name, *parts = _BLANKS.split(token.text.strip(JS_BLANK))
        if name == "%TAG":
            if len(parts) != 2:
                raise Fault("%TAG directive should contain exactly two parts", token.at)
            self.prefixes[parts[0]] = parts[1]
        elif name == "%YAML":
            if len(parts) != 1:
                raise Fault("%YAML directive should contain exactly one part", token.at)
            if parts[0] in ("1.1", "1.2"):
                self.version = parts[0]
            elif not _VERSION.fullmatch(parts[0]):
                raise Fault(f"Unsupported YAML version {parts[0]}", token.at)

    def schema(self) -> Schema:
        """Return a fresh schema of the declared version."""
        if self.version == "1.1":
            from receipts.jsyaml.schema11 import yaml11_schema

            return yaml11_schema()
        return core_schema()

    def tag_name(self, token: Token) -> str:
        """Return the full name of a tag; `!` and local tags `!name` stay.

        Raises:
            Fault: It has no suffix, no known handle or a wrong escape.
        """
        source = token.text
        if source == "!":
            return source
        if source.startswith("!<"):
            verbatim = source[2:-1]
            if verbatim in ("!", "!!") or not source.endswith(">"):
                raise Fault(f"{source} is not a verbatim tag", token.at)
            return verbatim
        cut = source.rindex("!") + 1
        handle, suffix = source[:cut], source[cut:]
        if not suffix:
            raise Fault(f"The {source} tag has no suffix", token.at)
        prefix = self.prefixes.get(handle)
        if prefix:
            return prefix + _decoded(suffix, token)
        if handle == "!":
            return source
        raise Fault(f"Could not resolve tag: {source}", token.at)

    def tag_text(self, name: str) -> str:
        """Return the shortest way to write a full tag name."""
        for handle, prefix in self.prefixes.items():
            if name.startswith(prefix):
                suffix = name[len(prefix) :]
                return handle + _LOCAL_ESCAPES.sub(lambda char: f"%{ord(char[0]):02X}", suffix)
        return name if name.startswith("!") else f"!<{name}>"


def _decoded(suffix: str, token: Token) -> str:
    from urllib.parse import unquote_to_bytes

    try:
        return to_units(unquote_to_bytes(from_units(suffix)).decode())
    except UnicodeDecodeError:
        raise Fault(f"Malformed escape in tag {token.text}", token.at) from None

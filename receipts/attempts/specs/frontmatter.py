"""The name that a SKILL.md gives itself, as the reference tool finds it."""

import re

import yaml
from yaml.nodes import MappingNode, ScalarNode

_BLOCK = re.compile(r"---\r?\n(.*?)\r?\n---", re.DOTALL)
_NAME_LINE = re.compile(r"^name:[ \t]*(.*?)[ \t]*(?:[ \t]#.*)?\r?$", re.MULTILINE)
_LONGEST = 256 << 10
_TEXT = "tag:yaml.org,2002:str"


def name_in(text: str) -> str | None:
    """Return the `name` of the front matter, or None when it has none that is text.

    Where the front matter is no YAML (a colon in a description, mostly), the line `name:` alone is
    read.
    """
    block = _BLOCK.match(text)
    if block is None:
        return None
    try:
        root = yaml.compose(block[1][:_LONGEST], Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        line = _NAME_LINE.search(block[1])
        return _unquoted(line[1]) or None if line else None
    if not isinstance(root, MappingNode):
        return None
    found = [value for key, value in root.value if key.value == "name"]
    named = found[-1] if found else None
    is_text = isinstance(named, ScalarNode) and named.tag == _TEXT
    return (str(named.value) or None) if named is not None and is_text else None


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if is_quoted else text

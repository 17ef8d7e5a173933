"""HYG5: one license in SKILL.md, in the team's policy and in the license files."""

import re
from collections.abc import Mapping

from receipts.digest import SKILL_MD
from receipts.hygiene.finding import Finding
from receipts.hygiene.frontmatter import Frontmatter
from receipts.hygiene.text import text_of

_MESSAGE = "Frontmatter, team policy, and bundled LICENSE files must declare the same license."
_SPDX = re.compile(r"SPDX-License-Identifier:[ \t]*(\S[^\r\n]*)")
_LONG_FORMS = {
    "apache license 2.0": "apache-2.0",
    "apache license, version 2.0": "apache-2.0",
    "apache 2.0": "apache-2.0",
    "mit license": "mit",
    "the mit license": "mit",
    "bsd 3-clause license": "bsd-3-clause",
    "bsd 3-clause": "bsd-3-clause",
    'bsd 3-clause "new" or "revised" license': "bsd-3-clause",
}
# What the text of a license holds, its white space as one blank.
_TEXTS = (
    (re.compile(r"Apache License,? Version 2\.0"), "apache-2.0"),
    (re.compile(r"Permission is hereby granted, free of charge, to any person"), "mit"),
    (re.compile(r"Neither the name of .{1,200}? nor the names of"), "bsd-3-clause"),
)
_LONGEST = 64 << 10


def problem(front: Frontmatter, files: Mapping[str, bytes], policy: str | None) -> Finding | None:
    """Return a finding when two of the licenses that are declared differ.

    A license file whose license is not recognised is left to people.
    """
    own = front.data.get("license")
    declared = [text for text in (own, policy) if isinstance(text, str) and text.strip()]
    bundled = [_of_file(files[path]) for path in files if _is_license(path)]
    known = {_plain(text) for text in [*declared, *bundled] if text}
    return Finding("HYG5", SKILL_MD, front.line("license"), _MESSAGE) if len(known) > 1 else None


def _is_license(path: str) -> bool:
    return path.upper().startswith("LICENSE") and "/" not in path


def _of_file(data: bytes) -> str | None:
    text = text_of(data)
    if text is None:
        return None
    text = text[:_LONGEST]
    if spdx := _SPDX.search(text):
        return spdx[1]
    flat = " ".join(text.split())
    return next((name for pattern, name in _TEXTS if pattern.search(flat)), None)


def _plain(license_: str) -> str:
    text = license_.strip().lower()
    return _LONG_FORMS.get(text, text)

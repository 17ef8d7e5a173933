"""Regular expressions that every supported Python reads alike."""

import json
import subprocess
import sys

from tests.members import ROOT

# Python before 3.11.5 gives up what a possessively repeated group has matched, against the meaning
# of it, so only a single character may be repeated so; a group goes into an atomic one.
_REPORT = """
import importlib, json, pkgutil, re, sys
from re import _constants, _parser

def possessive_groups(items):
    for code, value in items:
        if code is _constants.POSSESSIVE_REPEAT:
            (inner, _), *more = value[2]
            if more or inner not in SINGLE:
                yield str(value)
        for part in value if isinstance(value, (tuple, list)) else ():
            for below in part if isinstance(part, list) else (part,):
                if isinstance(below, _parser.SubPattern):
                    yield from possessive_groups(below)

SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY}
seen, real = {}, re.compile

def compile(pattern, flags=0):
    if isinstance(pattern, str):
        seen[pattern] = list(possessive_groups(_parser.parse(pattern, flags)))
    return real(pattern, flags)

assert list(possessive_groups(_parser.parse("(?:ab)?+"))) and not list(
    possessive_groups(_parser.parse("a++(?>(?:ab)?)")))
re.compile = compile
for package in ("receipts", "store", "publish"):
    for module in pkgutil.walk_packages([package], package + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
from receipts.scrub import scrub
scrub("password: tr0ub4dor and sk-proj-0123 AKIA xoxb- glpat- -----BEGIN", [])
print(json.dumps([len(seen), {p: found for p, found in seen.items() if found}]))
"""


def test_no_group_is_repeated_possessively() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _REPORT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    count, found = json.loads(done.stdout)
    assert count > 100
    assert found == {}

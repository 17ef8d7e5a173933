"""The entries of `skills`: a path on this machine, or a place in a git repository."""

import re

from receipts.attempts.specs.model import GitSource, PathSource, SkillSource
from receipts.attempts.specs.yamlnodes import Fields, Value
from receipts.filenames import shown, unsafe_path

SKILL_MD = "SKILL.md"
_KEYS = ("repo", "ref", "path")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# `ext::COMMAND` and its like run programs.
_HELPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^/@\s]*:[^/@\s]*@", re.IGNORECASE)
# What `git check-ref-format` refuses, and what git takes for an option or a revision's syntax.
_BAD_REF = re.compile(r"^-|^$|[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^/|/$|\.$|\.lock$|^@$")


def source(value: Value) -> SkillSource | None:
    """Return an entry of `skills`, or None after refusing it."""
    if value.is_text():
        return PathSource(value.text("a skill") or "", value.place.line)
    if not value.is_fields():
        value.refuse("a skill is the path of its SKILL.md, or a mapping with 'repo'")
        return None
    fields = value.fields("a git source", _KEYS)
    repo = _repo(fields) if fields else None
    if fields is None or repo is None:
        return None
    return GitSource(repo, _ref(fields), _path(fields), value.place.line)


def _repo(fields: Fields) -> str | None:
    value = fields.needed("repo", "a git source")
    repo = value.text("'repo'") if value else None
    if value is None or repo is None:
        return None
    if not repo.strip():
        value.refuse("'repo' is blank")
    elif repo.startswith("-") or _CONTROL.search(repo) or _HELPER.match(repo):
        value.refuse(f"'repo' is {shown(repo)!r}, which is no address that git is given")
    elif _PASSWORD.match(repo):
        # Not repeated here, and not saved with every run.
        value.refuse("'repo' holds a password; leave it to git's credential helper")
    return repo


def _ref(fields: Fields) -> str | None:
    value = fields.given("ref")
    ref = value.text("'ref'") if value else None
    if value and ref is not None and _BAD_REF.search(ref):
        value.refuse(f"'ref' is {shown(ref)!r}, which names no branch, tag or commit")
    return ref


def _path(fields: Fields) -> str:
    value = fields.get("path")
    path = value.text("'path'") if value else SKILL_MD
    if value is None or path is None:
        return SKILL_MD
    plain = "/".join(part for part in path.split("/") if part not in ("", "."))
    if path.startswith("/") or unsafe_path(plain):
        value.refuse(f"'path' is {shown(path)!r}; it must lead into the repository, with `/`")
    elif not plain.endswith(f"/{SKILL_MD}") and plain != SKILL_MD:
        value.refuse(f"'path' is {shown(path)!r}; it must lead to a {SKILL_MD}")
    return plain

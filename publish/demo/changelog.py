"""The skill of the demonstrations, and what it is evaluated with."""

NAME = "changelog"

SKILL = {
    "SKILL.md": """\
---
name: changelog
description: Writes a changelog entry from the commits since the last tag. Use before a release.
---

# Changelog

1. Run `sh scripts/since-tag.sh` to list the commits since the last tag.
2. Group them under Added, Changed and Fixed; leave out what no user can see.
3. Write one line each, in the present tense, with the issue it closes.
""",
    "scripts/since-tag.sh": """\
git log --oneline "$(git describe --tags --abbrev=0)..HEAD"
""",
}

_SETUP = """\
setup: |
  git init -q && git config user.name Ada && git config user.email ada@example.com
  git commit -q --allow-empty -m Start
  git tag v1
"""
_COMMITS = """\
  git commit -q --allow-empty -m 'Add export to CSV'
  git commit -q --allow-empty -m 'Fix dates before 1970'
"""

EVALS = {
    "evals/cases/release.yaml": f"""\
task: Write CHANGELOG.md for the next release of this repository.
requires: [git]
{_SETUP}{_COMMITS}\
checks:
  - file_matches: {{file: CHANGELOG.md, pattern: 'Added[^#]*CSV'}}
  - file_matches: {{file: CHANGELOG.md, pattern: 'Fixed[^#]*1970'}}
  - command_succeeds: 'test -f CHANGELOG.md && ! grep -q Start CHANGELOG.md'
""",
    "evals/cases/nothing-new.yaml": f"""\
task: Write CHANGELOG.md for the next release of this repository, if anything changed.
requires: [git]
{_SETUP}\
checks:
  - file_absent: CHANGELOG.md
""",
    "evals/cases/announcement.yaml": f"""\
task: Say in two sentences what the next release of this repository brings.
requires: [git]
{_SETUP}{_COMMITS}\
judge: Prefer the answer that somebody understands who uses the program and never reads its code.
""",
    "evals/triggers.yaml": """\
should_trigger:
  - Write the release notes for version 2
should_not_trigger:
  - Rename this variable
""",
}

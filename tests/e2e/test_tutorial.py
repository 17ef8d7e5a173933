"""docs/tutorial.md as it is pasted: its files, its commands in order, and what they print.

The model is the scripted one of the demonstration. What changes from run to run (times, ids, cost)
is taken for equal; `…` on the page stands for anything.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from publish.demo import acting, model
from receipts.scripted import Endpoint
from tests.members import Member
from tests.parts import require_part

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
CLAUDE = ROOT / "tests" / "node" / "node_modules" / ".bin" / "claude"
ADDRESS = "git@host:team/skills.git"

_PARTS = re.compile(
    r"^## (?P<chapter>[^\n]+)$"
    r"|^`(?P<path>~/\S+)`\n\n```\w+\n(?P<text>.*?)^```$"
    r"|^```console\n(?P<shown>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_VARIES = [
    (r"\d{8}T\d{6}Z", "RUN"),
    (r"\d{4}-\d\d-\d\d", "DATE"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "ID"),
    (r"\d+\.\d+s ", "TIME "),
    (r"\b2\.\d+\.\d+\b", "VERSION"),
    (r"\s+", " "),
]


class Chapter(NamedTuple):
    title: str
    files: dict[str, str]
    sessions: list[tuple[str, list[str]]]
    """Each command with the lines that it prints."""


def chapters() -> Iterator[Chapter]:
    chapter = Chapter("", {}, [])
    for part in _PARTS.finditer(PAGE.read_text("utf-8")):
        if part["chapter"]:
            yield chapter
            chapter = Chapter(part["chapter"], {}, [])
        elif part["path"]:
            chapter.files[part["path"]] = part["text"]
        else:
            for session in re.split(r"^\$ ", part["shown"], flags=re.MULTILINE)[1:]:
                command, *lines = session.splitlines()
                chapter.sessions.append((command, lines))
    yield chapter


def alike(line: str) -> str:
    for pattern, word in _VARIES:
        line = re.sub(pattern, word, line)
    return line.strip()


def differences(shown: list[str], printed: str) -> list[str]:
    """Return the lines of the page that are not printed, or not in this order."""
    actual = iter([alike(line) for line in printed.splitlines()])
    wanted = [alike(line) for line in shown if line != "…"]
    return [line for line in wanted if not any(line == each for each in actual)]


@pytest.fixture
def leading() -> Iterator[dict[str, str]]:
    require_part(CLAUDE.exists(), "claude from npm (npm ci --prefix tests/node)")
    with Endpoint(model.play) as endpoint:
        yield acting.environment(endpoint.url) | {"RECEIPTS_CLAUDE": str(CLAUDE)}


def test_the_tutorial_does_what_it_shows(tmp_path: Path, leading: dict[str, str]) -> None:
    remote = tmp_path / "skills.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", remote], check=True)
    people = {name: Member(tmp_path, name, **leading) for name in ("ada", "bob")}
    for person in people.values():
        del person.environment["RECEIPTS_HOME"]
    config = people["ada"].home / ".gitconfig"
    config.write_text(config.read_text().replace("name = Ada", "name = Ada Lovelace"))
    who, ran = people["ada"], 0
    for title, files, sessions in chapters():
        if title == "6. The teammate":
            who = people["bob"]
        if title == "7. An edit":
            skill = who.library / "changelog" / "SKILL.md"
            skill.write_text(skill.read_text().replace("Group them", "Sort them"))
        for path, text in files.items():
            place = who.home / path.removeprefix("~/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        for command, shown in sessions:
            line = command.replace(ADDRESS, str(remote))
            done = subprocess.run(
                f'receipts() {{ python -m receipts "$@"; }}\n{line}',
                shell=True,
                cwd=who.home,
                env=who.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                timeout=300,
            )
            printed = (done.stderr + done.stdout).replace(str(remote), ADDRESS)
            assert done.returncode == 0, f"{command}\n{printed}"
            assert differences(shown, printed) == [], f"{command}\n{printed}"
            ran += 1
    assert ran == 16

"""Shorthands for tests of teams: make and join them, and look into their repositories."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from publish import teams
from publish.teams import Joined
from receipts.errors import ReceiptsError
from store import config
from tests.publish.conftest import Machine
from tests.publish.git.samples import git


def create(name: str = "acme", remote: str | Path | None = None, **options: Any) -> Joined:
    chosen = {"handle": None, "license": None, "require_category": False, **options}
    return teams.create(name, remote=None if remote is None else str(remote), **chosen)


def join(url: str | Path, handle: str | None = None, name: str | None = None) -> Joined:
    return teams.join(str(url), handle=handle, name=name)


def refused(
    kind: type[ReceiptsError], function: Any, *arguments: Any, **named: Any
) -> ReceiptsError:
    with pytest.raises(kind) as error:
        function(*arguments, **named)
    return error.value


def file(repository: Path, path: str) -> bytes:
    return git(repository, "show", f"main:{path}")


def document(repository: Path, path: str) -> Any:
    return json.loads(file(repository, path))


def paths_in(repository: Path) -> list[str]:
    return git(repository, "ls-tree", "-r", "--name-only", "main").decode().splitlines()


def log(repository: Path) -> list[str]:
    return git(repository, "log", "--format=%an <%ae> %s", "main").decode().splitlines()


def known() -> list[str]:
    return [entry.name for entry in config.teams()]


def mirrors(machine: Machine) -> list[str]:
    folder = machine.state / "mirrors"
    names = os.listdir(folder) if folder.is_dir() else []
    return sorted(name for name in names if name.endswith(".git"))

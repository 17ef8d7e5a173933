"""A project with a spec in it, and a cache of its own."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Written = Callable[[Mapping[str, str | bytes]], Path]
TASKS = "tasks:\n- {name: a, prompt: p, assert: x}\n"
SKILL = "---\nname: build\ndescription: Builds.\n---\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point the cache of git sources at a folder that is not there yet."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CALIPER_CACHE_DIR", str(folder))
    return folder / "skills"


@pytest.fixture
def project(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    """Return what writes files below a project's folder, and returns the path of its spec.

    The project is the current folder, so that messages name files as their author would.
    """
    del cache
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def write(files: Mapping[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Path("demo.eval.yaml")

    return write

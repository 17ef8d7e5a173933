"""Looks into a team's repository, as git itself sees it."""

import json
import subprocess
from pathlib import Path
from typing import Any


def git(repository: Path, *arguments: str) -> str:
    """Run git in a repository and return what it prints."""
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def tree(repository: Path) -> list[str]:
    """Return the paths of `main`."""
    return git(repository, "ls-tree", "-r", "--name-only", "main").splitlines()


def committed(repository: Path, path: str) -> bytes:
    """Return a file of `main`."""
    done = subprocess.run(
        ["git", "-C", str(repository), "cat-file", "blob", f"main:{path}"],
        capture_output=True,
        check=True,
    )
    return done.stdout


def document(repository: Path, path: str) -> Any:
    """Return a JSON file of `main`."""
    return json.loads(committed(repository, path))


def receipts_in(repository: Path) -> list[str]:
    """Return the paths of the receipts of `main`."""
    return [path for path in tree(repository) if path.startswith("evals/")]

"""The tool whose saved runs we read and write, as a real part: installed from its package."""

import os
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

from tests.parts import require_part

_ROOT = Path(__file__).parent.parent.parent
_REQUIREMENTS = Path(__file__).with_name("requirements.txt")
_FOLDER = _ROOT / ".pytest_cache" / "d" / "reference"
_SCRIPTS = "Scripts" if os.name == "nt" else "bin"
_SECONDS = 300


def command() -> Path:
    """Return the tool's command, installed when it is not there yet, or skip the test."""
    _FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{_FOLDER}.lock"):
        done = _FOLDER / "installed.txt"
        wanted = _REQUIREMENTS.read_text("utf-8")
        if not (done.exists() and done.read_text("utf-8") == wanted):
            why = _install()
            require_part(not why, f"the reference tool ({why})")
            done.write_text(wanted, "utf-8")
    return _FOLDER / _SCRIPTS / "caliper"


def environment(home: Path) -> dict[str, str]:
    """Return what the tool is run with: nothing of the user's, and a wide terminal."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "COLUMNS": "200",
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
    }


def _install() -> str:
    """Install it, and return why that did not succeed, or an empty text."""
    python = _FOLDER / _SCRIPTS / "python"
    for line in (
        [sys.executable, "-m", "venv", "--clear", str(_FOLDER)],
        [str(python), "-m", "pip", "install", "--quiet", "-r", str(_REQUIREMENTS)],
    ):
        try:
            done = subprocess.run(line, capture_output=True, text=True, timeout=_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if done.returncode:
            return (done.stderr.strip().splitlines() or ["no word of why"])[-1]
    return ""

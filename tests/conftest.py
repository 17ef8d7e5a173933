"""No test reaches this user's home, git configuration, agent or network, unless it says so."""

import ipaddress
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.parts import NIGHTLY, examples

# A sample is the same one each time; a whole run looks further, and prints how to repeat a failure.
# No example is given a deadline, for that would depend on the machine's load.
settings.register_profile("sample", derandomize=True, deadline=None)
settings.register_profile(
    "nightly", max_examples=examples(100), print_blob=True, deadline=None, database=None
)
settings.load_profile("nightly" if NIGHTLY else "sample")

pytest_plugins = ["tests.servers.fixtures"]

_UNSET = (
    "RECEIPTS_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "SSH_AUTH_SOCK",
    "SSH_ASKPASS",
    "EMAIL",
    "CLAUDE_CONFIG_DIR",
    "NO_COLOR",
    "FORCE_COLOR",
)
_LOCAL_NAMES = {"", "localhost", "127.0.0.1", "::1"}


@pytest.fixture(scope="session", autouse=True)
def nowhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Point home and git's configuration at a file, below which nothing can be read or made."""
    file = tmp_path_factory.mktemp("nowhere") / "file"
    file.write_text("tests must not use the home folder: ask for the fixture `home`\n")
    nowhere = file / "home"
    with pytest.MonkeyPatch.context() as patch:
        for name in _UNSET:
            patch.delenv(name, raising=False)
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            patch.delenv(name)
        patch.setenv("HOME", str(nowhere))
        patch.setenv("USERPROFILE", str(nowhere))
        patch.setenv("GIT_CONFIG_GLOBAL", str(nowhere / ".gitconfig"))
        patch.setenv("GIT_CONFIG_SYSTEM", str(nowhere / "gitconfig"))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("temporary")))
        patch.setattr(tempfile, "tempdir", None)  # so that it is looked up again
        _block_network()
        yield nowhere


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a clean home whose owner git knows, and return it."""
    home = tmp_path / "home"
    home.mkdir()
    config = home / ".gitconfig"
    config.write_text('[user]\n\tname = "Ada Member"\n\temail = ada@example.com\n')
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(home / "none"))
    return home


_is_blocked: list[bool] = []


def _block_network() -> None:
    # An audit hook cannot be taken back, nor bypassed by whoever kept the original function.
    if not _is_blocked:
        _is_blocked.append(True)
        sys.addaudithook(_refuse_network)


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    name = host.decode() if isinstance(host, bytes) else str(host or "")
    if name in _LOCAL_NAMES or name.endswith(".invalid"):
        return
    try:
        local = ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        local = False
    if not local:
        raise RuntimeError(f"a test tried to reach {name}")

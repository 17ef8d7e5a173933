import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.faults.mortal import Mortal
from tests.members import ROOT
from tests.parts import require_part


@pytest.fixture(scope="module")
def mortal() -> Iterator[Mortal]:
    require_part(shutil.which("git") is not None, "git")
    with subprocess.Popen(
        [sys.executable, "-m", "tests.faults.mortal"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as server:
        assert server.stdin
        assert server.stdout
        with server.stdin as stream:

            def send(line: str) -> None:
                stream.write(line)
                stream.flush()

            yield Mortal(send, server.stdout.readline)

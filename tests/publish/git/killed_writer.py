"""A writer that dies at a chosen step.

`python -m tests.publish.git.killed_writer STEP URL MIRROR NAME`

A step is anything that touches files, processes or the network. The process ends itself as the
kernel would end it, with SIGKILL, just before the step. It exits with 0 when it had fewer steps.
"""

import os
import signal
import sys
from typing import Any

from tests.publish.git import writer

_STEPS = {
    "open",
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.utime",
    "os.chmod",
    "shutil.rmtree",
    "socket.connect",
    "subprocess.Popen",
}


def main(step: str, url: str, place: str, name: str) -> None:
    """Make one commit, or die on the way."""
    left = int(step)

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event not in _STEPS or _only_reads(event, arguments):
            return
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    writer.main(url, place, name, "1")


def _only_reads(event: str, arguments: tuple[Any, ...]) -> bool:
    if event != "open":
        return False
    path, mode, flags = arguments
    writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    return not writes or str(path).endswith(".pyc") or "__pycache__" in str(path) or mode == "r"


if __name__ == "__main__":
    main(*sys.argv[1:])

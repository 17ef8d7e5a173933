"""The command line with a terminal to be asked on."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.members import Member, Ran


def answered(member: Member, *arguments: str | Path, answer: bytes) -> Ran:
    """Run `receipts` on a terminal on which somebody types; `err` is what that shows."""
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    process = subprocess.Popen(
        [sys.executable, "-m", "receipts", *map(str, arguments)],
        cwd=member.home,
        env=member.environment,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    shown = bytearray()
    while True:
        try:
            data = os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        shown += data
    assert process.stdout is not None
    with process.stdout as stream:
        out = stream.read()
    os.close(ours)
    code = process.wait(timeout=60)
    return Ran(code, out.decode(), shown.decode(errors="replace").replace("\r\n", "\n"))

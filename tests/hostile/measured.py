"""Run a command and write its peak memory, in kilobytes, to a file: `measured.py FILE COMMAND …`.

A process of its own, and a small one: what is started begins with the peak of whoever started it.
The figure is that of the command or of the largest git that it ran, whichever is more (Linux).
"""

import os
import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    with subprocess.Popen(sys.argv[2:]) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    Path(sys.argv[1]).write_text(str(usage.ru_maxrss))
    sys.exit(process.returncode)

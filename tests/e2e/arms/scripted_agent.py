"""An agent for tests: does what the lines of its task say, and prints what it is told to say.

    DO write PATH TEXT      makes a file
    DO skilled write P T    the same, if the skill is there
    DO say TEXT             prints
    DO sleep SECONDS
    DO fail [N]             exits with 1; with N only in the first N sessions of this task
    DO append FILE TEXT     appends to a file anywhere

Each session adds a line to the log named by its first argument.
"""

import os
import sys
import time
from pathlib import Path


def main() -> int:
    log = Path(sys.argv[1])
    task = sys.stdin.read()
    title = task.splitlines()[0] if task else ""
    with open(log, "a") as stream:
        stream.write(f"{title}\n")
    sessions = log.read_text().splitlines().count(title)
    skilled = os.path.isdir(".claude/skills") and bool(os.listdir(".claude/skills"))
    for line in task.splitlines():
        words = line.split()
        if words[:1] != ["DO"]:
            continue
        if words[1] == "skilled":
            if not skilled:
                continue
            words.pop(1)
        match words[1]:
            case "write":
                Path(words[2]).write_text(" ".join(words[3:]))
            case "say":
                print(" ".join(words[2:]), flush=True)
            case "sleep":
                time.sleep(float(words[2]))
            case "append":
                with open(words[2], "a") as stream:
                    stream.write(" ".join(words[3:]) + "\n")
            case "fail" if len(words) == 2 or sessions <= int(words[2]):
                print("it broke", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""An agent for tests that writes cases and triggers: it prints the files of its first argument.

The folder holds `cases`, `triggers`, each perhaps with `.1`, `.2` for the first answers. Any other
task writes out.txt where the skill is there. Each question adds a line to the file `log` beside.
"""

import json
import os
import sys
from pathlib import Path


def main() -> None:
    answers = Path(sys.argv[1])
    task = sys.stdin.read()
    kind = kind_of(task)
    with open(answers / "log", "a") as stream:
        stream.write(f"{kind}\n")
    if kind in ("cases", "triggers"):
        count = (answers / "log").read_text().splitlines().count(kind)
        numbered = answers / f"{kind}.{count}"
        print((numbered if numbered.exists() else answers / kind).read_text())
    elif kind == "selection":
        print(json.dumps({"selected": ["tdd"] if "test first" in task else []}))
    elif os.path.isdir(".claude/skills"):
        Path("out.txt").write_text("x")
    print(os.environ.get("RECEIPTS_NOTHING", ""))


def kind_of(task: str) -> str:
    for kind, words in {
        "cases": "evaluation cases for this skill",
        "triggers": "Write prompts to measure",
        "selection": "skills are installed",
        "preflight": "Reply with the single word",
    }.items():
        if words in task:
            return kind
    return "session"


if __name__ == "__main__":
    main()

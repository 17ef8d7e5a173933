"""Which skills a session of Codex loads: asked of Codex itself, without a call to the model."""

import json
import re
import tempfile
import threading
from pathlib import Path

from receipts import processes
from receipts.agents.base import OnSkills, Task
from receipts.agents.events import maps

_SECONDS = 60.0
_LIMIT = 16 << 20
_BLOCK = re.compile(r"<skills_instructions>(.*?)</skills_instructions>", re.DOTALL)
_LINE = re.compile(r"^- ([^\s:]+): .*\(file: [^()\n]*\)\s*$", re.MULTILINE)


class Asked:
    """Asks `codex debug prompt-input` in a session's own folder and home, beside the session."""

    def __init__(
        self,
        program: str,
        task: Task,
        environment: dict[str, str],
        stop: threading.Event | None,
    ) -> None:
        self._arguments = [program, "debug", "prompt-input", "-"]
        self._task = task
        self._environment = environment
        self._stop = stop
        self._skills: tuple[str, ...] | None = None
        self._thread: threading.Thread | None = None

    def start(self, on_skills: OnSkills) -> None:
        """Ask, and tell the answer as soon as it is there."""
        self._thread = threading.Thread(target=self._ask, args=(on_skills,), daemon=True)
        self._thread.start()

    def answer(self) -> tuple[str, ...] | None:
        """Return the skills, once they are known; None when Codex did not say."""
        if self._thread is not None:
            self._thread.join()
        return self._skills

    def _ask(self, on_skills: OnSkills) -> None:
        with tempfile.TemporaryDirectory(prefix="receipts-codex-") as folder:
            output = Path(folder) / "prompt.json"
            ended = processes.run(
                self._arguments,
                folder=self._task.folder,
                environment=self._environment,
                timeout=_SECONDS,
                stop=self._stop,
                output=output,
                limit=_LIMIT,
            )
            if ended.how == "exited" and ended.exit_code == 0:
                self._skills = listed(output.read_bytes())
        on_skills(self._skills)


def listed(prompt: bytes) -> tuple[str, ...] | None:
    """Return the names of the skills that a prompt lists, or None when it is no such prompt."""
    try:
        items = json.loads(prompt)
    except (ValueError, RecursionError):
        return None
    if not isinstance(items, list):
        return None
    texts = [
        block["text"]
        for item in items
        if isinstance(item, dict) and item.get("role") == "developer"
        for block in maps(item.get("content"))
        if isinstance(block.get("text"), str)
    ]
    if not texts:
        return None
    blocks = [found[1] for text in texts for found in _BLOCK.finditer(text)]
    return tuple(name for block in blocks for name in _LINE.findall(block))

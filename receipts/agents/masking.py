"""What is taken out of a transcript before a judge sees it, because it would tell the arm."""

import os
import re
from pathlib import Path

# The folders in which agents look for skills, and what lies below.
_SKILLS = re.compile(r"(?:\.[/\\]+)?\.(?:claude|agents)[/\\]+skills(?:[/\\]+[\w.@-]+)*[/\\]*")


class Mask:
    """Replaces a session's own folder by `.`, and what lies in a folder of skills by `[path]`."""

    def __init__(self, folder: Path) -> None:
        own = (str(folder), os.path.realpath(folder))
        places = [*(f"{place}.home" for place in own), *own]
        # In JSON a backslash of a Windows path is written twice.
        places += [place.replace("\\", "\\\\") for place in places]
        longest_first = sorted(set(places), key=len, reverse=True)
        self._folder = re.compile("|".join(map(re.escape, longest_first)))

    def is_about_skills(self, text: str) -> bool:
        """Say whether a text names something in a folder of skills."""
        return _SKILLS.search(text) is not None

    def __call__(self, text: str) -> str:
        """Return a text without those."""
        return _SKILLS.sub("[path]", self._folder.sub(".", text))

"""What is taken out of a transcript before a judge sees it, because it would tell the arm."""

import os
import re
from pathlib import Path


class Mask:
    """Replaces a session's own folder by `.`, and what lies in its folder of skills by `[path]`."""

    def __init__(self, folder: Path, skills_folder: str) -> None:
        places = {str(folder), os.path.realpath(folder), f"{folder}.home"}
        # In JSON a backslash of a Windows path is written twice.
        spelled = sorted(
            {*places, *(p.replace("\\", "\\\\") for p in places)}, key=len, reverse=True
        )
        self._folder = re.compile("|".join(map(re.escape, spelled)))
        skills = re.escape(skills_folder).replace("/", r"[/\\]+")
        self._skills = re.compile(rf"(?:\./|\.\\+)?{skills}(?:[/\\]+[\w.@-]+)*[/\\]*")

    def is_about_skills(self, text: str) -> bool:
        """Say whether a text names something in the folder of skills."""
        return self._skills.search(text) is not None

    def __call__(self, text: str) -> str:
        """Return a text without those."""
        return self._skills.sub("[path]", self._folder.sub(".", text))

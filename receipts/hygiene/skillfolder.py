"""The files of a skill folder, read one at a time."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from receipts import folder
from receipts.digest import SKILL_MD
from receipts.errors import SkillError
from receipts.folder import Found

_LARGEST = 50 << 20


class SkillFolder(Mapping[str, bytes]):
    """The contents of a folder by path, evaluation assets included, each read when asked for.

    Attributes:
        executable: The paths whose executable bit is the author's.
    """

    def __init__(self, path: Path) -> None:
        walked = folder.walk(path, with_evals=True)
        self._found = {item.path: item for item in walked if isinstance(item, Found)}
        self.executable = frozenset(self._executable())

    def __getitem__(self, path: str) -> bytes:
        found = self._found[path]
        size = folder.size(found)
        if size > _LARGEST:
            raise SkillError(
                f"{path} is {size >> 20} MB, more than a skill should hold ({_LARGEST >> 20} MB a"
                " file).",
                "Have the skill download it instead.",
            )
        data, _ = folder.read(found)
        return data

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._found))

    def __len__(self) -> int:
        return len(self._found)

    def _executable(self) -> list[str]:
        if os.name != "posix":
            return []
        runnable = [
            path
            for path, found in self._found.items()
            if os.stat(found.location, follow_symlinks=False).st_mode & 0o100
        ]
        # Nobody runs a text: such a file system shows every file as executable.
        return [] if SKILL_MD in runnable else runnable

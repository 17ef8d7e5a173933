"""What a case puts into its sandbox: inline files, and a fixture folder."""

import os
from collections.abc import Iterator
from pathlib import Path

from receipts.arms.assets.folder import EvalFolder
from receipts.arms.assets.yamlfile import Fields
from receipts.filenames import Paths, folded, shown, unsafe
from receipts.jsyaml.jsnumber import number_text
from receipts.jsyaml.units import LONE_SURROGATE, to_units

# Where agents look for skills, settings and hooks, and git for its own.
AGENT_FOLDERS = (".claude", ".agents", ".codex")
_NOT_WRITTEN = (*AGENT_FOLDERS, ".git")


def files_of(fields: Fields) -> dict[str, str]:
    """Return the inline files of a case by path, refusing what must not be written."""
    value = fields.data.get("files")
    if value is None:
        return {}
    if not isinstance(value, dict):
        fields.refuse(f"{fields.who}: 'files' must be a map", "files")
        return {}
    found: dict[str, str] = {}
    taken = Paths()
    for written, content in value.items():
        path = _path(fields, written)
        text = _content(fields, written, content)
        if path is None or text is None:
            continue
        if path in found:
            fields.refuse(f"{fields.who}: two 'files' are {shown(path)}", "files", written)
        for sentence in taken.add(path):
            fields.refuse(f"{fields.who}: 'files': {sentence.rstrip('.')}", "files", written)
        found[path] = text
    return found


def fixture_of(fields: Fields, folder: EvalFolder, base: str, files: dict[str, str]) -> Path | None:
    """Return the fixture folder of a case, refusing what is none or must not be copied.

    Args:
        fields: The case's.
        folder: The eval assets.
        base: The folder of the case's file in it, which a fixture is relative to.
        files: The inline files, which are written into the copy.
    """
    written = fields.text("fixture")
    if written is None:
        return None

    def refuse(why: str) -> None:
        fields.refuse(f"{fields.who}: fixture {shown(written)} {why}", "fixture")

    segments = [segment for segment in written.rstrip("/").split("/") if segment != "."]
    if why := next(filter(None, (unsafe(each) for each in segments if each != "..")), None):
        refuse(why)
        return None
    path = os.path.normpath("/".join([base, *segments])).replace(os.sep, "/")
    if path == ".." or path.startswith("../"):
        refuse(f"leads out of {folder.name}/")
    elif path in {".", "cases"}:
        refuse("holds the cases themselves, and with them what the agent is checked for")
    elif path not in folder.names:
        refuse(f"does not exist: there is no folder {folder.place(path)}")
    else:
        for why in _unfit(folder, path, files):
            refuse(why)
        return folder.path / path
    return None


def _unfit(folder: EvalFolder, fixture: str, files: dict[str, str]) -> Iterator[str]:
    """Yield why a fixture cannot be copied into a sandbox together with the inline files."""
    for name in folder.names[fixture]:
        if folded(name) in AGENT_FOLDERS:
            yield f"holds {name}, which belongs to the agent"
    for path in files:
        if f"{fixture}/{path}" in folder.names:
            yield f"has a folder where 'files' has the file {path}"
        parts = path.split("/")
        for count in range(1, len(parts)):
            if f"{fixture}/{(parent := '/'.join(parts[:count]))}" in folder.files:
                yield f"has the file {parent} where 'files' needs a folder"


def _path(fields: Fields, written: str) -> str | None:
    """Return the path of an inline file, without what means nothing in it; None after refusing."""

    def refuse(why: str) -> None:
        fields.refuse(f"{fields.who}: 'files': {shown(written)} {why}", "files", written)

    segments = written.split("/")
    kept = [segment for segment in segments if segment not in {"", "."}]
    if not kept or written.startswith("/") or written.endswith("/"):
        refuse("is no path of a file inside the sandbox")
        return None
    if ".." in written.replace("\\", "/").split("/"):
        refuse("has a segment `..`, which may lead out of the sandbox")
        return None
    first = folded(kept[0])
    if first in _NOT_WRITTEN:
        refuse(f"lies in {first}, which belongs to the agent or to git; a case must not write it")
        return None
    return "/".join(kept)


def _content(fields: Fields, path: str, value: object) -> str | None:
    """Return what is written into an inline file; None after refusing."""
    what = f"{fields.who}: 'files': the content of {shown(path)}"
    if isinstance(value, bool | float):
        text = number_text(value) if isinstance(value, float) else str(value).lower()
        fields.warn(f"{what} is not in quotes and is written as `{text}`", "files", path)
        return text
    if not isinstance(value, str):
        fields.refuse(f'{what} must be a text; an empty file is ""', "files", path)
        return None
    if LONE_SURROGATE.search(to_units(value)):
        fields.refuse(f"{what} holds half of a surrogate pair", "files", path)
        return None
    return value

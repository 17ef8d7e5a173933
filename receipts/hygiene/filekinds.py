"""HYG4: files that a skill has no use for, or that could be run by mistake."""

from collections.abc import Collection

from receipts.hygiene.finding import Finding

_EXTENSIONS = {
    *(".md", ".txt", ".json", ".yaml", ".yml", ".csv", ".toml", ".xml", ".html", ".css", ".js"),
    *(".ts", ".py", ".sh", ".sql", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"),
}
# Files that are known by their whole name.
_NAMES = {
    *("authors", "changelog", "codeowners", "contributing", "copying", "dockerfile", "license"),
    *("licence", "makefile", "notice", "readme", ".editorconfig", ".gitattributes", ".gitignore"),
}
_ASSETS = "evals/"


def problem(path: str, data: bytes, executable: Collection[str]) -> Finding | None:
    """Return what is wrong with a file's kind.

    Eval assets are not held to this: fixtures are whole projects, and no agent is given them with
    the skill.
    """
    if path.startswith(_ASSETS):
        return None
    extension = _extension(path)
    if path in executable:
        message = "File has an executable mode."
    elif data.startswith(b"#!"):
        message = "File begins with a shebang."
    elif extension not in _EXTENSIONS and not _is_known(path):
        message = f"File extension {extension or '(none)'} is not allowlisted."
    else:
        return None
    return Finding("HYG4", path, 0, message)


def _extension(path: str) -> str:
    name = path.rpartition("/")[2].lower()
    return name[name.rfind(".") :] if "." in name else ""


def _is_known(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name in _NAMES or name.startswith(("license", "licence"))

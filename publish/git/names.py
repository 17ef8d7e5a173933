"""Path names in git trees: which may be written, and which a hostile tree may hold."""

import unicodedata

# Code points that HFS+ ignores when it compares names, so that `.g<U+200C>it` is `.git` there.
_IGNORED_BY_HFS = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)
MAX_DEPTH = 64
MAX_PATH = 4096


def is_git_folder(name: bytes) -> bool:
    """Say whether some file system takes the name for `.git`: its case, NTFS and HFS+ forms too."""
    text = name.decode("utf-8", "replace").translate(_IGNORED_BY_HFS)
    text = unicodedata.normalize("NFC", text).casefold().partition(":")[0].rstrip(" .")
    return text in (".git", "git~1")


def is_usable(name: bytes) -> bool:
    """Say whether a tree's entry can be one step of a path: no separator, no way up, not `.git`."""
    return name not in (b"", b".", b"..") and b"/" not in name and not is_git_folder(name)


def is_writable(path: bytes) -> bool:
    """Say whether a path may be written: relative, POSIX, UTF-8, and harmless on every system."""
    if not path or len(path) > MAX_PATH or b"\\" in path or any(byte < 0x20 for byte in path):
        return False
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    steps = path.split(b"/")
    return len(steps) <= MAX_DEPTH and all(is_usable(step) for step in steps)

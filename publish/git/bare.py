"""Bare repositories as files: made whole in one step; references, health and litter."""

import contextlib
import io
import os
import shutil
import stat
from collections.abc import Mapping

from publish.git.failures import MirrorDamaged
from publish.git.objects import is_object_id
from receipts import files
from receipts.errors import StoreError, TeamError

MAIN = "refs/heads/main"
SYNCED = "refs/receipts/synced"
INCOMING = "refs/receipts/incoming"
REPLACED = "refs/receipts/replaced/"
_FOLDERS = ("objects/info", "objects/pack", "refs/heads", "refs/receipts", "refs/tags")
_CORE = {
    "core.repositoryformatversion": "0",
    "core.filemode": "true",
    "core.bare": "true",
}
_REF_LIMIT = 1 << 10
_PACKED_LIMIT = 16 << 20
_CONFIG_LIMIT = 1 << 20
_TRAILER = 20


def create(path: str, settings: Mapping[str, str], *, mode: int) -> bool:
    """Make a bare repository, complete or not at all; False when the name is taken.

    Args:
        path: Where; its parent exists.
        settings: Configuration beyond what every bare repository has, as `section.key` or
            `section.name.key` to value.
        mode: The permissions of its folders, which the umask narrows.

    Raises:
        StoreError: It cannot be made: disk full, no permission.
    """
    new = scratch(path, "new")
    try:
        try:
            os.mkdir(new, mode)
            for folder in _FOLDERS:
                os.makedirs(os.path.join(new, folder), mode)
        except OSError as error:
            raise StoreError(f"Cannot make {path}: {error.strerror or error}.") from error
        files.write_atomic(os.path.join(new, "HEAD"), b"ref: refs/heads/main\n", mode & 0o666)
        config = _config_text({**_CORE, **settings})
        files.write_atomic(os.path.join(new, "config"), config.encode(), mode & 0o666)
        return files.rename_new(new, path)
    finally:
        remove(new)


def scratch(path: str, suffix: str) -> str:
    """Return an unused name beside a repository, for a step that ends in a rename."""
    parent, name = os.path.split(path)
    return os.path.join(parent, f".{name}.{os.urandom(6).hex()}.{suffix}")


def remove(path: str) -> None:
    """Remove a folder as far as that is possible; git makes its objects read-only."""

    def make_writable(_: object, name: str, __: object) -> None:
        with contextlib.suppress(OSError):
            os.chmod(name, stat.S_IRWXU)
            os.unlink(name)

    shutil.rmtree(path, onerror=make_writable)


def _config_text(settings: Mapping[str, str]) -> str:
    lines = []
    for key, value in settings.items():
        section, _, rest = key.partition(".")
        name, dot, variable = rest.rpartition(".")
        heading = f'[{section} "{_escaped(name)}"]' if dot else f"[{section}]"
        lines.append(f'{heading}\n\t{variable} = "{_escaped(value)}"\n')
    return "".join(lines)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def read_setting(path: str, section: tuple[str, ...], key: str) -> str | None:
    """Return a value from a repository's own configuration, or None.

    Raises:
        MirrorDamaged: The configuration cannot be read.
    """
    from dulwich.config import ConfigFile

    name = os.path.join(path, "config")
    try:
        data = files.read_limited(name, _CONFIG_LIMIT, follow_links=False)
        config = ConfigFile.from_file(io.BytesIO(data))
        return config.get(tuple(part.encode() for part in section), key.encode()).decode()
    except KeyError:
        return None
    except (FileNotFoundError, StoreError, ValueError) as error:
        raise MirrorDamaged("its configuration cannot be read") from error


def read_ref(path: str, ref: str) -> bytes | None:
    """Return the commit that a reference names, or None when there is no such reference.

    Raises:
        MirrorDamaged: The reference is empty or malformed.
    """
    try:
        data = files.read_limited(os.path.join(path, ref), _REF_LIMIT, follow_links=False)
    except FileNotFoundError:
        return _read_packed_ref(path, ref.encode())
    except StoreError as error:
        raise MirrorDamaged(f"{ref} cannot be read") from error
    value = data.rstrip(b"\n")
    if not is_object_id(value):
        raise MirrorDamaged(f"{ref} is malformed")
    return value


def _read_packed_ref(path: str, ref: bytes) -> bytes | None:
    try:
        name = os.path.join(path, "packed-refs")
        data = files.read_limited(name, _PACKED_LIMIT, follow_links=False)
    except FileNotFoundError:
        return None
    except StoreError as error:
        raise MirrorDamaged("packed-refs cannot be read") from error
    for line in data.split(b"\n"):
        value, _, name_there = line.partition(b" ")
        if name_there == ref and is_object_id(value):
            return value
    return None


def refs_below(path: str, prefix: str) -> dict[str, bytes | None]:
    """Return the references whose name has a prefix that ends in `/`; None for a malformed one."""
    names = {prefix + entry.name for entry in _entries(os.path.join(path, prefix))}
    with contextlib.suppress(FileNotFoundError, StoreError):
        data = files.read_limited(
            os.path.join(path, "packed-refs"), _PACKED_LIMIT, follow_links=False
        )
        packed = (line.partition(b" ")[2].decode("utf-8", "replace") for line in data.split(b"\n"))
        names.update(name for name in packed if name.startswith(prefix))
    found: dict[str, bytes | None] = {}
    for name in sorted(names):
        try:
            found[name] = read_ref(path, name)
        except MirrorDamaged:
            found[name] = None
    return found


def replaced_name(tip: bytes) -> str:
    """Return the reference under which a commit is kept that the remote lost."""
    return REPLACED + tip[:12].decode()


def write_ref(path: str, ref: str, value: bytes) -> None:
    """Set a reference, durably.

    Raises:
        StoreError: It cannot be written; it then has its old value.
    """
    target = os.path.join(path, ref)
    files.make_private_dir(os.path.dirname(target))
    files.write_atomic(target, value + b"\n", 0o644)


def delete_ref(path: str, ref: str) -> None:
    """Remove a reference that is kept in a file of its own."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(path, ref))


def check_files(path: str) -> None:
    """Raise when a repository lacks a part or a pack is not the one that its index was made for.

    Only the ends of packs are read, so this costs two reads for each; a garbled middle shows when
    an object is read.

    Raises:
        MirrorDamaged: Something is missing, empty or does not match.
    """
    for part in ("HEAD", "config"):
        name = os.path.join(path, part)
        if not os.path.isfile(name) or os.path.getsize(name) == 0:
            raise MirrorDamaged(f"{part} is missing or empty")
    packs = os.path.join(path, "objects", "pack")
    if not os.path.isdir(packs) or not os.path.isdir(os.path.join(path, "refs")):
        raise MirrorDamaged("a folder of it is missing")
    for index in os.listdir(packs):
        if index.endswith(".idx"):
            base = os.path.join(packs, index.removesuffix(".idx"))
            # The last 40 bytes of an index are the checksums of its pack and of itself.
            if _ends(base + ".idx", 2 * _TRAILER)[:_TRAILER] != _ends(base + ".pack", _TRAILER):
                raise MirrorDamaged(f"pack {index.removesuffix('.idx')} is cut short or missing")


def _ends(name: str, count: int) -> bytes:
    try:
        with open(name, "rb") as stream:
            stream.seek(-count, os.SEEK_END)
            return stream.read(count)
    except OSError:
        return b""


def tidy(path: str) -> int:
    """Remove what killed processes left in a repository and beside it; return its loose objects.

    Only for the holder of the repository's lock: to anybody else, a lock file or a half-written
    pack may be alive.
    """
    parent, name = os.path.split(path)
    for entry in _entries(parent):
        if entry.name.startswith(f".{name}.") and entry.name.endswith((".new", ".old")):
            remove(entry.path)
    loose = 0
    objects = os.path.join(path, "objects")
    fan_out = [entry.path for entry in _entries(objects) if len(entry.name) == 2]
    for folder in (path, *_below(os.path.join(path, "refs")), objects, *fan_out):
        loose += _tidy_folder(folder, count=folder in fan_out)
    for folder in ("pack", "info"):
        _tidy_folder(os.path.join(objects, folder), count=False)
    return loose


def _tidy_folder(folder: str, *, count: bool) -> int:
    found = 0
    for entry in _entries(folder):
        if entry.name.endswith((".lock", ".tmp")) or entry.name.startswith("tmp_"):
            with contextlib.suppress(OSError):
                os.unlink(entry.path)
        elif count and len(entry.name) == 38:
            found += 1
    return found


def _below(folder: str) -> list[str]:
    return [root for root, _, _ in os.walk(folder)]


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def create_bare(path: str | os.PathLike[str]) -> None:
    """Make a bare team repository on this machine: branch `main`, no forced push, no deletion.

    Raises:
        TeamError: Something is there already.
        StoreError: It cannot be made.
    """
    place = os.path.abspath(path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with contextlib.suppress(OSError):
        os.rmdir(place)  # an empty folder is as good as none
    settings = {"receive.denyNonFastForwards": "true", "receive.denyDeletes": "true"}
    if not create(place, settings, mode=0o777):
        raise TeamError(f"{place} exists already.", "Name a folder that does not exist yet.")

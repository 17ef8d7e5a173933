"""A folder as remote on a machine without git: its objects are copied, its `main` is swapped.

No server runs, so no hook runs either; a repository that has one is only written through git.
"""

import os
from collections.abc import Iterator, Sequence

from dulwich.file import FileLocked
from dulwich.objects import ObjectID
from dulwich.pack import UnpackedObject
from dulwich.refs import DiskRefsContainer, Ref

from publish.git import bare, classify
from publish.git.commits import read_commit
from publish.git.failures import MirrorDamaged, Race, TooLarge
from publish.git.ingest import check_arrived, too_large
from publish.git.mirror import Mirror
from publish.git.objects import BLOB, COMMIT, TREE, NewObject, ObjectStore
from publish.git.remote import Remote, existing
from publish.git.transport import RemoteState
from publish.git.tree import LARGEST_FILE, read_entries
from publish.git.words import clean
from receipts.errors import RefusedByServer, RemoteError

_MAIN = Ref(bare.MAIN.encode())
_HOOKS = ("pre-receive", "update", "reference-transaction", "post-receive", "post-update")
_MOST_LOOSE = 200
_SUBMODULE = 0o160000
_TYPE = 0o170000


class DirectTransport:
    """Reads and writes the other repository's files."""

    def fetch(self, mirror: Mirror) -> bytes | None:
        """As `Transport.fetch`."""
        folder = _repository(mirror.remote)
        tip, known = _main(folder), mirror.tip
        if tip is not None and tip != known:
            theirs = ObjectStore(os.path.join(folder, "objects"))
            try:
                _copy(theirs, mirror, known, tip)
            except MirrorDamaged as damage:
                raise RemoteError(
                    f"The repository at {mirror.remote} is damaged: {damage.what}."
                ) from damage
            except TooLarge as error:
                raise too_large(mirror.remote) from error
            finally:
                theirs.close()
            check_arrived(mirror.store, known, tip)
        return tip

    def push(
        self, mirror: Mirror, old: bytes | None, new: bytes, objects: Sequence[NewObject]
    ) -> None:
        """As `Transport.push`."""
        folder = _repository(mirror.remote)
        _refuse_what_needs_git(folder, mirror.remote)
        if _main(folder) != old:
            raise Race("main moved before the push")
        theirs = ObjectStore(os.path.join(folder, "objects"))
        try:
            theirs.add(objects)
        finally:
            theirs.close()
        references = DiskRefsContainer(folder)
        try:
            if old is None:
                swapped = references.add_if_new(_MAIN, ObjectID(new))
            else:
                swapped = references.set_if_equals(_MAIN, ObjectID(old), ObjectID(new))
        except FileLocked as error:
            raise Race("main is being written") from error
        if not swapped:
            raise Race("main moved before the push")

    def state(self, remote: Remote) -> RemoteState:
        """As `Transport.state`."""
        folder = _repository(remote)
        prefix = b"refs/heads/"
        names = DiskRefsContainer(folder).subkeys(Ref(prefix))
        branches = tuple(name.decode("utf-8", "replace") for name in names)
        return RemoteState(_main(folder), branches)


def _repository(remote: Remote) -> str:
    place = existing(remote.path)
    for folder in (place, os.path.join(place, ".git")):
        if os.path.isdir(os.path.join(folder, "objects")) and os.path.isfile(
            os.path.join(folder, "HEAD")
        ):
            _refuse_other_formats(folder, remote)
            return folder
    raise RemoteError(f"There is no git repository at {remote}.", "Check the address.")


def _refuse_other_formats(folder: str, remote: Remote) -> None:
    """Raise where objects, references or history are kept in another way than is known here."""
    try:
        names = bare.read_setting(folder, ("extensions",), "objectformat") or "sha1"
        references = bare.read_setting(folder, ("extensions",), "refstorage") or "files"
    except MirrorDamaged as damage:
        raise RemoteError(f"The repository at {remote} is damaged: {damage.what}.") from damage
    if names.lower() != "sha1":
        raise classify.other_object_format(remote)
    if references.lower() != "files":
        raise RemoteError(
            f"{remote} keeps its branches in a way ({clean(references)}) that only git knows.",
            "Install git.",
        )
    if os.path.exists(os.path.join(folder, "shallow")):
        raise RemoteError(f"{remote} holds no whole history, which only git reads.", "Install git.")


def _main(folder: str) -> bytes | None:
    try:
        return bare.read_ref(folder, bare.MAIN)
    except MirrorDamaged as damage:
        raise RemoteError(f"The repository at {folder} is damaged: {damage.what}.") from damage


def _refuse_what_needs_git(folder: str, remote: Remote) -> None:
    hooks = [name for name in _HOOKS if os.access(os.path.join(folder, "hooks", name), os.X_OK)]
    if hooks or os.path.basename(folder) == ".git":
        why = f"it has the hook {hooks[0]}" if hooks else "it has a working folder"
        raise RefusedByServer(
            f"{remote} can only be written through git, because {why}.", "Install git."
        )


def _copy(theirs: ObjectStore, mirror: Mirror, known: bytes | None, tip: bytes) -> None:
    """Copy what a commit needs and we lack; the history of the commit that we know is whole."""
    ours = mirror.store
    wanted = list(_missing(theirs, ours, known, tip))
    if any(theirs.size(identifier) > LARGEST_FILE for kind, identifier in wanted if kind == BLOB):
        raise too_large(mirror.remote)
    if len(wanted) <= _MOST_LOOSE:
        # One at a time and in this order: a copy that is cut short is complete as far as it goes.
        for kind, identifier in wanted:
            ours.add([NewObject(kind, identifier, theirs.read_kind(identifier, kind))])
        return
    records = (
        UnpackedObject(
            kind,
            sha=bytes.fromhex(identifier.decode()),
            decomp_chunks=[theirs.read_kind(identifier, kind)],
        )
        for kind, identifier in wanted
    )
    ours.disk.add_pack_data(len(wanted), records)


def _missing(
    theirs: ObjectStore, ours: ObjectStore, known: bytes | None, tip: bytes
) -> Iterator[tuple[int, bytes]]:
    """Yield kind and id of every object we lack, each after those that it names."""
    seen: set[bytes] = set()
    pending: list[tuple[int, bytes, bool]] = [(COMMIT, tip, False)]
    while pending:
        kind, identifier, named = pending.pop()
        if named:
            yield kind, identifier
            continue
        # A commit that is here may lack its parents, should whoever wrote it have been killed.
        if identifier in seen or identifier == known or (kind != COMMIT and identifier in ours):
            continue
        seen.add(identifier)
        pending.append((kind, identifier, True))
        if kind == COMMIT:
            commit = read_commit(theirs, identifier)
            pending += [(COMMIT, parent, False) for parent in commit.parents]
            pending.append((TREE, commit.tree, False))
        elif kind == TREE:
            pending += [
                (TREE if entry.is_tree else BLOB, entry.id, False)
                for _, entry in read_entries(theirs, identifier)
                if entry.mode & _TYPE != _SUBMODULE
            ]

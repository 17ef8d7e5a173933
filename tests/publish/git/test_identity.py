import subprocess
from pathlib import Path

import pytest

from publish.git import Identity, member_identity
from publish.git.commits import first_parents_reach, new_commit, read_commit
from publish.git.objects import EMPTY_TREE, TREE, ObjectStore, new_object
from receipts.errors import TeamError


def test_from_the_users_configuration(home: Path, tmp_path: Path) -> None:
    assert member_identity() == ("Ada Member", "ada@example.com")
    assert member_identity(tmp_path / "none") == ("Ada Member", "ada@example.com")


def test_as_git_resolves_it_in_a_folder(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work" / "repo"
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    (home / "work.config").write_text("[user]\n\temail = ada@work.example\n")
    with (home / ".gitconfig").open("a") as config:
        config.write(f'[includeIf "gitdir:{tmp_path}/work/"]\n\tpath = work.config\n')
    assert member_identity(work) == ("Ada Member", "ada@work.example")
    subprocess.run(["git", "-C", str(work), "config", "user.name", "Ada at Work"], check=True)
    assert member_identity(work) == ("Ada at Work", "ada@work.example")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Someone Else")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "else@example.com")
    assert member_identity(work) == ("Someone Else", "else@example.com")


@pytest.mark.parametrize("has_git", [True, False])
def test_unknown(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, has_git: bool
) -> None:
    if not has_git:
        monkeypatch.setenv("PATH", str(tmp_path))
        assert member_identity() == ("Ada Member", "ada@example.com")
    (home / ".gitconfig").write_text("[user]\n\tname = Only Name\n")
    with pytest.raises(TeamError) as caught:
        member_identity()
    assert 'git config --global user.name "' in caught.value.hint
    assert "git config --global user.email " in caught.value.hint


def test_names_that_would_break_a_commit(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Identity("A <b>\n\x1bC", "x@y>\n").line() == b"A b C <x@y>"
    assert Identity(' "Ada", ', "ada@example.com").line() == b"Ada <ada@example.com>"
    assert Identity("Ada\udcff Ünï", "a@b").line() == "Ada? Ünï <a@b>".encode()
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Ada <Lovelace>")
    assert member_identity().name == "Ada Lovelace"


def test_commits(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "r")], check=True)
    store = ObjectStore(str(tmp_path / "r" / "objects"))
    store.add([new_object(TREE, b"")])
    author = Identity("Ada Ünï", "ada@example.com")
    future = 7_000_000_000
    first = new_commit(store, tree=EMPTY_TREE, parent=None, author=author, message="first\0 \n\n")
    late = first._replace(data=first.data)
    data = first.data.replace(str(read_time(first.data)).encode(), str(future).encode())
    late = new_object(1, data)
    store.add([first, late])
    second = new_commit(store, tree=EMPTY_TREE, parent=late.id, author=author, message="zwei ü")
    store.add([second])
    commit = read_commit(store, second.id)
    assert (commit.tree, commit.parents, commit.time) == (EMPTY_TREE, (late.id,), future)
    (tmp_path / "r" / "refs" / "heads" / "main").write_bytes(second.id + b"\n")
    log = subprocess.run(
        ["git", "-C", str(tmp_path / "r"), "log", "--format=%an|%ae|%cn|%ct|%s", "main"],
        capture_output=True,
        check=True,
    ).stdout.decode()
    assert log.splitlines()[0] == f"Ada Ünï|ada@example.com|Ada Ünï|{future}|zwei ü"
    assert log.splitlines()[1].endswith("|first")
    subprocess.run(["git", "-C", str(tmp_path / "r"), "fsck", "--strict"], check=True)
    assert first_parents_reach(store, second.id, {late.id}, stop=None) == late.id
    assert first_parents_reach(store, second.id, {late.id}, stop=late.id) is None
    assert first_parents_reach(store, None, {late.id}, stop=None) is None
    store.close()


def read_time(data: bytes) -> int:
    """Return the time of a commit's author."""
    return int(data.split(b"author ")[1].split(b"> ")[1].split(b" ")[0])

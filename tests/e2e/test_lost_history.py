"""What a repository lost and this machine keeps, through damage of this machine's copy."""

from pathlib import Path

import pytest

from tests.e2e.repositories import git
from tests.members import Member


@pytest.fixture
def lost(ada: Member, acme: Path) -> str:
    """Make the repository lose a receipt that ada saw, and let her follow it; the lost commit."""
    skill = ada.skill("tdd")
    ada.ok("publish", skill)
    first = git(acme, "rev-parse", "main").strip()
    ada.evaluate(skill)
    ada.ok("publish", skill)
    commit = git(acme, "rev-parse", "main").strip()
    ada.ok("sync")
    git(acme, "update-ref", "refs/heads/main", first)
    git(acme, "reflog", "expire", "--expire=now", "--all")
    git(acme, "prune", "--expire=now")
    done = ada.run("sync")
    assert (done.code, "went back from commit" in done.err) == (1, True)
    return commit


def mirror_of(member: Member) -> Path:
    return member.state / "mirrors" / "acme.git"


def kept_receipts(member: Member, commit: str) -> list[str]:
    """Return the receipts of a commit that is kept, of which every object must be there."""
    mirror = mirror_of(member)
    git(mirror, "fsck", "--strict")
    name = f"refs/receipts/replaced/{commit[:12]}"
    assert git(mirror, "rev-list", "--objects", name)
    return git(mirror, "ls-tree", "-r", "--name-only", name, "evals").splitlines()


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_it_is_kept_when_the_copy_is_made_again(ada: Member, lost: str, packed: bool) -> None:
    said = ada.run("sync", "--accept-rewrite").err
    assert f"is kept as refs/receipts/replaced/{lost[:12]} in" in said
    for damage in ("HEAD", "config"):
        if packed:
            git(mirror_of(ada), "pack-refs", "--all")
            git(mirror_of(ada), "repack", "-adq")
        (mirror_of(ada) / damage).write_bytes(b"")
        done = ada.run("sync")
        assert (done.code, "gone" in done.err, "Making it again" in done.err) == (0, False, True)
        assert done.out == "acme: nothing new.\n"
        assert len(kept_receipts(ada, lost)) == 1


def test_it_is_kept_when_the_copy_is_damaged_at_the_time(ada: Member, lost: str) -> None:
    (mirror_of(ada) / "HEAD").write_bytes(b"")
    done = ada.run("sync")
    assert (done.code, "was rewritten" in done.err) == (1, True)
    done = ada.run("sync", "--accept-rewrite")
    assert done.code == 0
    assert f"is kept as refs/receipts/replaced/{lost[:12]} in" in done.err
    assert len(kept_receipts(ada, lost)) == 1


def test_it_is_said_to_be_gone_when_it_is_damaged_too(ada: Member, lost: str) -> None:
    ada.ok("sync", "--accept-rewrite")
    for path in mirror_of(ada).glob("objects/??/*"):
        path.chmod(0o600)
        path.write_bytes(path.read_bytes()[:5])
    done = ada.run("sync", "--repair")
    assert done.code == 0
    assert f"lost, up to commit {lost[:12]}, was kept in the damaged copy alone" in done.err
    assert "it is gone from this machine." in done.err
    git(mirror_of(ada), "fsck", "--strict")
    assert git(mirror_of(ada), "for-each-ref", "refs/receipts/replaced") == ""
    assert ada.run("sync", "--repair").err == ""

"""Credentials come from git's own helpers, and stay there."""

import shutil
from pathlib import Path

import pytest

from tests.members import Member
from tests.parts import require_part
from tests.servers.smart_http import basic, smart_http

PASSWORD = "s3cr3t-" + "Zk9qLw2x"


@pytest.fixture(autouse=True)
def git() -> None:
    require_part(shutil.which("git") is not None, "git")


def test_gits_credential_helper_is_used_and_the_password_is_kept_nowhere(
    repository: Path, tmp_path: Path
) -> None:
    with smart_http(basic("ada", PASSWORD)) as server:
        url = server.url_of(repository)
        host = url.split("/")[2]
        ada = Member(tmp_path, "ada")
        (ada.home / ".git-credentials").write_text(f"http://ada:{PASSWORD}@{host}\n")
        with (ada.home / ".gitconfig").open("a") as config:
            config.write("[credential]\n\thelper = store\n")
        ada.ok("team", "create", "acme", "--remote", url)
        skill = ada.skill("tdd")
        ada.evaluate(skill)
        assert "Attached 1 eval run(s)." in ada.ok("publish", skill)
        assert ada.ok("sync") == "acme: nothing new.\n"
    assert not _holding(ada.state, PASSWORD)


def test_without_credentials_it_refuses_at_once_and_asks_nothing(
    repository: Path, tmp_path: Path
) -> None:
    with smart_http(basic("ada", PASSWORD)) as server:
        ada = Member(tmp_path, "ada")
        done = ada.run("team", "create", "acme", "--remote", server.url_of(repository))
    assert done.code == 1
    assert "credential" in done.err.lower()
    assert not (ada.state / "config.json").exists()


def test_a_password_in_the_address_is_not_kept(repository: Path, tmp_path: Path) -> None:
    with smart_http() as server:
        url = server.url_of(repository).replace("://", f"://ada:{PASSWORD}@")
        ada = Member(tmp_path, "ada")
        done = ada.run("team", "create", "acme", "--remote", url)
    assert done.code == 0, done
    assert "the password in the address was not kept" in done.err
    assert PASSWORD not in done.out + done.err
    assert not _holding(ada.state, PASSWORD)


def _holding(folder: Path, text: str) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file() and text.encode() in p.read_bytes()]

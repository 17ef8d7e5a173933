import os
import subprocess
from pathlib import Path

import pytest

from publish.git import environment, rewriting, settings
from publish.git.settings import Setting

RULES = {
    "http://one.example/": ["acme:", "https://team.example/"],
    "http://longer.example/x/": ["https://team.example/x/"],
    "ssh://git@push.example/": ["pushed:"],
}
PUSH_RULES = {
    "ssh://git@push.example/": ["https://team.example/", "git://team.example/"],
    "http://Ada:p%40ss@Host.example/": ["https://secret.example/"],
}
ADDRESSES = [
    "https://team.example/r",
    "https://team.example/x/r",
    "acme:r",
    "pushed:r",
    "git://team.example/r",
    "https://secret.example/r",
    "https://else.example/r",
]


def _git(*arguments: str, cwd: Path, **variables: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
    )
    return done.stdout.strip()


@pytest.fixture
def rules(home: Path) -> None:
    with (home / ".gitconfig").open("a") as config:
        for key, table in (("insteadOf", RULES), ("pushInsteadOf", PUSH_RULES)):
            for base, values in table.items():
                lines = "".join(f'\t{key} = "{value}"\n' for value in values)
                config.write(f'[url "{base}"]\n{lines}')


@pytest.mark.usefixtures("rules")
@pytest.mark.parametrize("has_git", [True, False])
@pytest.mark.parametrize("url", ADDRESSES)
def test_addresses_are_rewritten_as_git_does_it(
    url: str, has_git: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "r")], check=True)
    subprocess.run(["git", "-C", str(tmp_path / "r"), "remote", "add", "team", url], check=True)
    fetched = _git("ls-remote", "--get-url", url, cwd=tmp_path)
    pushed = _git("remote", "get-url", "--push", "team", cwd=tmp_path / "r")
    if not has_git:
        monkeypatch.setenv("PATH", str(tmp_path))
    user = settings.here()
    assert user.rewritten(url, pushing=False) == fetched
    assert user.rewritten(url, pushing=True) == pushed
    assert user.rewrites(url) is (fetched != url or pushed != url)


@pytest.mark.usefixtures("rules")
def test_a_password_in_a_rule_is_taken_out_of_the_address(tmp_path: Path) -> None:
    url = "https://secret.example/r"
    target = settings.here().rewritten(url, pushing=True)
    hidden = rewriting.without_password(url, target)
    env = settings.as_environment(hidden, {})
    assert env["GIT_CONFIG_COUNT"] == "3"
    assert _git("ls-remote", "--get-url", url, cwd=tmp_path, **env) == "http://Host.example/r"
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "r")], check=True)
    subprocess.run(["git", "-C", str(tmp_path / "r"), "remote", "add", "team", url], check=True)
    pushed = _git("remote", "get-url", "--push", "team", cwd=tmp_path / "r", **env)
    assert pushed == "http://Host.example/r"
    header = _git("config", "--get-urlmatch", "http.extraHeader", pushed, cwd=tmp_path, **env)
    assert header == "Authorization: Basic QWRhOnBAc3M="  # Ada:p@ss
    for plain in ("https://host/r", "https://me@host/r", "ssh://me:x@host/r", "http://[::1/r"):
        assert rewriting.without_password("acme:r", plain) == []


def test_settings_are_added_after_those_of_the_environment(tmp_path: Path) -> None:
    given = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "given"}
    added = settings.as_environment([Setting("a.b", "added\nline", own=True)], given)
    assert _git("config", "--get-all", "a.b", cwd=tmp_path, **{**given, **added}) == (
        "given\nadded\nline"
    )
    assert settings.as_environment([], given) == {}


@pytest.mark.parametrize("has_git", [True, False])
def test_what_is_set_and_by_whom(
    has_git: bool, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (home / ".gitconfig").open("a") as config:
        config.write(
            "[Commit]\n\tGpgSign\n[gpg]\n\tformat = ssh\n\tformat = x509\n[off]\n\tx = no\n"
        )
    subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True)
    subprocess.run(["git", "-C", str(tmp_path / "r"), "config", "gpg.program", "evil"], check=True)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "http.https://Host.example/.extraHeader")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "X: y")
    if not has_git:
        monkeypatch.setenv("PATH", str(tmp_path))
    user = settings.here(str(tmp_path / "r"))
    assert user.is_true("commit.gpgsign")
    assert not user.is_true("off.x")
    assert not user.is_true("none.there")
    assert user.get("gpg.format") == "x509"
    assert user.get("gpg.program", own=True) is None
    assert user.get("gpg.program") == ("evil" if has_git else None)
    assert user.get("http.https://Host.example/.extraheader") == "X: y"
    assert settings.here(str(tmp_path / "gone")).get("gpg.format") == "x509"
    assert environment.git_path() is not None or not has_git

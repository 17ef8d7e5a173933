import os
from pathlib import Path

import pytest

from publish.git import Remote
from receipts.errors import UsageError

ACCEPTED = [
    ("https://github.com/o/r", "https", "https://github.com/o/r"),
    ("  https://GitHub.com/o/r.git/ ", "https", "https://github.com/o/r.git/"),
    ("http://host:8080/r", "http", "http://host:8080/r"),
    ("https://me@host/r", "https", "https://me@host/r"),
    ("ssh://git@host:2222/srv/r.git", "ssh", "ssh://git@host:2222/srv/r.git"),
    ("ssh://git@[::1]:22/r", "ssh", "ssh://git@[::1]:22/r"),
    ("git@github.com:o/r.git", "ssh", "git@github.com:o/r.git"),
    ("host:path with spaces/r", "ssh", "host:path with spaces/r"),
    ("git://host/r", "git", "git://host/r"),
    ("file:///srv/r%20x", "file", "file:///srv/r%20x"),
    ("file://localhost/srv/r", "file", "file:///srv/r"),
    ("file:///srv/c#/what?.git", "file", "file:///srv/c#/what?.git"),
    ("ssh://host/srv/c#/r", "ssh", "ssh://host/srv/c#/r"),
    ("git@host:c#/r", "ssh", "git@host:c#/r"),
    ("https://someone%40a-company-of-a-long-name.example@host/r", "https", None),
    ("/srv/team.git", "path", "/srv/team.git"),
    ("/srv/what?#.git", "path", "/srv/what?#.git"),
    ("./a:b", "path", None),
    ("team", "path", None),
]


@pytest.mark.parametrize(("text", "kind", "url"), ACCEPTED)
def test_accepted(text: str, kind: str, url: str | None) -> None:
    remote = Remote.parse(text)
    assert (remote.kind, remote.stripped) == (kind, False)
    written = os.path.abspath(text) if kind == "path" else text
    assert str(remote) == remote.url == (url or written)
    assert Remote.parse(remote.url) == remote


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "-oProxyCommand=touch x",
        "--upload-pack=touch x",
        "ext::sh -c touch% x",
        "fd::17/foo",
        "http::https://x/y",
        "ftp://host/r",
        "rsync://host/r",
        "javascript://host/r",
        "ssh://-oProxyCommand=x/r",
        "ssh://-x@host/r",
        "-x@host:r",
        "-host:r",
        "user@-host:r",
        "host:-r",
        "https://host",
        "https:///r",
        "https://ho st/r",
        "https://host:99999/r",
        "https://host:x/r",
        "https://[::1/r",
        "file://host/r",
        "file://",
        "https://host/r\nx",
        "https://host/\x1b[31mr",
        "/srv/\x07team",
        "a\u202eb",
        "user@host:",
    ],
)
def test_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Remote.parse(text)
    assert caught.value.message.endswith(".")
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://me:hunter2@host/r", "https://host/r"),
        ("https://hunter2:x-oauth-basic@host/r", "https://host/r"),
        ("https://ghp_hunter2@github.com/o/r", "https://github.com/o/r"),
        ("http://me:p@ss:hunter2@host:80/r", "http://host:80/r"),
        ("ssh://git:hunter2@host/r", "ssh://git@host/r"),
        ("git://me:hunter2@host/r", "git://host/r"),
        ("https://host/r.git?private_token=hunter2", "https://host/r.git"),
        ("http://me@host:80/r?a=b&access_token=hunter2#hunter2", "http://me@host:80/r"),
        ("https://host/r#hunter2", "https://host/r"),
        ("https://host/r#hunter2?x", "https://host/r"),
        ("https://host/r?", "https://host/r"),
        ("ssh://git@host/r?token=hunter2", "ssh://git@host/r"),
        ("git@host:o/r?token=hunter2", "git@host:o/r"),
        ("git://host/r?token=hunter2", "git://host/r"),
        ("ssh://glpat-hunter2@host/r", "ssh://host/r"),
        ("ghp_hunter2@host:r", "host:r"),
    ],
)
def test_credentials_are_stripped_and_said(text: str, url: str) -> None:
    remote = Remote.parse(text)
    assert (remote.url, remote.stripped) == (url, True)
    assert "hunter2" not in repr(remote)


def test_no_password_in_a_refusal() -> None:
    for text in (
        "ftp://me:hunter2@host/r",
        "https://me:hunter2@host:x/r",
        "https://me:hunter2@/r",
        "https://me:hunter2/and@more@host/r",
        "https://me:hunter2#@host/r",
        "ftp://host/r?token=hunter2",
        "https://host?token=hunter2",
        "https://ho st/r#hunter2",
        "git@host:?token=hunter2",
        "-https://host/r?token=hunter2",
    ):
        with pytest.raises(UsageError) as caught:
            Remote.parse(text)
        assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://github.com/o/r", "https://GitHub.com:443/o/r.git/", True),
        ("https://me@host/o/r", "https://host/o/r", True),
        ("git@github.com:o/r.git", "ssh://git@github.com/o/r", True),
        ("git@github.com:o/r.git", "ssh://git@github.com:22/o/r", True),
        ("https://github.com/o/r", "https://github.com/o/R", False),
        ("https://github.com/o/r", "https://gitlab.com/o/r", False),
        ("https://github.com/o/r", "http://github.com/o/r", False),
        ("ssh://host:22/o/r", "ssh://host:2222/o/r", False),
        ("/srv/team", "file:///srv/team/", True),
        ("/srv/team", "/srv/team2", False),
    ],
)
def test_the_same_repository(one: str, other: str, same: bool) -> None:
    assert Remote.parse(one).same_as(Remote.parse(other)) is same
    assert Remote.parse(other).same_as(Remote.parse(one)) is same


def test_folders_are_compared_as_git_finds_them(tmp_path: Path) -> None:
    (tmp_path / "team.git").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "team.git")
    team = Remote.parse(str(tmp_path / "team.git"))
    assert team.same_as(Remote.parse(str(tmp_path / "link")))
    assert team.same_as(Remote.parse(str(tmp_path / "team")))
    (tmp_path / "team").mkdir()
    assert not team.same_as(Remote.parse(str(tmp_path / "team")))


def test_the_home_folder_is_understood(home: Path) -> None:
    assert Remote.parse("~/team.git").url == str(home / "team.git")

import pytest

from publish.git import Remote, words
from publish.git.classify import explain, is_race, refused
from receipts.errors import (
    AuthenticationError,
    ReceiptsError,
    RefusedByServer,
    RemoteError,
    StoreError,
)

REMOTE = Remote.parse("https://example.com/team.git")


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\nb\tc", "a b c"),
        ("\x9b31m\x00", "\\x9b31m\\x00"),
        ("\u202etxt", "\\u202etxt"),
        ("fatal: https://me:pa@ss@host/r", "fatal: https://host/r"),
        (
            "unable to access 'https://host/r?private_token=hunter2&x=1'",
            "unable to access 'https://host/r?private_token=[removed]&x=1'",
        ),
        ("Authorization: Bearer abcdefghijkl", "Authorization: Bearer [removed]"),
        ("Authorization: Basic bWU6aHVudGVyMg==", "Authorization: Basic [removed]"),
    ],
)
def test_clean(text: str, clean: str) -> None:
    assert words.clean(text) == clean


def test_clean_is_short() -> None:
    assert len(words.clean("x" * 10_000)) == words.MAX_LENGTH


def test_the_servers_lines_and_gits() -> None:
    text = (
        "remote: Counting objects: 100% (3/3)\rremote: Counting objects: 100% (3/3), done.\n"
        "remote: Total 6 (delta 1), reused 0 (delta 0), pack-reused 0\n"
        "remote: error: GH013: no\nremote: \nwarning: old\nhint: try harder\n"
        "Enumerating objects: 5, done.\nfatal: the reason\n"
    )
    assert words.server_lines(text) == ["error: GH013: no"]
    assert words.git_lines(text) == ["fatal: the reason"]
    assert words.summary(["fatal: the reason."]) == "the reason"


@pytest.mark.parametrize(
    ("reason", "race"),
    [
        ("fetch first", True),
        ("non-fast-forward", True),
        ("stale info", True),
        ("failed to update ref", True),
        ("cannot lock ref 'refs/heads/main': is at 1 but expected 2", True),
        ("failed to lock", True),
        ("incorrect old value provided", True),
        ("remote ref updated since checkout", True),
        ("pre-receive hook declined", False),
        ("pre-receive hook declined: fetch first", False),
        ("protected branch hook declined", False),
        ("GH006: Protected branch update failed", False),
        ("push declined due to repository rule violations, GH013, fetch first", False),
        ("permission denied", False),
        ("unpacker error", False),
        ("", False),
    ],
)
def test_races_are_a_closed_list(reason: str, race: bool) -> None:
    assert is_race(reason) is race


FETCH, PUSH = False, True
REJECTED = "The requested URL returned error: 403"


@pytest.mark.parametrize(
    ("text", "pushing", "kind"),
    [
        ("fatal: Authentication failed for 'https://x/'", FETCH, AuthenticationError),
        ("fatal: could not read Username for 'https://x'", PUSH, AuthenticationError),
        ("git@x: Permission denied (publickey).\nfatal: x", FETCH, AuthenticationError),
        ("Host key verification failed.\nfatal: Could not read", FETCH, AuthenticationError),
        (f"fatal: unable to access 'x': {REJECTED}", FETCH, AuthenticationError),
        (f"remote: Permission to o/r denied to me.\nfatal: {REJECTED}", PUSH, RefusedByServer),
        ("ERROR: Permission to o/r.git denied to me.\nfatal: x", PUSH, RefusedByServer),
        ("ERROR: Repository not found.\nfatal: x", PUSH, RemoteError),
        ("remote: Repository not found.\nfatal: repository 'x' not found", FETCH, RemoteError),
        ("fatal: '/x' does not appear to be a git repository", FETCH, RemoteError),
        ("ssh: Could not resolve hostname x: Name or service not known", FETCH, RemoteError),
        ("fatal: unable to access 'x': Failed to connect to x port 443", FETCH, RemoteError),
        ("fatal: write error: No space left on device", FETCH, StoreError),
        ("remote: fatal: No space left on device\nerror: unpack failed", PUSH, RemoteError),
        ("", FETCH, RemoteError),
        ("\x1b[2Jfatal: \x00odd", FETCH, RemoteError),
    ],
)
def test_what_gits_words_mean(text: str, pushing: bool, kind: type[ReceiptsError]) -> None:
    error = explain(text, REMOTE, pushing=pushing)
    assert type(error) is kind
    assert error.message.endswith(".")
    assert "\x1b" not in str(error)


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("error: cannot run ssh: No such file or directory\nfatal: unable to fork", "ssh"),
        ("ssh -oBatchMode=yes -oConnectTimeout=10: 1: ssh: not found\nfatal: x", "ssh"),
        ("ssh -oBatchMode=yes: line 1: ssh: command not found\nfatal: x", "ssh"),
        ("/a/ssh -v: line 1: /a/ssh: No such file or directory\nfatal: x", "/a/ssh"),
        ("sh: ssh: not found\nfatal: x", "ssh"),
        ("sh: 1: exec: plink: not found\nfatal: x", "plink"),
        ("bash: line 1: git-upload-pack: command not found\nfatal: x", None),
        ("remote: sh: 1: ssh: not found\nfatal: x", None),
        ("fatal: repository 'ssh: not found' not found", None),
    ],
)
def test_a_program_that_is_missing_here_is_named(text: str, program: str | None) -> None:
    message = explain(text, REMOTE, pushing=False).message
    assert ("cannot be run" in message) is (program is not None)
    if program is not None:
        assert f"is reached with {program}, which cannot be run: there is no such" in message


@pytest.mark.parametrize(
    ("address", "login"),
    [
        ("host:x.git", "ssh host"),
        ("git@host:x.git", "ssh git@host"),
        ("git@[::1]:x.git", "ssh git@::1"),
        ("ssh://host/x.git", "ssh host"),
        ("ssh://git@host:2222/x.git", "ssh -p 2222 git@host"),
        ("https://host:8443/x.git", "ssh host"),
    ],
)
def test_the_command_to_run_is_for_the_address(address: str, login: str) -> None:
    for text in ("Host key verification failed.", "git@host: Permission denied (publickey)."):
        error = explain(text, Remote.parse(address), pushing=False)
        assert f"`{login}`" in error.hint


def test_the_server_is_quoted() -> None:
    error = explain(
        "remote: error: come back later\nfatal: unable to access 'https://u:p@x/': broken",
        REMOTE,
        pushing=False,
    )
    assert "come back later" in error.message
    assert "u:p" not in str(error)
    quoted = refused("pre-receive hook declined", ["no", "really \x1b[1mno"])
    assert quoted.message == "The remote refused the push: pre-receive hook declined."
    assert quoted.hint == "It said: no; really no"


def test_a_servers_lines_do_not_decide_what_happened() -> None:
    error = explain("remote: Authentication failed\nfatal: early EOF", REMOTE, pushing=False)
    assert type(error) is RemoteError

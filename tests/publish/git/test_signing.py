"""What git itself makes of our signatures; the whole of it is in the tests of the transports."""

import shutil
import subprocess
from pathlib import Path

import pytest

from publish.git import Mirror, Remote, fetch, settings
from publish.git.objects import COMMIT, new_object
from publish.git.signing import signer
from receipts.errors import TeamError
from tests.parts import require_part
from tests.publish.git.samples import AUTHOR, add, git

SAMPLE = new_object(COMMIT, b"tree %s\nauthor A\ncommitter A\n\nmessage\n" % (b"1" * 40))


@pytest.fixture
def key(tmp_path: Path) -> Path:
    require_part(shutil.which("ssh-keygen") is not None, "ssh-keygen (Debian: openssh-client)")
    path = tmp_path / "key"
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
    subprocess.run(command, check=True)
    return path


def _configure(home: Path, **values: str) -> None:
    with (home / ".gitconfig").open("a") as config:
        for name, value in values.items():
            section, _, rest = name.partition("__")
            config.write(f'[{section}]\n\t{rest} = "{value}"\n')


def test_a_pushed_commit_is_verified_by_git(
    home: Path, key: Path, repository: Path, tmp_path: Path
) -> None:
    _configure(home, commit__gpgsign="true", gpg__format="ssh", user__signingKey=str(key))
    signers = tmp_path / "signers"
    signers.write_text(f"{AUTHOR.email} {key.with_suffix('.pub').read_text()}")
    git(repository, "config", "gpg.ssh.allowedSignersFile", str(signers))
    with Mirror.open(tmp_path / "mirrors" / "m.git", Remote.parse(str(repository))) as mirror:
        first = add(mirror, "a", b"a")
        second = add(mirror, "b", b"b")
        assert fetch(mirror) == second.commit
    for commit in (first.commit, second.commit):
        git(repository, "verify-commit", (commit or b"").decode())
    assert git(repository, "log", "-1", "--format=%G?|%GS|%s") == b"G|ada@example.com|add b\n"
    git(repository, "fsck", "--strict")


def test_the_key_that_a_command_names(home: Path, key: Path, tmp_path: Path) -> None:
    literal = f"key::{key.with_suffix('.pub').read_text().strip()}"
    command = tmp_path / "name-a-key"
    command.write_text(f"#!/bin/sh\necho '{literal}'\necho another\n")
    command.chmod(0o700)
    _configure(home, commit__gpgsign="true", gpg__format="ssh")
    with pytest.raises(TeamError, match=r"user\.signingkey names no key"):
        signer(settings.here(), AUTHOR)
    with (home / ".gitconfig").open("a") as config:
        config.write(f'[gpg "ssh"]\n\tdefaultKeyCommand = {command}\n')
    sign = signer(settings.here(), AUTHOR)
    assert sign is not None
    with pytest.raises(TeamError, match="could not be signed") as caught:
        sign(SAMPLE)  # no agent holds the key
    assert "`git commit -S` works" in caught.value.hint


def test_what_cannot_sign_is_named(home: Path, tmp_path: Path) -> None:
    assert signer(settings.here(), AUTHOR) is None
    _configure(home, commit__gpgsign="true", gpg__program=str(tmp_path / "none"))
    sign = signer(settings.here(), AUTHOR)
    assert sign is not None
    with pytest.raises(TeamError, match="none cannot be run"):
        sign(SAMPLE)
    liar = tmp_path / "liar"
    liar.write_text("#!/bin/sh\ncat\n")
    liar.chmod(0o700)
    _configure(home, gpg__program=str(liar))
    sign = signer(settings.here(), AUTHOR)
    assert sign is not None
    with pytest.raises(TeamError, match="could not be signed: no reason was given"):
        sign(SAMPLE)
    _configure(home, gpg__format="wax")
    with pytest.raises(TeamError, match="unknown kind, wax"):
        signer(settings.here(), AUTHOR)

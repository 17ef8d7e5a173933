"""Servers of every kind, two members, and the work that both do over one of them."""

import contextlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from publish.git import Remote
from receipts.digest import content_digest
from tests.members import Member, Ran
from tests.parts import require_part
from tests.servers.certificates import Certificate
from tests.servers.daemons import SshServer
from tests.servers.proxy import Proxy, http_proxy
from tests.servers.smart_http import Access, Running, smart_http

WITH, WITHOUT = "**with git**", "**without git**"
USER, PASSWORD = "ada", "s3cr3t-" + "Zk9qLw2x"
HIDDEN_HOST = "team.invalid"  # only a proxy knows where that is

Run = Callable[..., Ran]


class Process(NamedTuple):
    """A process of ours as anybody, or its own user, can see it."""

    title: str
    environment: str


def processes_of(member: Member) -> list[Process]:
    """Return every process that a member's command, or what it started, runs now."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().decode(errors="replace")
            title = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:  # it has ended
            continue
        if f"RECEIPTS_HOME={member.state}\0" in environment:
            found.append(Process(title, environment))
    return found


class World:
    """What one test has: a repository, servers in front of it, and two members' machines."""

    def __init__(
        self,
        request: pytest.FixtureRequest,
        repository: Path,
        folder: Path,
        stack: contextlib.ExitStack,
    ) -> None:
        self.repository = repository
        self.folder = folder
        self._request, self._stack = request, stack
        self.ada, self.bob = Member(folder, "ada"), Member(folder, "bob")
        self.members = (self.ada, self.bob)
        self.has_git = True
        self.checks: list[Callable[[], None]] = []
        self.work = {member.handle: member.home for member in self.members}
        self.log = folder / "git.log"
        self._log_git()

    # What can be set up.

    def configure(self, text: str) -> None:
        """Add to both members' git configuration."""
        for member in self.members:
            with (member.home / ".gitconfig").open("a") as config:
                config.write(text)

    def write(self, name: str, text: str) -> None:
        """Write a file into both members' homes."""
        for member in self.members:
            place = member.home / name
            place.parent.mkdir(exist_ok=True)
            place.write_text(text)
            place.chmod(0o600)

    def set(self, **environment: str) -> None:
        """Add to both members' environment."""
        for member in self.members:
            member.environment |= environment

    def member(self, handle: str) -> Member:
        """Return one more member, set up as the others are by now."""
        member = Member(self.folder, handle)
        own = ("HOME", "USERPROFILE", "RECEIPTS_HOME")
        shared = {k: v for k, v in self.ada.environment.items() if k not in own}
        member.environment |= shared
        self.work[handle] = member.home
        return member

    def script(self, name: str, text: str) -> Path:
        """Write a program and return its path."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o700)
        return path

    def http(
        self, access: Access | None = None, *, secure: bool = False, **options: object
    ) -> Running:
        """Serve over HTTP."""
        pair = self.certificate.pair if secure else None
        server = smart_http(access, certificate=pair, **options)  # type: ignore[arg-type]
        return self._stack.enter_context(server)

    def http_url(self, access: Access | None = None, *, secure: bool = False) -> str:
        """Serve over HTTP and return the repository's address."""
        return self.http(access, secure=secure).url_of(self.repository)

    def proxy(self, server: Running, login: str | None = None) -> Proxy:
        """Run a proxy that knows where `HIDDEN_HOST` is."""
        place = ("127.0.0.1", int(server.server.server_address[1]))
        return self._stack.enter_context(http_proxy({HIDDEN_HOST: place}, login))

    def hidden_url(self, server: Running) -> str:
        """Return the address of the repository on the host that only a proxy finds."""
        scheme = server.url.partition(":")[0]
        port = server.server.server_address[1]
        return f"{scheme}://{HIDDEN_HOST}:{port}{self.repository}"

    @property
    def certificate(self) -> Certificate:
        """The certificate of the https servers."""
        found: Certificate = self._request.getfixturevalue("certificate")
        return found

    @property
    def ssh(self) -> SshServer:
        """The ssh server."""
        found: SshServer = self._request.getfixturevalue("ssh_server")
        return found

    @property
    def agent(self) -> Path:
        """The socket of an ssh agent that holds the key."""
        found: Path = self._request.getfixturevalue("agent_socket")
        return found

    @property
    def daemon_url(self) -> str:
        """The git daemon's address of the file system's root."""
        return str(self._request.getfixturevalue("daemon_url"))

    def trust(self) -> None:
        """Have both members trust the certificate of the https servers."""
        # The folder only stands for the system's, whose hundred files would be read every time.
        file, folder = self.certificate.public, self.certificate.folder
        self.configure(f"[http]\n\tsslCAInfo = {file}\n\tsslCAPath = {folder}\n")

    def ssh_config(self, key: str | None = "user") -> Path:
        """Write a configuration for ssh: who the host is, its port, and a key; return its path."""
        server = self.ssh
        identity = f"{server.folder}/{key}\nIdentitiesOnly yes" if key else "none"
        user, _, host = server.host.partition("@")
        path = self.folder / f"ssh_config_{key}"
        path.write_text(
            f"UserKnownHostsFile {server.known}\nGlobalKnownHostsFile none\n"
            f"IdentityFile {identity}\n"
            f"Host teamhost\nHostName {host}\nPort {server.port}\nUser {user}\n"
        )
        return path

    def at_end(self, work: Callable[[], object]) -> None:
        """Have something done when the test ends."""
        self._stack.callback(work)

    def git(self, *arguments: str) -> str:
        """Run git in the repository behind the remote and return what it prints."""
        command = ["git", "-C", str(self.repository), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def move_repository(self, place: Path) -> Path:
        """Put the repository elsewhere, for this test."""
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(self.repository, place)
        self._stack.callback(shutil.rmtree, place, ignore_errors=True)
        self.repository = place
        return place

    def hide_git(self) -> None:
        """Leave ssh, and what signs, as the only programs on the members' path."""
        programs = self.folder / "programs"
        programs.mkdir()
        for name in ("ssh", "ssh-keygen", "gpg"):
            if found := shutil.which(name):
                (programs / name).symlink_to(found)
        self.set(PATH=str(programs))
        self.has_git = False

    def _log_git(self) -> None:
        """Put a git first on the members' path that writes down what it is asked for."""
        require_part(shutil.which("git") is not None, "git")
        programs = self.folder / "logging"
        programs.mkdir()
        script = programs / "git"
        script.write_text(f'#!/bin/sh\necho "$*" >> {self.log}\nexec {shutil.which("git")} "$@"\n')
        script.chmod(0o755)
        self.set(PATH=f"{programs}:{os.environ['PATH']}")

    # What is done with it.

    def do_the_work(self, url: str, run: Run, *, together: bool) -> str:
        """Do the work of a team over a remote; return how, or how it was refused at the start.

        Args:
            url: The repository's address.
            run: Runs a member's command.
            together: Let a second member join, sync and install as well.
        """
        first = run(self.ada, "team", "create", "acme", "--remote", url)
        if first.code != 0:
            assert not (self.ada.state / "config.json").exists()
            return self.refusal(first, url)

        def ok(member: Member, *arguments: str | Path) -> str:
            done: Ran = run(member, *arguments)
            assert done.code == 0, f"{arguments}: {done}"
            return done.out

        skill = self.work["ada"] / "tdd"
        shutil.move(self.ada.skill("tdd", {"scripts/run.sh": "#!/bin/sh\n"}), skill)
        (skill / "scripts/run.sh").chmod(0o755)
        digest = content_digest(skill)
        ok(self.ada, "import", self.ada.write_receipt(skill), "--skill", skill)
        said = "Published tdd as Version 1 to the acme marketplace. Attached 1 eval run(s)."
        assert said in ok(self.ada, "publish", skill)
        assert content_digest(skill) == digest
        assert "acme: nothing new." in ok(self.ada, "sync")
        if together:
            ok(self.bob, "team", "join", url)
            assert "1 new receipt for tdd v1 by ada (1 PASS)" in ok(self.bob, "sync")
            ok(self.bob, "install", "tdd")
            assert content_digest(self.bob.library / "tdd") == digest
            assert (self.bob.library / "tdd/scripts/run.sh").stat().st_mode & 0o111
            [card] = json.loads(ok(self.bob, "cards", "tdd", "--library", "--json"))["cards"]
            assert (card["state"], card["version"], card["source"]) == ("scored", "v1", "local")
            assert card["receipt"]["content_digest"] == digest == card["digest"]
        for check in self.checks:
            check()
        return self.how(url)

    def how(self, url: str) -> str:
        """Return what carried the objects, from the commands that were run."""
        if not self.has_git:
            return "files" if Remote.parse(url).is_local else "dulwich"
        asked = self.log.read_text()
        if re.search(r"^(--git-dir=\. )?-c .* (fetch|push) --", asked, re.MULTILINE):
            assert not re.search(r"^(upload|receive)-pack", asked, re.MULTILINE)
            return "git"
        return "dulwich"

    def refusal(self, done: Ran, *urls: str) -> str:
        """Return how a command was refused: our own words, without what differs by machine."""
        assert done.code == 1, done
        line = next(line for line in done.err.splitlines() if line.startswith("error: "))
        text = line.removeprefix("error: ")
        for url in urls:
            text = text.replace(url, "URL").replace(Remote.parse(url).host or "\0", "HOST")
        text = re.sub(r"within \d+ s", "within N s", re.sub(r": .*", ": …", text))
        return f"refused: {text.rstrip('.')}"

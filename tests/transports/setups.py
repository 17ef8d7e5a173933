"""What git users have set up: each piece of it the only thing that lets the work succeed."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.parts import require_part
from tests.servers.smart_http import Running, basic, bearer
from tests.transports.addresses import Row, SetUp
from tests.transports.world import PASSWORD, USER, World

SETUPS: list[Row] = []


def setup(what: str, over: str, *, needs_git: bool = False) -> Callable[[SetUp], SetUp]:
    """Add a row whose function sets everything up and returns the address."""

    def add(set_up: SetUp) -> SetUp:
        SETUPS.append(Row((what, over), set_up, needs_git))
        return set_up

    return add


# Credentials.


@setup("`credential.helper`, a program", "http, basic", needs_git=True)
def helper(world: World) -> str:
    program = world.script(
        "helper", f'test "$1" = get && echo username={USER} && echo password={PASSWORD}'
    )
    world.configure(f"[credential]\n\thelper = {program}\n")
    return world.http_url(basic(USER, PASSWORD))


@setup("`credential.<url>.helper` and `username`", "http, basic", needs_git=True)
def helper_of_url(world: World) -> str:
    url = world.http_url(basic(USER, PASSWORD))
    place = url.removesuffix(str(world.repository))
    program = world.script("helper", f"grep -q username={USER} && echo password={PASSWORD}")
    world.configure(f'[credential "{place}"]\n\thelper = {program}\n\tusername = {USER}\n')
    return url


@setup("`~/.git-credentials`, `credential.helper = store`", "http, basic", needs_git=True)
def store(world: World) -> str:
    server = world.http(basic(USER, PASSWORD))
    world.write(".git-credentials", server.url.replace("://", f"://{USER}:{PASSWORD}@") + "\n")
    world.configure("[credential]\n\thelper = store\n")
    return server.url_of(world.repository)


@setup("`~/.netrc`", "http, basic", needs_git=True)
def netrc(world: World) -> str:
    world.write(".netrc", f"machine 127.0.0.1 login {USER} password {PASSWORD}\n")
    return world.http_url(basic(USER, PASSWORD))


@setup("`GIT_ASKPASS`", "http, basic", needs_git=True)
def git_askpass(world: World) -> str:
    world.set(GIT_ASKPASS=str(askpass(world)))
    return world.http_url(basic(USER, PASSWORD))


@setup("`core.askPass`", "http, basic", needs_git=True)
def core_askpass(world: World) -> str:
    world.configure(f"[core]\n\taskPass = {askpass(world)}\n")
    return world.http_url(basic(USER, PASSWORD))


@setup("`http.<url>.extraHeader`", "http, bearer")
def extra_header(world: World) -> str:
    server = world.http(bearer(PASSWORD))
    world.configure(f'[http "{server.url}/"]\n\textraHeader = Authorization: Bearer {PASSWORD}\n')
    return server.url_of(world.repository)


@setup("`http.<url>.extraHeader` through `GIT_CONFIG_COUNT`", "http, bearer")
def extra_header_of_environment(world: World) -> str:
    server = world.http(bearer(PASSWORD))
    world.set(
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0=f"http.{server.url}/.extraHeader",
        GIT_CONFIG_VALUE_0=f"Authorization: Bearer {PASSWORD}",
    )
    return server.url_of(world.repository)


# Addresses.


@setup("`url.<base>.insteadOf`, a shorthand of one's own", "http")
def shorthand(world: World) -> str:
    server = world.http()
    world.configure(f'[url "{server.url}{world.repository.parent}/"]\n\tinsteadOf = "acme:"\n')
    return f"acme:{world.repository.name}"


@setup("`url.<base>.insteadOf`, git:// to http", "http")
def instead_of(world: World) -> str:
    server = world.http()
    world.configure(f'[url "{server.url}/"]\n\tinsteadOf = git://team.invalid/\n')
    return f"git://team.invalid{world.repository}"


@setup("`url.<base>.insteadOf`, https to ssh", "ssh")
def https_to_ssh(world: World) -> str:
    command = f"ssh -F {world.ssh_config()}"
    world.configure(
        f'[core]\n\tsshCommand = {command}\n[url "teamhost:/"]\n\tinsteadOf = https://team.invalid/\n'
    )
    return f"https://team.invalid{world.repository}"


@setup("`url.<base>.pushInsteadOf`, git:// to http", "git:// and http")
def push_instead_of(world: World) -> str:
    server = world.http()
    world.configure(f'[url "{server.url}/"]\n\tpushInsteadOf = {world.daemon_url}/\n')

    def only_pushes_took_the_detour() -> None:
        asked = server.server.requests
        assert [line for line in asked if "receive-pack" in line]
        assert not [line for line in asked if "upload-pack" in line]

    world.checks.append(only_pushes_took_the_detour)
    return f"{world.daemon_url}{world.repository}"


# Proxies. Where one is needed, the host of the address is known to it alone.


@setup("`http.proxy`", "http")
def http_proxy(world: World) -> str:
    server = world.http()
    world.configure(f"[http]\n\tproxy = http://{world.proxy(server).place}\n")
    return world.hidden_url(server)


@setup("`http.proxy`", "https")
def https_proxy(world: World) -> str:
    server = _trusted(world)
    proxy = world.proxy(server)
    world.configure(f"[http]\n\tproxy = {proxy.place}\n")

    def it_saw_nothing_but_tunnels() -> None:
        assert {line.split()[0] for line in proxy.requests} == {"CONNECT"}

    world.checks.append(it_saw_nothing_but_tunnels)
    return world.hidden_url(server)


@setup("`http.<url>.proxy`", "http")
def proxy_of_url(world: World) -> str:
    server = world.http()
    place = world.hidden_url(server).removesuffix(str(world.repository))
    world.configure(f'[http "{place}/"]\n\tproxy = http://{world.proxy(server).place}\n')
    return world.hidden_url(server)


@setup("`http.proxy` with user name and password", "https")
def proxy_with_password(world: World) -> str:
    server = _trusted(world)
    proxy = world.proxy(server, f"{USER}:{PASSWORD}")
    world.configure(f"[http]\n\tproxy = http://{USER}:{PASSWORD}@{proxy.place}\n")
    return world.hidden_url(server)


def _proxy_variable(name: str, *, secure: bool) -> SetUp:
    def set_up(world: World) -> str:
        server = _trusted(world) if secure else world.http()
        world.set(**{name: f"http://{world.proxy(server).place}"})
        return world.hidden_url(server)

    set_up.__name__ = f"{name}_{'https' if secure else 'http'}"
    return set_up


for _name, _secure in (
    ("http_proxy", False),
    ("https_proxy", True),
    ("HTTPS_PROXY", True),
    ("all_proxy", False),
    ("ALL_PROXY", False),
    ("ALL_PROXY", True),
):
    setup(f"`{_name}`", "https" if _secure else "http")(_proxy_variable(_name, secure=_secure))


@setup("`HTTP_PROXY`: not used, as curl does not either", "http")
def upper_http_proxy(world: World) -> str:
    return _direct(world, "HTTP_PROXY", {})


@setup("`https_proxy`: not used for http", "http")
def https_proxy_for_http(world: World) -> str:
    return _direct(world, "https_proxy", {})


@setup("`http_proxy`, and the host in `no_proxy`", "http")
def no_proxy(world: World) -> str:
    return _direct(world, "http_proxy", {"no_proxy": "example.com,127.0.0.1"})


@setup("`ALL_PROXY`, and the host in `NO_PROXY`", "http")
def upper_no_proxy(world: World) -> str:
    return _direct(world, "ALL_PROXY", {"NO_PROXY": "127.0.0.1"})


@setup("`http.proxy`, and the host in `no_proxy`", "http")
def configured_and_no_proxy(world: World) -> str:
    return _direct(world, "", {"no_proxy": "*"})


# Certificates.


@setup("`http.sslCAInfo`", "https")
def ca_info(world: World) -> str:
    world.configure(f"[http]\n\tsslCAInfo = {world.certificate.public}\n")
    return world.http_url(secure=True)


@setup("`http.<url>.sslCAInfo`", "https")
def ca_info_of_url(world: World) -> str:
    server = world.http(secure=True)
    world.configure(f'[http "{server.url}/"]\n\tsslCAInfo = {world.certificate.public}\n')
    return server.url_of(world.repository)


@setup("`http.sslCAPath`", "https")
def ca_path(world: World) -> str:
    world.configure(f"[http]\n\tsslCAPath = {world.certificate.folder}\n")
    return world.http_url(secure=True)


@setup("`GIT_SSL_CAINFO`", "https")
def ca_info_variable(world: World) -> str:
    world.set(GIT_SSL_CAINFO=str(world.certificate.public))
    return world.http_url(secure=True)


@setup("`GIT_SSL_CAPATH`", "https")
def ca_path_variable(world: World) -> str:
    world.set(GIT_SSL_CAPATH=str(world.certificate.folder))
    return world.http_url(secure=True)


# ssh.


@setup("`GIT_SSH_COMMAND`", "ssh")
def ssh_command_variable(world: World) -> str:
    world.set(GIT_SSH_COMMAND=f"ssh -F {world.ssh_config()}")
    return f"teamhost:{world.repository}"


@setup("`core.sshCommand`", "ssh")
def ssh_command(world: World) -> str:
    world.configure(f"[core]\n\tsshCommand = ssh -F {world.ssh_config()}\n")
    return f"teamhost:{world.repository}"


@setup("`GIT_SSH`, a script around ssh", "ssh")
def git_ssh(world: World) -> str:
    script = world.script("my-ssh", f'exec {shutil.which("ssh")} -F {world.ssh_config()} "$@"')
    world.set(GIT_SSH=str(script))
    return f"teamhost:{world.repository}"


# Conditions.


@setup('`includeIf "gitdir:…"` of the folder worked in: `core.sshCommand`', "ssh", needs_git=True)
def condition_on_folder(world: World) -> str:
    _condition(world, "gitdir:{work}/", f"[core]\n\tsshCommand = ssh -F {world.ssh_config()}\n")
    return f"teamhost:{world.repository}"


@setup('`includeIf "gitdir:…"` of the folder worked in: `user.email`', "git://", needs_git=True)
def identity_of_folder(world: World) -> str:
    world.configure("[user]\n\tuseConfigOnly = true\n")
    for member in world.members:
        config = member.home / ".gitconfig"
        config.write_text(config.read_text().replace(f"email = {member.handle}@example.com", ""))
    _condition(world, "gitdir:{work}/", "[user]\n\temail = {handle}@work.example\n")

    def the_author_is_the_one_of_work() -> None:
        assert set(world.git("log", "--format=%ae", "main").split()) == {"ada@work.example"}

    world.checks.append(the_author_is_the_one_of_work)
    return f"{world.daemon_url}{world.repository}"


@setup('`includeIf "hasconfig:remote.*.url:…"` of the team: a header', "http", needs_git=True)
def condition_on_remote(world: World) -> str:
    url = world.http_url(bearer(PASSWORD))
    header = f"[http]\n\textraHeader = Authorization: Bearer {PASSWORD}\n"
    _condition(world, f"hasconfig:remote.*.url:{url}", header)
    return url


# Signatures.


@setup("`safe.bareRepository = explicit`", "http")
def explicit_repositories(world: World) -> str:
    """A setting to work in spite of: by itself git then finds none that is like a mirror."""
    world.configure("[safe]\n\tbareRepository = explicit\n")
    return world.http_url()


@setup("`commit.gpgsign`, OpenPGP", "git://")
def sign_by_gpg(world: World) -> str:
    folder = gpg_home(world, "")
    world.configure("[commit]\n\tgpgsign = true\n")
    world.set(GNUPGHOME=folder)
    world.checks.append(lambda: _all_signed(world, {**os.environ, "GNUPGHOME": folder}))
    return f"{world.daemon_url}{world.repository}"


@setup("`commit.gpgsign`, `gpg.format = ssh`, a key file", "git://")
def sign_by_ssh(world: World) -> str:
    return _signed_by_ssh(world, str(world.ssh.folder / "user.pub"))


@setup("`commit.gpgsign`, `gpg.format = ssh`, `key::` from the agent", "ssh")
def sign_by_agent(world: World) -> str:
    _signed_by_ssh(world, f"key::{(world.ssh.folder / 'user.pub').read_text().strip()}")
    world.configure(f"[core]\n\tsshCommand = ssh -F {world.ssh_config(None)}\n")
    world.set(SSH_AUTH_SOCK=str(world.agent))
    return f"teamhost:{world.repository}"


def gpg_home(world: World, passphrase: str) -> str:
    """Make a folder with an OpenPGP key of ada's; an agent that does not know it serves it."""
    require_part(shutil.which("gpg") is not None, "gpg (Debian: gnupg)")
    # A short path: the name of the agent's socket may have about a hundred characters.
    folder = tempfile.mkdtemp(prefix="gpg", dir="/tmp")
    environment = {**os.environ, "GNUPGHOME": folder}

    def forget() -> None:
        command = ["gpgconf", "--kill", "all"]
        subprocess.run(command, env=environment, check=False, capture_output=True)

    world.at_end(lambda: shutil.rmtree(folder, ignore_errors=True))
    world.at_end(forget)
    make = ["gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", passphrase]
    make += ["--quick-gen-key", "Ada <ada@example.com>", "ed25519", "sign"]
    subprocess.run(make, env=environment, check=True, capture_output=True)
    forget()  # it would remember the passphrase
    return folder


def _signed_by_ssh(world: World, key: str) -> str:
    world.configure(
        f'[commit]\n\tgpgsign = true\n[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = "{key}"\n'
    )
    signers = world.folder / "signers"
    signers.write_text(f"*@example.com {(world.ssh.folder / 'user.pub').read_text()}")
    world.git("config", "gpg.ssh.allowedSignersFile", str(signers))
    world.checks.append(lambda: _all_signed(world, dict(os.environ)))
    return f"{world.daemon_url}{world.repository}"


def _all_signed(world: World, environment: dict[str, str]) -> None:
    commits = world.git("rev-list", "main").split()
    assert len(commits) == 2
    command = ["git", "-C", str(world.repository), "verify-commit", "--raw", *commits]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def askpass(world: World) -> Path:
    return world.script("ask", f'case "$1" in User*) echo {USER};; *) echo {PASSWORD};; esac')


def _trusted(world: World) -> Running:
    world.trust()
    return world.http(secure=True)


def _direct(world: World, variable: str, others: dict[str, str]) -> str:
    """Set up a proxy, and that it is not to be used."""
    server = world.http()
    proxy = world.proxy(server)
    if variable:
        world.set(**{variable: f"http://{proxy.place}"})
    else:
        world.configure(f"[http]\n\tproxy = http://{proxy.place}\n")
    world.set(**others)

    def nobody_asked_it() -> None:
        assert proxy.requests == []

    world.checks.append(nobody_asked_it)
    return server.url_of(world.repository)


def _condition(world: World, condition: str, text: str) -> None:
    """Make some configuration depend on a condition that holds in the folder worked in."""
    for member in world.members:
        work = member.home / "work"
        subprocess.run(["git", "init", "-q", str(work / "project")], check=True)
        (member.home / "work.config").write_text(text.replace("{handle}", member.handle))
        world.work[member.handle] = work / "project"
        with (member.home / ".gitconfig").open("a") as config:
            place = condition.replace("{work}", str(work))
            config.write(f'[includeIf "{place}"]\n\tpath = work.config\n')

"""What cannot work without somebody to ask: each must end in a sentence, soon, and ask nothing."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.servers.smart_http import Handler, basic, bearer
from tests.transports.addresses import SetUp
from tests.transports.setups import gpg_home
from tests.transports.world import PASSWORD, USER, World


class Refusal(NamedTuple):
    """A row: its cell, what prepares it, what it is about."""

    name: tuple[str, ...]
    set_up: SetUp
    says: str
    create: bool
    git_only: bool


REFUSALS: list[Refusal] = []


def refusal(
    situation: str, says: str, *, create: bool = False, git_only: bool = False
) -> Callable[[SetUp], SetUp]:
    """Add a row whose function sets everything up and returns the address.

    Args:
        situation: What stands in the way.
        says: What the refusal must say, as a regular expression.
        create: Try to create a team, which writes, instead of joining one.
        git_only: Without git there is nobody who could hang or ask.
    """

    def add(set_up: SetUp) -> SetUp:
        REFUSALS.append(Refusal((situation,), set_up, says, create, git_only))
        return set_up

    return add


@refusal("http asks for a password, and none is stored", "credentials")
def no_password(world: World) -> str:
    return world.http_url(basic(USER, PASSWORD))


@refusal("http asks for a token, and none is configured", "credentials")
def no_token(world: World) -> str:
    return world.http_url(bearer(PASSWORD))


@refusal("http refuses the stored password", "credentials")
def wrong_password(world: World) -> str:
    server = world.http(basic(USER, "right"))
    world.write(".git-credentials", server.url.replace("://", f"://{USER}:{PASSWORD}@") + "\n")
    world.configure("[credential]\n\thelper = store\n")
    return server.url_of(world.repository)


@refusal("http refuses the configured token", "credentials")
def wrong_token(world: World) -> str:
    world.configure(f"[http]\n\textraHeader = Authorization: Bearer {PASSWORD}\n")
    return world.http_url(bearer("right"))


@refusal("anybody may read over http, and pushing asks for a password", "credentials", create=True)
def password_for_pushing(world: World) -> str:
    def asks(handler: Handler) -> bool:
        if "receive-pack" not in handler.path:
            return False
        handler.reply(401, {"WWW-Authenticate": basic(USER, PASSWORD).challenge}, b"")
        return True

    return world.http(meddle=asks).url_of(world.repository)


@refusal("`GIT_ASKPASS` fails", "credentials")
def askpass_fails(world: World) -> str:
    world.set(GIT_ASKPASS=str(world.script("ask", "exit 1")))
    return world.http_url(basic(USER, PASSWORD))


@refusal("`GIT_ASKPASS` waits for an answer", "did not answer within", git_only=True)
def askpass_waits(world: World) -> str:
    world.set(GIT_ASKPASS=str(world.script("ask", "exec sleep 600")))
    return world.http_url(basic(USER, PASSWORD))


@refusal("a credential helper waits for an answer", "did not answer within", git_only=True)
def helper_waits(world: World) -> str:
    world.configure(f"[credential]\n\thelper = {world.script('helper', 'exec sleep 600')}\n")
    return world.http_url(basic(USER, PASSWORD))


@refusal(
    "http asks for a password, and the desktop has a window for it (`SSH_ASKPASS`)", "credential"
)
def desktop_and_http(world: World) -> str:
    _desktop(world)
    return world.http_url(basic(USER, PASSWORD))


@refusal("https shows a certificate that nobody vouches for", "certificate")
def unknown_certificate(world: World) -> str:
    return world.http_url(secure=True)


@refusal("the proxy asks for a password, http", "proxy")
def proxy_asks(world: World) -> str:
    server = world.http()
    world.set(http_proxy=f"http://{world.proxy(server, 'me:secret').place}")
    return world.hidden_url(server)


@refusal("the proxy asks for a password, https", "proxy")
def proxy_asks_for_tunnel(world: World) -> str:
    server = world.http(secure=True)
    world.set(https_proxy=f"http://{USER}:{PASSWORD}@{world.proxy(server, 'me:secret').place}")
    return world.hidden_url(server)


@refusal("ssh meets a host whose key is not known", "not known to this machine")
def unknown_host(world: World) -> str:
    config = world.ssh_config()
    config.write_text(config.read_text().replace(str(world.ssh.known), str(world.folder / "none")))
    world.configure(f"[core]\n\tsshCommand = ssh -F {config}\n")
    return f"teamhost:{world.repository}"


@refusal("ssh meets a host whose key has changed", "has changed")
def changed_host(world: World) -> str:
    config, known = world.ssh_config(), world.folder / "known"
    other = (world.ssh.folder / "user.pub").read_text()
    known.write_text(f"[127.0.0.1]:{world.ssh.port} {other}")
    config.write_text(config.read_text().replace(str(world.ssh.known), str(known)))
    world.configure(f"[core]\n\tsshCommand = ssh -F {config}\n")
    return f"teamhost:{world.repository}"


@refusal("ssh has no key, and the server offers to take a password", "did not accept you")
def password_over_ssh(world: World) -> str:
    world.configure(f"[core]\n\tsshCommand = ssh -F {world.ssh_config(None)}\n")
    return f"teamhost:{world.repository}"


@refusal("the same, and the desktop has a window for it (`SSH_ASKPASS`)", "did not accept you")
def desktop_and_ssh(world: World) -> str:
    _desktop(world)
    return password_over_ssh(world)


@refusal("the same, and ssh is started by a script (`GIT_SSH`)", "did not accept you")
def script_and_ssh(world: World) -> str:
    _desktop(world)
    program = shutil.which("ssh")
    script = world.script("my-ssh", f'exec {program} -F {world.ssh_config(None)} "$@"')
    world.set(GIT_SSH=str(script))
    return f"teamhost:{world.repository}"


@refusal("ssh has a key with a passphrase, and no agent", "did not accept you")
def key_with_passphrase(world: World) -> str:
    config = world.ssh_config()
    key = _locked_key(world)
    config.write_text(config.read_text().replace(f"{world.ssh.folder}/user", key))
    world.configure(f"[core]\n\tsshCommand = ssh -F {config}\n")
    return f"teamhost:{world.repository}"


@refusal(
    "commits are signed, with an OpenPGP key that has a passphrase", "not be signed", create=True
)
def gpg_with_passphrase(world: World) -> str:
    folder = gpg_home(world, PASSWORD)
    window = _window(world)
    Path(folder, "gpg-agent.conf").write_text(f"pinentry-program {window}\n")
    world.set(GNUPGHOME=folder, GPG_TTY="/dev/tty", DISPLAY=":0")
    world.configure("[commit]\n\tgpgsign = true\n")
    return f"{world.daemon_url}{world.repository}"


@refusal("commits are signed, with an ssh key that has a passphrase", "not be signed", create=True)
def ssh_signature_with_passphrase(world: World) -> str:
    _desktop(world)
    key = _locked_key(world)
    world.configure(
        f"[commit]\n\tgpgsign = true\n[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = {key}\n"
    )
    return f"{world.daemon_url}{world.repository}"


@refusal("nobody listens", "cannot be reached")
def nobody_listens(world: World) -> str:
    return f"http://127.0.0.1:1{world.repository}"


def _desktop(world: World) -> None:
    """Set up what a desktop sets for everybody."""
    world.set(SSH_ASKPASS=str(_window(world)), SSH_ASKPASS_REQUIRE="prefer", DISPLAY=":0")


def _window(world: World) -> Path:
    """Return a program that would open a window and ask."""
    asked = world.folder / "asked"

    def nobody_was_asked() -> None:
        assert not asked.exists()

    world.checks.append(nobody_was_asked)
    return world.script("window", f": > {asked}; echo {PASSWORD}")


def _locked_key(world: World) -> str:
    key = world.folder / "locked"
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", PASSWORD, "-f", str(key)]
    subprocess.run(command, check=True)
    return str(key)

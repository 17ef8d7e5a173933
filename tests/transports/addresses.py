"""Every kind of address, and every way to be let in there."""

import getpass
from collections.abc import Callable
from typing import NamedTuple

from tests.servers.smart_http import basic, bearer
from tests.transports.world import PASSWORD, USER, World

SetUp = Callable[[World], str]


class Row(NamedTuple):
    """A row: its first two cells, what prepares it, and whether it takes git."""

    name: tuple[str, str]
    set_up: SetUp
    needs_git: bool


ADDRESSES: list[Row] = []


def address(
    form: str, let_in: str = "nobody asks", *, needs_git: bool = False
) -> Callable[[SetUp], SetUp]:
    """Add a row whose function sets everything up and returns the address."""

    def add(set_up: SetUp) -> SetUp:
        ADDRESSES.append(Row((form, let_in), set_up, needs_git))
        return set_up

    return add


@address("`/folder/team.git`")
def folder(world: World) -> str:
    return str(world.repository)


@address("`/a folder/the team.git`")
def folder_with_blanks(world: World) -> str:
    return str(world.move_repository(world.folder / "a folder" / "the team.git"))


@address("`file:///folder/team.git`")
def file_address(world: World) -> str:
    return f"file://{world.repository}"


@address("`file:///a%20folder/team.git`")
def file_address_with_blanks(world: World) -> str:
    world.move_repository(world.folder / "a folder" / "team.git")
    return f"file://{world.repository}".replace(" ", "%20")


@address("`git://host:port/team.git`")
def git_daemon(world: World) -> str:
    return f"{world.daemon_url}{world.repository}"


@address("`http://host:port/team.git`")
def http(world: World) -> str:
    return world.http_url()


@address("`http://host:port/a%20folder/team.git`")
def http_with_blanks(world: World) -> str:
    world.move_repository(world.folder / "a folder" / "team.git")
    return world.http_url().replace(" ", "%20")


@address("`http://…`", "user name and password, from a credential helper", needs_git=True)
def http_basic(world: World) -> str:
    server = world.http(basic(USER, PASSWORD))
    _store_password(world, server.url)
    return server.url_of(world.repository)


@address("`http://…`", "bearer token, from `http.extraHeader`")
def http_bearer(world: World) -> str:
    world.configure(f"[http]\n\textraHeader = Authorization: Bearer {PASSWORD}\n")
    return world.http_url(bearer(PASSWORD))


@address("`https://…`, self-signed certificate")
def https(world: World) -> str:
    world.trust()
    return world.http_url(secure=True)


@address(
    "`https://…`, self-signed certificate",
    "user name and password, from a credential helper",
    needs_git=True,
)
def https_basic(world: World) -> str:
    world.trust()
    server = world.http(basic(USER, PASSWORD), secure=True)
    _store_password(world, server.url)
    return server.url_of(world.repository)


@address("`https://…`, self-signed certificate", "bearer token, from `http.extraHeader`")
def https_bearer(world: World) -> str:
    world.trust()
    world.configure(f"[http]\n\textraHeader = Authorization: Bearer {PASSWORD}\n")
    return world.http_url(bearer(PASSWORD), secure=True)


@address("`ssh://user@host:port/folder/team.git`", "key file")
def ssh_key(world: World) -> str:
    ssh_config(world)
    return f"{world.ssh.url}{world.repository}"


@address("`ssh://user@host:port/a%20folder/team.git`", "agent")
def ssh_agent_and_blanks(world: World) -> str:
    ssh_config(world, key=None)
    world.set(SSH_AUTH_SOCK=str(world.agent))
    world.move_repository(world.folder / "a folder" / "team.git")
    return f"{world.ssh.url}{world.repository}".replace(" ", "%20")


@address("`ssh://user@host:port/~/team.git`", "key file")
def ssh_home(world: World) -> str:
    ssh_config(world)
    return f"{world.ssh.url}/~/{_in_the_home_there(world, 'team.git')}"


@address("`host:/folder/team.git`, the port from ssh's configuration", "key file")
def scp(world: World) -> str:
    ssh_config(world)
    return f"teamhost:{world.repository}"


@address("`user@host:/a folder/team.git`", "agent")
def scp_blanks(world: World) -> str:
    ssh_config(world, key=None)
    world.set(SSH_AUTH_SOCK=str(world.agent))
    world.move_repository(world.folder / "a folder" / "team.git")
    return f"{getpass.getuser()}@teamhost:{world.repository}"


@address("`host:~/the team.git`", "key file")
def scp_home(world: World) -> str:
    ssh_config(world)
    return f"teamhost:~/{_in_the_home_there(world, 'the team.git')}"


def ssh_config(world: World, *, key: str | None = "user") -> None:
    """Set up git and ssh as a person does: a configuration with a host, its port, and a key."""
    path = world.ssh_config(key)
    world.configure(f"[core]\n\tsshCommand = ssh -F {path}\n")


def _in_the_home_there(world: World, name: str) -> str:
    """Move the repository below the home of whoever logs in; return its path from there."""
    home = world.ssh.folder
    return str(world.move_repository(home / world.folder.name / name).relative_to(home))


def _store_password(world: World, url: str) -> None:
    place = url.replace("://", f"://{USER}:{PASSWORD}@")
    world.write(".git-credentials", f"{place}\n")
    world.configure("[credential]\n\thelper = store\n")

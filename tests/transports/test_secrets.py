"""A password is in use while a slow request runs: where can it be seen, then and afterwards?"""

import base64
import os
import subprocess
from pathlib import Path

import pytest

from tests.members import Member
from tests.parts import require_part
from tests.servers.smart_http import Handler, Running, basic, bearer
from tests.transports import page
from tests.transports.setups import askpass
from tests.transports.tables import GIVEN, PLACES, SECRETS_TITLE
from tests.transports.world import PASSWORD, USER, Process, Run, World, processes_of

AGENT_KEY = "agent-key-Yb3Vn8Pq"
NEVER = "never"
FORMS = (PASSWORD, base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode())


def shows(text: str) -> bool:
    """Say whether text has the password in it, plain or as HTTP sends it."""
    return any(form in text for form in FORMS)


class Observer:
    """Stands in front of a server; looks at all processes at each request, and can break it."""

    def __init__(self, member: Member) -> None:
        self.member = member
        self.seen: list[Process] = []
        self.broken = False

    def __call__(self, handler: Handler) -> bool:
        self.seen += processes_of(self.member)
        if self.broken:
            handler.reply(500, {}, b"no\n")
        return self.broken


def in_address(world: World, observer: Observer) -> str:
    return _with_password(world.http(meddle=observer).url_of(world.repository))


def in_query(world: World, observer: Observer) -> str:
    return f"{world.http(meddle=observer).url_of(world.repository)}?private_token={PASSWORD}"


def in_store(world: World, observer: Observer) -> str:
    server = world.http(basic(USER, PASSWORD), meddle=observer)
    world.write(".git-credentials", f"{_with_password(server.url)}\n")
    world.configure("[credential]\n\thelper = store\n")
    return server.url_of(world.repository)


def in_netrc(world: World, observer: Observer) -> str:
    world.write(".netrc", f"machine 127.0.0.1 login {USER} password {PASSWORD}\n")
    return world.http(basic(USER, PASSWORD), meddle=observer).url_of(world.repository)


def by_askpass(world: World, observer: Observer) -> str:
    world.set(GIT_ASKPASS=str(askpass(world)))
    return world.http(basic(USER, PASSWORD), meddle=observer).url_of(world.repository)


def in_header(world: World, observer: Observer) -> str:
    world.configure(f"[http]\n\textraHeader = Authorization: Bearer {PASSWORD}\n")
    return world.http(bearer(PASSWORD), meddle=observer).url_of(world.repository)


def in_malformed_header(world: World, observer: Observer) -> str:
    world.configure(f"[http]\n\textraHeader = X-Token:{PASSWORD}\n")
    return world.http(meddle=observer).url_of(world.repository)


def in_environment(world: World, observer: Observer) -> str:
    world.set(
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="http.extraHeader",
        GIT_CONFIG_VALUE_0=f"Authorization: Bearer {PASSWORD}",
    )
    return world.http(bearer(PASSWORD), meddle=observer).url_of(world.repository)


def in_rewriting(world: World, observer: Observer) -> str:
    server = world.http(basic(USER, PASSWORD), meddle=observer)
    world.configure(f'[url "{_with_password(server.url)}/"]\n\tinsteadOf = http://team.invalid/\n')
    return f"http://team.invalid{world.repository}"


def in_proxy(world: World, observer: Observer) -> str:
    server: Running = world.http(meddle=observer)
    proxy = world.proxy(server, f"{USER}:{PASSWORD}")
    world.configure(f"[http]\n\tproxy = http://{USER}:{PASSWORD}@{proxy.place}\n")
    return world.hidden_url(server)


def _with_password(url: str) -> str:
    return url.replace("://", f"://{USER}:{PASSWORD}@")


@pytest.mark.parametrize("name", GIVEN)
def test_a_password_is_seen_nowhere(
    name: str, world: World, in_here: Run, in_processes: Run
) -> None:
    require_part(os.path.exists("/proc/self/environ"), "/proc")
    ada = world.ada
    world.set(ANTHROPIC_API_KEY=AGENT_KEY)
    observer = Observer(ada)
    url = str(globals()[name](world, observer))
    skill = ada.skill("tdd")
    runs = [
        in_here(ada, "team", "create", "acme", "--remote", url),
        in_here(ada, "publish", skill),
    ]
    assert [done.code for done in runs] == [0, 0], runs
    assert ("in the address was not kept" in runs[0].err) is (name in ("in_address", "in_query"))
    observer.broken = True
    failed = in_processes(ada, "--debug", "unpublish", "tdd", "--yes")
    assert failed.code == 1
    assert "Traceback" in failed.err
    printed = "".join(done.out + done.err for done in [*runs, failed])
    assert any("remote-http" in process.title for process in observer.seen)

    children = [process for process in observer.seen if " -m receipts " not in process.title]
    found = {
        "state and mirror": _files_with(ada.state),
        "commits": _objects_with(world.repository)
        + _objects_with(next(ada.state.glob("mirrors/*.git"))),
        "output, with `--debug`": [line for line in printed.splitlines() if shows(line)],
        "process titles": [child.title for child in children if shows(child.title)],
        "environment of processes": [c.title for c in children if shows(c.environment)],
    }
    assert set(found) == set(PLACES)
    assert not [process for process in children if AGENT_KEY in process.environment]
    for place, places in found.items():
        page.record(SECRETS_TITLE, (GIVEN[name],), f"**{place}**", _said(place, places, name))


@pytest.mark.parametrize("name", ["in_address", "in_malformed_header", "in_rewriting", "in_proxy"])
def test_nor_is_it_without_git(name: str, world: World, in_processes: Run) -> None:
    observer = Observer(world.ada)
    url = globals()[name](world, observer)
    world.hide_git()
    run = in_processes(world.ada, "--debug", "team", "create", "acme", "--remote", url)
    observer.broken = True
    failed = in_processes(world.ada, "--debug", "team", "create", "other", "--remote", url)
    assert (run.code, failed.code) == (name == "in_rewriting", 1), run
    assert not shows(run.out + run.err + failed.out + failed.err)
    assert run.code or not _files_with(world.ada.state)


def _said(place: str, found: list[str], name: str) -> str:
    if not found:
        return NEVER
    if place == "environment of processes" and name == "in_environment":
        return "as you set it"
    if place == "environment of processes" and name == "in_rewriting":
        return "git's own"
    raise AssertionError(f"{place}: {found}")


def _files_with(folder: Path) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert [path for path in files if path.name == "config"]
    return [str(path) for path in files if shows(path.read_bytes().decode("latin-1"))]


def _objects_with(repository: Path) -> list[str]:
    command = ["git", "-C", str(repository), "cat-file", "--batch-all-objects", "--batch"]
    everything = subprocess.run(command, capture_output=True, check=True).stdout
    assert b"SKILL.md" in everything
    return [str(repository)] if shows(everything.decode("latin-1")) else []

"""Those who work on one team repository: receipts, git in a clone, git plumbing, a teammate."""

import itertools
import shutil
from pathlib import Path

from publish import guard, repository, syncing
from publish.git import Change, File
from publish.guard import Action
from publish.repository import Proposal
from publish.syncing import News
from store import config
from tests.benchmarks import samples
from tests.benchmarks.samples import Skill, skill
from tests.benchmarks.world import KINDS, Team, World, using
from tests.publish.git.samples import git as run_git

BRANCH = "refs/heads/main"


class Receipts:
    """Receipts that nobody has pushed yet, one after the other, and all that were taken."""

    def __init__(self, size: Team) -> None:
        self.skills = [skill(number) for number in range(size.skills)]
        self._next = itertools.count(size.receipts_each * len(self.skills))
        self.taken: dict[str, bytes] = {}

    def take(self) -> tuple[Skill, str, bytes]:
        """Return a skill, and the place and bytes of a new receipt of it."""
        number = next(self._next)
        of = self.skills[number % len(self.skills)]
        path, data = of.receipt(number // len(self.skills))
        self.taken[path] = data
        return of, path, data


class Server:
    """A team's repository and what was pushed to it."""

    def __init__(self, world: World, size: Team, name: str) -> None:
        self.world, self.name = world, name
        self.repository = world.team(size, name)
        self.receipts = Receipts(size)

    def address(self, kind: str) -> str:
        """Return its address, reached in one of the ways."""
        return self.world.address(kind, self.repository)

    @property
    def tip(self) -> str:
        """The commit of its branch."""
        return run_git(self.repository, "rev-parse", BRANCH).decode().strip()

    def files(self) -> list[str]:
        """Return the paths that are in it."""
        return run_git(self.repository, "ls-tree", "-r", "--name-only", BRANCH).decode().split()

    def commit_aside(self) -> None:
        """Commit one receipt as if a teammate had pushed it."""
        _, path, data = self.receipts.take()
        head = f"commit {BRANCH}\ncommitter {samples.WHO.line().decode()} now\ndata 5\naside"
        stream = f"{head}\nfrom {BRANCH}^0\nM 100644 inline {path}\ndata {len(data)}\n".encode()
        arguments = ["fast-import", "--quiet", "--date-format=now"]
        run_git(self.repository, *arguments, data=stream + data)

    def check(self) -> None:
        """Raise unless history is a line, and every receipt is there with its bytes."""
        assert run_git(self.repository, "rev-list", "--merges", BRANCH) == b""
        for path, data in self.receipts.taken.items():
            assert run_git(self.repository, "cat-file", "blob", f"{BRANCH}:{path}") == data


class Machine:
    """A member's machine that has synced the team.

    It belongs to the team once for each kind of address. Only the first of these is fetched, the
    others are copies of it.
    """

    def __init__(self, server: Server, kinds: tuple[str, ...] = KINDS) -> None:
        self._server = server
        addresses = {kind: server.address(kind) for kind in kinds}
        self.state = server.world.machine(server.name, addresses)
        first, *others = kinds
        self.sync(first)
        for other in others:
            shutil.copytree(self.mirror(first), self.mirror(other))
            run_git(self.mirror(other), "config", "remote.origin.url", addresses[other])
            known = self.state / "cache" / "known"
            shutil.copytree(known / first, known / other)

    def mirror(self, kind: str) -> Path:
        """Return the place of a mirror."""
        return self.state / "mirrors" / f"{kind}.git"

    def sync(self, kind: str) -> News:
        """Do what `receipts sync` does."""
        with using(self.state):
            (news,) = syncing.sync(kind)
        assert news.failure is None, news.failure
        return news

    def write(self, kind: str) -> None:
        """Commit and push one receipt through our own function: fetch, build, guard, push."""
        of, path, data = self._server.receipts.take()
        action = Action(guard.EVAL, samples.HANDLE, of.name, of.skill_id)
        change = Change({path.encode(): File(data)}, f"{samples.HANDLE}: eval {of.name}")
        with using(self.state), repository.opened(config.team(kind)) as opened:
            written = opened.write(samples.WHO, lambda _before: Proposal(action, change))
        assert written.commit is not None


class FullClone:
    """git as people use it: a clone with every file checked out."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.folder = server.world.folder / "clones" / server.name
        parent = self.folder.parent
        parent.mkdir(exist_ok=True)
        run_git(parent, "clone", "-q", "--no-local", str(server.repository), str(self.folder))

    def use(self, kind: str) -> None:
        """Reach the server in one of the ways."""
        run_git(self.folder, "remote", "set-url", "origin", self._server.address(kind))

    def fetch(self) -> None:
        """Fetch, as `git fetch` does it."""
        run_git(self.folder, "fetch", "-q", "origin")

    def write(self) -> None:
        """Commit and push one receipt."""
        _, path, data = self._server.receipts.take()
        run_git(self.folder, "fetch", "-q", "origin")
        run_git(self.folder, "reset", "-q", "--hard", "origin/main")
        (self.folder / path).write_bytes(data)
        run_git(self.folder, "add", path)
        run_git(self.folder, "commit", "-q", "-m", f"receipt {path}")
        run_git(self.folder, "push", "-q", "origin", "HEAD:main")


class Plumbing:
    """git as a script would use it that wants no files: a bare clone and an index."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.folder = server.world.folder / "clones" / f"{server.name}.git"
        parent = self.folder.parent
        parent.mkdir(exist_ok=True)
        arguments = ["clone", "-q", "--bare", "--no-local"]
        run_git(parent, *arguments, str(server.repository), str(self.folder))
        self._url = ""
        self._prepared = ""

    def use(self, kind: str) -> None:
        """Reach the server in one of the ways."""
        self._url = self._server.address(kind)

    def write(self) -> None:
        """Commit and push one receipt."""
        self.prepare()
        self.push()

    def prepare(self) -> None:
        """Fetch, and commit one receipt."""
        _, path, data = self._server.receipts.take()
        run_git(self.folder, "fetch", "-q", self._url, f"+{BRANCH}:{BRANCH}")
        run_git(self.folder, "read-tree", BRANCH)
        blob = run_git(self.folder, "hash-object", "-w", "--stdin", data=data).decode().strip()
        run_git(self.folder, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
        tree = run_git(self.folder, "write-tree").decode().strip()
        arguments = ["commit-tree", "-p", BRANCH, "-m", f"receipt {path}", tree]
        self._prepared = run_git(self.folder, *arguments).decode().strip()

    def push(self) -> None:
        """Push what was prepared."""
        run_git(self.folder, "push", "-q", self._url, f"{self._prepared}:{BRANCH}")


def check_trees(server: Server, *commits: tuple[Path, str]) -> None:
    """Raise unless each commit, of the repository given with it, has the tree of the server's."""
    wanted = run_git(server.repository, "rev-parse", f"{BRANCH}^{{tree}}")
    for folder, commit in commits:
        assert run_git(folder, "rev-parse", f"{commit}^{{tree}}") == wanted, folder

"""The git command as transport: it honours every credential helper, proxy and certificate."""

import re
from collections.abc import Mapping, Sequence

from publish.git import bare, classify, environment, process, rewriting, settings, words
from publish.git.failures import MirrorDamaged, Race, UnknownOutcome
from publish.git.mirror import Mirror
from publish.git.objects import NewObject, is_object_id
from publish.git.process import Finished, TimedOut
from publish.git.remote import Remote
from publish.git.settings import Setting, Settings
from publish.git.transport import RemoteState
from receipts.errors import AuthenticationError, RefusedByServer, RemoteError

# No hook of the user's runs for our mirror, nothing is collected or recursed into, and a connection
# that carries nothing is given up.
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.writeCommitGraph=false",
    "fetch.fsckObjects=false",
    "submodule.recurse=false",
    "push.followTags=false",
    "http.lowSpeedLimit=1",
)
_NO_MAIN = "couldn't find remote ref refs/heads/main"
_LOCAL_DAMAGE = re.compile(
    r"bad object|object file .* is empty|loose object|unable to read (tree|sha1|[0-9a-f]{40})"
    r"|invalid sha1 pointer|unresolved deltas|index-pack failed|unpack-objects failed|is corrupt"
    r"|did not send all necessary objects|missing (blob|tree|commit)|packfile .*cannot be"
    r"|broken link"
    r"|Could not read [0-9a-f]{40}|not a git repository: |bad config .*in file '?(\./)?config\b"
    r"|unable to resolve reference",
    re.IGNORECASE,
)
# A connection that broke while it was set up or read from; asking again costs nothing.
_DROPPED = re.compile(
    r"hung up unexpectedly|early EOF|Connection reset|Connection closed by|Broken pipe"
    r"|kex_exchange_identification|RPC failed|Empty reply|unexpected disconnect|HTTP 50[234]"
    r"|returned error: (429|50[234])",
    re.IGNORECASE,
)


class CommandTransport:
    """Exchanges objects by running `git fetch` and `git push` in the mirror."""

    def __init__(self, user: Settings | None = None) -> None:
        self._user = user
        self._added: list[Setting] | None = None

    def fetch(self, mirror: Mirror) -> bytes | None:
        """As `Transport.fetch`."""
        limit = process.STEP_SECONDS if mirror.tip else process.FIRST_FETCH_SECONDS
        command = ["fetch", "--progress", "--no-tags", "--no-prune", "--no-write-fetch-head"]
        command += [
            "--no-recurse-submodules",
            "--",
            mirror.remote.url,
            f"+{bare.MAIN}:{bare.INCOMING}",
        ]
        done = self._asked(mirror.remote, command, cwd=mirror.path, limit=limit)
        if done.code == 0:
            return bare.read_ref(mirror.path, bare.INCOMING)
        if _NO_MAIN in done.stderr:
            self._refuse_web_page(mirror.remote)
            return None
        local = "\n".join(words.git_lines(done.stderr))
        if _LOCAL_DAMAGE.search(local) and "No space left" not in local:
            raise MirrorDamaged(words.summary(words.git_lines(done.stderr)))
        raise classify.explain(done.stderr, mirror.remote, pushing=False)

    def push(
        self, mirror: Mirror, old: bytes | None, new: bytes, objects: Sequence[NewObject]
    ) -> None:
        """As `Transport.push`."""
        mirror.store.add(objects)
        lease = f"--force-with-lease={bare.MAIN}:{old.decode() if old else ''}"
        command = ["push", "--porcelain", "--progress", "--no-verify", "--no-signed", lease]
        command += ["--recurse-submodules=no", "--", mirror.remote.url]
        command += [f"{new.decode()}:{bare.MAIN}"]
        try:
            done = self._run(mirror.remote, command, cwd=mirror.path, limit=process.STEP_SECONDS)
        except TimedOut as error:
            raise UnknownOutcome(classify.timed_out(mirror.remote, error.seconds)) from error
        _judge(done, mirror.remote)

    def state(self, remote: Remote) -> RemoteState:
        """As `Transport.state`."""
        done = self._asked(
            remote, ["ls-remote", "--heads", "--", remote.url], limit=process.STEP_SECONDS
        )
        if done.code != 0:
            raise classify.explain(done.stderr, remote, pushing=False)
        tip, branches = None, []
        for line in done.stdout.split(b"\n"):
            commit, _, ref = line.partition(b"\t")
            if is_object_id(commit) and ref.startswith(b"refs/heads/"):
                branches.append(ref.removeprefix(b"refs/heads/").decode("utf-8", "replace"))
                tip = commit if ref == bare.MAIN.encode() else tip
        if not branches:
            self._refuse_web_page(remote)
        return RemoteState(tip, tuple(branches))

    def _refuse_web_page(self, remote: Remote) -> None:
        """Raise when what looks like an empty repository is just what a web server answers.

        git takes such a page, perhaps a login form, for a repository of the oldest kind without
        branches. Its trace shows whether a server spoke its protocol.
        """
        if remote.kind not in ("http", "https"):
            return
        command = ["ls-remote", "--heads", "--", remote.url]
        extra = {"GIT_TRACE_PACKET": "1"}
        done = self._run(remote, command, limit=process.STEP_SECONDS, extra=extra)
        if "packet:" not in done.stderr:
            raise RemoteError(
                f"What answers at {remote} is a web page, not a git server.",
                "Check the address, and whether this network wants you to log in.",
            )

    def _asked(
        self, remote: Remote, command: Sequence[str], *, limit: float, cwd: str | None = None
    ) -> Finished:
        """Run a git command that only reads the remote, once more if the connection was dropped."""
        try:
            done = self._run(remote, command, limit=limit, cwd=cwd)
            dropped = _DROPPED.search(done.stderr) and not re.search(classify.SILENT, done.stderr)
            if done.code != 0 and dropped:
                done = self._run(remote, command, limit=limit, cwd=cwd)
        except TimedOut as error:
            raise classify.timed_out(remote, error.seconds) from error
        return done

    def _run(
        self,
        remote: Remote,
        command: Sequence[str],
        *,
        limit: float,
        cwd: str | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> Finished:
        git = environment.git_path()
        if git is None:
            raise RemoteError("git is no longer installed.", "Install git.")
        silence = process.SILENCE_SECONDS
        # The address is named so that conditions on it (`includeIf "hasconfig:remote.*.url:…"`)
        # hold where there is no mirror yet. Then git runs in no repository, not even in the one
        # that the user happens to be in.
        options = [
            *_SETTINGS,
            f"http.lowSpeedTime={silence:.0f}",
            f"remote.team.url={remote.url}",
        ]
        # A mirror is named, for the user may forbid git to find such repositories by itself
        # (`safe.bareRepository`).
        before = process.IN_MIRROR if cwd else []
        before = [*before, *(part for option in options for part in ("-c", option))]
        cwd = cwd or settings.NOWHERE
        env = self._environment(remote, before, cwd, pushing=command[0] == "push")
        env |= dict(extra or {})
        whole = [git, *before, *command]
        try:
            return process.run(whole, env=env, limit=limit, silence=silence, cwd=cwd)
        except OSError as error:
            if error.filename == cwd:  # the mirror is gone, which is not git's fault
                raise
            raise classify.cannot_run("git", remote, error) from error

    def _environment(
        self, remote: Remote, before: list[str], cwd: str, *, pushing: bool
    ) -> dict[str, str]:
        """Return what git is run in: with the settings of the current folder, and a quiet ssh."""
        if self._user is None:
            self._user = settings.here()
        if self._added is None:
            self._added = settings.added_here(self._user)
        env = environment.base_environment()
        env |= settings.as_environment(self._added, env)
        is_rewritten = self._user.rewrites(remote.url)
        if is_rewritten:
            target = self._user.rewritten(remote.url, pushing=pushing)
            hidden = rewriting.without_password(remote.url, target)
            env |= settings.as_environment(hidden, env)
        # An https address that the user's configuration turns into an ssh one needs it as well.
        if remote.kind == "ssh" or is_rewritten:
            done = process.local_git(
                [*before, "config", "--get", "core.sshCommand"], cwd=cwd, env=env
            )
            configured = done.stdout.decode("utf-8", "replace").strip() if done else ""
            if ssh := environment.ssh_command(env, configured):
                env["GIT_SSH_COMMAND"] = ssh
        return env


def _judge(done: Finished, remote: Remote) -> None:
    """Return when a push succeeded; raise what its report means otherwise."""
    report = done.stdout.decode("utf-8", "replace")
    lines = [line.split("\t") for line in report.split("\n") if line.count("\t") >= 2]
    verdict = next((line for line in lines if line[1].endswith(f":{bare.MAIN}")), None)
    if verdict is not None and verdict[0] != "!" and done.code == 0:
        return
    if verdict is None or "[remote failure]" in verdict[2]:
        failure = classify.explain(done.stderr, remote, pushing=True)
        if isinstance(failure, (RefusedByServer, AuthenticationError)):
            raise failure
        raise UnknownOutcome(failure)
    # The summary is `[remote rejected] (the reason)`.
    reason = "\t".join(verdict[2:]).partition("(")[2].rpartition(")")[0]
    if classify.is_race(reason):
        raise Race(words.clean(reason))
    refusal = classify.refused(reason, words.server_lines(done.stderr))
    raise UnknownOutcome(refusal) if classify.is_passing(reason) else refusal

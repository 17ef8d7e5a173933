"""git's configuration of this user: what is set, and what a condition adds where they stand."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from publish.git import environment, process

# Where no repository is, so that none's own configuration applies.
NOWHERE = os.path.abspath(os.sep)
_NOT_OURS = ("local", "worktree")
_FALSE = ("", "0", "false", "no", "off")


class Setting(NamedTuple):
    """One line of configuration.

    `own` says that the user, their system or their environment set it, and not the repository
    whose folder the command happens to run in.
    """

    key: str
    value: str
    own: bool


class Settings(NamedTuple):
    """What is configured, in the order in which it applies; the section and key in lower case."""

    entries: tuple[Setting, ...]

    def get(self, key: str, *, own: bool = False) -> str | None:
        """Return a value, or None.

        Args:
            key: `section.key` in lower case.
            own: Leave out what a repository's own configuration says. For programs to run: no
                folder that the user happens to be in decides what is run.
        """
        found = [item.value for item in self.entries if item.key == key and (item.own or not own)]
        return found[-1] if found else None

    def is_true(self, key: str) -> bool:
        """Say whether a switch is on."""
        value = self.get(key)
        return value is not None and value.lower() not in _FALSE

    def rewritten(self, url: str, *, pushing: bool) -> str:
        """Return an address as `url.<base>.insteadOf`, or `pushInsteadOf`, makes it.

        The longest beginning that fits wins; for a push, any of `pushInsteadOf` before the others.
        """
        for ending in (".pushinsteadof", ".insteadof") if pushing else (".insteadof",):
            rules = [
                (item.value, item.key.removeprefix("url.").removesuffix(ending))
                for item in self.entries
                if item.own and item.key.startswith("url.") and item.key.endswith(ending)
            ]
            fitting = [rule for rule in rules if rule[0] and url.startswith(rule[0])]
            if fitting:
                beginning, base = max(fitting, key=lambda rule: len(rule[0]))
                return base + url[len(beginning) :]
        return url

    def rewrites(self, url: str) -> bool:
        """Say whether an address is rewritten, to fetch from or to push to."""
        return any(self.rewritten(url, pushing=pushing) != url for pushing in (False, True))

    @property
    def is_conditional(self) -> bool:
        """Whether some of it depends on the folder that a command runs in."""
        return any(item.key.startswith("includeif.gitdir") for item in self.entries)


def here(folder: str | None = None) -> Settings:
    """Return the configuration as it applies in a folder, the current one by default.

    Without git its files are read, without conditions.

    Raises:
        TeamError: There is no git, and a file cannot be read.
    """
    if environment.git_path() is None:
        return Settings(tuple(_read()))
    command = ["config", "-z", "--show-scope", "--list"]
    # A folder that git does not trust, or that is gone, says nothing; the user still does.
    words = (_asked(command, folder) or _asked(command, NOWHERE)).split("\0")
    pairs = zip(words[0::2], words[1::2], strict=False)
    return Settings(tuple(_setting(item, own=scope not in _NOT_OURS) for scope, item in pairs))


def added_here(user: Settings) -> list[Setting]:
    """Return what `includeIf "gitdir:…"` adds to the user's configuration in the current folder.

    git itself runs in our mirror, where such a condition does not hold; but people set up a key or
    a proxy for the folder that they work in. A condition on a remote's address holds in the mirror.

    Args:
        user: The configuration as it applies in the current folder.
    """
    if not user.is_conditional:
        return []
    elsewhere = Counter(_global(NOWHERE))
    added = []
    for item in _global(None):
        if elsewhere[item]:
            elsewhere[item] -= 1
        elif not item.key.startswith(("include.", "includeif.")):
            added.append(item)
    return added


def as_environment(added: Sequence[Setting], env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that give git further settings, after those that it is given already.

    They are no arguments, because every user of the machine can read those.

    Args:
        added: The further settings.
        env: The environment so far.
    """
    given = env.get("GIT_CONFIG_COUNT", "")
    first = int(given) if given.isascii() and given.isdigit() else 0
    found = {"GIT_CONFIG_COUNT": str(first + len(added))} if added else {}
    for number, setting in enumerate(added, first):
        found[f"GIT_CONFIG_KEY_{number}"] = setting.key
        found[f"GIT_CONFIG_VALUE_{number}"] = setting.value
    return found


def _global(folder: str | None) -> list[Setting]:
    command = ["config", "--global", "--includes", "-z", "--list"]
    return [_setting(item, own=True) for item in _asked(command, folder).split("\0") if item]


def _asked(command: list[str], folder: str | None) -> str:
    done = process.local_git(command, cwd=folder)
    return done.stdout.decode("utf-8", "surrogateescape") if done and done.code == 0 else ""


def _setting(item: str, *, own: bool) -> Setting:
    key, has_value, value = item.partition("\n")
    return Setting(key, value if has_value else "true", own)


def _read() -> list[Setting]:
    found = []
    for backend in reversed(environment.user_config().backends):
        for section in backend.sections():
            head, *name = (part.decode("utf-8", "surrogateescape") for part in section)
            for key, value in backend.items(section):
                path = ".".join([head.lower(), *name, key.decode("utf-8", "replace").lower()])
                found.append(Setting(path, value.decode("utf-8", "surrogateescape"), own=True))
    return found

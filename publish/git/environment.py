"""git's configuration of this user, and the environment that git and ssh are run in."""

import os
from typing import TYPE_CHECKING

from receipts import terminal
from receipts.errors import TeamError
from receipts.gitenvironment import base_environment, git_path, ssh_command

if TYPE_CHECKING:
    from dulwich.config import ConfigFile, StackedConfig

__all__ = ["base_environment", "git_path", "ssh_command", "user_config"]


def user_config() -> "StackedConfig":
    """Return git's configuration of this user, for where there is no git to ask.

    What the environment adds comes first: CI systems hand tokens over with `GIT_CONFIG_COUNT`.

    Raises:
        TeamError: A file of it cannot be read.
    """
    from dulwich.config import StackedConfig

    try:
        return StackedConfig([_given_config(), *StackedConfig.default_backends()])
    except (OSError, ValueError) as error:
        raise TeamError(
            f"git's configuration cannot be read: {terminal.one_line(str(error))}.", "Correct it."
        ) from error


def _given_config() -> "ConfigFile":
    from dulwich.config import ConfigFile

    config = ConfigFile()
    for number in range(int(os.environ.get("GIT_CONFIG_COUNT") or 0)):
        section, _, rest = os.environ.get(f"GIT_CONFIG_KEY_{number}", "").partition(".")
        name, _, key = rest.rpartition(".")
        value = os.environ.get(f"GIT_CONFIG_VALUE_{number}", "")
        place = (section.lower().encode(), *([os.fsencode(name)] if name else []))
        config.add(place, key.encode(), os.fsencode(value))
    return config

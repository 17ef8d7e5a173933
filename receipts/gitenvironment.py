"""The environment that git and ssh are run in: the user's own, minus what would mislead them.

Nothing here knows a team: whoever runs git for whatever reason runs it in this.
"""

import os
import shlex
import shutil

from receipts import terminal

# What git calls repository-local (`git rev-parse --local-env-vars`), and tracing, which would mix
# into the messages that are read. GIT_CONFIG_COUNT stays: CI systems hand over tokens with it.
_REPOSITORY_LOCAL = {
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
    "GIT_CURL_VERBOSE",
}
_TRACES = ("GIT_TRACE", "GIT_TRACE2")
# A credential helper or a hook has no business with the keys of the agent that started us.
_AGENT_KEYS = ("ANTHROPIC_", "OPENAI_", "CLAUDE_", "CODEX_")
_ALLOWED_PROTOCOLS = "file:git:http:https:ssh"
_QUIET_SSH = ("-oBatchMode=yes", "-oConnectTimeout=10")


def git_path() -> str | None:
    """Return where the git command is, or None when it is not installed."""
    return shutil.which("git")


def base_environment() -> dict[str, str]:
    """Return the environment for any git command: English, unattended, in no repository's scope."""
    kept = {name: value for name, value in os.environ.items() if not _is_dropped(name)}
    kept |= {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": _ALLOWED_PROTOCOLS,
    }
    if not terminal.is_interactive():
        kept.setdefault("GCM_INTERACTIVE", "never")
        # A desktop sets it for everybody, and its window would wait for nobody. GIT_ASKPASS stays:
        # continuous integration answers with it.
        if kept.get("SSH_ASKPASS_REQUIRE") != "force":
            kept.pop("SSH_ASKPASS", None)
    return kept


def _is_dropped(name: str) -> bool:
    return name in _REPOSITORY_LOCAL or name.startswith(_TRACES) or name.startswith(_AGENT_KEYS)


def ssh_command(environment: dict[str, str], configured: str | None) -> str | None:
    """Return the ssh command line for unattended use, or None to leave the choice to git.

    With a terminal, ssh may ask there. Without one it must fail instead of waiting, so the two
    options are appended to whatever the user chose, as far as that is plain ssh; options that the
    user gave come first, and ssh takes the first value of each.

    Args:
        environment: The environment that git will get.
        configured: The value of `core.sshCommand`, if any.
    """
    if terminal.is_interactive() or environment.get("SSH_ASKPASS_REQUIRE") == "force":
        return None
    chosen = environment.get("GIT_SSH_COMMAND") or configured
    if not chosen and (program := environment.get("GIT_SSH")):
        chosen = shlex.quote(program)
    if not chosen:
        return shlex.join(["ssh", *_QUIET_SSH])
    return f"{chosen} {shlex.join(_QUIET_SSH)}" if _is_plain_ssh(chosen) else None


def _is_plain_ssh(command: str) -> bool:
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    name = os.path.basename(words[0]).lower() if words else ""
    plain_words = not any(mark in command for mark in ";|&<>$`")
    return name.removesuffix(".exe") == "ssh" and plain_words

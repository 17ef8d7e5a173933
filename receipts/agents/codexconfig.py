"""The configuration of Codex in a fresh home: the way to the user's endpoint, and nothing else."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from receipts.agents.base import NOTE
from receipts.agents.events import compact

KEYS = ("OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_ORGANIZATION", "OPENAI_PROJECT")
"""The variables that log Codex in, beside those that a provider names."""

_NAME = "config.toml"
# What comes with a person's account and would reach every session.
_NOT_OF_THE_ACCOUNT = ("apps", "plugins", "remote_plugin")
_TOOLS = ("shell_tool", "unified_exec", "view_image", "multi_agent", "goals", "image_generation")


class Config(NamedTuple):
    """What reaches the user's endpoint.

    Attributes:
        document: That part of their configuration.
        variables: The environment variables that it needs.
        secrets: Texts in it that nothing may repeat.
    """

    document: dict[str, Any]
    variables: tuple[str, ...]
    secrets: tuple[str, ...]


def of_user(home: Path) -> Config:
    """Return what the configuration in the user's own home of Codex says of their endpoint.

    `OPENAI_BASE_URL` counts as in other programs; Codex itself reads it only from a file.
    """
    document = _document(home / _NAME)
    name = document.get("model_provider")
    providers = document.get("model_providers")
    table = providers.get(name) if isinstance(providers, dict) and isinstance(name, str) else None
    if isinstance(table, dict):
        return _of_provider(str(name), table)
    address = os.environ.get("OPENAI_BASE_URL") or document.get("openai_base_url")
    kept = {"openai_base_url": address} if isinstance(address, str) else {}
    return Config(kept, KEYS, ())


def write(config: Config, home: Path, *, tools: bool) -> Path:
    """Write the configuration of a session into its own home of Codex, and return the file.

    In a file and not in arguments, which others on this machine can read.
    """
    features = _NOT_OF_THE_ACCOUNT if tools else (*_NOT_OF_THE_ACCOUNT, *_TOOLS)
    document = {
        **config.document,
        **({"developer_instructions": NOTE} if tools else {"web_search": "disabled"}),
        # A login shell would read the machine's profile, and set PATH anew.
        "allow_login_shell": False,
        "shell_environment_policy": {"exclude": list(config.variables)},
        "features": dict.fromkeys(features, False),
        "analytics": {"enabled": False},
    }
    path = home / _NAME
    text = "".join(f"{key} = {_toml(value)}\n" for key, value in document.items())
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        stream.write(text.encode("utf-8", "surrogatepass"))
    return path


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}


def _of_provider(name: str, table: dict[str, Any]) -> Config:
    variables = [table.get("env_key"), *_texts(table.get("env_http_headers"))]
    secrets = [table.get("experimental_bearer_token"), *_texts(table.get("http_headers"))]
    return Config(
        {"model_provider": name, "model_providers": {name: table}},
        (*KEYS, *(each for each in variables if isinstance(each, str))),
        tuple(each for each in secrets if isinstance(each, str)),
    )


def _texts(table: object) -> list[object]:
    return list(table.values()) if isinstance(table, dict) else []


def _toml(value: object) -> str:
    """Return a value as TOML writes it in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # A basic string of TOML escapes as JSON does, but for one character, which JSON leaves.
        return compact(value).replace("\x7f", "\\u007F")
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items())
        return f"{{ {pairs} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value)

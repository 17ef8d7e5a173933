"""MCP servers: what a spec says of them, and what becomes of it when one is started.

A secret stands in a spec as `${NAME}` and is taken from the environment when a server is started,
so no saved file can hold it.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, cast

from receipts.attempts.specs.model import McpServer
from receipts.attempts.specs.yamlnodes import Fields, Value
from receipts.errors import EvalError
from receipts.filenames import shown

NAME = re.compile(r"[A-Za-z0-9_-]+")
_KEYS = ("type", "command", "args", "env", "url", "headers")
_STDIO, _REMOTE = ("command", "args", "env"), ("url", "headers")
_KINDS = ("stdio", "http", "sse")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class Started:
    """A server as it is started.

    Attributes:
        server: The server with every variable and relative path filled in; never to be saved.
        secrets: What came from the environment, which nothing that is saved may repeat.
    """

    server: McpServer = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)


def servers(value: Value) -> tuple[McpServer, ...]:
    """Return the servers of an `mcp` block, without those that were refused."""
    found = [_server(name, below) for name, below in value.pairs("'mcp'")]
    return tuple(server for server in found if server)


def started(server: McpServer, folder: Path, environment: Mapping[str, str]) -> Started:
    """Fill in what a server takes from the environment and from the place of its spec.

    Args:
        server: The server as the spec says.
        folder: The spec's folder, from which `./` and `../` in command and arguments are taken.
        environment: The caller's variables.

    Raises:
        EvalError: A variable is not set.
    """
    secrets: list[str] = []

    def filled(text: str, where: str) -> str:
        def value_of(found: re.Match[str]) -> str:
            if (value := environment.get(found[1])) is None:
                raise EvalError(
                    f"MCP server {server.name!r} needs the variable {found[1]} for {where}, and it"
                    " is not set.",
                    f"Set {found[1]}.",
                )
            secrets.append(value)
            return value

        return _VARIABLE.sub(value_of, text)

    done = replace(
        server,
        command=_from(folder, server.command),
        args=tuple(_from(folder, text) for text in server.args),
        env=tuple((key, filled(text, f"its variable {key}")) for key, text in server.env),
        url=filled(server.url, "its url"),
        headers=tuple((key, filled(text, f"its header {key}")) for key, text in server.headers),
    )
    return Started(done, tuple(dict.fromkeys(secret for secret in secrets if secret)))


def _from(folder: Path, text: str) -> str:
    is_relative = text.startswith(("./", "../"))
    return os.path.normpath(folder.absolute() / text) if is_relative else text


def _server(name: str, value: Value) -> McpServer | None:
    who = f"MCP server {shown(name)!r}"
    if not NAME.fullmatch(name):
        value.refuse(f"{who}: a name may hold letters, digits, `_` and `-`")
    fields = value.fields(who, _KEYS)
    if fields is None:
        return None
    kind = _kind(fields, who)
    if kind is None:
        return None
    own, foreign = (_STDIO, _REMOTE) if kind == "stdio" else (_REMOTE, _STDIO)
    for key in foreign:
        given = fields.given(key)
        if given and not given.is_empty():
            given.refuse(f"{who} is of type {kind}, which has no '{key}'")
    target = _text(fields, own[0], who)
    given = fields.get(own[0])
    if not target.strip() and (given is None or given.is_null or given.is_text()):
        (given or value).refuse(f"{who} needs a '{own[0]}'")
    args = fields.get("args")
    return McpServer(
        name,
        cast("Literal['stdio', 'http', 'sse']", kind),
        command=target if kind == "stdio" else "",
        args=args.texts(f"'args' of {who}") if args else (),
        env=_pairs(fields, "env", who),
        url="" if kind == "stdio" else target,
        headers=_pairs(fields, "headers", who),
    )


def _kind(fields: Fields, who: str) -> str | None:
    value = fields.get("type")
    kind = value.text(f"'type' of {who}") if value else "stdio"
    if value and kind is not None and kind not in _KINDS:
        value.refuse(f"{who} has the type {shown(kind)!r}; known are {', '.join(_KINDS)}")
        return None
    return kind


def _text(fields: Fields, key: str, who: str) -> str:
    value = fields.given(key)
    return (value.text(f"'{key}' of {who}") or "") if value else ""


def _pairs(fields: Fields, key: str, who: str) -> tuple[tuple[str, str], ...]:
    value = fields.get(key)
    found = value.pairs(f"'{key}' of {who}") if value else []
    texts = [(name, below.text(f"{shown(name)!r} in '{key}' of {who}")) for name, below in found]
    return tuple((name, text) for name, text in texts if text is not None)

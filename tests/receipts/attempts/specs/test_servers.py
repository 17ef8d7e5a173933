"""MCP servers: what a spec may say, and what becomes of it when one is started."""

from pathlib import Path

import pytest

from receipts.attempts.specs.model import McpServer
from receipts.attempts.specs.reading import read
from receipts.attempts.specs.servers import started
from receipts.errors import EvalError, SpecError
from tests.receipts.attempts.specs.conftest import TASKS, Written


def test_both_kinds(project: Written) -> None:
    mcp = """\
mcp:
  db: {command: ./serve, args: [--port, '5'], env: {TOKEN: '${TOKEN}'}}
  web: {type: http, url: 'https://x.example/${TENANT}', headers: {Authorization: 'Bearer ${TOKEN}'}}
"""
    assert read(project({"demo.eval.yaml": mcp + TASKS})).mcp == (
        McpServer("db", "stdio", "./serve", ("--port", "5"), (("TOKEN", "${TOKEN}"),)),
        McpServer(
            "web",
            "http",
            url="https://x.example/${TENANT}",
            headers=(("Authorization", "Bearer ${TOKEN}"),),
        ),
    )


@pytest.mark.parametrize(
    ("server", "problem"),
    [
        ("a b: {command: x}", "MCP server 'a b': a name may hold letters, digits, `_` and `-`"),
        ("é: {command: x}", "MCP server 'é': a name may hold letters, digits, `_` and `-`"),
        ("a: {}", "MCP server 'a' needs a 'command'"),
        ("a: {command: ' '}", "MCP server 'a' needs a 'command'"),
        ("a: {type: http}", "MCP server 'a' needs a 'url'"),
        ("a: {type: ws, url: x}", "MCP server 'a' has the type 'ws'; known are stdio, http, sse"),
        ("a: {command: x, url: y}", "MCP server 'a' is of type stdio, which has no 'url'"),
        ("a: {type: sse, url: y, args: [x]}", "MCP server 'a' is of type sse, which has no 'args'"),
        ("a: {command: x, env: {PORT: 1}}",
         "'PORT' in 'env' of MCP server 'a' must be text, and is the number 1; put it in quotes"),
        ("a: {command: 5}",
         "'command' of MCP server 'a' must be text, and is the number 5; put it in quotes"),
    ],
)  # fmt: skip
def test_what_is_no_server(server: str, problem: str, project: Written) -> None:
    path = project({"demo.eval.yaml": f"mcp:\n  {server}\n{TASKS}"})
    with pytest.raises(SpecError) as caught:
        read(path)
    assert caught.value.problems == (f"demo.eval.yaml:2: {problem}.",)


def test_what_is_not_set_may_be_written_as_empty(project: Written) -> None:
    mcp = "mcp: {a: {type: http, url: x, args: [], env: {}, command: }}\n"
    assert read(project({"demo.eval.yaml": mcp + TASKS})).mcp == (McpServer("a", "http", url="x"),)


def test_starting_takes_secrets_from_the_environment_and_paths_from_the_spec() -> None:
    server = McpServer(
        "db",
        "stdio",
        "./bin/serve",
        ("../data", "--root=./x", "${TOKEN}"),
        (("A", "x${TOKEN}y${TOKEN}"), ("B", "$TOKEN ${}")),
    )
    done = started(server, Path("/project"), {"TOKEN": "s3cret", "OTHER": "x"})
    assert done.server.command == "/project/bin/serve"
    assert done.server.args == ("/data", "--root=./x", "${TOKEN}")
    assert done.server.env == (("A", "xs3crety" + "s3cret"), ("B", "$TOKEN ${}"))
    assert done.secrets == ("s3cret",)
    assert "s3cret" not in repr(done)
    assert server.env[0] == ("A", "x${TOKEN}y${TOKEN}")


def test_starting_a_remote_server() -> None:
    server = McpServer("w", "http", url="https://${HOST}/", headers=(("X", "${KEY}"),))
    done = started(server, Path("/project"), {"HOST": "h", "KEY": ""})
    assert (done.server.url, done.server.headers) == ("https://h/", (("X", ""),))
    assert done.secrets == ("h",)


def test_a_variable_that_is_not_set_stops_the_run() -> None:
    server = McpServer("w", "http", url="https://x/", headers=(("X", "${KEY}"),))
    with pytest.raises(EvalError, match="needs the variable KEY for its header X") as caught:
        started(server, Path("/project"), {})
    assert caught.value.exit_code == 2

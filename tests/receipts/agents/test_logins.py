"""How a session is logged in: by variables, or by a link to the login of the person."""

import json
from pathlib import Path

import pytest

from receipts.agents import find, plain_environment
from receipts.agents.environment import secrets_in
from receipts.scripted import Reply, Turn, in_order
from tests.model import agents
from tests.receipts.agents.conftest import Stage, StageOf
from tests.receipts.agents.programs import Fake

TOKEN = "sk-ant-oat01-not-a-real-token"


def ok(_turn: Turn) -> Reply:
    return Reply("ok")


def test_the_login_of_claude_is_linked(stage_of: StageOf, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = stage_of("claude", ok)
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    login = stage.home / ".claude" / ".credentials.json"
    login.parent.mkdir()
    oauth = {"accessToken": TOKEN, "refreshToken": TOKEN, "expiresAt": 9999999999999}
    login.write_text(json.dumps({"claudeAiOauth": {**oauth, "scopes": ["user:inference"]}}))
    task = stage.task("Do it")
    assert stage.run(task).failure is None
    linked = task.home / ".claude" / ".credentials.json"
    assert linked.is_symlink()
    assert linked.samefile(login)


def test_a_login_is_not_linked_beside_a_key(stage_of: StageOf) -> None:
    stage = stage_of("claude", ok)
    login = stage.home / ".claude" / ".credentials.json"
    login.parent.mkdir()
    login.write_text("{}")
    task = stage.task("Do it")
    assert stage.run(task).failure is None
    assert not (task.home / ".claude" / ".credentials.json").is_symlink()


def test_the_login_of_codex_is_linked_and_its_address_taken_from_the_environment(
    stage_of: StageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = stage_of("codex", ok)
    config = stage.home / ".codex" / "config.toml"
    config.write_text('model = "the-users-own"\n')
    login = stage.home / ".codex" / "auth.json"
    login.write_text(json.dumps({"OPENAI_API_KEY": agents.KEY}))
    monkeypatch.setenv("OPENAI_BASE_URL", f"{stage.model.url}/v1")
    stage = Stage(stage.place, stage.home, find("codex"), stage.model)
    task = stage.task("Do it")
    assert stage.run(task).failure is None
    assert stage.model.turns["Do it"][0].model == "scripted"
    linked = task.home / ".codex" / "auth.json"
    assert linked.is_symlink()
    assert linked.samefile(login)


def test_of_the_configuration_of_codex_only_the_endpoint_is_kept(stage_of: StageOf) -> None:
    stage = stage_of("codex", lambda turn: in_order(turn, turn.shell("env"), then=turn.system))
    config = stage.home / ".codex" / "config.toml"
    provider = config.read_text()
    config.write_text(
        f'developer_instructions = "a private note"\n{provider}'
        f'http_headers = {{ "X-Key" = "{agents.KEY}", "X-\\"\\u00fc" = "\\u007f\\\\" }}\n'
        'query_params = { v = "1" }\n[mcp_servers.mine]\ncommand = "touch"\nargs = ["/tmp/x"]\n'
    )
    stage = Stage(stage.place, stage.home, find("codex"), stage.model)
    task = stage.task("Do it", model="default")
    session = stage.run(task)
    assert session.failure is None
    assert "a private note" not in session.text
    # Whoever sets no model gets the agent's own choice, not what the person set for other work.
    assert session.model_id != "the-users-own"
    assert not (task.home / ".codex" / "config.toml").exists()
    kept = [path for path in task.home.rglob("*") if path.is_file()]
    assert [path for path in kept if agents.KEY.encode() in path.read_bytes()] == []


@pytest.mark.parametrize(
    "text", ["", "not toml [", 'model_provider = "gone"\n', "model_providers = 7\n", "\x00"]
)
def test_a_configuration_of_codex_that_leads_nowhere(
    text: str, home: Path, monkeypatch: pytest.MonkeyPatch, codex: Fake
) -> None:
    own = home / "own" / "config.toml"
    own.parent.mkdir()
    own.write_text(text)
    monkeypatch.setenv("CODEX_HOME", str(own.parent))
    codex.agent = find("codex")
    codex.run('cat "$CODEX_HOME/config.toml"')
    written = codex.task().transcript.read_text()
    assert "allow_login_shell = false\n" in written
    assert "model_provider" not in written


def test_proxies_and_certificates_are_passed_on(
    claude: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {
        "https_proxy": "http://proxy.example:8080",
        "HTTPS_PROXY": "http://proxy.example:8080",
        "no_proxy": "127.0.0.1",
        "NODE_EXTRA_CA_CERTS": "/etc/ca.pem",
        "ANTHROPIC_CUSTOM_HEADERS": "X-Team: ours",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "TZ": "Europe/Berlin",
    }
    for name, value in {**given, "GITHUB_TOKEN": "t", "AWS_REGION": ""}.items():
        monkeypatch.setenv(name, value)
    claude.run("env")
    lines = claude.task().transcript.read_text().splitlines()
    seen = dict(line.partition("=")[::2] for line in lines)
    assert given.items() <= seen.items()
    assert "GITHUB_TOKEN" not in seen
    assert "AWS_REGION" not in seen


def test_a_case_has_no_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HTTPS_PROXY", "GITHUB_TOKEN"):
        monkeypatch.setenv(name, "a-secret")
    environment = plain_environment(tmp_path)
    assert "a-secret" not in environment.values()
    assert environment["HOME"] == str(tmp_path)
    assert Path(environment["TMPDIR"]).parent == tmp_path


def test_which_values_of_an_environment_are_secret() -> None:
    environment = {
        "ANTHROPIC_API_KEY": "key-value",
        "AWS_SECRET_ACCESS_KEY": "aws-value",
        "ANTHROPIC_CUSTOM_HEADERS": "X-Team: ours\nX-Key: header-value",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "SOME_KEY": "1",
        "PATH": "/usr/bin",
    }
    found = secrets_in(environment)
    assert {"key-value", "aws-value", "header-value"} <= set(found)
    assert "1" not in found
    assert "/usr/bin" not in found

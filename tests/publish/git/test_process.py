import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from publish.git import environment, process
from publish.git.process import TimedOut


def _run(script: str, *, limit: float = 20.0, silence: float = 20.0) -> process.Finished:
    env = environment.base_environment()
    return process.run([sys.executable, "-c", script], env=env, limit=limit, silence=silence)


def test_output_and_exit_code() -> None:
    done = _run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert done == (3, b"out\n", "err\n")
    assert _run("import sys; sys.stdout.write('x' * 300000)").stdout == b"x" * 300000
    assert _run("import sys; print(len(sys.stdin.read()))").stdout == b"0\n"


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_limit_ends_the_children_too(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    script = f"""
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({str(note)!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
print("said", file=sys.stderr, flush=True)
time.sleep(60)
"""
    with pytest.raises(TimedOut) as caught:
        _run(script, limit=2.0)
    assert caught.value.stderr == "said\n"
    pids = [int(pid) for pid in note.read_text().split()]
    for _ in range(50):
        if not any(map(_alive, pids)):
            break
        time.sleep(0.1)
    assert not any(map(_alive, pids))


def test_silence_ends_and_talking_does_not() -> None:
    talk = (
        "import sys, time\nfor n in range(8): print(n, file=sys.stderr, flush=True); time.sleep(.3)"
    )
    assert _run(talk, silence=1.5).code == 0
    with pytest.raises(TimedOut):
        _run("import time; time.sleep(60)", silence=0.6)


def test_a_grandchild_that_keeps_the_pipes_does_not_keep_us() -> None:
    script = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(8)"])
print("done", flush=True)
"""
    began = time.monotonic()
    assert _run(script).stdout == b"done\n"
    assert time.monotonic() - began < 7


def test_what_is_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped = {
        "GIT_DIR": "/x",
        "GIT_WORK_TREE": "/x",
        "GIT_INDEX_FILE": "/x",
        "GIT_OBJECT_DIRECTORY": "/x",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/x",
        "GIT_CONFIG_PARAMETERS": "'a.b'='c'",
        "GIT_NAMESPACE": "x",
        "GIT_QUARANTINE_PATH": "/x",
        "GIT_TRACE": "1",
        "GIT_TRACE_CURL": "1",
        "ANTHROPIC_API_KEY": "x",
        "OPENAI_API_KEY": "x",
        "CLAUDE_CODE_OAUTH_TOKEN": "x",
        "SSH_ASKPASS": "/ask",
    }
    kept = {
        "GIT_ASKPASS": "/ask",
        "GIT_AUTHOR_NAME": "A",
        "GIT_CONFIG_COUNT": "0",
        "GIT_SSL_CAINFO": "/ca",
        "HTTPS_PROXY": "http://proxy",
        "GITHUB_TOKEN": "x",
    }
    for name, value in (dropped | kept).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("GIT_TERMINAL_PROMPT", "1")
    found = environment.base_environment()
    assert not dropped.keys() & found.keys()
    assert kept.items() <= found.items()
    assert found["LC_ALL"] == "C"
    assert found["GIT_TERMINAL_PROMPT"] == "0"
    assert found["GIT_ALLOW_PROTOCOL"] == "file:git:http:https:ssh"
    monkeypatch.setenv("SSH_ASKPASS_REQUIRE", "force")
    assert environment.base_environment()["SSH_ASKPASS"] == "/ask"


@pytest.mark.parametrize(
    ("variables", "configured", "command"),
    [
        ({}, None, "ssh -oBatchMode=yes -oConnectTimeout=10"),
        ({}, "ssh -i ~/k", "ssh -i ~/k -oBatchMode=yes -oConnectTimeout=10"),
        (
            {"GIT_SSH_COMMAND": "/opt/ssh -v"},
            "ignored",
            "/opt/ssh -v -oBatchMode=yes -oConnectTimeout=10",
        ),
        ({"GIT_SSH": "/my path/ssh"}, None, "'/my path/ssh' -oBatchMode=yes -oConnectTimeout=10"),
        ({"GIT_SSH": "/opt/plink"}, None, None),
        ({"GIT_SSH_COMMAND": "wrapper ssh"}, None, None),
        ({"GIT_SSH_COMMAND": "ssh $OPTIONS; true"}, None, None),
        ({"GIT_SSH_COMMAND": "ssh 'unclosed"}, None, None),
        ({"SSH_ASKPASS_REQUIRE": "force"}, None, None),
    ],
)
def test_ssh_is_kept_from_asking(
    variables: dict[str, str], configured: str | None, command: str | None
) -> None:
    assert environment.ssh_command(variables, configured) == command


def test_git_runs_in_no_repositorys_scope(tmp_path: Path, home: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True)
    os.environ["GIT_DIR"] = str(tmp_path / "none")
    try:
        done = process.local_git(["rev-parse", "--git-dir"], cwd=str(tmp_path / "r"))
    finally:
        del os.environ["GIT_DIR"]
    assert done is not None
    assert done == (0, b".git\n", "")

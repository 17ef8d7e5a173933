"""Programs that hang, fork, hide, ignore signals, write without end and fill disks."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from receipts import orphans, processes
from receipts.processes import Ended
from receipts.processtree import MARKER
from tests.parts import require_part

LONG = 60.0
posix = pytest.mark.skipif(os.name != "posix", reason="a POSIX process tree")


def run(place: Path, script: str, **options: object) -> Ended:
    """Run a Python script."""
    defaults: dict[str, object] = {
        "folder": place,
        "environment": {"PATH": os.environ["PATH"], "PLACE": str(place)},
        "timeout": LONG,
    }
    return processes.run([sys.executable, "-c", script], **{**defaults, **options})  # type: ignore[arg-type]


def written(path: Path) -> int:
    """Wait for the number that a process writes once it is up."""
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        if path.exists() and (text := path.read_text()).endswith("\n"):
            return int(text)
        time.sleep(0.01)
    raise AssertionError(f"nothing wrote {path}")


def stopped(place: Path, script: str) -> tuple[Ended, int]:
    """Run a script, stop it once it, or what it started, is up, and return that one's number."""
    stop = threading.Event()
    got: list[Ended] = []
    thread = threading.Thread(target=lambda: got.append(run(place, script, stop=stop)))
    thread.start()
    try:
        pid = written(place / "pid")
    finally:
        stop.set()
        thread.join(LONG)
    return got[0], pid


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody reaps counts as ended."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def leaves(place: Path, script: str) -> tuple[Ended, int]:
    """Run a script that leaves a process behind, and return that one's number too."""
    ended = run(place, script)
    return ended, written(place / "pid")


SLEEPER = """
import os, time
with open(os.environ["PLACE"] + "/pid", "w") as stream:
    stream.write(f"{os.getpid()}\\n")
time.sleep(600)
"""
DAEMON = f"""
import os, time, pathlib
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        exec({SLEEPER!r})
    os._exit(0)
os.wait()
while not pathlib.Path(os.environ["PLACE"] + "/pid").exists():
    time.sleep(0.01)
"""


def test_its_output_its_errors_and_its_exit_code(tmp_path: Path) -> None:
    got: list[bytes] = []
    script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    ended = run(tmp_path, script, output=tmp_path / "out", on_output=got.append)
    assert (ended.exit_code, ended.how, ended.stderr.strip()) == (3, "exited", "err")
    assert (tmp_path / "out").read_bytes() == b"".join(got) == f"out{os.linesep}".encode()
    assert 0 < ended.seconds < LONG


def test_stdout_is_in_the_file_before_anybody_sees_it(tmp_path: Path) -> None:
    output = tmp_path / "out"
    complete: list[bool] = []
    got = b""

    def look(chunk: bytes) -> None:
        nonlocal got
        got += chunk
        complete.append(output.read_bytes() == got)

    script = "import time\nfor n in range(5):\n print(n, flush=True)\n time.sleep(0.02)"
    run(tmp_path, script, output=output, on_output=look)
    assert got.split() == [b"0", b"1", b"2", b"3", b"4"]
    assert complete
    assert all(complete)


@posix
def test_the_transcript_is_for_its_owner_only(tmp_path: Path) -> None:
    run(tmp_path, "print(1)", output=tmp_path / "out")
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600


def test_its_environment_is_the_one_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET", "hunter2")
    run(tmp_path, "import os; print(*os.environ)", output=tmp_path / "out")
    names = set((tmp_path / "out").read_text().split())
    assert {"PATH", "PLACE", MARKER} <= names
    assert "A_SECRET" not in names


def test_what_it_reads(tmp_path: Path) -> None:
    script = "import sys; print(len(sys.stdin.read()))"
    run(tmp_path, script, output=tmp_path / "none")
    assert (tmp_path / "none").read_text().strip() == "0"
    run(tmp_path, script, output=tmp_path / "much", stdin=b"x" * 3_000_000)
    assert (tmp_path / "much").read_text().strip() == "3000000"


def test_one_that_does_not_read_its_input(tmp_path: Path) -> None:
    ended = run(tmp_path, "import sys; sys.stdin.close()", stdin=b"x" * 3_000_000)
    assert (ended.exit_code, ended.how) == (0, "exited")


def test_one_that_hangs(tmp_path: Path) -> None:
    ended = run(tmp_path, "import time; time.sleep(600)", timeout=0.3)
    assert (ended.exit_code, ended.how) == (None, "timeout")


def test_one_that_ignores_sigterm(tmp_path: Path) -> None:
    script = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{SLEEPER}"
    ended, pid = stopped(tmp_path, script)
    assert ended.how == "stopped"
    assert is_gone(pid)


def test_one_that_is_stopped(tmp_path: Path) -> None:
    ended, pid = stopped(tmp_path, SLEEPER)
    assert (ended.exit_code, ended.how) == (None, "stopped")
    assert is_gone(pid)


def test_one_that_is_stopped_before_it_starts(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    ended = run(tmp_path, "open('made', 'w')", stop=stop)
    assert ended.how == "stopped"
    assert not (tmp_path / "made").exists()


@posix
def test_a_child_that_is_left_in_the_group(tmp_path: Path) -> None:
    script = f"import os\nif os.fork() == 0:\n exec({SLEEPER!r})\n"
    script += "import pathlib, time\nwhile not pathlib.Path(os.environ['PLACE'] + '/pid').exists():"
    ended, pid = leaves(tmp_path, f"{script}\n time.sleep(0.01)")
    assert (ended.exit_code, ended.how) == (0, "exited")
    assert is_gone(pid)


@posix
def test_a_daemon_that_left_group_and_parent(tmp_path: Path) -> None:
    ended, pid = leaves(tmp_path, DAEMON)
    assert (ended.exit_code, ended.how) == (0, "exited")
    assert is_gone(pid)


@posix
def test_a_child_that_left_its_group_and_cleared_its_environment(tmp_path: Path) -> None:
    inner = SLEEPER.replace('os.environ["PLACE"]', repr(str(tmp_path)))
    script = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {inner!r}], env={{}}, start_new_session=True)
"""
    ended, pid = stopped(tmp_path, script)
    assert ended.how == "stopped"
    assert is_gone(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="nothing takes orphans in elsewhere")
def test_a_daemon_that_cleared_its_environment_after_its_parent_ended(tmp_path: Path) -> None:
    inner = SLEEPER.replace('os.environ["PLACE"]', repr(str(tmp_path)))
    script = f"""
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.execve(sys.executable, [sys.executable, "-c", {inner!r}], {{}})
while not os.path.exists({str(tmp_path / "pid")!r}):
    time.sleep(0.01)
"""
    ended, pid = leaves(tmp_path, script)
    assert (ended.exit_code, ended.how) == (0, "exited")
    assert is_gone(pid)


@posix
def test_what_we_start_for_ourselves_is_not_taken_for_a_programs(tmp_path: Path) -> None:
    ours: list[subprocess.Popen[bytes]] = []

    def start(_: bytes) -> None:
        sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
        with orphans.sparing() as spared:
            ours.append(subprocess.Popen(sleep, start_new_session=True))
            spared.add(ours[0].pid)
        ours.append(subprocess.Popen(sleep))  # in our own session

    run(tmp_path, "print('now')", on_output=start)
    try:
        assert [process.poll() for process in ours] == [None, None]
    finally:
        for process in ours:
            process.kill()
            process.wait()


@posix
@pytest.mark.parametrize("_time", range(6))  # whether one slips through is a matter of chance
def test_one_whose_children_fork_and_leave_their_group_all_the_time(
    _time: int, tmp_path: Path
) -> None:
    script = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        for _ in range(1000):  # not for ever, should nobody end it
            if os.fork():
                os._exit(0)
            os.setsid()
            time.sleep(0.02)
        os._exit(0)
"""
    stopped(tmp_path, script + SLEEPER)
    assert not [
        process.pid
        for process in psutil.process_iter()
        if not is_gone(process.pid) and environ(process).get("PLACE") == str(tmp_path)
    ]


def environ(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except (psutil.Error, OSError):
        return {}


@posix
def test_a_daemon_inside_an_evaluation_inside_an_evaluation(tmp_path: Path) -> None:
    inner = f"""
import os, sys, pathlib
from receipts import orphans, processes
processes.run([sys.executable, "-c", {SLEEPER!r}], folder=pathlib.Path.cwd(),
              environment={{"PLACE": os.environ["PLACE"]}}, timeout=600)
"""
    environment = {"PATH": os.environ["PATH"], "PLACE": str(tmp_path), "PYTHONPATH": os.getcwd()}
    stop = threading.Event()
    thread = threading.Thread(
        target=lambda: run(tmp_path, inner, stop=stop, environment=environment)
    )
    thread.start()
    pid = written(tmp_path / "pid")
    stop.set()
    thread.join(LONG)
    assert is_gone(pid)


@posix
def test_nothing_is_left_unreaped(tmp_path: Path) -> None:
    run(tmp_path, "pass")
    run(tmp_path, "import time; time.sleep(600)", timeout=0.2)
    run(tmp_path, DAEMON)
    ours = psutil.Process().children()
    assert [child for child in ours if child.status() == psutil.STATUS_ZOMBIE] == []


def test_a_hundred_megabytes(tmp_path: Path) -> None:
    size = 100 << 20
    counted = 0

    def count(chunk: bytes) -> None:
        nonlocal counted
        counted += len(chunk)

    script = "import sys\nfor _ in range(100):\n sys.stdout.buffer.write(b'x' * (1 << 20))"
    ended = run(tmp_path, script, output=tmp_path / "out", on_output=count)
    assert ended.how == "exited"
    assert (tmp_path / "out").stat().st_size == counted == size


def test_a_hundred_megabytes_of_errors(tmp_path: Path) -> None:
    script = "import sys\nfor _ in range(100):\n sys.stderr.write('é' * (1 << 19))\n"
    ended = run(tmp_path, script + "sys.stderr.write('the end')")
    assert ended.how == "exited"
    assert len(ended.stderr) == 4000
    assert ended.stderr.endswith("éthe end")


def test_more_output_than_is_allowed(tmp_path: Path) -> None:
    script = "while True: print('x' * 1000)"
    ended = run(tmp_path, script, output=tmp_path / "out", limit=12_345)
    assert (ended.exit_code, ended.how) == (None, "too-much-output")
    assert (tmp_path / "out").stat().st_size == 12_345


def test_one_that_closes_its_output_early(tmp_path: Path) -> None:
    script = f"import os\nprint(1, flush=True)\nos.close(1)\nos.close(2)\n{SLEEPER}"
    script = script.replace("time.sleep(600)", "time.sleep(0.3); os._exit(7)")
    ended = run(tmp_path, script, output=tmp_path / "out")
    assert (ended.exit_code, ended.how) == (7, "exited")
    assert (tmp_path / "out").read_text().strip() == "1"


def test_what_the_reader_raises_ends_it(tmp_path: Path) -> None:
    def refuse(chunk: bytes) -> None:
        raise ZeroDivisionError

    script = f"print(1, flush=True)\n{SLEEPER}"
    with pytest.raises(ZeroDivisionError):
        run(tmp_path, script, on_output=refuse)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["/no/such/program"], "No such file"),
        (["a\0b"], "null byte"),
        ([os.devnull], ""),
    ],
)
def test_one_that_cannot_be_started(tmp_path: Path, command: list[str], why: str) -> None:
    ended = processes.run(command, folder=tmp_path, environment={}, timeout=LONG)
    assert (ended.exit_code, ended.how) == (None, "not-started")
    assert why in ended.stderr
    assert ended.stderr


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    ended = run(tmp_path, "pass", folder=tmp_path / "none")
    assert ended.how == "not-started"
    assert "none" in ended.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "tmpfs", str(place)]
    mounted = subprocess.run(command, capture_output=True)
    require_part(mounted.returncode == 0, "the right to mount a tmpfs")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


FILL = "import os, time\nopen('filler', 'wb').write(b'x' * (15 << 20))\n"


def test_one_that_fills_the_disk_and_stays(small_disk: Path) -> None:
    ended = run(small_disk, f"{FILL}time.sleep(600)")
    assert (ended.exit_code, ended.how) == (None, "disk-full")


def test_one_that_fails_on_the_disk_that_it_filled(small_disk: Path) -> None:
    ended = run(small_disk, f"{FILL}raise OSError")
    assert (ended.exit_code, ended.how) == (None, "disk-full")


def test_one_whose_output_fills_the_disk(small_disk: Path, tmp_path: Path) -> None:
    script = f"print('x' * (20 << 20), flush=True)\n{SLEEPER}"
    ended = run(tmp_path, script, output=small_disk / "out")
    assert (ended.exit_code, ended.how) == (None, "disk-full")


def test_nothing_starts_on_a_full_disk(small_disk: Path) -> None:
    run(small_disk, f"{FILL}")
    ended = run(small_disk, "open('made', 'w')")
    assert ended.how == "disk-full"
    assert not (small_disk / "made").exists()


def test_many_at_once_from_threads(tmp_path: Path) -> None:
    got: dict[int, bytes] = {}

    def one(number: int) -> None:
        place = tmp_path / str(number)
        place.mkdir()
        run(place, f"print({number} * 1000)", output=place / "out")
        got[number] = (place / "out").read_bytes().strip()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert got == {number: str(number * 1000).encode() for number in range(12)}


def test_a_script_ends_at_its_first_failure(tmp_path: Path) -> None:
    command = processes.shell("echo one; false; echo two")
    ended = processes.run(
        command,
        folder=tmp_path,
        environment={"PATH": os.environ["PATH"]},
        timeout=LONG,
        output=tmp_path / "out",
    )
    assert ended.exit_code == 1
    assert (tmp_path / "out").read_text().split() == ["one"]

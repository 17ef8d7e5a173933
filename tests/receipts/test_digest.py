"""The digest: the vectors of the other client, from memory and from disk, and what is uncertain."""

import base64
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts import cli, digest
from receipts.digest import content_digest, content_digest_of, measure, measure_of
from receipts.errors import SkillError
from tests.shared import DATA, shared

ROOT = Path(__file__).parents[2]
PLAIN = b"---\nname: t\ndescription: d\n---\n# Body\n"


def vectors(path: Path) -> list[dict[str, Any]]:
    # Split at LF only: the texts hold other line separators.
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def contents(vector: dict[str, Any]) -> dict[str, bytes]:
    return {path: base64.b64decode(text) for path, text in vector["files"].items()}


def put(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files below a folder; skips what this file system spells otherwise."""
    folder.mkdir(parents=True)
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    found = {
        os.path.relpath(Path(top, name), folder) for top, _, n in os.walk(folder) for name in n
    }
    if found != {path.replace("/", os.sep) for path in files}:
        pytest.skip("this file system cannot hold these names")
    return folder


def check(vector: dict[str, Any], folder: Path) -> None:
    files = contents(vector)
    try:
        found = measure_of(files)
    except SkillError:
        assert vector["error"], vector["id"]
        return
    if vector["error"]:  # the other client throws
        assert not found.certain, vector["id"]
        return
    assert found.digest == vector["digest"], vector["id"]
    assert found.canonical_skill_md == vector["canonical_skill_md"], vector["id"]
    assert content_digest_of(dict(reversed(files.items()))) == vector["digest"], vector["id"]
    on_disk = measure(put(folder, files))
    # A folder is left out as one thing, a set of paths file by file.
    assert on_disk._replace(left_out=()) == found._replace(left_out=()), vector["id"]
    assert bool(on_disk.left_out) == bool(found.left_out), vector["id"]


def test_the_vectors_kept_here(tmp_path: Path) -> None:
    kept = vectors(DATA / "digest" / "vectors.jsonl")
    assert len(kept) >= 25
    for vector in kept:
        check(vector, tmp_path / vector["id"])


def test_every_shared_vector(tmp_path: Path) -> None:
    every = vectors(shared("digest", "vectors.jsonl"))
    assert len(every) >= 185
    for vector in every:
        check(vector, tmp_path / vector["id"])


def test_the_pinned_constant_and_the_empty_folder() -> None:
    assert content_digest_of({"a.md": b"A\n", "docs/b.md": b"B\n"}) == (
        "sha256:bfb8b2671c85b3fd72fc32d22dc345b5f09c3590e8cb996a6a89b6d884fdb3eb"
    )
    assert content_digest_of({}) == "sha256:" + hashlib.sha256().hexdigest()


NAMES = st.text(
    st.sampled_from("ab\\\n:é\ufffd\ue000\U0001f600"), min_size=1, max_size=4
)  # astral before U+E000 in UTF-16, behind it by code point


@given(st.dictionaries(NAMES, st.binary(max_size=3), max_size=6))
def test_the_record_stream_is_as_the_rules_say(files: dict[str, bytes]) -> None:
    total = hashlib.sha256()
    for path in sorted(files, key=lambda name: name.encode("utf-16-be")):
        shown = path.replace("\\", "\\\\").replace("\n", "\\n")
        total.update(f"{shown}:{hashlib.sha256(files[path]).hexdigest()}\n".encode())
    assert content_digest_of(files) == f"sha256:{total.hexdigest()}"


def test_half_a_surrogate_pair_in_a_path_is_refused() -> None:
    with pytest.raises(SkillError, match="not valid Unicode"):
        content_digest_of({"a\ud800.md": b""})


@pytest.mark.parametrize("size", [0, 1, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 1 << 19])
def test_a_file_of_any_size_is_hashed_the_same_as_from_memory(tmp_path: Path, size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    files = {"SKILL.md": PLAIN, "data.bin": data[:size]}
    found = measure(put(tmp_path / "s", files))
    assert found == measure_of(files)
    assert found.files[1].size == size


def test_modes_and_times_do_not_count_but_the_bit_is_told(tmp_path: Path) -> None:
    folder = put(tmp_path / "s", {"SKILL.md": PLAIN, "run.sh": b"true\n"})
    before = measure(folder)
    (folder / "run.sh").chmod(0o755)
    os.utime(folder / "run.sh", (1, 1))
    after = measure(folder)
    assert after.digest == before.digest
    assert [file.executable for file in before.files] == [False, False]
    assert [file.executable for file in after.files] == [False, True]
    assert after == measure_of({"SKILL.md": PLAIN, "run.sh": b"true\n"}, executable=["run.sh"])


MANAGED = b"license: MIT\nmetadata:\n  id: x\n  author: y\n  k: v\n"


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (b"---\nname: t\n" + MANAGED + b"---\n", b"---\nname: t\nmetadata:\n  k: v\n---\n", True),
        (b"---\nname: t\n---\n", b"---\n# c\n'name':   \"t\"\n---\n", True),
        (b"---\nname: t\n---\n", b"---\r\nname: t\r\n---\n", True),
        (b"---\nname: t\n---\n", b"---\nname: t\n---\r\n", False),
        (b"---\nname: t\n---\nb\n", b"---\nname: t\n---\nb\r\n", False),
        (b"---\nname: t\nmetadata: {}\n---\n", b"---\nname: t\n---\n", False),
        (b"---\nmetadata:\n  terum-category: a\n---\n", b"---\nmetadata: {}\n---\n", False),
        (b"---\na: 1\nb: 2\n---\n", b"---\nb: 2\na: 1\n---\n", False),
    ],
)
def test_what_of_skill_md_counts(first: bytes, second: bytes, equal: bool) -> None:
    one, two = measure_of({"SKILL.md": first}), measure_of({"SKILL.md": second})
    assert one.certain
    assert two.certain
    assert (one.digest == two.digest) == equal
    # Elsewhere the same bytes are nothing but bytes.
    assert content_digest_of({"a/SKILL.md": first}) != content_digest_of({"a/SKILL.md": second})


UNCERTAIN = {
    "latin-1": (b"---\nname: t\n---\ncaf\xe9\n", "line 4: byte 0xe9 is not UTF-8"),
    "utf-16": ("---\nname: t\n---\n".encode("utf-16"), "byte 0xff is not UTF-8"),
    "duplicate key": (b"---\nname: t\nname: u\n---\n", "SKILL.md line 3: "),
    "missing alias": (b"---\nname: *gone\n---\n", "SKILL.md line 2: "),
    "tab": (b"---\nname: t\nb:\n\tc: d\n---\n", "SKILL.md line 4: "),
    "a billion laughs": (
        b"---\na: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in b"bcdef")
        + b"---\n",
        "SKILL.md line ",
    ),
}


@pytest.mark.parametrize("name", UNCERTAIN)
def test_what_is_not_certain_is_said_in_text_and_json(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, why = UNCERTAIN[name]
    folder = put(tmp_path / "s", {"SKILL.md": data})
    found = measure(folder)
    assert not found.certain
    assert why in found.doubts[0]
    assert cli.run(["digest", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out == f"{found.digest}\n"
    assert err.startswith(f"not certain: {found.doubts[0]}")
    assert cli.run(["digest", str(folder), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {
        "path": str(folder),
        "digest": found.digest,
        "certain": False,
        "doubts": list(found.doubts),
    }
    assert err == ""


@pytest.mark.parametrize("data", [b"", b"# no frontmatter\n", b"\xef\xbb\xbf---\na: b\n---\n"])
def test_a_file_without_frontmatter_is_certain(data: bytes) -> None:
    found = measure_of({"SKILL.md": data})
    assert (found.certain, found.doubts) == (True, ())
    assert found.canonical_skill_md == data.decode()


def test_a_skill_md_beyond_measure_is_refused(tmp_path: Path) -> None:
    folder = put(tmp_path / "s", {"SKILL.md": b"x"})
    os.truncate(folder / "SKILL.md", digest._SKILL_MD_LIMIT + 1)
    with pytest.raises(SkillError, match=r"SKILL\.md is 8388609 bytes"):
        measure(folder)
    with pytest.raises(SkillError, match=r"SKILL\.md is 8388609 bytes"):
        measure_of({"SKILL.md": bytes(digest._SKILL_MD_LIMIT + 1), "a": b""})


def test_explain_lists_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"SKILL.md": PLAIN, "a\nb.md": b"", "evals/cases/a.yaml": b"", "x/.DS_Store": b""}
    folder = put(tmp_path / "s", files)
    assert cli.run(["digest", "--explain", str(folder)]) == 0
    out, err = capsys.readouterr()
    empty = hashlib.sha256().hexdigest()
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == content_digest(folder)
    assert f"  {hashlib.sha256(PLAIN).hexdigest()}  SKILL.md" in lines
    assert f"  {empty}  a b.md" in lines
    assert "  evals/: evaluation assets do not count" in lines
    assert "  x/.DS_Store: a file that macOS leaves behind does not count" in lines
    assert lines[-4:-1] == ["  | description: d", "  | ---", "  | # Body"]
    assert cli.run(["digest", "--explain", "--json", str(folder)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [file["path"] for file in document["files"]] == ["SKILL.md", "a\nb.md"]
    assert document["left_out"][0] == {
        "path": "evals/",
        "why": "evaluation assets do not count",
    }
    assert document["canonical_skill_md"] == PLAIN.decode()


def test_a_folder_without_skill_md_is_measured_and_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = put(tmp_path / "s", {"a.md": b"A\n", "docs/b.md": b"B\n"})
    assert cli.run(["digest", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("sha256:bfb8b2671c85b3fd")
    assert err == f"note: {folder} has no SKILL.md, so it is not a skill.\n"


HEAVY = ("pydantic", "dulwich", "cryptography", "rich", "publish", "store.library", "hooks")
STARTS = """
import sys
from receipts import cli
try:
    code = cli.run(sys.argv[1:])
finally:
    heavy = [name for name in %r if name in sys.modules]
    print("imported:", *heavy, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["digest", "."]], ids=str)
def test_a_cheap_verb_imports_nothing_heavy(tmp_path: Path, arguments: list[str]) -> None:
    folder = put(tmp_path / "s", {"SKILL.md": PLAIN})
    done = subprocess.run(
        [sys.executable, "-c", STARTS % (HEAVY,), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "imported:\n")
    assert done.stdout

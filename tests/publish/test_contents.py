"""What of a folder goes to a team, and each reason for which none of it does."""

import os
import random
import socket
from pathlib import Path

import pytest

from publish import contents
from publish.contents import Finding
from receipts.digest import content_digest, content_digest_of
from receipts.errors import SkillError
from tests.publish.conftest import Machine

TOKEN = "ghp_" + "A1b2C3d4" * 5
AWS = "AKIA" + "ABCDEFGHIJKLMNOP"


def refusal(folder: Path) -> str:
    with pytest.raises(SkillError) as refused:
        contents.read(folder)
    return refused.value.message


def write(folder: Path, path: str | bytes, data: bytes = b"x\n") -> None:
    place = os.path.join(os.fsencode(folder), path if isinstance(path, bytes) else path.encode())
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as stream:
        stream.write(data)


def test_every_file_is_read_once_with_its_bytes_and_mode(ada: Machine) -> None:
    skill = ada.skill(scripts__run="#!/bin/sh\r\n", evals__cases__a="task: x\n", notes="")
    write(skill, "data/blob.bin", bytes(range(256)))
    write(skill, "sub/evals/kept.md")
    (skill / "scripts" / "run").chmod(0o755)
    (skill / "evals" / "cases" / "a").chmod(0o755)
    found = contents.read(skill)
    assert (found.name, found.folder, found.warnings) == ("tdd", skill, [])
    assert found.skill_md == (skill / "SKILL.md").read_bytes()
    assert set(found.files) == {
        "SKILL.md", "scripts/run", "notes", "data/blob.bin", "sub/evals/kept.md",
    }  # fmt: skip
    assert found.assets == {"cases/a": (b"task: x\n", True)}
    assert {path for path, file in found.files.items() if file.executable} == {"scripts/run"}
    assert found.files["scripts/run"].data == b"#!/bin/sh\r\n"
    measured = content_digest_of({path: file.data for path, file in found.files.items()})
    assert measured == content_digest(skill)


def test_what_does_not_count_stays_at_home(ada: Machine) -> None:
    skill = ada.skill()
    for path in (
        ".git/config",
        ".git/refs/CON",  # a name that could not be published
        ".skillhub/x",
        ".DS_Store",
        "a/.DS_Store",
        "a/Thumbs.db",
        "evals/.DS_Store",
        "evals/cases/Thumbs.db",
    ):
        write(skill, path, TOKEN.encode())
    os.symlink("/etc/passwd", skill / ".git" / "link")
    found = contents.read(skill)
    assert (set(found.files), found.assets) == ({"SKILL.md"}, {})
    assert contents.credentials_in(found, ()) == []


def test_a_file_called_evals_stays_at_home_and_is_said(ada: Machine) -> None:
    skill = ada.skill(evals=TOKEN, sub__evals="kept")
    before = content_digest(skill)
    found = contents.read(skill)
    assert (set(found.files), found.assets) == ({"SKILL.md", "sub/evals"}, {})
    assert found.warnings == ["evals is a file, not a folder of assets; it was left out."]
    assert contents.credentials_in(found, ()) == []
    assert content_digest_of({path: file.data for path, file in found.files.items()}) == before
    (skill / "evals").unlink()
    (skill / "evals").mkdir()
    assert contents.read(skill).warnings == []


@pytest.mark.parametrize(
    "name", ["Tdd", "tdd_x", "-tdd", "tdd-", "t--d", "tdd skill", "\u00e9", "a" * 65]
)
def test_a_folder_whose_name_no_skill_can_have_is_refused_first(ada: Machine, name: str) -> None:
    message = refusal(ada.skill(name))
    assert message.startswith(f"The folder name {name!r} cannot be a skill's name: ")


def test_the_longest_name_is_one(ada: Machine) -> None:
    assert contents.read(ada.skill("a" * 64)).name == "a" * 64


def test_a_folder_that_is_no_skill_is_refused(ada: Machine) -> None:
    folder = ada.home / "empty"
    assert refusal(folder) == f"{folder} does not exist."
    folder.write_text("a file")
    assert refusal(folder) == f"{folder} is not a folder."
    folder.unlink()
    folder.mkdir()
    assert refusal(folder) == f"{folder} has no SKILL.md."
    write(folder, "skill.md")
    assert refusal(folder) == f"{folder} has no SKILL.md."
    (folder / "SKILL.md").mkdir()
    assert refusal(folder) == f"{folder} has no SKILL.md."


def test_a_folder_is_named_by_itself_however_it_is_reached(
    ada: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = ada.skill()
    link = ada.home / "Link"
    link.symlink_to(skill)
    monkeypatch.chdir(skill)
    for path in (link, Path(), Path("..", "tdd")):
        assert contents.read(path).name == "tdd"
    assert refusal(Path("..")) == ".. has no SKILL.md."


def test_the_state_folder_is_no_place_to_publish_from(ada: Machine) -> None:
    inside = ada.state / "aside" / "20260916T042108Z-aaaa" / "tdd"
    write(inside, "SKILL.md")
    link = ada.home / "tdd"
    link.symlink_to(inside)
    for path in (inside, link):
        assert refusal(path) == f"{path} lies in the state folder of receipts itself."
    beside = ada.home / "state-of-mine"
    write(beside, "SKILL.md")
    assert contents.read(beside).name == "state-of-mine"


@pytest.mark.parametrize("below", ["", "scripts/", "evals/", "evals/cases/"])
def test_a_link_is_refused_wherever_it_stands(ada: Machine, below: str) -> None:
    skill = ada.skill(scripts__a="", evals__cases__a="")
    for target in ("SKILL.md", "nowhere", "/", "."):
        link = skill / below / "link"
        link.symlink_to(target)
        assert refusal(skill) == f"Skill folder contains symlink {below}link."
        link.unlink()


def test_what_is_no_file_is_refused(ada: Machine) -> None:
    skill = ada.skill(evals__a="")
    for below in ("", "evals/"):
        os.mkfifo(skill / below / "pipe")
        assert refusal(skill) == (
            f"Skill folder contains {below}pipe, which is not a regular file."
        )
        (skill / below / "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(skill)
        listener.bind("sock")
        os.chdir(here)
    assert refusal(skill) == "Skill folder contains sock, which is not a regular file."


@pytest.mark.parametrize(
    ("paths", "sentence"),
    [
        (["vendor/.git/config"], "a segment that some systems take for `.git`"),
        (["vendor/.git"], "a segment that some systems take for `.git`"),
        (["evals/x/.GIT/y"], "a segment that some systems take for `.git`"),
        (["git~1/x"], "a segment that some systems take for `.git`"),
        (["aux.md"], "names a Windows device"),
        (["evals/cases/con"], "names a Windows device"),
        (["a:b"], "mean something else on Windows"),
        (["a\\b"], "mean something else on Windows"),
        (["a."], "which Windows drops"),
        (["what?.md"], "which Windows does not allow"),
        (["a\nb"], "a control character"),
        (["a.md", "A.md"], "take the same name"),
        (["evals/a.md", "evals/A.MD"], "take the same name"),
        (["skill.md"], "take the same name"),
        (["\u00e9.md", "e\u0301.md"], "take the same name"),
        (["Evals/a", "evals/b"], "take the same name"),
    ],
)
def test_names_that_some_system_cannot_hold_are_refused(
    ada: Machine, paths: list[str], sentence: str
) -> None:
    skill = ada.skill()
    for path in paths:
        write(skill, path)
    message = refusal(skill)
    assert message.startswith("tdd cannot be published: ")
    assert sentence in message


def test_one_problem_is_told_and_the_others_are_counted(ada: Machine) -> None:
    skill = ada.skill()
    for path in ("a:1", "a:2", "a:3"):
        write(skill, path)
    assert refusal(skill).endswith(". (2 more like it)")


def test_a_name_that_is_not_utf8_is_refused(ada: Machine) -> None:
    skill = ada.skill()
    write(skill, b"bad\xff.md")
    assert refusal(skill) == "The file name b'bad\\xff.md' is not valid UTF-8."


def test_a_decomposed_name_is_published_with_a_warning(ada: Machine) -> None:
    skill = ada.skill()
    write(skill, "e\u0301.md")
    [warning] = contents.read(skill).warnings
    assert "not in composed Unicode form" in warning


def test_a_file_that_hosts_refuse_is_refused_before_it_is_read(ada: Machine) -> None:
    skill = ada.skill(big="", evals__big="")
    for path in ("big", "evals/big"):
        os.truncate(skill / path, 50 << 20)
        contents.read(skill)
        os.truncate(skill / path, 1 << 40)  # a terabyte, of which nothing is on the disk
        assert refusal(skill).startswith(f"{path} is 1048576 MB: more than a team repository")
        os.truncate(skill / path, 0)


def test_a_skill_is_weighed_as_a_whole(ada: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    skill = ada.skill(a="x" * 500, evals__b="x" * 500)
    size = (skill / "SKILL.md").stat().st_size + 1000
    monkeypatch.setattr(contents, "_LARGEST_SKILL", size)
    contents.read(skill)
    monkeypatch.setattr(contents, "_LARGEST_SKILL", size - 1)
    assert refusal(skill).startswith("The skill: more than a team repository should hold")


# Credentials


def findings(ada: Machine, *secrets: str, **files: str) -> list[Finding]:
    return contents.credentials_in(contents.read(ada.skill(**files)), secrets)


def test_a_credential_is_named_by_file_line_and_rule(ada: Machine) -> None:
    found = findings(
        ada,
        "a-password-of-this-machine",
        a=f"x\n\nkey {AWS} and {TOKEN}\n{AWS} {AWS}\n",
        b=f"{TOKEN}",
        c="\r\nsaid a-password-of-this-machine\r\n",
        evals__cases__d=f"task: |\n  use {TOKEN}\n",
        e="nothing\n",
    )
    places = [(finding.place, finding.rule) for finding in found]
    assert [place for place, _ in places] == ["a:3", "a:3", "a:4", "b:1", "c:2", "evals/cases/d:2"]
    assert len({rule for place, rule in places if place == "a:3"}) == 2
    assert not any(AWS in str(finding) or TOKEN in str(finding) for finding in found)


def test_a_credential_in_skill_md_and_in_binary_files_is_found(ada: Machine) -> None:
    skill = ada.skill()
    with (skill / "SKILL.md").open("a") as stream:
        stream.write(f"curl -H 'Authorization: Bearer {TOKEN}'\n")
    write(skill, "blob", b"\xff\xfe\x00\n\n" + TOKEN.encode() + b"\xff")
    found = contents.credentials_in(contents.read(skill), ())
    assert {finding.place for finding in found} == {"SKILL.md:6", "blob:3"}


UTF16 = ("utf-16", "utf-16-le", "utf-16-be")  # the first with a byte order mark
UTF32 = ("utf-32", "utf-32-le", "utf-32-be")


@pytest.mark.parametrize("encoding", [*UTF16, *UTF32])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"TOKEN={TOKEN}", 1),
        (f"\r\n\r\nTOKEN={TOKEN}\r\n", 3),
        # Letters of which half a code unit is a line end, a blank or a letter of ASCII.
        (f"\u4e0a\u4e0a \u010a\n\u2041\u4e2d\u4e2d {TOKEN} \u4e2d\n", 2),
    ],
)
def test_a_credential_is_found_in_any_encoding_that_windows_writes(
    ada: Machine, encoding: str, text: str, line: int
) -> None:
    skill = ada.skill(evals__a="")
    for path in ("a.env", "evals/a"):
        write(skill, path, text.encode(encoding))
    found = contents.credentials_in(contents.read(skill), ())
    assert [(item.place, item.rule) for item in found] == [
        (f"a.env:{line}", "github-token"),
        (f"evals/a:{line}", "github-token"),
    ]


@pytest.mark.parametrize("encoding", [*UTF16[1:], *UTF32[1:]])
@pytest.mark.parametrize("before", [b"", b"x", b"xy", b"xyz"])
def test_wide_text_is_found_at_any_offset_of_other_bytes(
    ada: Machine, encoding: str, before: bytes
) -> None:
    skill = ada.skill()
    wide = f" said {TOKEN} ".encode(encoding)
    write(skill, "appended.log", b"one\ntwo\n" + before + wide)
    write(skill, "tool.exe", b"MZ\x90\0\3\0" + before + wide + bytes(range(256)) * 9)
    found = contents.credentials_in(contents.read(skill), ())
    assert [item.path for item in found] == ["appended.log", "tool.exe"]


def test_what_the_caller_names_is_found_in_wide_text_too(ada: Machine) -> None:
    skill = ada.skill()
    write(skill, "a", "said Tr0ub4dor-h\u00f6rse\n".encode("utf-16"))
    found = contents.credentials_in(contents.read(skill), ("Tr0ub4dor-h\u00f6rse",))
    assert [item.place for item in found] == ["a:1"]


def test_bytes_that_are_no_text_are_no_credentials(ada: Machine) -> None:
    skill = ada.skill()
    table = b"password\0hunter2\0secret\0token\0=\0" + b"\0\0api_key\0\0\0abcdef0123456789\0"
    write(skill, "table.bin", table * 20)
    write(skill, "noise.bin", random.Random(1).randbytes(1 << 18))
    write(skill, "marked.bin", b"\xff\xfe" + random.Random(2).randbytes(1 << 16))
    write(skill, "prose.txt", "The token is kept in a vault.\n".encode("utf-16"))
    assert contents.credentials_in(contents.read(skill), ()) == []


def test_a_name_is_found_and_said_without_the_credential(ada: Machine) -> None:
    skill = ada.skill()
    for path in (f"{TOKEN}.txt", f"keys/{AWS}/a.md", f"evals/{TOKEN}", "said-by-a-machine/x"):
        write(skill, path, b"\n" + TOKEN.encode() if path.startswith("keys") else b"")
    found = contents.credentials_in(contents.read(skill), ("said-by-a-machine",))
    assert [item.place for item in found] == [
        "[redacted].txt",
        "[redacted]/x",
        "evals/[redacted]",
        "keys/[redacted]/a.md",
        "keys/[redacted]/a.md:2",
    ]
    error = refused(found)
    assert "credential stands in [redacted].txt (github-token); " in error.message
    assert TOKEN not in str(error)
    contents.refuse_credentials(found, [item.place for item in found])
    assert refused(found, "keys/[redacted]/a.md:2", "[redacted].txt:1").hint.endswith(
        " --allow-finding '[redacted].txt'"
    )


def test_a_key_block_is_one_finding_where_it_starts(ada: Machine) -> None:
    block = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXk\n" * 20
    [found] = findings(ada, a=f"x\n{block}-----END OPENSSH PRIVATE KEY-----\n")
    assert found.place == "a:2"


def refused(found: list[Finding], *allowed: str) -> SkillError:
    with pytest.raises(SkillError) as error:
        contents.refuse_credentials(found, allowed)
    return error.value


def test_findings_refuse_until_each_place_is_allowed() -> None:
    contents.refuse_credentials([], [])
    found = [Finding("a.md", 3, "aws"), Finding("a.md", 3, "github"), Finding("b.md", 1, "aws")]
    error = refused(found)
    assert error.message == (
        "Something shaped like a credential stands in a.md:3 (aws); a.md:3 (github); b.md:1 (aws), "
        "so nothing was published."
    )
    assert error.hint == "Remove it, or if it is none: --allow-finding a.md:3"
    assert refused(found, "a.md:3").hint.endswith("--allow-finding b.md:1")
    assert "a.md" not in refused(found, "a.md:3").message
    for wrong in ("a.md:1", "a.md", "b.md:01", " b.md:1", "./b.md:1"):
        refused(found, "a.md:3", wrong)
    contents.refuse_credentials(found, ["a.md:3", "b.md:1", "c.md:9"])


def test_many_findings_are_counted() -> None:
    found = [Finding("a", line, "aws") for line in range(1, 9)]
    assert "a:5 (aws) and 3 more, so nothing" in refused(found).message
    assert "a:8 (aws), so nothing" in refused(found, "a:1", "a:2", "a:3").message

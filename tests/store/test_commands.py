"""The verbs of this package, as a person types them."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from receipts import evidence
from receipts.cli import run
from receipts.digest import content_digest
from receipts.receipt import Receipt
from tests.store.samples import DIGEST, OTHER, ROOT, RUN, document, put, receipt, skill

LATER = "20260917T000000Z"
REPORT = [
    "verdict: PASS",
    "why: wins on execution checks; 1 tie",
    "candidate-vs-baseline: +67% net lift (2W / 0L / 1T over 3 comparisons, sign test p=0.500)",
    "arm scores: baseline 0.25 · candidate 0.75",
]


class Said(NamedTuple):
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: object) -> Said:
        code = run([str(argument) for argument in arguments])
        return Said(code, *capsys.readouterr())

    return call


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    """Return an installed skill."""
    return skill(tmp_path / "home" / ".claude" / "skills" / "deploy-check")


@pytest.fixture
def made_elsewhere(tmp_path: Path, deploy: Path) -> Path:
    """Return a receipt that measured the skill."""
    (tmp_path / "receipt.json").write_bytes(receipt(content_digest(deploy)))
    return tmp_path / "receipt.json"


class TestImport:
    def test_a_receipt_of_these_bytes_is_filed_once(
        self, call: Any, deploy: Path, made_elsewhere: Path, state: Path
    ) -> None:
        code, out, err = call("import", made_elsewhere, "--skill", deploy)
        place = state / "evals" / "local" / content_digest(deploy)[7:] / RUN
        assert (code, err) == (0, "")
        assert out == f"Filed run {RUN} of these exact bytes: {place}\n"
        assert (place / "receipt.json").read_bytes() == made_elsewhere.read_bytes()
        listing = json.loads((place / "files.json").read_bytes())["files"]
        assert [file["path"] for file in listing] == ["SKILL.md"]
        code, out, err = call("import", made_elsewhere, "--skill", deploy)
        assert (code, err) == (0, "")
        assert out == f"Run {RUN} of these exact bytes was here already.\n"

    @pytest.mark.parametrize("given", ["-", "/dev/stdin", "pipe"])
    def test_a_receipt_can_be_piped(
        self, deploy: Path, made_elsewhere: Path, tmp_path: Path, given: str
    ) -> None:
        def receipts(*arguments: object) -> Said:
            read, write = os.pipe()
            os.write(write, made_elsewhere.read_bytes())
            os.close(write)
            path = f"/dev/fd/{read}" if given == "pipe" else given
            done = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "receipts",
                    *(str(a).replace("GIVEN", path) for a in arguments),
                ],
                env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"},
                cwd=tmp_path,
                stdin=read,
                pass_fds=(read,),
                capture_output=True,
                encoding="utf-8",
                timeout=60,
            )
            os.close(read)
            return Said(done.returncode, done.stdout, done.stderr)

        code, out, err = receipts("import", "GIVEN", "--skill", deploy)
        assert (code, err) == (0, "")
        assert out.startswith(f"Filed run {RUN} of these exact bytes: ")
        assert receipts("show", "GIVEN").out.startswith(REPORT[0])
        assert receipts("verify", "GIVEN").out == "1 verified, 0 problems.\n"
        made_elsewhere.write_bytes(b"{")
        name = "standard input" if given == "-" else "/dev/"
        for arguments in (["import", "GIVEN", "--skill", deploy], ["show", "GIVEN"]):
            code, out, err = receipts(*arguments)
            assert (code, out) == (1, "")
            assert err.startswith(f"error: {name}")
            assert " is no valid receipt: not JSON: " in err

    def test_what_stands_twice_is_told_before_it_is_believed(
        self, call: Any, deploy: Path, made_elsewhere: Path
    ) -> None:
        data = made_elsewhere.read_bytes()
        made_elsewhere.write_bytes(data.replace(b'"verdict"', b'"verdict": "FAIL", "verdict"'))
        warning = "warning: verdict: stands here 2 times, and only the last counts\n"
        assert call("import", made_elsewhere, "--skill", deploy).err == warning
        for arguments in (["show", made_elsewhere], ["show", RUN], ["show", RUN, "--json"]):
            assert warning in call(*arguments).err

    def test_json_is_one_document(self, call: Any, deploy: Path, made_elsewhere: Path) -> None:
        said = call("import", made_elsewhere, "--skill", deploy, "--json")
        assert said.document["run_id"] == RUN
        assert said.document["content_digest"] == content_digest(deploy)
        assert said.document["already"] is False

    def test_a_second_run_of_a_second_moves_on(
        self, call: Any, deploy: Path, made_elsewhere: Path
    ) -> None:
        call("import", made_elsewhere, "--skill", deploy)
        made_elsewhere.write_bytes(receipt(content_digest(deploy), attribution="another"))
        code, out, _ = call("import", made_elsewhere, "--skill", deploy)
        assert code == 0
        assert out.startswith("Filed run 20260916T042109Z")
        assert f"Another run has the id {RUN}, so this one moved on." in out

    def test_a_receipt_of_other_bytes_is_refused_with_both_digests(
        self, call: Any, deploy: Path, made_elsewhere: Path, state: Path
    ) -> None:
        before = content_digest(deploy)
        skill(deploy, "# edited\n")
        code, out, err = call("import", made_elsewhere, "--skill", deploy)
        assert (code, out) == (1, "")
        assert f"measured other bytes: it names {before[:19]}…" in err
        assert f"is {content_digest(deploy)[:19]}…" in err
        assert "--explain" in err
        assert not state.exists()

    def test_secrets_are_removed_before_it_is_filed(
        self, call: Any, deploy: Path, made_elsewhere: Path, state: Path
    ) -> None:
        token = "ghp_" + "a1B2" * 9
        made_elsewhere.write_bytes(receipt(content_digest(deploy), attribution=f"lost {token}"))
        code, _, err = call("import", made_elsewhere, "--skill", deploy)
        assert code == 0
        assert "attribution" in err
        assert token not in err
        for file in state.rglob("receipt.json"):
            assert token not in file.read_text()
            assert "[redacted]" in file.read_text()

    def test_contradictions_are_warned_of_and_kept(
        self, call: Any, deploy: Path, made_elsewhere: Path
    ) -> None:
        made_elsewhere.write_bytes(receipt(content_digest(deploy), verdict="FAIL"))
        code, _, err = call("import", made_elsewhere, "--skill", deploy)
        assert code == 0
        assert "warning: verdict: FAIL, but 2W / 0L / 1T" in err

    def test_a_newer_receipt_is_kept_and_said(
        self, call: Any, deploy: Path, made_elsewhere: Path
    ) -> None:
        made_elsewhere.write_bytes(receipt(content_digest(deploy), schema_version=3))
        code, out, err = call("import", made_elsewhere, "--skill", deploy)
        assert code == 0
        assert out.startswith("Filed run")
        assert "newer than this version of receipts" in err

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (b"", "no valid receipt: not JSON"),
            (b"\xff\xfe\x00", "no valid receipt: not JSON"),
            (b"[" * 100_000, "no valid receipt: not JSON"),
            (receipt(verdict="GREAT", scored_rows=-1), "no valid receipt: verdict"),
            (b'{"schema_version":3}', "names no content digest"),
            (b" " * (1 << 20) + b"{}", "more than the 1,048,576"),
        ],
    )
    def test_what_is_no_receipt_is_refused_by_its_field(
        self, call: Any, deploy: Path, made_elsewhere: Path, state: Path, data: bytes, said: str
    ) -> None:
        made_elsewhere.write_bytes(data)
        code, out, err = call("import", made_elsewhere, "--skill", deploy)
        assert (code, out) == (1, "")
        assert said in err
        assert not state.exists()

    def test_schema_1_is_refused(self, call: Any, deploy: Path, made_elsewhere: Path) -> None:
        old = document(schema_version=1)
        del old["content_digest"]
        made_elsewhere.write_text(json.dumps(old))
        code, _, err = call("import", made_elsewhere, "--skill", deploy)
        assert code == 1
        assert "names no content digest" in err

    def test_missing_things_are_named(self, call: Any, deploy: Path, made_elsewhere: Path) -> None:
        code, _, err = call("import", "absent.json", "--skill", deploy)
        assert (code, "absent.json" in err) == (1, True)
        code, _, err = call("import", made_elsewhere, "--skill", "absent")
        assert (code, "No skill called absent is here" in err) == (1, True)
        code, _, err = call("import", made_elsewhere, "--skill", "absent/skill")
        assert (code, "absent/skill does not exist" in err) == (1, True)
        assert call("import", made_elsewhere)[0] == 2


class TestShow:
    def test_a_file_is_reported_line_for_line(self, call: Any, made_elsewhere: Path) -> None:
        code, out, err = call("show", made_elsewhere)
        assert (code, out.splitlines(), err) == (0, REPORT, "")

    def test_json_is_the_document(self, call: Any, made_elsewhere: Path) -> None:
        said = call("show", made_elsewhere, "--json")
        assert said.document == json.loads(made_elsewhere.read_bytes())

    def test_explain_says_below_the_report_how_much_it_shows(
        self, call: Any, made_elsewhere: Path
    ) -> None:
        code, out, err = call("show", made_elsewhere, "--explain")
        assert (code, err) == (0, "")
        assert out.splitlines()[: len(REPORT)] == REPORT
        assert out.splitlines()[len(REPORT) :] == evidence.lines(
            Receipt.model_validate_json(made_elsewhere.read_bytes())
        )
        assert "evidence, candidate-vs-baseline: none, from 3 rows (2 won / 0 lost / 1 tied)" in out

    def test_explained_json_holds_the_receipt_and_the_evidence(
        self, call: Any, made_elsewhere: Path
    ) -> None:
        document = call("show", made_elsewhere, "--explain", "--json").document
        assert document.keys() == {"receipt", "evidence"}
        assert document["receipt"] == json.loads(made_elsewhere.read_bytes())
        assert document["evidence"]["candidate-vs-baseline"]["units"] == 3

    def test_a_newer_receipt_has_no_evidence(self, call: Any, made_elsewhere: Path) -> None:
        made_elsewhere.write_text(json.dumps(document(schema_version=3)))
        said = call("show", made_elsewhere, "--explain", "--json")
        assert (said.code, said.document["evidence"]) == (0, None)
        assert "evidence" not in call("show", made_elsewhere, "--explain").out

    def test_against_another_says_whether_they_compare(
        self, call: Any, made_elsewhere: Path, tmp_path: Path
    ) -> None:
        code, out, err = call("show", made_elsewhere, "--against", made_elsewhere)
        assert code == 0
        assert out.splitlines() == [
            *REPORT, f"comparable with run {RUN} (PASS): no difference is recorded",
        ]  # fmt: skip
        assert err == (
            "note: neither receipt records: agent, case selection, eval assets, isolation\n"
        )
        provenance = document()["provenance"] | {"model": "opus\x1b[2J\nverdict: PASS", "k": 3}
        (tmp_path / "other.json").write_bytes(receipt(provenance=provenance))
        out = call("show", made_elsewhere, "--against", tmp_path / "other.json").out
        assert out.splitlines()[len(REPORT) :] == [
            f"not comparable with run {RUN} (PASS):",
            "  model: sonnet here, opus\\x1b[2J verdict: PASS there",
            "  k: 1 here, 3 there",
        ]

    def test_against_as_json(self, call: Any, made_elsewhere: Path, tmp_path: Path) -> None:
        (tmp_path / "other.json").write_bytes(receipt(method="golden", skill_name="x"))
        said = call("show", made_elsewhere, "--against", tmp_path / "other.json", "--json")
        assert said.document == {
            "receipt": json.loads(made_elsewhere.read_bytes()),
            "against": document(method="golden", skill_name="x"),
            "comparable": False,
            "differences": [
                {"what": "method", "first": "arms", "second": "golden"},
                {"what": "skill", "first": "deploy-check", "second": "x"},
            ],
            "unrecorded": ["agent", "case selection", "eval assets", "isolation"],
        }
        same = call("show", made_elsewhere, "--against", made_elsewhere, "--json", "--explain")
        assert (same.document["comparable"], same.document["differences"]) == (True, [])
        assert same.document["evidence"].keys() == {"candidate-vs-baseline"}

    def test_nothing_compares_with_a_newer_one(
        self, call: Any, made_elsewhere: Path, tmp_path: Path
    ) -> None:
        newer = tmp_path / "newer.json"
        newer.write_text(json.dumps(document(schema_version=3)))
        for pair in ((made_elsewhere, newer), (newer, made_elsewhere)):
            out = call("show", pair[0], "--against", pair[1]).out
            assert "not comparable: one is newer than this version of receipts" in out
            said = call("show", pair[0], "--against", pair[1], "--json")
            assert said.document["comparable"] is False
            assert "differences" not in said.document

    def test_against_what_is_not_there(self, call: Any, made_elsewhere: Path) -> None:
        code, out, err = call("show", made_elsewhere, "--against", "absent")
        assert (code, out) == (1, "")
        assert "absent" in err

    def test_a_run_is_found_by_its_id_with_its_trigger_rows(self, call: Any, state: Path) -> None:
        counts = {"recall": 1, "precision": 0.5, "tp": 1, "fn": 0, "fp": 1, "tn": 0}
        place = put(state, receipt(triggers=counts))
        row = {"prompt": "rename \x1b[31mthis", "expected": False, "fired": True}
        (place / "run.jsonl").write_text(json.dumps({"kind": "triggers", "rows": [row]}))
        code, out, _ = call("show", RUN)
        assert code == 0
        assert out.splitlines()[-2:] == [
            "triggers: recall=1.00 precision=0.50 (tp=1 fn=0 fp=1 tn=0)",
            '  FALSE-FIRE: "rename \\u001b[31mthis"',
        ]
        assert call("show", place / "receipt.json")[1] == out

    def test_a_run_id_of_different_bytes_is_ambiguous(self, call: Any, state: Path) -> None:
        put(state, receipt())
        put(state, receipt(OTHER), OTHER)
        code, out, err = call("show", RUN)
        assert (code, out) == (2, "")
        assert err.count("receipt.json") == 2

    def test_a_run_that_is_not_usable_is_named(self, call: Any, state: Path) -> None:
        put(state, b"{")
        code, _, err = call("show", RUN)
        assert code == 1
        assert f"No usable run {RUN}" in err
        assert "not JSON" in err
        code, _, err = call("show", LATER)
        assert (code, "receipts list" in err) == (1, True)

    def test_a_skill_shows_the_newest_usable_receipt_of_its_bytes(
        self, call: Any, deploy: Path, state: Path
    ) -> None:
        digest = content_digest(deploy)
        put(state, receipt(digest, attribution="old"), digest)
        put(state, receipt(digest, LATER, attribution="new"), digest, LATER)
        put(state, b"{", digest, "20260918T000000Z")
        put(
            state,
            receipt(digest, "20260919T000000Z", schema_version=3),
            digest,
            "20260919T000000Z",
        )
        for reference in (deploy, "deploy-check"):
            code, out, err = call("show", reference)
            assert code == 0
            assert "why: new" in out
            assert "1 local eval run(s) of these exact bytes could not be read" in err
            assert f"run {LATER}" in err

    def test_edited_bytes_have_no_receipt_but_others_are_pointed_at(
        self, call: Any, deploy: Path, state: Path
    ) -> None:
        put(state, receipt())
        code, out, err = call("show", deploy)
        assert (code, out) == (1, "")
        assert "No receipt here measured exactly these bytes of deploy-check" in err
        assert "`receipts list deploy-check`" in err

    @pytest.mark.usefixtures("deploy")
    def test_a_name_in_two_libraries_is_ambiguous(self, call: Any, tmp_path: Path) -> None:
        skill(tmp_path / "mine" / "deploy-check")
        call("library", "add", tmp_path / "mine")
        code, _, err = call("show", "deploy-check")
        assert code == 2
        assert "~/.claude/skills/deploy-check" in err
        assert str(tmp_path / "mine" / "deploy-check") in err

    def test_unknown_references_are_named(self, call: Any) -> None:
        assert "absent/receipt.json does not exist" in call("show", "absent/receipt.json")[2]
        assert "No skill called nothing" in call("show", "nothing")[2]

    def test_a_newer_receipt_shows_what_can_be_read(self, call: Any, made_elsewhere: Path) -> None:
        made_elsewhere.write_bytes(receipt(schema_version=3, verdict="GREAT\x1b[2J"))
        code, out, _ = call("show", made_elsewhere)
        assert code == 0
        assert out.startswith("newer than this version of receipts")
        assert "verdict: GREAT\\x1b[2J" in out
        assert f"content_digest: {DIGEST}" in out
        said = call("show", made_elsewhere, "--json")
        assert said.document["schema_version"] == 3
        assert "newer" in said[2]

    def test_contradictions_are_warned_of_on_stderr(self, call: Any, made_elsewhere: Path) -> None:
        made_elsewhere.write_bytes(receipt(scored_rows=2))
        _, out, err = call("show", made_elsewhere)
        assert out.splitlines() == REPORT
        assert "warning: scored_rows" in err


class TestList:
    def test_an_empty_store_says_so(self, call: Any) -> None:
        assert call("list") == (0, "", "No evaluation runs on this machine.\n")
        assert call("list", "--json").document == {
            "runs": [],
            "left_out": [],
            "note": "",
            "specs": [],
            "saved_runs": [],
        }

    def test_runs_are_listed_newest_first_and_the_rest_is_named(
        self, call: Any, state: Path
    ) -> None:
        put(state, receipt())
        put(state, receipt(OTHER, LATER, skill_name="a\tb\x1b[31m"), OTHER, LATER)
        put(state, b"{", DIGEST, "20260101T000000Z")
        put(state, b"", OTHER, RUN).joinpath("receipt.json").unlink()
        code, out, err = call("list")
        assert code == 0
        assert [line.split("\t") for line in out.splitlines()] == [
            [LATER, "a b\\x1b[31m", "PASS", "3/3", "sonnet", "1", "ana", f"{OTHER[:19]}…"],
            [RUN, "deploy-check", "PASS", "3/3", "sonnet", "1", "ana", f"{DIGEST[:19]}…"],
        ]
        assert "unreadable: " in err
        assert "unfinished: " in err
        said = call("list", "--json")
        assert [item["run_id"] for item in said.document["runs"]] == [LATER, RUN]
        assert {item["kind"] for item in said.document["left_out"]} == {"unreadable", "unfinished"}

    def test_a_name_lists_every_bytes_of_it(self, call: Any, state: Path) -> None:
        put(state, receipt())
        put(state, receipt(OTHER), OTHER)
        put(state, receipt(OTHER, LATER, skill_name="other"), OTHER, LATER)
        assert len(call("list", "deploy-check")[1].splitlines()) == 2
        assert call("list", "absent") == (
            0,
            "",
            "note: No run on this machine is of a skill or spec called absent.\n",
        )

    def test_a_folder_lists_its_exact_bytes_and_says_what_it_leaves_out(
        self, call: Any, deploy: Path, state: Path
    ) -> None:
        digest = content_digest(deploy)
        put(state, receipt(digest), digest)
        put(state, receipt(OTHER, LATER), OTHER, LATER)
        _, out, err = call("list", deploy)
        assert [line.split("\t")[0] for line in out.splitlines()] == [RUN]
        assert err == "note: 1 other run(s) of deploy-check measured other bytes.\n"
        skill(deploy, "# edited\n")
        _, out, err = call("list", deploy)
        assert out == ""
        assert "No run on this machine measured exactly these bytes of deploy-check." in err
        assert "2 other run(s)" in err

    def test_a_path_that_is_no_folder_is_refused(self, call: Any) -> None:
        code, _, err = call("list", "absent/skill")
        assert (code, "absent/skill does not exist" in err) == (1, True)

    def test_a_newer_receipt_is_listed_as_such(self, call: Any, state: Path) -> None:
        put(state, receipt(schema_version=3))
        assert "(newer)" in call("list")[1]
        assert call("list", "--json").document["runs"][0]["newer"] is True

    @pytest.mark.parametrize("columns", [90, 140])
    def test_on_a_terminal_there_is_a_table_without_markup(self, state: Path, columns: int) -> None:
        put(state, receipt(skill_name="[red]x[/red]"))
        header, row = _on_a_terminal(columns)
        assert " ".join(header.split()) == "run skill verdict scored model k who digest"
        assert row.split() == [
            RUN, "[red]x[/red]", "PASS", "3/3", "sonnet", "1", "ana", f"{DIGEST[:19]}…",
        ]  # fmt: skip

    @pytest.mark.parametrize("columns", [8, 40, 80])
    def test_on_a_narrow_terminal_a_run_has_two_lines_and_loses_nothing(
        self, state: Path, columns: int
    ) -> None:
        put(state, receipt(skill_name="[red]x[/red]"))
        put(state, receipt(OTHER, LATER, schema_version=3), OTHER, LATER)
        assert _on_a_terminal(columns) == [
            f"{LATER}  (newer)",
            f"  {OTHER[:19]}…",
            f"{RUN}  [red]x[/red]  PASS  3/3",
            f"  sonnet, k=1, ana, {DIGEST[:19]}…",
        ]


def _on_a_terminal(columns: int) -> list[str]:
    """Return the lines of `receipts list` on a terminal without colours."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "receipts", "list"],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "dumb"},
        stdout=follower,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(follower)
        assert process.stderr is not None
        shown = b""
        while chunk := _read(leader):
            shown += chunk
        assert process.stderr.read() == b""
    os.close(leader)
    assert b"\x1b" not in shown
    return shown.decode().splitlines()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # how Linux says that the other side is closed
        return b""


class TestLibrary:
    @pytest.mark.usefixtures("deploy")
    def test_roots_are_added_listed_and_removed(self, call: Any, tmp_path: Path) -> None:
        mine = tmp_path / "mine"
        skill(mine / "tdd")
        assert call("library", "add", mine)[1] == f"{mine} is now a library.\n"
        assert call("library", "add", mine)[1] == f"{mine} was one already.\n"
        code, out, err = call("library", "list")
        assert (code, err) == (0, "")
        assert out.splitlines() == [
            "~/.claude/skills\tdefault\t1 skill(s)",
            f"{mine}\tregistered\t1 skill(s)",
        ]
        said = call("library", "list", "--json")
        assert [item["name"] for item in said.document["skills"]] == ["deploy-check", "tdd"]
        assert call("library", "remove", mine, "--json").document["removed"] is True
        assert len(call("library", "list")[1].splitlines()) == 1
        assert call("library", "remove", mine)[0] == 1

    def test_without_any_library_the_next_step_is_said(self, call: Any) -> None:
        assert "receipts library add" in call("library", "list")[2]

    def test_a_broken_configuration_is_one_sentence(self, call: Any, state: Path) -> None:
        state.mkdir()
        (state / "config.json").write_text("{")
        code, out, err = call("library", "list")
        assert (code, out) == (1, "")
        assert err.startswith(f"error: {state / 'config.json'} is not JSON")


@pytest.mark.parametrize("verb", ["import", "show", "list", "library"])
def test_help_has_an_example(call: Any, verb: str) -> None:
    code, out, _ = call(verb, "--help")
    assert code == 0
    assert "Example" in out


@pytest.mark.parametrize("verb", ["import", "show", "list", "library"])
def test_an_unusable_state_folder_is_one_sentence(
    call: Any, monkeypatch: pytest.MonkeyPatch, made_elsewhere: Path, deploy: Path, verb: str
) -> None:
    monkeypatch.setenv("RECEIPTS_HOME", "here")
    arguments: dict[str, list[object]] = {
        "import": [made_elsewhere, "--skill", deploy],
        "show": [RUN],
        "list": [],
        "library": ["list"],
    }
    code, out, err = call(verb, *arguments[verb])
    assert (code, out) == (1, "")
    assert err.startswith("error: RECEIPTS_HOME is the relative path 'here'.")

"""1: the work failed, as when what is named is not there. 2: wrong use of the command line."""

import pytest

from tests.members import Member

FAILED, WRONG_USE = 1, 2
CODES = {
    # What is named is not there.
    "digest nowhere": FAILED,
    "digest no/where": FAILED,
    "show nowhere": FAILED,
    "show no/where": FAILED,
    "show 20200101T000000Z": FAILED,
    "list no/where": FAILED,
    "list file": FAILED,
    "verify no/where": FAILED,
    "import no/where --skill tdd": FAILED,
    "import file --skill nowhere": FAILED,
    "publish nowhere": FAILED,
    "unpublish nowhere --yes": FAILED,
    "install nowhere": FAILED,
    "install tdd@v9": FAILED,
    "cards nowhere": FAILED,
    "cards no/where": FAILED,
    "library add no/where": FAILED,
    "library add file": FAILED,
    "library remove no/where": FAILED,
    "compare nowhere elsewhere": FAILED,
    "compare no/where.json file": FAILED,
    "compare 20200101T000000Z 20200101T000001Z": FAILED,
    "trend nowhere": FAILED,
    "show nowhere.eval.yaml": FAILED,
    "list nowhere.eval.yaml": FAILED,
    # The command line cannot be meant so.
    "nowhere": WRONG_USE,
    "team nowhere": WRONG_USE,
    "digest": WRONG_USE,
    "digest tdd tdd --explain": WRONG_USE,
    "digest tdd --nowhere": WRONG_USE,
    "verify": WRONG_USE,
    "verify file --team": WRONG_USE,
    "show twice": WRONG_USE,
    "compare tdd": WRONG_USE,
    "compare tdd twice --fail-on-regression many": WRONG_USE,
    "digest twice": WRONG_USE,
    "publish twice": WRONG_USE,
    "install tdd@nine": WRONG_USE,
    "library add skills/tdd": WRONG_USE,
    "install tdd --to skills/tdd": WRONG_USE,
    "demo --keep skills": WRONG_USE,
    "completion tcsh": WRONG_USE,
    "team create acme --remote elsewhere": WRONG_USE,
    "team create ../acme": WRONG_USE,
    "team join ext::sh": WRONG_USE,
    # An option's value that is none of those there are.
    "publish tdd --team nowhere": WRONG_USE,
    "publish tdd --project nowhere": WRONG_USE,
    "sync --team nowhere": WRONG_USE,
    "verify --team nowhere": WRONG_USE,
    "team leave --team nowhere": WRONG_USE,
    # Nothing is there, and that is the answer.
    "list nowhere": 0,
}


@pytest.fixture(scope="module")
def member(tmp_path_factory: pytest.TempPathFactory) -> Member:
    """A member of one team, with an installed skill, and another in two libraries."""
    ada = Member(tmp_path_factory.mktemp("member"), "ada")
    ada.ok("team", "create", "acme")
    for name in ("tdd", "twice"):
        ada.skill(name)
    ada.ok("library", "add", "skills")
    ada.ok("publish", "tdd")
    ada.ok("publish", "twice")
    ada.ok("install", "twice", "--to", "more")
    (ada.home / "file").write_text("{}\n")
    return ada


@pytest.mark.parametrize("command", CODES)
def test_the_exit_code_of_what_goes_wrong(member: Member, command: str) -> None:
    done = member.run(*command.split())
    assert done.code == CODES[command], done
    assert done.out == ""
    assert len(done.err.splitlines()) in (1, 2)


@pytest.mark.parametrize("command", ["sync", "publish tdd", "install tdd", "verify --team"])
def test_without_a_team_it_is_the_use_that_is_wrong(ada: Member, command: str) -> None:
    skill = ada.skill("tdd")
    done = ada.run(*command.split(), cwd=skill.parent)
    assert (done.code, done.out) == (WRONG_USE, "")
    assert done.err.startswith("error: No team is configured on this machine.\n")

"""Skills in git repositories: behind every kind of remote, cached, and hostile."""

import os
import subprocess
from pathlib import Path

import pytest

from receipts.attempts.specs import gitcache, installing, reading, skills
from receipts.attempts.specs.skills import Neighbourhood
from receipts.errors import SpecError
from tests.hostile import planting
from tests.receipts.attempts.specs.conftest import SKILL, TASKS, Written
from tests.servers.fixtures import TeamServer
from tests.servers.smart_http import basic, smart_http

pytestmark = pytest.mark.usefixtures("home")
FILES: dict[bytes, planting.Content] = {
    b"skills/build/SKILL.md": SKILL.encode(),
    b"skills/build/run.sh": (planting.EXECUTABLE, b"#!/bin/sh\n"),
    b"skills/build/notes.md": b"notes",
    b"README.md": b"readme",
}


def commit(repository: Path, files: planting.Files) -> str:
    """Commit files on top of `main`, which is made when it is not there; return the commit."""
    known = subprocess.run(["git", "-C", repository, "rev-parse", "-q", "--verify", "main"])
    if known.returncode:
        tree = planting.write_tree(repository, {})
        first = planting.git(repository, "commit-tree", "-m", "first", tree.decode())
        planting.git(repository, "update-ref", "refs/heads/main", first.decode())
    planting.plant(repository, files)
    return planting.git(repository, "rev-parse", "main").decode()


def spec_of(
    project: Written, repo: Path | str, ref: str | None = None, path: str = "skills/build/SKILL.md"
) -> Path:
    named = f"ref: {ref}, " if ref else ""
    source = f"skills:\n- {{repo: '{repo}', {named}path: {path}}}\n"
    return project({"demo.eval.yaml": source + TASKS})


def resolved(path: Path, *, fetch: bool = True) -> Neighbourhood:
    return skills.resolve(reading.read(path), fetch=fetch)


def problem(path: Path) -> str:
    """Return the one thing that is wrong with a spec's skills."""
    with pytest.raises(SpecError) as caught:
        resolved(path)
    (found,) = caught.value.problems
    return found


def test_behind_every_kind_of_remote(team_server: TeamServer, project: Written) -> None:
    wanted = commit(team_server.repository, FILES)
    found = resolved(spec_of(project, team_server.url))
    (skill,) = found.skills
    assert (skill.name, skill.commit, found.warnings) == ("build", wanted, ())
    assert list(skill.files.kept) == ["SKILL.md", "notes.md", "run.sh"]
    assert skill.files.kept["run.sh"].executable
    assert not skill.files.kept["notes.md"].executable
    snapshot = installing.snapshot(skill)
    assert (snapshot.source_kind, snapshot.git_repo, snapshot.git_sha) == (
        "git", team_server.url, wanted,
    )  # fmt: skip
    assert Path(snapshot.path).read_text() == SKILL


def test_a_branch_moves_and_a_commit_does_not(
    repository: Path, project: Written, cache: Path
) -> None:
    first = commit(repository, FILES)
    branch = spec_of(project, repository, "main")
    assert resolved(branch).skills[0].commit == first
    second = commit(repository, {b"skills/build/notes.md": b"new"})
    found = resolved(branch).skills[0]
    assert (found.commit, found.files.kept["notes.md"].data) == (second, b"new")
    pinned = resolved(spec_of(project, repository, first)).skills[0]
    assert (pinned.commit, pinned.files.kept["notes.md"].data) == (first, b"notes")
    (place,) = cache.iterdir()
    assert sorted(os.listdir(place)) == sorted([first, second, "refs.txt"])
    assert (place / "refs.txt").read_text() == f"main\t{second}\n{first}\t{first}\n"


def test_a_tag_comes_before_a_branch_of_its_name(repository: Path, project: Written) -> None:
    first = commit(repository, FILES)
    planting.git(repository, "tag", "-a", "-m", "one", "v1", "main")
    planting.git(repository, "branch", "v1", "main")
    commit(repository, {b"skills/build/notes.md": b"new"})
    planting.git(repository, "branch", "-f", "v1", "main")
    assert resolved(spec_of(project, repository, "v1")).skills[0].commit == first


def test_a_pinned_commit_in_the_cache_needs_no_repository(
    repository: Path, project: Written
) -> None:
    wanted = commit(repository, FILES)
    pinned = spec_of(project, repository, wanted)
    resolved(pinned)
    repository.rename(repository.with_name("away"))
    found = resolved(pinned)
    assert (found.skills[0].commit, found.warnings) == (wanted, ())


def test_an_unreachable_repository_is_taken_from_the_cache_with_a_warning(
    repository: Path, project: Written
) -> None:
    wanted = commit(repository, FILES)
    path = spec_of(project, repository)
    resolved(path)
    repository.rename(repository.with_name("away"))
    found = resolved(path)
    assert found.skills[0].commit == wanted
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(f"{repository} cannot be reached: ")
    assert found.warnings[0].endswith(f"; its commit {wanted[:12]} is taken from the cache.")
    other = problem(spec_of(project, repository, "other"))
    assert f"{repository} cannot be reached: " in other


def test_without_fetching_nothing_is_asked_for(
    repository: Path, project: Written, cache: Path
) -> None:
    commit(repository, FILES)
    path = spec_of(project, repository)
    found = resolved(path, fetch=False)
    assert (found.names, len(found.uncached)) == ((), 1)
    assert not cache.exists()
    resolved(path)
    repository.rename(repository.with_name("away"))
    assert resolved(path, fetch=False).names == ("build",)


def test_names_are_checked_when_all_skills_are_known(repository: Path, project: Written) -> None:
    commit(repository, FILES)
    source = f"skills: [{{repo: '{repository}', path: skills/build/SKILL.md}}]\n"
    task = "tasks: [{name: a, prompt: p, activates: [ghost]}]\n"
    path = project({"demo.eval.yaml": source + task})
    assert resolved(path, fetch=False).uncached[0].repo == str(repository)
    assert "expects 'ghost' to activate" in problem(path)


def test_a_repository_beside_the_spec(
    repository: Path, project: Written, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, FILES)
    path = spec_of(project, "../server/team.git").absolute()
    with monkeypatch.context() as elsewhere:
        elsewhere.chdir(cache.parent.parent)
        assert resolved(path).names == ("build",)
    assert resolved(spec_of(project, repository)).names == ("build",)
    assert len(list(cache.iterdir())) == 1


def test_shorthand_is_on_github(
    repository: Path, project: Written, cache: Path, home: Path
) -> None:
    commit(repository, FILES)
    with (home / ".gitconfig").open("a") as config:
        config.write(f'[url "{repository}"]\n\tinsteadOf = https://github.com/acme/skills\n')
    assert resolved(spec_of(project, "acme/skills")).names == ("build",)
    assert [path.name for path in cache.iterdir()] == ["acme-skills-85e93c779666"]


@pytest.mark.parametrize(
    ("ref", "path", "why"),
    [
        ("gone", "skills/build/SKILL.md", "has no branch or tag gone; a commit is named by all of"
         " its 40 characters."),
        ("abcdef1", "skills/build/SKILL.md", "has no branch or tag abcdef1; a commit is named by"
         " all of its 40 characters."),
        ("0" * 40, "skills/build/SKILL.md", "cannot be fetched: "),
        ("main", "skills/bild/SKILL.md", "has no skills/bild/SKILL.md. Did you mean"
         " skills/build/SKILL.md?"),
    ],
)  # fmt: skip
def test_what_is_not_there(
    ref: str, path: str, why: str, repository: Path, project: Written
) -> None:
    commit(repository, FILES)
    assert why in problem(spec_of(project, repository, f"'{ref}'", path))


def test_a_blob_is_no_commit(repository: Path, project: Written) -> None:
    commit(repository, FILES)
    planting.git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
    blob = planting.git(repository, "rev-parse", "main:README.md").decode()
    assert "is no commit" in problem(spec_of(project, f"file://{repository}", blob))


def test_an_empty_repository(repository: Path, project: Written) -> None:
    assert "has no commit to start from" in problem(spec_of(project, repository))


LINKS: dict[bytes, planting.Content] = {
    b"skills/build/inside": (planting.LINK, b"../../README.md"),
    b"skills/build/chain": (planting.LINK, b"inside"),
    b"skills/build/folder": (planting.LINK, b".."),
    b"skills/build/nowhere": (planting.LINK, b"gone"),
    b"skills/build/circle": (planting.LINK, b"circle"),
    b"skills/build/under": (planting.LINK, b"notes.md/x"),
    b"skills/build/module": (planting.SUBMODULE, b"1" * 40),
}


def test_links_lead_to_files_of_the_commit_alone(repository: Path, project: Written) -> None:
    commit(repository, FILES | LINKS)
    kept = resolved(spec_of(project, repository)).skills[0].files.kept
    assert list(kept) == ["SKILL.md", "chain", "inside", "notes.md", "run.sh"]
    assert kept["chain"].data == kept["inside"].data == b"readme"


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../secret"])
def test_no_link_leads_out(target: str, repository: Path, project: Written) -> None:
    commit(repository, FILES | {b"skills/build/link": (planting.LINK, target.encode())})
    where = target.replace("../../../", "../")  # as it is from the commit's own folder
    path = spec_of(project, repository)
    assert problem(path).endswith(f": link is a link that leads out, to {where}.")


def test_no_link_leads_into_the_cache(repository: Path, project: Written) -> None:
    commit(repository, FILES | {b"skills/build/link": (planting.LINK, b"../../.git/config")})
    assert "link" not in resolved(spec_of(project, repository)).skills[0].files.kept


def test_a_link_as_the_skill_itself(repository: Path, project: Written) -> None:
    commit(repository, FILES | {b"other/SKILL.md": (planting.LINK, b"../skills/build/SKILL.md")})
    found = resolved(spec_of(project, repository, None, "other/SKILL.md"))
    assert found.names == ("build",)
    assert list(found.skills[0].files.kept) == ["SKILL.md"]


@pytest.mark.parametrize(
    "name", [b"a\\..\\b", b"CON", b"a\nb", b"line\x1b[2J", b"stream:x", b"bad\xff"]
)
def test_names_that_mean_something_else_are_refused(
    name: bytes, repository: Path, project: Written
) -> None:
    commit(repository, FILES | {b"skills/build/" + name: b"x"})
    found = problem(spec_of(project, repository))
    assert found.startswith("demo.eval.yaml:2: skill ")
    assert found.isprintable()


@pytest.mark.parametrize("name", [b"..", b".git", b".GIT"])
def test_trees_that_no_checkout_takes_are_refused(
    name: bytes, repository: Path, project: Written, cache: Path
) -> None:
    commit(repository, FILES)
    blob = planting.write_object(repository, "blob", b"[core]\n")
    inner = planting.write_tree(repository, {b"config": (planting.PLAIN, blob)})
    skill = planting.git(repository, "rev-parse", "main:skills")
    entries = {b"skills": (planting.TREE, skill), name: (planting.TREE, inner)}
    planting.put_on_main(repository, planting.write_tree(repository, entries))
    assert "cannot be unpacked: " in problem(spec_of(project, repository))
    assert [name for place in cache.iterdir() for name in os.listdir(place)] == []


def test_trees_that_unfold_without_end_are_not_unpacked(
    repository: Path, project: Written, cache: Path
) -> None:
    commit(repository, FILES)
    blob = planting.write_object(repository, "blob", b"x")
    tree = planting.write_tree(repository, {b"f%d" % n: (planting.PLAIN, blob) for n in range(10)})
    for _ in range(8):
        tree = planting.write_tree(
            repository, {b"d%d" % n: (planting.TREE, tree) for n in range(10)}
        )
    planting.put_on_main(repository, tree)
    assert "it holds too much to be listed" in problem(spec_of(project, repository))
    assert [name for place in cache.iterdir() for name in os.listdir(place)] == []


@pytest.mark.parametrize(("most_bytes", "most_files"), [(1 << 20, 100_000), (1 << 30, 3)])
def test_a_commit_that_holds_too_much(
    most_bytes: int,
    most_files: int,
    repository: Path,
    project: Written,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gitcache, "MOST_BYTES", most_bytes)
    monkeypatch.setattr(gitcache, "MOST_FILES", most_files)
    commit(repository, FILES | {b"zeros": bytes(2 << 20)})
    assert "in one commit. Keep the skill in a smaller repository." in problem(
        spec_of(project, repository)
    )


def test_a_download_that_grows_too_large_is_ended(
    repository: Path, project: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gitcache, "MOST_BYTES", 1 << 20)
    commit(repository, FILES | {b"noise": os.urandom(4 << 20)})
    assert "holds more than 1 MiB" in problem(spec_of(project, repository))


def test_nothing_of_the_user_or_the_repository_is_run(
    repository: Path, project: Written, home: Path, tmp_path: Path
) -> None:
    attributes = b"* filter=lfs\n*.md filter=mine\n"
    commit(repository, FILES | {b".gitattributes": attributes})
    ran = tmp_path / "ran"
    template = tmp_path / "template" / "hooks"
    template.mkdir(parents=True)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for folder in (template, hooks):
        for hook in ("post-checkout", "reference-transaction"):
            (folder / hook).write_text(f"#!/bin/sh\ntouch '{ran}'\n")
            (folder / hook).chmod(0o755)
    with (home / ".gitconfig").open("a") as config:
        config.write(
            f"[init]\n\ttemplateDir = {template.parent}\n[core]\n\thooksPath = {hooks}\n"
            f"\tfsmonitor = touch '{ran}'\n"
        )
    assert resolved(spec_of(project, repository)).names == ("build",)
    assert not ran.exists()


def test_variables_that_point_git_elsewhere_are_not_inherited(
    repository: Path, project: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = commit(repository, FILES)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext")
    assert resolved(spec_of(project, repository)).skills[0].commit == wanted
    assert not (tmp_path / "elsewhere").exists()


def test_an_address_that_git_is_told_to_turn_into_a_program_runs_none(
    project: Written, home: Path, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    with (home / ".gitconfig").open("a") as config:
        config.write(
            f'[protocol "ext"]\n\tallow = always\n'
            f'[url "ext::touch {ran} #"]\n\tinsteadOf = https://example.invalid/\n'
        )
    found = problem(spec_of(project, "https://example.invalid/skills"))
    assert "cannot be reached: " in found
    assert not ran.exists()


def test_nobody_is_asked_for_a_password(project: Written, tmp_path: Path) -> None:
    with smart_http(access=basic("me", "secret")) as server:
        found = problem(spec_of(project, server.url_of(tmp_path / "team.git")))
    assert "cannot be reached: " in found


def test_a_damaged_cache_is_named(repository: Path, project: Written, cache: Path) -> None:
    wanted = commit(repository, FILES)
    path = spec_of(project, repository, wanted)
    resolved(path)
    (place,) = cache.iterdir()
    for pack in (place / wanted / ".git" / "objects").rglob("*"):
        if pack.is_file():
            pack.unlink()
    found = problem(path)
    assert f"the cached commit {place / wanted} cannot be read: " in found
    assert found.endswith("Delete that folder; it will be fetched again.")


def test_what_is_edited_in_the_cache_is_not_installed(
    repository: Path, project: Written, cache: Path
) -> None:
    wanted = commit(repository, FILES)
    path = spec_of(project, repository, wanted)
    resolved(path)
    (place,) = cache.iterdir()
    (place / wanted / "skills" / "build" / "SKILL.md").write_text("edited")
    assert resolved(path).skills[0].files.kept["SKILL.md"].data == SKILL.encode()


@pytest.mark.parametrize(
    ("variable", "below"),
    [("CALIPER_CACHE_DIR", ""), ("XDG_CACHE_HOME", "caliper"), (None, ".cache/caliper")],
)
def test_where_the_cache_is(
    variable: str | None, below: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CALIPER_CACHE_DIR", raising=False)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path))
    assert gitcache.root() == (tmp_path if variable else home) / below / "skills"


def test_without_git_the_sentence_says_so(
    project: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert problem(spec_of(project, "acme/skills")).endswith("git is not installed. Install git.")

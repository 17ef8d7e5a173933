"""The whole job: two members, one skill, its receipt, and what an edit does to its card."""

import os

from publish.demo import changelog, samples
from publish.demo.stage import DiffersError, Stage, write
from receipts.digest import content_digest


def play(stage: Stage) -> None:
    """Play the whole story; each line of it is one claim.

    Raises:
        DiffersError: A step differs from what is claimed.
    """
    name = changelog.NAME
    ada, bob = stage.member("ada", "Ada Lovelace"), stage.member("bob", "Bob Babbage")
    mine = ada.home / "skills" / name
    theirs = bob.home / ".claude" / "skills" / name

    stage.tell("Ada creates a team. Its repository is a bare one on this disk.")
    stage.do(ada, "team create acme", "Created team acme as @ada")
    stage.tell("Ada writes a skill, and registers the folder it is in.")
    for path, text in changelog.SKILL.items():
        write(mine / path, text)
    digest = content_digest(mine)
    stage.do(ada, "library add skills", "skills")
    stage.do(ada, f"digest skills/{name}", digest)
    stage.tell("An evaluation ends in a receipt; this one is a sample, for exactly these bytes.")
    samples.receipt(ada.home / "pass.json", name, digest, wins=5, losses=1, ties=3)
    stage.do(ada, f"import pass.json --skill skills/{name}", "of these exact bytes")
    stage.do(
        ada,
        f"publish skills/{name}",
        "as Version 1 to the acme marketplace. Attached 1 eval run(s).",
    )
    if content_digest(mine) != digest:
        raise DiffersError("Publishing changed the digest of the skill.")

    stage.tell("Bob joins from a machine of his own, syncs, and installs what he found.")
    repository = os.path.relpath(ada.home / "state" / "repositories" / "acme.git", bob.home)
    stage.do(bob, f"team join {repository}", "Joined team acme as @bob")
    stage.do(bob, "sync", "1 new receipt for changelog v1 by ada (1 PASS)")
    stage.do(bob, f"install {name}", "Copied 1 receipt(s)")
    stage.tell("Both hold the same bytes, and both see the one score that was measured on them.")
    stage.card(ada, name, state="scored", verdict="PASS")
    stage.card(bob, name, state="scored", verdict="PASS")

    stage.tell("Bob edits one byte. Nothing measured what he holds now, and the card says so.")
    script = theirs / "scripts" / "since-tag.sh"
    write(script, script.read_text("utf-8").replace("--oneline", "--Oneline"))
    stage.card(bob, name, state="stale", verdict=None, reason="scripts/since-tag.sh changed")

    stage.tell("Ada edits her skill too, and the evaluation of the new bytes fails.")
    write(mine / "SKILL.md", (mine / "SKILL.md").read_text("utf-8") + "4. Add a joke.\n")
    samples.receipt(ada.home / "fail.json", name, content_digest(mine), wins=0, losses=4, ties=1)
    stage.do(ada, f"import fail.json --skill skills/{name}", "of these exact bytes")
    stage.tell("Publishing asks first. Here nobody can answer, so it refuses; then Ada says no.")
    asks = "Your latest eval of these exact bytes failed against"
    stage.do(ada, f"publish skills/{name}", asks, exit_code=1)
    stage.do(ada, f"publish skills/{name} --no", "Publish was cancelled.", exit_code=1)
    stage.do(ada, "verify --team acme", "0 problems")

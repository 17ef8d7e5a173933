"""Leaving a team, and only forgetting it, through the command line and real git."""

from pathlib import Path

from tests.e2e.repositories import document
from tests.members import Member


def test_forgetting_a_team_says_that_the_membership_remains(
    ada: Member, bob: Member, acme: Path
) -> None:
    bob.ok("team", "join", acme)
    assert bob.ok("team", "leave", "--local-only") == (
        f"Forgot team acme on this machine. Its repository, {acme}, was left as it is: the "
        "membership of @bob remains.\n"
    )
    assert document(acme, "team.json")["archived"] == []
    assert bob.ok("team", "status") == "No team. Start one: receipts team create NAME\n"
    assert "@bob" in ada.ok("sync") + ada.ok("team", "members")
    bob.ok("team", "join", acme)
    assert bob.ok("team", "leave") == "Left team acme. What you published stays with it.\n"
    assert document(acme, "team.json")["archived"] == ["bob"]

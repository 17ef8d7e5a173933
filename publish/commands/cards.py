"""`receipts cards`."""

from typing import TYPE_CHECKING, Any

import click

from publish.commands import completing
from receipts import terminal
from receipts.options import json_option

if TYPE_CHECKING:
    from store.cards import Card


@click.command("cards", epilog="Examples: receipts cards; receipts cards --team --json")
@click.argument("skill", required=False, shell_complete=completing.skills)
@click.option("--team", "which", flag_value="team", help="Only the team's published skills.")
@click.option("--library", "which", flag_value="library", help="Only the skills on this machine.")
@json_option
def command(skill: str | None, *, which: str | None, as_json: bool) -> None:
    """Show the score of the exact bytes you hold, or say honestly why there is none.

    SKILL is a folder, or the name of a skill that is installed or published. A card shows one
    receipt and where it comes from. Nothing is fetched; run `receipts sync` first.
    """
    from publish.showing import all_cards

    cards, problems = all_cards(skill, which)
    for problem in problems:
        terminal.say(problem)
    if as_json:
        terminal.print_json({"cards": [document(card) for card in cards]})
        return
    for card in cards:
        for note in card.notes:
            terminal.say(note)
    if not cards:
        terminal.print_text("No skills. Register a library: receipts library add DIR")
        return
    from publish.table import print_table

    print_table(cards)


def document(card: "Card") -> dict[str, Any]:
    """Return a card as the document that `--json` prints."""
    from receipts import evidence, jsontext
    from receipts.receipt import Receipt

    found = Receipt.model_validate_json(card.receipt) if card.receipt else None
    return {
        **card._asdict(),
        "receipt": jsontext.loads(card.receipt) if card.receipt else None,
        "notes": list(card.notes),
        "evidence": evidence.documents(found) if found else None,
    }

"""Removing secrets from text before it can leave this machine.

    scrub("token ghp_…")            -> "token [redacted]"
    find(text)                      -> where they are, and which rule says so
    scrub_document(receipt bytes)   -> the receipt without them, and what was removed

Nothing here reports the text of a secret, its length or its hash.
"""

from collections.abc import Iterable

from receipts.scrub.document import Removed, Scrubbed, scrub_document, summary
from receipts.scrub.named import secrets_from
from receipts.scrub.scanner import Finding, Scanner

__all__ = [
    "Finding",
    "Removed",
    "Scrubbed",
    "find",
    "scrub",
    "scrub_document",
    "secrets_from",
    "summary",
]


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text with `[redacted]` in the place of every secret.

    Scrubbing again changes nothing. Time is linear in the length of the text.

    Args:
        text: Any text; JSON in it stays JSON.
        secrets: Texts to remove besides what the rules find, also where they are percent-encoded,
            in base64 or escaped in a JSON string. Blank ones are ignored.
    """
    clean, _ = Scanner(secrets).scrub(text)
    return clean


def find(text: str, secrets: Iterable[str] = ()) -> list[Finding]:
    """Return where the secrets of a text are, in order; the text may have several megabytes."""
    return Scanner(secrets).find(text)

"""Ages and sizes as people write them: `30d`, `12h`, `5G`, `500M`."""

import re

import click

_AGES = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
_SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_AGE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([smhdw])\Z", re.ASCII)
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)([KMGT]?)(?:i?B)?\Z", re.ASCII | re.IGNORECASE)
_NEXT = 1024


def age(text: str) -> float:
    """Return an age in seconds: a number with `s`, `m`, `h`, `d` or `w`.

    Raises:
        click.BadParameter: It is no such text.
    """
    match = _AGE.match(text)
    if match is None:
        raise click.BadParameter(f"{text!r} is no age, such as 30d, 2w or 12h")
    return float(match[1]) * _AGES[match[2]]


def size(text: str) -> int:
    """Return a size in bytes: a number with `K`, `M`, `G` or `T`, each 1,024 of the one before.

    Raises:
        click.BadParameter: It is no such text.
    """
    match = _SIZE.match(text)
    if match is None:
        raise click.BadParameter(f"{text!r} is no size, such as 5G or 500M")
    return int(float(match[1]) * _SIZES[match[2].upper()])


def size_text(count: int) -> str:
    """Return a number of bytes as `1.2 GB`, with 1,024 bytes to the kB."""
    if count < _NEXT:
        return f"{count} B"
    amount = float(count)
    for unit in ("kB", "MB", "GB"):
        amount /= _NEXT
        if amount < _NEXT:
            return f"{amount:.1f} {unit}"
    return f"{amount / _NEXT:.1f} TB"


def age_text(seconds: float) -> str:
    """Return an age in whole days, or in hours below one."""
    days, hours = int(seconds // 86_400), int(seconds // 3600)
    if days >= 1:
        return "1 day" if days == 1 else f"{days} days"
    return "1 hour" if hours == 1 else f"{max(hours, 0)} hours"

"""The corpus of secrets: recipes, whose random parts are made up here and never committed."""

import base64
import json
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parents[2] / "data" / "scrub"

_ALNUM = string.ascii_letters + string.digits
_CLASSES = {
    "alnum": _ALNUM,
    "dashed": _ALNUM + "_-",
    "letters": string.ascii_letters,
    "lower": string.ascii_lowercase + string.digits,
    "caps": string.ascii_uppercase + string.digits,
    "hex": "0123456789abcdef",
    "digits": string.digits,
    "d9": "123456789",
    "b64": _ALNUM + "/+",
}
_PART = re.compile(r"<(uuid|pem1?|[a-z0-9]+:\d+)>")
_IN_BASE64 = re.compile(r"base64\((.*?)\)")


class Positive(NamedTuple):
    """A text with a secret in it, and where `{}` stood the part that must go."""

    rule: str
    text: str
    secret: str
    clean: str


def positives() -> Iterator[Positive]:
    """Yield every positive of the corpus, each with random parts that are the same in every run."""
    for number, line in enumerate(_lines("positives.jsonl")):
        dice = random.Random(number)
        before, after = (cooked(part, dice) for part in line["text"].split("{}"))
        secret = cooked(line["secret"], dice)
        yield Positive(line["rule"], before + secret + after, secret, f"{before}[redacted]{after}")


def negatives() -> Iterator[tuple[str, str]]:
    """Yield a rule and a text that it must leave alone."""
    for number, line in enumerate(_lines("negatives.jsonl")):
        yield line["rule"], cooked(line["text"], random.Random(number))


def cooked(recipe: str, dice: random.Random) -> str:
    """Return a recipe with its parts filled in: `<alnum:36>` is 36 random letters and digits."""
    text = _PART.sub(lambda part: _made_up(part[1], dice), recipe)
    return _IN_BASE64.sub(lambda part: base64.b64encode(part[1].encode()).decode(), text)


def _made_up(part: str, dice: random.Random) -> str:
    if part == "uuid":
        return "-".join(_run("hex", length, dice) for length in (8, 4, 4, 4, 12))
    if part.startswith("pem"):
        lines = [_run("b64", length, dice) for length in (64, 64, 64, 39)]
        return ("\\n" if part == "pem1" else "\n").join(lines) + "="
    name, _, length = part.partition(":")
    return _run(name, int(length), dice)


def _run(name: str, length: int, dice: random.Random) -> str:
    """Return random characters, with all kinds of its class among the first where they fit."""
    run = [dice.choice(_CLASSES[name]) for _ in range(length)]
    # What has no digit or no capital by chance reads like a word, and the rules may say so.
    if name in ("alnum", "dashed", "b64") and length > 4:
        run[:4] = [dice.choice(kind) for kind in (string.ascii_lowercase, string.digits)] * 2
        run[4] = dice.choice(string.ascii_uppercase)
    return "".join(run)


def _lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]

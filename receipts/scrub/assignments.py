r"""Values assigned to a name that says what they are: `PASSWORD=`, `"api_key": "…"`, `--token …`.

Two families of names are judged apart (`receipts.scrub.values`): people choose passwords, machines
make tokens. The assignment may be shell, a `.env` file, JSON (also as a string within a string,
with its quotes written `\"`), YAML, TOML, a program, a query string or a connection string.
"""

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from receipts.scrub.rule import Span, compiled, matches_at, standing_alone
from receipts.scrub.values import is_code, is_password, is_token

KEYWORDS = ("passw", "passphrase", "pwd", "pass", "secret", "token", "credential", "key")

# The last letter of what makes `key` a name (below) is checked first: the word alone is common.
_STARTS = (*KEYWORDS[:-1], "key(?<=[isetdhngr_-]key)")

# What stands before a keyword is looked at from there, so that every name starts with one.
_ACCOUNTS = "db|smtp|user|mysql|pg|redis|mail|ftp|admin|root|ssh|sudo|login"
_KINDS_OF_KEY = (
    "api|access|private|account|shared|auth|encryption|signing|master|subscription|license"
    "|service|storage|session"
)


def _after(words: str, keyword: str) -> str:
    """Return a pattern for a keyword behind one of some words, or in capitals behind any word."""
    before = "|".join(f"(?<={word})|(?<={word}[_-])" for word in words.split("|"))
    return f"(?:(?:{before}){keyword}|(?-i:(?<=[A-Z0-9]_){keyword.upper()}))"


_SAYS_PASSWORD = (
    rf"passw(?:or)?d|passphrase|{standing_alone('pwd', 'A-Za-z0-9')}"
    rf"|{_after(_ACCOUNTS, 'pass')}(?![A-Za-z])"
)
_SAYS_TOKEN = rf"secret|token|credentials?|{_after(_KINDS_OF_KEY, 'key')}"
# `tokens` and `token_id` still speak of a token; `tokenizer` does not.
_SUFFIX = r"(?P<suffix>s?+(?>(?-i:(?=[A-Z0-9_-])[\w-]{1,32}+)?))"
_NAME = rf"(?:(?P<password>{_SAYS_PASSWORD})|(?P<token>{_SAYS_TOKEN})){_SUFFIX}"

# Names that speak about a secret without holding one: `token_count`, `secretName`, `password-file`.
_ABOUT = re.compile(
    r"(?:file|path|name|ids?|type|kind|count|limit|max|min|length|len|size|ur[il]|uris?|endpoint|"
    r"field|column|policy|expir\w*|ttl|age|env|var|variable|ref|algorithm|alg|format|hint|label|"
    r"placeholder|prompt|prefix|suffix|pattern|regexp?|error|message|help|description|title|header|"
    r"scope|provider|manager|store|service|backend|version|status|state|reset|budget|usage|window|"
    r"rate|index|required|enabled|protected|rotation|length|mode|location|dir|folder)s?$",
    re.IGNORECASE,
)

_QUOTE = r"\\*[\"'`]|&quot;|&#3[49];|%22"
_AS_TYPE = r"(?>(?:[ \t]{0,4}+:[ \t]{0,4}+[A-Za-z_][\w.|\[\]]{0,40}+[ \t]{1,4}+(?==[^=]))?)"
_OPERATOR = r"=>|:=|\?=|={1,3}|::?|\\u003[dD]|%3[dDaA]|>"
# Kubernetes, Docker and others write the name and the value as two members.
_PAIR = (
    rf"(?>(?:{_QUOTE})?)[ \t]{{0,4}}+,?[\s,]{{1,40}}+"
    rf"(?>(?:{_QUOTE})?)value(?>(?:{_QUOTE})?)[ \t]{{0,4}}+[:=]"
)
_HEAD = (
    rf"{_NAME}(?:(?>(?:{_QUOTE})?)\]?+{_AS_TYPE}[ \t]{{0,8}}+(?P<operator>{_OPERATOR})|{_PAIR})"
    rf"(?P<space>[ \t]{{0,8}}+)(?>(?:\*\*[ \t]{{0,4}}+)?)(?:[bfru]{{0,2}}(?P<quote>{_QUOTE}))?"
)
_FLAG = (
    r"(?<!-)--(?:[a-z0-9]{1,12}-){0,2}"
    r"(?:(?P<password>passw(?:or)?d|passphrase)|(?P<token>token|secret|api-?key))"
    r"[ \t]{1,4}+[\"']?(?P<secret>[^\s\"'`\\<>]{6,512}+)"
)
# A bare value ends at white space, a quote or an escape, and where a next pair starts.
_BARE = r"(?>(?:[^\s\"'`<>\\;,&]|[;,&](?!\s|$|[\"'\\]|[\w.% -]{1,40}[=:])|\\(?![\"'\\nrtu]|$))*)"
# A template or an expression, or the name in the next assignment: `token=password=…`.
_NOT_A_VALUE = (
    r"[$<{(*\[]|%[({]"
    r"|[\w.-]{0,40}?(?:passw|pwd|secret|token|key|credential)[\w-]{0,32}+[\"']?[=:]"
)

# In `https://x-access-token:…@host` the colon assigns nothing.
_USER_OF_URL = re.compile(r"://[^\s/?#@]*:\Z")

_LONGEST = 4_096
"""Characters of a quoted value; a longer one is taken for unquoted text."""
_JUDGED = 512
"""Characters of a value that are looked at; a longer one is hidden whole if they tell it."""


class _Name(NamedTuple):
    """A name that says what it holds."""

    is_password: bool
    is_variable: bool


def assigned(text: str) -> Iterator[Span]:
    """Yield every value that was assigned to a name that says password, token, secret or key."""
    not_a_value = compiled(_NOT_A_VALUE, ignores_case=True)
    done = 0
    ends = _Ends(text)
    for head in matches_at(_STARTS, compiled(_HEAD, ignores_case=True), text):
        start = head.end()
        # Most heads are prose or code; what follows them is settled by its first characters.
        if start < done or not_a_value.match(text, start) or _is_about(head["suffix"]):
            continue
        if head["operator"] == ":" and _USER_OF_URL.search(text[max(head.start() - 80, 0) : start]):
            continue
        end = ends.quoted(start, head["quote"]) if head["quote"] else None
        is_quoted = end is not None
        end = ends.bare(start) if end is None else end
        value = text[start : min(end, start + _JUDGED)]
        if not is_quoted:
            value, end = _trimmed(value, start, end)
        if value and _is_secret(value, _name(head), is_quoted=is_quoted):
            done = end
            yield start, end
    yield from _flags(text)


def is_secret_field(name: str, value: str) -> bool:
    """Say whether a field of a document holds a secret by its name, as `{"password": …}` does."""
    matches = list(compiled(_NAME, ignores_case=True).finditer(name[:_JUDGED]))
    if not matches or _is_about(matches[-1]["suffix"]):
        return False
    kind = _Name(is_password=bool(matches[-1]["password"]), is_variable=name == name.upper())
    return _is_secret(value[:_JUDGED], kind, is_quoted=True)


@functools.lru_cache(maxsize=256)  # a document has few names and asks about each very often
def names_a_secret(name: str) -> bool:
    """Say whether a name speaks of a secret that it holds."""
    matches = list(compiled(_NAME, ignores_case=True).finditer(name[:_JUDGED]))
    return bool(matches) and not _is_about(matches[-1]["suffix"])


def _is_about(suffix: str) -> bool:
    return bool(suffix) and bool(_ABOUT.search(suffix))


def _name(head: re.Match[str]) -> _Name:
    """Return what a name says; an environment variable has capitals and `=` without blanks."""
    word = head["password"] or head["token"]
    is_variable = word == word.upper() and head["operator"] in ("=", None)
    is_variable = is_variable and not (head["operator"] and head["space"])
    return _Name(is_password=bool(head["password"]), is_variable=is_variable)


def _is_secret(value: str, name: _Name, *, is_quoted: bool) -> bool:
    if not is_quoted and not (name.is_variable and value.isalpha()) and is_code(value):
        return False
    judge = is_password if name.is_password else is_token
    return judge(value, from_environment=name.is_variable)


def _trimmed(value: str, start: int, end: int) -> tuple[str, int]:
    """Leave off the punctuation that ends a sentence, a call or a list and not the value."""
    kept = value.rstrip(".,;:)]}*|")
    if start + len(value) < end:
        return value, end
    return kept, start + len(kept)


def _flags(text: str) -> Iterator[Span]:
    """Yield what follows `--password`, `--token` and the like after a blank."""
    if "--" not in text:
        return
    for match in compiled(_FLAG).finditer(text):
        value = match["secret"][:_JUDGED]
        judge = is_password if match["password"] else is_token
        if not is_code(value) and judge(value):
            yield match.span("secret")


class _Ends:
    """Where values end. Runs are remembered, so that many heads within one run stay linear."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._run_end = -1

    def bare(self, start: int) -> int:
        """Return the end of an unquoted value."""
        if start >= self._run_end:
            match = compiled(_BARE).match(self._text, start)
            self._run_end = match.end() if match else start
        return self._run_end

    def quoted(self, start: int, quote: str) -> int | None:
        """Return the end of a quoted value; None if its quote never closes on its line."""
        limit = start + _LONGEST
        if len(quote) == 1:
            inside = rf"(?:[^{quote}\\\n]|\\.){{0,{_LONGEST}}}+(?={quote})"
            match = compiled(inside).match(self._text, start)
            return match.end() if match else None
        # An escaped quote is closed by one with as many backslashes; fewer end the outer string.
        closing = compiled(rf"\n|{quote}" if "\\" not in quote else rf"\n|(?<!\\)\\*+{quote[-1]}")
        for match in closing.finditer(self._text, start, limit):
            if len(match[0]) <= len(quote):
                return match.start() if match[0] == quote else None
        return None

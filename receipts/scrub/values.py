"""Telling a secret from what only stands where a secret could: placeholders, code and prose.

Every judgement here is about one value, the text that was assigned, sent or put into a URL.
"""

import re

MARK = "[redacted]"
"""What stands where a secret was. It says nothing about it, not even its length."""

# Words that documentation writes where the reader's own secret belongs.
_PLACEHOLDER_WORDS = frozenset(
    [
        "a",
        "abc",
        "access",
        "account",
        "admin",
        "an",
        "and",
        "any",
        "api",
        "apikey",
        "auth",
        "bar",
        "basic",
        "baz",
        "bearer",
        "bool",
        "boolean",
        "bytes",
        "change",
        "changeme",
        "client",
        "config",
        "cookie",
        "correct",
        "current",
        "db",
        "dbpass",
        "dbpassword",
        "dbuser",
        "default",
        "demo",
        "dummy",
        "empty",
        "enter",
        "env",
        "environ",
        "environment",
        "example",
        "fake",
        "fill",
        "fixme",
        "foo",
        "for",
        "from",
        "goes",
        "guest",
        "hash",
        "here",
        "hidden",
        "id",
        "in",
        "insert",
        "int",
        "invalid",
        "is",
        "it",
        "jwt",
        "key",
        "keys",
        "login",
        "masked",
        "me",
        "missing",
        "mock",
        "mongo",
        "my",
        "myapp",
        "mydb",
        "mypassword",
        "mysecret",
        "mysql",
        "new",
        "nil",
        "no",
        "none",
        "not",
        "null",
        "object",
        "of",
        "old",
        "optional",
        "or",
        "our",
        "param",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "placeholder",
        "postgres",
        "postgresql",
        "private",
        "public",
        "pw",
        "pwd",
        "qux",
        "rabbitmq",
        "redacted",
        "redis",
        "removed",
        "replace",
        "replaceme",
        "required",
        "root",
        "sa",
        "sample",
        "secret",
        "secrets",
        "session",
        "set",
        "some",
        "str",
        "string",
        "test",
        "testing",
        "tests",
        "text",
        "that",
        "the",
        "this",
        "to",
        "todo",
        "token",
        "tokens",
        "true",
        "type",
        "undefined",
        "use",
        "user",
        "username",
        "using",
        "val",
        "valid",
        "value",
        "var",
        "variable",
        "with",
        "wrong",
        "xxx",
        "yes",
        "you",
        "your",
    ]
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")

# What a template engine, a shell or a formatter will fill in, and what an author left out.
_TEMPLATE = re.compile(
    r"\$[{(]|^\$[A-Za-z_]|\{\{|\{[A-Za-z_][\w.]*\}|<[A-Za-z_]|^%[A-Za-z_]\w*%|%\(|^%[sd]"
    r"|\.\.\.|…|\*\*\*|•••|(?<![A-Za-z0-9])[xX]{4}|[xX]{6}|(?i:your[-_])",
    re.ASCII,
)
_TEMPLATE_CHARACTER = re.compile(r"[$%{<.…*•xXyY]")
_FILLER = re.compile(r"[xX]{6}|(?i:your[-_]|placeholder)|\.\.\.|…")
_CALL = re.compile(r"[A-Za-z_][\w.]*(?:\(|\[|->|::)", re.ASCII)
_NAMES = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]\w*)*", re.ASCII)
_PATH = re.compile(r"(?:~|\.{0,2}|[A-Za-z]:)(?:[/\\][\w.@-]{1,24})+[/\\]?", re.ASCII)
_WORDLIKE_PART = re.compile(
    r"(?:[a-z]{0,16}|[A-Z]{1,16}|[A-Z][a-z]{1,15})\d{0,3}|\d{1,4}", re.ASCII
)
_SPACE = re.compile(r"\s")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_PARTS = re.compile(r"[-_./:@ ]")


def is_placeholder(value: str) -> bool:
    """Say whether a value only marks where a secret goes: `changeme`, `${TOKEN}`, `<key>`."""
    if not value or MARK in value:
        return True
    if _TEMPLATE_CHARACTER.search(value) and _TEMPLATE.search(value):
        return True
    words = _WORD.findall(value[:-1] if value[-1].isdigit() else value)
    if not words:
        return len(set(value)) < 3
    return all(word.lower() in _PLACEHOLDER_WORDS for word in words)


def is_filled_in(token: str) -> bool:
    """Say whether a token with a provider's prefix has a body, and not `xxxxxx` or `your-key`."""
    return not _FILLER.search(token)


def is_code(value: str) -> bool:
    """Say whether a bare value is an expression or a path, such as `os.environ[` or `/run/key`."""
    return bool(_CALL.match(value) or _NAMES.fullmatch(value) or is_path(value))


def is_path(value: str) -> bool:
    """Say whether a value is the path of a file."""
    return bool(_PATH.fullmatch(value))


def is_wordlike(value: str) -> bool:
    """Say whether a value is made of words, years and versions, like `my-app-tls-v2`."""
    return all(_WORDLIKE_PART.fullmatch(part) for part in _PARTS.split(value))


def _is_run_of_words(letters: str) -> bool:
    """Say whether letters read like `someCamelCaseName`; random ones change case all the time."""
    words = _WORD.findall(letters)
    return max(map(len, words)) <= 16 and len(letters) >= 3 * len(words)


def is_password(value: str, *, from_environment: bool = False) -> bool:
    """Say whether a value assigned to a password is one.

    People choose passwords, so little is asked: six characters and something besides letters.
    `PASSWORD=letters`, as shells and `.env` files write it, needs no more than the six characters.
    """
    if len(value) < 6 or is_placeholder(value) or is_path(value) or "://" in value:
        return False
    if from_environment:
        return True
    if _SPACE.search(value):
        return False
    if value.isascii() and value.isalpha():
        return not is_wordlike(value) and not _is_run_of_words(value)
    return bool(_DIGIT.search(value)) or not is_wordlike(value)


def is_token(value: str, *, from_environment: bool = False) -> bool:
    """Say whether a value assigned to a token or key is one.

    Machines make tokens: eight characters or more with letters and digits that no words make up,
    or a long run of letters that is no name. In a variable one word with digits will do.
    """
    if len(value) < 8 or is_placeholder(value) or is_path(value) or "://" in value:
        return False
    if _SPACE.search(value) or (is_wordlike(value) and not (from_environment and value.isalnum())):
        return False
    if value.isascii() and value.isalpha():
        return len(value) >= 16 and not _is_run_of_words(value)
    return bool(_LETTER.search(value)) and (bool(_DIGIT.search(value)) or len(value) >= 24)

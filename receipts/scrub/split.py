"""Tokens that a line break cuts in two.

Only a token whose length is known can be told with certainty: what stands on both lines together
has exactly that length, and the second half is no word of its own.
"""

import re

from receipts.scrub.rule import Rule, standing_alone
from receipts.scrub.values import is_filled_in

_ALNUM = "A-Za-z0-9"
_DASHED = "A-Za-z0-9_-"

# Rule, what it is, prefix, class of the body, length of the body.
_FIXED = (
    ("github-token", "GitHub personal access token", "ghp_", _ALNUM, 36),
    ("github-app-token", "GitHub OAuth, user, server or refresh token", "gh[ousr]_", _ALNUM, 36),
    ("github-fine-grained-token", "GitHub fine-grained token", "github_pat_", "A-Za-z0-9_", 82),
    ("anthropic-key", "Anthropic API key", "sk-ant-api03-", _DASHED, 95),
    ("gitlab-token", "GitLab access token", "glpat-", _DASHED, 20),
    ("npm-token", "npm access token", "npm_", _ALNUM, 36),
    ("google-api-key", "Google API key", "AIza", _DASHED, 35),
    ("hugging-face-token", "Hugging Face token", "hf_", _ALNUM, 34),
    ("groq-key", "Groq key", "gsk_", _ALNUM, 52),
    ("xai-key", "xAI key", "xai-", _ALNUM, 80),
    ("aws-access-key-id", "AWS access key id", "A[KS]IA", "0-9A-Z", 16),
)
_BREAK = re.compile(r"(?:\\+[nr]|[\r\n])+[ \t]*")


def rules() -> tuple[Rule, ...]:
    """Return a rule for every token of known length, for where it is cut."""
    return tuple(_rule(*fixed) for fixed in _FIXED)


def _rule(name: str, what: str, prefix: str, body: str, length: int) -> Rule:
    half = f"[{body}]{{1,{length - 1}}}+"
    pattern = (
        rf"{standing_alone(prefix)}{half}(?:\r?\n|(?>(?:\\+r)?)\\+n)[ \t]{{0,16}}+"
        rf"{half}(?![{body}])"
    )
    width = len(re.sub(r"\[.*?\]", "x", prefix)) + length
    keywords = ("AKIA", "ASIA") if name == "aws-access-key-id" else (prefix.partition("[")[0],)

    def is_whole(token: str) -> bool:
        first, second = _BREAK.split(token, maxsplit=1)
        word = second.isalpha() and second in (second.lower(), second.upper(), second.title())
        return len(first) + len(second) == width and is_filled_in(token) and not word

    return Rule(name, what, keywords, pattern, is_whole)

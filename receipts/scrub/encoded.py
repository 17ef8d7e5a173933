"""Well-known tokens in base64, as `echo -n $TOKEN | base64` and Kubernetes secrets write them.

Only a token at the start of what was encoded can be told; it is decoded to be sure.
"""

import base64
import re

from receipts.scrub.rule import WORD, standing_alone

_PREFIXES = (
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "sk-ant-",
    "sk-proj-",
    "AKIA",
    "ASIA",
    "xoxb-",
    "xoxp-",
    "hf_",
    "npm_",
    "AIza",
)
_TOKEN = re.compile(rf"(?:{'|'.join(_PREFIXES)})[A-Za-z0-9_-]{{12,}}", re.ASCII)


def _shared_part(prefix: str) -> str:
    """Return the base64 of a prefix, as far as it is the same whatever follows."""
    return base64.b64encode(prefix.encode()).decode()[: len(prefix) * 8 // 6]


STARTS = tuple(_shared_part(prefix) for prefix in _PREFIXES)
"""What base64 of a token starts with, for every prefix."""

PATTERN = (
    f"(?:{'|'.join(standing_alone(start, WORD + '+-') for start in STARTS)})"
    "[A-Za-z0-9+/]{20,}+={0,2}+"
)


def is_token(run: str) -> bool:
    """Say whether a run of base64 is that of a token."""
    whole = run.rstrip("=")
    decoded = base64.b64decode(whole[: len(whole) // 4 * 4])
    return bool(_TOKEN.match(decoded.decode("latin-1")))

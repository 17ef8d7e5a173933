"""Passwords in the addresses that `url.<base>.insteadOf` gives, kept out of process titles.

git hands the rewritten address to a program of its own as an argument, which every user of the
machine can read. So it is given the address without the password, and the password as a header.
"""

import base64
from urllib.parse import unquote, urlsplit

from publish.git.settings import Setting


def without_password(url: str, rewritten: str) -> list[Setting]:
    """Return the settings that make git use the same address and password unseen; often none.

    Args:
        url: The address that git is given.
        rewritten: What the user's configuration makes of it.
    """
    try:
        parts = urlsplit(rewritten)
    except ValueError:
        return []
    if parts.scheme not in ("http", "https") or parts.password is None:
        return []
    who = f"{unquote(parts.username or '')}:{unquote(parts.password)}"
    header = f"Authorization: Basic {base64.b64encode(who.encode()).decode()}"
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    # The whole address is a longer match than the user's rule, so it wins.
    rules = [f"url.{plain}.insteadof", f"url.{plain}.pushinsteadof"]
    return [
        *(Setting(rule, url, own=True) for rule in rules),
        Setting(f"http.{plain}.extraheader", header, own=True),
    ]

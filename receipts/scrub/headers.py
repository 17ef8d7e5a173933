"""Credentials that a protocol puts in a known place: URLs, HTTP headers, cookies, `curl -u`."""

import re
from collections.abc import Iterator

from receipts.scrub.rule import Span, compiled, matches_at, standing_alone
from receipts.scrub.values import is_code, is_password, is_placeholder, is_token, is_wordlike

_WORD = "A-Za-z0-9"
_USERINFO = r"://(?P<user>[^\s/?#:@\"'`<>\\]*+)(?P<rest>(?>(?:[:@][^\s/\"'`<>\\]*+)?))"
_PORT = re.compile(r"\d{1,5}[?#,]", re.ASCII)

# What stands between a header's name and its value, in a request, a shell, JSON or a program.
_BLANK = r"(?:[ \t]|%20|\+)"
_IS = (
    r"(?>(?:\\*[\"'`])?)\]?+[ \t]{0,4}+(?:=>|[:=,]|%3[aA])"
    rf"(?>{_BLANK}{{0,4}})(?>(?:[bfru]?\\*[\"'`])?)"
)
_AUTHORIZATION = (
    rf"authorization{_IS}(?>(?:(?P<scheme>bearer|basic|token|bot|apikey|api-key|key|negotiate|ntlm|"
    r"digest|oauth|hawk|sharedkey|sharedaccesssignature|geniekey|aws4-hmac-sha256)"
    rf"(?>{_BLANK}+))?)"
    r"(?P<secret>[^\s\"'`\\,;<>]++)"
)
# A scheme of a provider's own: `SSWS …`. Prose goes on behind a word that looks like a credential.
_OWN_SCHEME = (
    r"[A-Za-z][\w.-]{0,40}+(?>(?:[ \t]|%20)+)"
    r"(?P<secret>[^\s\"'`\\,;<>]{20,}+|[^\s\"'`\\,;<>]{8,}+(?=[ \t]*+(?:\Z|[\r\n\"'`\\,;<>])))"
)
_LISTS = ("digest", "oauth", "hawk", "aws4-hmac-sha256", "sharedaccesssignature")
_REST_OF_HEADER = r"[^\r\n\"'`\\]*+"
_BEARER = standing_alone("bearer", _WORD) + r"[ \t]{1,4}+(?P<secret>[A-Za-z0-9._~+/-]{16,}+=*+)"

_COOKIE = rf"cookie{_IS}(?=[\w.-]{{1,64}}=)"
_PAIR = (
    r"[ \t]{0,4}+(?P<name>[\w.-]{1,64}+)(?>(?:=(?P<secret>[^\s;\"'`\\]*+))?)"
    r"(?:;|$|(?=[\s\"'`\\]))"
)
_SESSION = re.compile(r"sess|sid|auth|token|jwt|login|csrf|xsrf", re.IGNORECASE)
_ATTRIBUTES = {"path", "domain", "expires", "max-age", "samesite", "priority", "version"}

_CURL_USER = r"\s(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{1,64}+:(?P<secret>[^\s\"']{1,256}+)"
_SSHPASS = (
    standing_alone("sshpass", _WORD) + r"\s{1,4}+-p\s{0,4}+[\"']?(?P<secret>[^\s\"']{1,256}+)"
)
_NETRC = (
    standing_alone("machine", _WORD)
    + r"\s{1,8}+\S{1,128}+\s{1,8}+login\s{1,8}+\S{1,128}+\s{1,8}+password\s{1,8}+"
    r"(?P<secret>[^\s\"'\\]{1,256}+)"
)
_LINE = 400
"""Characters before `-u` in which its `curl` is looked for."""


def url_passwords(text: str) -> Iterator[Span]:
    """Yield the password of every URL that has one, or the token that stands in for its user."""
    for match in compiled(_USERINFO).finditer(text):
        user, rest = match["user"], match["rest"]
        # A password may hold `@` itself; the host follows the last one.
        before, at, _ = rest.rpartition("@")
        if before.startswith(":") and _is_url_password(before[1:], user):
            start = match.start("rest")
            yield start + 1, start + len(before)
        if at and len(user) >= 16 and is_token(user):
            yield match.span("user")


def _is_url_password(password: str, user: str) -> bool:
    if len(password) < 3 or password == user or _PORT.match(password):
        return False
    return not is_placeholder(password)


def authorization(text: str) -> Iterator[Span]:
    """Yield what an Authorization header carries; its scheme stays."""
    pattern = compiled(_AUTHORIZATION, ignores_case=True)
    for match in matches_at(("authorization",), pattern, text):
        start, end = match.span("secret")
        scheme = (match["scheme"] or "").lower()
        if scheme in _LISTS:
            rest = compiled(_REST_OF_HEADER).match(text, start)
            end = rest.end() if rest else end
        secret = text[start:end]
        if _is_credential(secret, scheme):
            yield start, start + len(secret.rstrip(".)]}"))
        elif not scheme and (own := compiled(_OWN_SCHEME).match(text, start)):
            secret = own["secret"].rstrip(".)]}")
            if _is_credential(secret, ""):
                yield own.start("secret"), own.start("secret") + len(secret)


def _is_credential(secret: str, scheme: str) -> bool:
    if len(secret) < 6 or secret.startswith("{") or secret.endswith(":"):
        return False
    if is_placeholder(secret[:512]):
        return False
    if scheme in _LISTS:
        return "=" in secret
    if scheme == "basic":
        return secret.isascii() and secret != secret.lower()
    if scheme:
        return any(character.isdigit() for character in secret) or not is_wordlike(secret)
    return is_token(secret) and not is_code(secret)


def bearer(text: str) -> Iterator[Span]:
    """Yield a token behind `Bearer` outside a header."""
    for match in matches_at(("bearer",), compiled(_BEARER, ignores_case=True), text):
        if is_token(match["secret"]):
            yield match.span("secret")


def cookies(text: str) -> Iterator[Span]:
    """Yield the values of a Cookie or Set-Cookie header; their names and attributes stay."""
    pair = compiled(_PAIR)
    for header in matches_at(("cookie",), compiled(_COOKIE, ignores_case=True), text):
        place = header.end()
        while match := pair.match(text, place):
            if _is_cookie(match["name"], match["secret"] or ""):
                yield match.span("secret")
            if match.end() == place or text[match.end() - 1] != ";":
                break
            place = match.end()


def _is_cookie(name: str, value: str) -> bool:
    if len(value) < 6 or name.lower() in _ATTRIBUTES or is_placeholder(value):
        return False
    return is_token(value) or (bool(_SESSION.search(name)) and is_password(value))


def logins(text: str) -> Iterator[Span]:
    """Yield passwords on the command lines of curl and sshpass, and in netrc files."""
    for match in compiled(_CURL_USER).finditer(text):
        before = text[max(match.start() - _LINE, 0) : match.start()]
        if "curl" in before.rpartition("\n")[2] and is_password(match["secret"]):
            yield match.span("secret")
    for pattern in (_SSHPASS, _NETRC):
        for match in compiled(pattern).finditer(text):
            if is_password(match["secret"]):
                yield match.span("secret")

"""dulwich's HTTP client set up as git sets up its own: proxy, certificates, headers, limits."""

import contextlib
import logging
import os
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlparse, urlsplit

import urllib3
from dulwich.client import GitClient, Urllib3HttpGitClient, default_urllib3_manager
from dulwich.config import Config
from dulwich.credentials import match_urls
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from publish.git import environment, process
from publish.git.remote import Remote
from receipts.errors import RemoteError

Watch = Callable[[HTTPConnection], None]

# dulwich warns of a header that it does not understand, and prints it, token and all.
logging.getLogger("dulwich").addHandler(logging.NullHandler())


def client(remote: Remote, watch: Watch, heard: Callable[[int, str], None]) -> GitClient:
    """Return a client for an http(s) remote.

    Args:
        remote: The remote.
        watch: Called with every connection once it is open.
        heard: dulwich's `report_activity`.

    Raises:
        RemoteError: The proxy that is configured is of a kind that only git can use.
        TeamError: git's configuration cannot be read.
    """
    config = environment.user_config()
    # dulwich takes the time-out as it is and hands it on; urllib3 wants one for each phase.
    timeout: Any = urllib3.Timeout(connect=process.CONNECT_SECONDS, read=process.SILENCE_SECONDS)

    def manager_of(*_: object, **options: Any) -> urllib3.PoolManager:  # noqa: ANN401 - urllib3's
        # Whether dulwich found a proxy does not matter: it reads too few of git's settings.
        options.pop("proxy_headers", None)
        options |= _certificates(config, remote.url, options.get("ca_certs"))
        return _manager(_proxy(config, remote), options)

    manager: Any = default_urllib3_manager(
        config,
        pool_manager_cls=manager_of,  # type: ignore[arg-type]  # it is only called
        proxy_manager_cls=manager_of,  # type: ignore[arg-type]
        base_url=remote.url,
        timeout=timeout,
    )
    manager.pool_classes_by_scheme = _pools(watch)
    manager.connection_pool_kw["retries"] = urllib3.Retry(0, redirect=5)
    return Urllib3HttpGitClient(
        remote.url,
        pool_manager=manager,
        config=config,
        timeout=timeout,
        username=remote.user or None,
        report_activity=heard,
    )


def _pools(watch: Watch) -> dict[str, type[HTTPConnectionPool]]:
    class Plain(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            watch(self)

    class Secure(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            watch(self)

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}


def _manager(proxy: str | None, options: dict[str, Any]) -> urllib3.PoolManager:
    if proxy is None:
        return urllib3.PoolManager(**options)
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise RemoteError(
            "The proxy that is configured is none that can be used without git.", "Install git."
        )
    headers = None
    if parts.username is not None:
        who = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers = urllib3.make_headers(proxy_basic_auth=who)
    place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    return urllib3.ProxyManager(place, proxy_headers=headers, **options)


def _proxy(config: Config, remote: Remote) -> str | None:
    """Return the proxy for a remote, as git and curl choose it."""
    # curl reads HTTP_PROXY in lower case only: a web server sets it from a client's header.
    names = ["http_proxy"] if remote.kind == "http" else ["https_proxy", "HTTPS_PROXY"]
    names += ["all_proxy", "ALL_PROXY"]
    proxy = _configured(config, remote.url, "proxy")
    if proxy is None:
        proxy = next((os.environ[name] for name in names if os.environ.get(name)), None)
    return proxy if proxy and not _is_direct(remote.host.lower()) else None


def _is_direct(host: str) -> bool:
    without = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    names = [name.strip().lower().lstrip(".") for name in without.split(",")]
    return any(name in ("*", host) or (name and host.endswith(f".{name}")) for name in names)


def _certificates(config: Config, url: str, configured: str | None) -> dict[str, str | None]:
    file = os.environ.get("GIT_SSL_CAINFO") or configured
    folder = os.environ.get("GIT_SSL_CAPATH") or _configured(config, url, "sslCAPath")
    return {
        "ca_certs": os.path.expanduser(file) if file else None,
        "ca_cert_dir": os.path.expanduser(folder) if folder else None,
    }


def _configured(config: Config, url: str, key: str) -> str | None:
    """Return the value of `http.<url>.<key>` that fits an address best, or of `http.<key>`."""
    parsed = urlparse(url)
    found: list[tuple[int, str]] = []
    for section in config.sections():
        if section[0] != b"http":
            continue
        pattern = section[1].decode("utf-8", "replace") if len(section) > 1 else ""
        if not pattern or match_urls(parsed, urlparse(pattern)):
            with contextlib.suppress(KeyError):
                value = config.get(section, key.encode())
                found.append((len(pattern), value.decode("utf-8", "replace")))
    return max(found, key=lambda item: item[0])[1] if found else None

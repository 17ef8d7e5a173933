"""An HTTP proxy: forwards requests, opens tunnels, knows hosts that nobody else can find."""

import base64
import contextlib
import socket
import socketserver
import threading
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

Place = tuple[str, int]
_LIMIT = 1 << 16


class Proxy(socketserver.ThreadingTCPServer):
    """What it was asked for is in `requests`, one request line each."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, hosts: Mapping[str, Place], login: str | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hosts, self.requests = hosts, list[str]()
        token = base64.b64encode(login.encode()).decode() if login else ""
        self.authorization = f"Basic {token}" if login else None

    @property
    def place(self) -> str:
        """`host:port`."""
        return f"127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: connections are cut all the time."""


class _Handler(socketserver.StreamRequestHandler):
    server: Proxy

    def handle(self) -> None:
        line = self.rfile.readline(_LIMIT).decode("latin-1").strip()
        headers = [
            header.decode("latin-1") for header in iter(self.rfile.readline, b"\r\n") if header
        ]
        self.server.requests.append(line)
        wanted = self.server.authorization
        if wanted and f"proxy-authorization: {wanted}".lower() not in (
            h.strip().lower() for h in headers
        ):
            self.wfile.write(
                b"HTTP/1.1 407 Proxy Authentication Required\r\n"
                b'Proxy-Authenticate: Basic realm="proxy"\r\n'
                b"Content-Length: 0\r\nConnection: close\r\n\r\n"
            )
            return
        method, target, _ = line.split(" ")
        if method == "CONNECT":
            name, _, port = target.rpartition(":")
            with socket.create_connection(self.place_of(name, int(port))) as there:
                self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                self.relay(there)
            return
        parts = urlsplit(target)
        with socket.create_connection(
            self.place_of(parts.hostname or "", parts.port or 80)
        ) as there:
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            kept = [h for h in headers if not h.lower().startswith(("proxy-", "connection:"))]
            head = f"{method} {path} HTTP/1.1\r\n{''.join(kept)}Connection: close\r\n\r\n"
            there.sendall(head.encode("latin-1"))
            self.relay(there)

    def place_of(self, name: str, port: int) -> Place:
        return self.server.hosts.get(name, (name, port))

    def relay(self, there: socket.socket) -> None:
        def answers() -> None:
            with contextlib.suppress(OSError):
                while data := there.recv(_LIMIT):
                    self.wfile.write(data)
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

        back = threading.Thread(target=answers, daemon=True)
        back.start()
        with contextlib.suppress(OSError):
            while data := self.rfile.read1(_LIMIT):
                there.sendall(data)
            there.shutdown(socket.SHUT_WR)
        back.join()


@contextlib.contextmanager
def http_proxy(hosts: Mapping[str, Place], login: str | None = None) -> Iterator[Proxy]:
    """Run a proxy in threads of this process.

    Args:
        hosts: Names that only it knows, and where they are.
        login: `user:password` that it asks for.
    """
    with Proxy(hosts, login) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()

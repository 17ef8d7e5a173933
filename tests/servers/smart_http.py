"""`git http-backend` behind the standard library's HTTP server: real rules, real answers."""

import base64
import contextlib
import os
import shutil
import ssl
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import unquote

_COPY = 1 << 16


class Access(NamedTuple):
    """Who may come in: the scheme that is asked for and the header that satisfies it."""

    challenge: str
    authorization: str


def basic(user: str, password: str) -> Access:
    """Ask for a user name and a password."""
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    return Access('Basic realm="team"', f"Basic {token}")


def bearer(token: str) -> Access:
    """Ask for a token."""
    return Access('Bearer realm="team"', f"Bearer {token}")


# Called with the handler before git is asked; True when it has answered itself.
Meddle = Callable[["Handler"], bool]


class Server(ThreadingHTTPServer):
    """Serves the repositories below the file system's root."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(
        self, access: Access | None, meddle: Meddle | None, certificate: Path | None
    ) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.scheme = "http"
        if certificate is not None:
            self.scheme = "https"
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # The handshake is left to the thread of the connection: a client that turns away from
            # an unknown certificate must not end the accepting.
            self.socket = context.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )
        self.access, self.meddle = access, meddle
        self.environment = dict(os.environ)  # as it is now: a test may then hide git from us
        self.git = shutil.which("git") or "git"
        self.requests: list[str] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that hang up are what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    """One request: authorised, its body put in a file, handed to `git http-backend`."""

    protocol_version = "HTTP/1.1"
    server: Server
    body: IO[bytes]

    def do_GET(self) -> None:
        """Answer a request for references."""
        self._answer()

    def do_POST(self) -> None:
        """Answer a fetch or a push."""
        self._answer()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep the request line where tests can see it."""
        self.server.requests.append(format % args)

    def _answer(self) -> None:
        with tempfile.TemporaryFile() as body:
            self.body = body
            self._read_body(body)
            access = self.server.access
            if access and self.headers.get("Authorization") != access.authorization:
                self.reply(401, {"WWW-Authenticate": access.challenge}, b"who are you?\n")
                return
            if self.server.meddle is not None and self.server.meddle(self):
                return
            self.reply(*self.backend(body))

    def backend(self, body: IO[bytes]) -> tuple[int, dict[str, str], bytes]:
        """Run git and return its status, headers and body."""
        path, _, query = self.path.partition("?")
        size = body.seek(0, 2)
        body.seek(0)
        environment = {
            **self.server.environment,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PROJECT_ROOT": "/",
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": unquote(path),
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(size),
            "REMOTE_ADDR": "127.0.0.1",
            "REMOTE_USER": "member",
        }
        if encoding := self.headers.get("Content-Encoding"):
            environment["HTTP_CONTENT_ENCODING"] = encoding
        if protocol := self.headers.get("Git-Protocol"):
            environment["GIT_PROTOCOL"] = protocol
        done = subprocess.run(
            [self.server.git, "http-backend"], stdin=body, capture_output=True, env=environment
        )
        head, _, rest = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        status = int(headers.pop("Status", "200 OK").split()[0])
        return status, headers, rest

    def reply(self, status: int, headers: dict[str, str], body: bytes) -> None:
        """Send an answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _read_body(self, body: IO[bytes]) -> None:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body.write(self.rfile.read(size))
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return
        left = int(self.headers.get("Content-Length") or 0)
        while left and (chunk := self.rfile.read(min(left, _COPY))):
            body.write(chunk)
            left -= len(chunk)


class Running(NamedTuple):
    """A server that runs: the address of the file system's root, and the server itself."""

    url: str
    server: Server

    def url_of(self, repository: Path) -> str:
        """Return the address of a repository on this machine."""
        return f"{self.url}{repository}"


@contextlib.contextmanager
def smart_http(
    access: Access | None = None,
    meddle: Meddle | None = None,
    certificate: Path | None = None,
) -> Iterator[Running]:
    """Run a server in threads of this process.

    Args:
        access: Who may come in; everybody by default.
        meddle: Looks at each request first and may answer it in git's place.
        certificate: A file with a key and its certificate, for https.
    """
    with Server(access, meddle, certificate) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield Running(f"{server.scheme}://127.0.0.1:{server.server_address[1]}", server)
        finally:
            server.shutdown()
            thread.join()

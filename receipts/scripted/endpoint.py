"""The server: one model endpoint on 127.0.0.1, for as many sessions at once as there are."""

import itertools
import json
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self

from receipts.scripted import claude, codex
from receipts.scripted.turns import Script, Turn

JSON = "application/json"
STREAM = "text/event-stream"
_POLL = 0.05  # seconds between looks at whether to end


class Response(NamedTuple):
    """An HTTP answer; with several chunks, each is sent as soon as it is there."""

    status: int
    type: str
    chunks: Iterable[bytes]
    headers: tuple[tuple[str, str], ...] = ()


class Endpoint:
    """Plays the model of Claude Code and of Codex by a script, while it is entered.

    Attributes:
        url: What Claude Code takes as its base address; for Codex, add `/v1`.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._numbers = itertools.count(1)
        self._server = _Server(("127.0.0.1", 0), self)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_POLL,), daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, path: str, request: dict[str, Any]) -> Response:
        """Answer a request."""
        place = path.partition("?")[0]
        if place == "/v1/messages/count_tokens":
            return _json({"input_tokens": len(json.dumps(request)) // 4})
        if place == "/v1/messages":
            return self.reply(claude.turn(request))
        if place == "/v1/responses":
            return self.reply(codex.turn(request))
        return _missing(place)

    def reply(self, turn: Turn) -> Response:
        """Let the script answer, in the form that the agent takes."""
        reply, number = self._script(turn), next(self._numbers)
        if turn.agent == "codex":
            return stream(codex.events(reply, number))
        whole = claude.message(reply, turn.model, number)
        return stream(claude.events(whole)) if turn.raw.get("stream") else _json(whole)


def stream(events: Iterable[dict[str, Any]]) -> Response:
    """Return an answer of server-sent events."""
    lines = (f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in events)
    return Response(200, STREAM, lines)


def _missing(place: str) -> Response:
    return _json({"error": {"type": "not_found_error", "message": f"no {place} here"}}, 404)


def _json(value: object, status: int = 200) -> Response:
    return Response(status, JSON, [json.dumps(value).encode()])


class _Server(ThreadingHTTPServer):
    # Sessions that were ended leave connections behind, which nobody waits for.
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], endpoint: Endpoint) -> None:
        super().__init__(address, _Handler)
        self.endpoint = endpoint

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: an agent that is ended drops its connection."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        response = self.server.endpoint.answer(self.path, json.loads(self.rfile.read(length)))
        self._send(response)

    def do_GET(self) -> None:
        # Codex asks for a web socket first, and takes this as the answer that there is none.
        upgrade = _json({"error": {"message": "no web socket here"}}, 426)
        self._send(upgrade if self.headers.get("Upgrade") else _missing(self.path))

    def _send(self, response: Response) -> None:
        # The end of the connection is the end of the answer.
        self.send_response(response.status)
        self.send_header("Content-Type", response.type)
        self.send_header("Connection", "close")
        for name, value in response.headers:
            self.send_header(name, value)
        self.end_headers()
        for chunk in response.chunks:
            self.wfile.write(chunk)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing: the agent says what went wrong."""

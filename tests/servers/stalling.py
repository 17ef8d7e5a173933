"""A way to a server that stops carrying, or is cut, wherever a test says."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import NamedTuple

_CHUNK = 1 << 14


class Stall(NamedTuple):
    """Where connections stop: after so many bytes from the server, or to it; None carries all.

    Both ends of one that stops stay open, or are closed when it `cuts`.
    """

    from_server: int | None = None
    to_server: int | None = None
    connections: int = 1 << 30
    cuts: bool = False


class Way:
    """Carries bytes between a port of its own and a server."""

    def __init__(self, server_port: int) -> None:
        self.stall = Stall()
        self.stalled = 0
        self._server_port = server_port
        self._ended = threading.Event()
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def refuse_to_connect(self) -> None:
        """Answer no connection at all: the queue of those that nobody accepts is full."""
        self._stop_accepting()
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=0)
        for _ in range(4):
            waiting = socket.socket()
            waiting.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                waiting.connect(("127.0.0.1", self.port))
            self._open.append(waiting)

    def close(self) -> None:
        """Close everything."""
        self._stop_accepting()
        for opened in self._open:
            opened.close()

    def _stop_accepting(self) -> None:
        self._ended.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._server_port))
            self._open += [client, server]
            stall = self.stall
            for one, other, limit in (
                (server, client, stall.from_server),
                (client, server, stall.to_server),
            ):
                pump = threading.Thread(target=self._carry, args=(one, other, limit), daemon=True)
                pump.start()

    def _carry(self, one: socket.socket, other: socket.socket, limit: int | None) -> None:
        left = limit if limit is not None else 1 << 60
        with contextlib.suppress(OSError):
            while data := one.recv(_CHUNK):
                if limit is not None and self.stalled < self.stall.connections:
                    other.sendall(data[:left])
                    left -= len(data)
                    if left < 0:
                        self.stalled += 1
                        if self.stall.cuts:
                            one.shutdown(socket.SHUT_RDWR)
                            other.shutdown(socket.SHUT_RDWR)
                        return
                    continue
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def way_to(server_port: int) -> Iterator[Way]:
    """Open a way to a server on this machine."""
    way = Way(server_port)
    try:
        yield way
    finally:
        way.close()

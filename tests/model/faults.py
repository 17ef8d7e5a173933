"""What a model endpoint may answer instead of an answer."""

import json
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from receipts.scripted.endpoint import JSON, STREAM, Response

REFUSAL = "I cannot help with this request: it appears to violate our usage policy."
"""What a model says that refuses; no fault of the endpoint."""


class Fault(NamedTuple):
    """An answer that is none.

    Attributes:
        status: The HTTP status.
        kind: What the API calls the error.
        message: Its message.
        spoil: Makes what is sent out of the right answer's chunks; the status is 200 then.
        retries: Whether the agent may try again; they wait for minutes where they may.
    """

    status: int = 200
    kind: str = ""
    message: str = ""
    spoil: Callable[[Iterator[bytes]], Iterator[bytes]] | None = None
    retries: bool = False

    def response(self, agent: str, right: Response) -> Response:
        """Return what is sent in place of the right answer."""
        headers = () if self.retries else (("x-should-retry", "false"),)
        if self.spoil:
            return Response(200, STREAM, self.spoil(iter(right.chunks)), headers)
        error = {"type": self.kind, "message": self.message}
        if agent == "codex":
            error["code"] = self.kind
        body = {"type": "error", "error": error}
        return Response(self.status, JSON, [json.dumps(body).encode()], headers)


def _cut(chunks: Iterator[bytes]) -> Iterator[bytes]:
    whole = b"".join(chunks)
    yield whole[: len(whole) // 2]


def _stalled(chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield next(chunks)
    time.sleep(600)


def _malformed(chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield next(chunks)
    yield b"event: content_block_start\ndata: {not json\n\n"
    yield b"\x00\xff\xfe\n\n"
    yield from chunks


def _refused(chunks: Iterator[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        yield chunk.replace(b'"end_turn"', b'"refusal"')


def _silent(chunks: Iterator[bytes]) -> Iterator[bytes]:
    del chunks
    yield from ()


UNAUTHORIZED = Fault(401, "authentication_error", "invalid x-api-key")
NO_SUCH_MODEL = Fault(404, "not_found_error", "model: no-such-model")
NO_SUCH_MODEL_CODEX = Fault(
    404, "model_not_found", "The model `no-such-model` does not exist or you do not have access."
)
RATE_LIMITED = Fault(429, "rate_limit_error", "This request would exceed your rate limit.")
OVERLOADED = Fault(529, "overloaded_error", "Overloaded")
BROKEN = Fault(500, "api_error", "Internal server error")
CUT = Fault(spoil=_cut)
STALLED = Fault(spoil=_stalled)
MALFORMED = Fault(spoil=_malformed)
REFUSED = Fault(spoil=_refused)
SILENT = Fault(spoil=_silent)

"""Good bytes with a few places spoilt, for the readers of what comes from a repository."""

from hypothesis import strategies as st

_TOKENS = (
    b"", b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\ud800", b"null", b"NaN", b"1e999",
    b"-", b"---", b"\n", b"\r", b" ", b"\t", b"&a", b"*a", b"!!", b"|", b"'", b"#", b"\x00",
    b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"9" * 400,
)  # fmt: skip


@st.composite
def garbled(draw: st.DrawFn, *good: bytes) -> bytes:
    """Draw one of some good documents, some bytes of it removed, doubled or replaced."""
    data = draw(st.sampled_from(good))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        new = draw(st.sampled_from(_TOKENS) | st.binary(max_size=4) | st.just(data[start:end] * 2))
        data = data[:start] + new + data[end:]
    return data

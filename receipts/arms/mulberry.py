"""The generator that draws which order a judge sees first: mulberry32, as the other client's.

It is here so that a run's draws can be repeated; nothing of it is secret.
"""

from collections.abc import Iterator

_MASK = 0xFFFFFFFF


def draws(seed: int = 0) -> Iterator[float]:
    """Yield numbers from 0 to below 1 (Tommy Ettinger's mulberry32)."""
    state = seed & _MASK
    while True:
        state = (state + 0x6D2B79F5) & _MASK
        mixed = ((state ^ (state >> 15)) * (state | 1)) & _MASK
        mixed ^= (mixed + (((mixed ^ (mixed >> 7)) * (mixed | 61)) & _MASK)) & _MASK
        yield ((mixed ^ (mixed >> 14)) & _MASK) / 2**32

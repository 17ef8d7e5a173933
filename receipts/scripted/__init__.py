"""A model that is played by a script: what an agent talks to where nobody has a key.

`Endpoint` serves one on this machine. It gives the demonstration something to show and the tests
something to run real agents against; it measures nothing about any real model.
"""

from receipts.scripted.endpoint import Endpoint
from receipts.scripted.playing import follow, in_order
from receipts.scripted.turns import Call, Reply, Result, Script, Turn, Usage

__all__ = [
    "Call",
    "Endpoint",
    "Reply",
    "Result",
    "Script",
    "Turn",
    "Usage",
    "follow",
    "in_order",
]

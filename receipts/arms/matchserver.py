"""The process that searches patterns in texts, so that a search that does not end can be ended.

It runs as a script without the package: a request on stdin is the sizes of a pattern and a text and
the two themselves; the answer on stdout is one byte. See `receipts.arms.matching`.
"""

import re
import struct
import sys

SIZES = struct.Struct("<II")
FOUND, NOT_FOUND = b"1", b"0"


def main() -> None:
    """Answer requests until stdin ends."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while head := requests.read(SIZES.size):
        pattern_size, text_size = SIZES.unpack(head)
        pattern = requests.read(pattern_size).decode("ascii")
        text = requests.read(text_size).decode("utf-8", "surrogatepass")
        found = re.compile(pattern, re.ASCII).search(text)
        answers.write(FOUND if found else NOT_FOUND)
        answers.flush()


if __name__ == "__main__":
    main()

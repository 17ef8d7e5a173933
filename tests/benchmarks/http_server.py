"""Smart HTTP in a process of its own, as a server is: `python -m tests.benchmarks.http_server`.

It prints its address and ends when its standard input does.
"""

import sys

from tests.servers.smart_http import smart_http

if __name__ == "__main__":
    with smart_http() as server:
        print(server.url, flush=True)
        sys.stdin.read()

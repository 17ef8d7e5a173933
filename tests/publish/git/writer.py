"""A writer in a process of its own: `python -m tests.publish.git.writer URL MIRROR NAME COUNT`.

It makes COUNT commits, each of which adds one file of a name that only it uses and one line to a
file that every writer changes. It prints the commit of each, a line at a time.
"""

import sys

from publish.git import Change, File, Identity, Mirror, Remote, TreeView, safe_write

COUNTER = b"counter"


def change(view: TreeView, path: bytes) -> Change | None:
    """Add the file and the line, unless they are there: the state that a retry may find."""
    if view.entry(path) is not None:
        return None
    lines = view.read(COUNTER) if view.entry(COUNTER) else b""
    return Change(
        {path: File(path + b"\n"), COUNTER: File(lines + path + b"\n")}, f"add {path.decode()}"
    )


def write(mirror: Mirror, name: str, number: int, *, budget: float = 30.0) -> bytes | None:
    """Make one commit and return its id."""
    path = b"evals/%s/v1/%04d.json" % (name.encode(), number)
    return safe_write(
        mirror,
        lambda view: change(view, path),
        author=Identity(f"Writer {name}", f"{name}@example.com"),
        guard=lambda _view, _change: None,
        budget=budget,
    ).commit


def main(url: str, place: str, name: str, count: str, budget: str = "30") -> None:
    """Make the commits and print them."""
    with Mirror.open(place, Remote.parse(url)) as mirror:
        for number in range(int(count)):
            commit = write(mirror, name, number, budget=float(budget))
            print((commit or b"none").decode(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Random YAML texts and random data, from a seeded `random.Random`."""

import math
from random import Random
from typing import Any

_WORDS = (
    "a", "b", "key", "name", "description", "foo bar", "x", "true", "False", "null", "~", "0o17", "0x1F",
    "1e3", "+12", ".5", "1.10", "-0", "1_000", "12:30", ".inf", "-.INF", ".nan", "yes", "<<", "é", "日本",
    "😀", "2001-12-14", "a#b", "a:b", "-a", "?a", "::", "1.", "__proto__", "9007199254740993", "1e21", "=",
    "0", "10", "2", "don't", 'say "x"', "a\u00a0b", "\u2028", "x\u0085y", "\ufeff", "0b1", "1:30.5", "n",
    "2001-1-1 1:2:3 +5", "0777", "._5", "toString",
)  # fmt: skip
_TAGS = (
    "!", "!!str", "!!int", "!!float", "!!bool", "!!null", "!!set", "!!omap", "!!pairs", "!!binary",
    "!!timestamp", "!!merge", "!!map", "!!seq", "!foo", "!<tag:x>", "!e!b", "!a%20b", "!<!>", "!!", "!<x",
)  # fmt: skip
_PIECES = (
    " ", "  ", "    ", "\t", "\n", "\n\n", "\r\n", "\n  ", "\n    ", "\n\t", ": ", ":", ":\n", "- ", "-", "-\n",
    "? ", "?", "?\n", "[", "]", "{", "}", ", ", ",", "# c", " # c", "#", "&a", "&a ", "*a", "*a ", "&b ", "*b",
    "!", "!!str ", "!!set ", "!foo ", "'", '"', "''", '"a"', "'b'", "|", "|\n", ">-\n", "|+\n", "|2\n", ">1-\n",
    "---", "---\n", "...", "...\n", "%YAML 1.1\n", "%YAML 1.2\n", "%TAG !e! tag:e,2:\n", "%x", "@", "`", "\\",
    "\\n", "\\x41", "\\u00e9", "a", "b", "foo", "bar baz", "1", "true", "null", "k: v\n", "- x\n", "\ufeff", "\0",
    "\r", "\u2028", "😀", "<<", "a: 1\n", "b:\n", "  c: 2\n", "  - d\n", "? e\n: f\n", "[a, b]", "{a: b}",
)  # fmt: skip


def soup(rng: Random) -> str:
    """Return tokens in no order."""
    return "".join(rng.choice(_PIECES) for _ in range(rng.randint(1, 14)))


def mutated(rng: Random, text: str) -> str:
    """Return a text with a few places deleted, doubled, shifted or replaced."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        at = rng.randint(0, len(text))
        match rng.randint(0, 6):
            case 0:
                text = text[:at] + rng.choice(_PIECES) + text[at:]
            case 1:
                text = text[:at] + text[at + rng.randint(1, 4) :]
            case 2:
                text = text[:at] + text[at : at + rng.randint(1, 30)] + text[at:]
            case 3:
                lines = text.split("\n")
                number = rng.randrange(len(lines))
                line = lines[number]
                lines[number] = rng.choice(
                    (f" {line}", f"  {line}", f"\t{line}", line[1:], line[2:], f"{line} ")
                )
                text = "\n".join(lines)
            case 4:
                lines = text.split("\n")
                one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
                lines[one], lines[two] = lines[two], lines[one]
                text = "\n".join(lines)
            case 5:
                text = (
                    text[:at]
                    + chr(rng.choice((9, 10, 13, 32, 34, 35, 39, 44, 58, 91, 0x85, 0xA0, 0x2028)))
                    + text[at + 1 :]
                )
            case _:
                text = text.replace("\n", "\r\n") if rng.random() < 0.3 else text[:at]
    return text


class Document:
    """Writes a random document that is mostly valid."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.anchors: list[str] = []

    def text(self) -> str:
        """Return the document."""
        rng = self.rng
        head = ""
        if rng.random() < 0.12:
            head = rng.choice(
                (
                    "---\n",
                    "--- ",
                    "%YAML 1.1\n---\n",
                    "%TAG !e! tag:e:\n---\n",
                    "# c\n",
                    "\ufeff",
                    "%YAML 1.1\n--- # x\n",
                )
            )
        tail = (
            rng.choice(("", "", "", "", "...\n", "# end\n", "\n\n", " "))
            if rng.random() < 0.3
            else ""
        )
        return head + self.block(0, rng.randint(1, 4)) + tail

    def chance(self, odds: float) -> bool:
        return self.rng.random() < odds

    def block(self, indent: int, depth: int) -> str:
        """Return a block node whose lines start at `indent`, ending in a line feed."""
        kind = self.rng.random()
        if depth == 0 or kind < 0.15:
            return " " * indent + self.inline(indent, depth) + self.line_end()
        size = self.rng.randint(1, 4)
        if kind < 0.4:
            return "".join(self.entry(indent, depth) for _ in range(size))
        return "".join(self.pair(indent, depth) for _ in range(size))

    def line_end(self) -> str:
        if self.chance(0.85):
            return "\n"
        return self.rng.choice(
            (" # c\n", "\n\n", " \n", "\t\n", "\n# c\n", "\n  # c\n", "\n    # d\n\n", "\r\n")
        )

    def entry(self, indent: int, depth: int) -> str:
        lead = " " * indent + "-"
        if self.chance(0.3):
            return f"{lead}{self.props()}{self.line_end()}{self.block(indent + self.rng.choice((1, 2, 2, 2, 4)), depth - 1)}"
        if self.chance(0.3):
            step = self.rng.choice((2, 2, 2, 3, 4))
            inner = self.block(indent + step, depth - 1)
            return lead + " " * (step - 1) + inner[indent + step :]
        return f"{lead} {self.inline(indent, depth)}{self.line_end()}"

    def pair(self, indent: int, depth: int) -> str:
        rng = self.rng
        if self.chance(0.1):
            return self.explicit(indent, depth)
        key = self.key()
        lead = " " * indent + key + rng.choice((":", ":", ":", ":", " :"))
        if self.chance(0.4):
            step = rng.choice((0, 1, 2, 2, 2, 4))
            return f"{lead}{self.props()}{self.line_end()}{self.block(indent + step, depth - 1)}"
        if self.chance(0.08):
            return f"{lead}{self.line_end()}"
        return f"{lead}{rng.choice((' ', ' ', ' ', '  ', chr(9)))}{self.inline(indent, depth)}{self.line_end()}"

    def explicit(self, indent: int, depth: int) -> str:
        lead = " " * indent
        if self.chance(0.4):
            key = "? " + self.block(indent + 2, depth - 1)[indent + 2 :]
        else:
            key = "? " + self.inline(indent, depth) + self.line_end()
        if self.chance(0.2):
            return lead + key
        if self.chance(0.4):
            return lead + key + lead + ": " + self.block(indent + 2, depth - 1)[indent + 2 :]
        return lead + key + lead + ": " + self.inline(indent, depth) + self.line_end()

    def props(self) -> str:
        if self.chance(0.85):
            return ""
        out = ""
        if self.chance(0.6):
            name = self.rng.choice("abc")
            self.anchors.append(name)
            out += f" &{name}"
        if self.chance(0.5):
            out += " " + self.rng.choice(_TAGS)
        return out

    def key(self) -> str:
        rng = self.rng
        if self.chance(0.08):
            return self.flow(1)
        if self.chance(0.1) and self.anchors:
            return f"*{rng.choice(self.anchors)} "
        lead = self.props().lstrip()
        if self.chance(0.12):
            return f"{lead} {self.quoted()}".lstrip()
        return f"{lead} {rng.choice(_WORDS)}".lstrip()

    def inline(self, indent: int, depth: int) -> str:
        rng = self.rng
        if self.anchors and self.chance(0.12):
            return f"*{rng.choice(self.anchors)}"
        lead = self.props().lstrip()
        lead = f"{lead} " if lead else ""
        kind = rng.random()
        if kind < 0.3:
            return lead + rng.choice(_WORDS)
        if kind < 0.4:
            return lead + self.plain_lines(indent)
        if kind < 0.55:
            return lead + self.quoted(indent)
        if kind < 0.7:
            return lead + self.literal(indent)
        if kind < 0.73:
            return lead
        return lead + self.flow(min(depth, 3), indent)

    def words(self, most: int = 6) -> str:
        rng = self.rng
        return " ".join(rng.choice(_WORDS) for _ in range(rng.randint(1, most)))

    def plain_lines(self, indent: int) -> str:
        step = " " * (indent + self.rng.choice((1, 1, 2, 4, 0)))
        return self.rng.choice(("\n", "\n\n", " \n", "\n\t")).join(
            (self.words() if not number else step + self.words())
            for number in range(self.rng.randint(1, 3))
        )

    def quoted(self, indent: int | None = None) -> str:
        rng = self.rng
        parts = [
            rng.choice(_WORDS).replace('"', "").replace("'", "") for _ in range(rng.randint(0, 5))
        ]
        quote = rng.choice("\"'")
        joints = (
            [" ", "  ", "''", "\t"]
            if quote == "'"
            else [
                " ",
                "\\n",
                "\\t",
                "\\\\",
                '\\"',
                "\\x41",
                "\\u2028",
                "\\ud83d\\ude00",
                "\\ud83d",
                "\\0",
                "\\ ",
            ]
        )
        if indent is not None:
            step = " " * (indent + rng.choice((1, 2, 3, 0)))
            joints += [f"\n{step}", f"\n\n{step}", f" \n{step}\t", f"\n\r\n{step}"]
            if quote == '"':
                joints += [f"\\\n{step}", f"\\\r\n{step}", f"\\ \n{step}"]
        return quote + rng.choice(joints).join(parts) + quote

    def literal(self, indent: int) -> str:
        rng = self.rng
        header = (
            rng.choice("|>")
            + rng.choice(("", "", "-", "+"))
            + rng.choice(("", "", "", "", "1", "2", "3"))
        )
        if self.chance(0.1):
            header = header[0] + header[:0:-1]
        header += rng.choice(("", "", "", " # c", " "))
        step = indent + rng.choice((1, 2, 2, 2, 3, 4))
        lines = []
        for _ in range(rng.randint(0, 5)):
            extra = rng.choice((0, 0, 0, 0, 1, 2, 4, -1))
            line = " " * max(0, step + extra) + rng.choice(
                (self.words(8), self.words(25), "\tx", "# no", "- x", "k: v")
            )
            lines.append(rng.choice((line, line, line, line, "", " ", " " * (step + 2), "\t")))
        return "\n".join([header, *lines]) + rng.choice(
            ("", "", "", "\n", "\n\n", "\n" + " " * step)
        )

    def flow(self, depth: int, indent: int | None = None) -> str:
        rng = self.rng
        gap = ["", "", " ", " ", "  "]
        if indent is not None and self.chance(0.3):
            step = " " * (indent + rng.choice((1, 2, 2, 4, 0)))
            gap += [
                f"\n{step}",
                f" # c\n{step}",
                f"\n\n{step}",
                f"\n# c\n{step}",
                f"\r\n{step}",
                f"\n\t{step}",
            ]
        out = []
        is_map = self.chance(0.5)
        for _ in range(rng.randint(0, 4)):
            node = self.flow_node(depth)
            if self.chance(0.75 if is_map else 0.15):
                colon = rng.choice((": ", ": ", ": ", ":", " : "))
                node = f"{rng.choice(('', '', '', '? '))}{node}{rng.choice(gap)}{colon}{self.flow_node(depth)}"
            out.append(rng.choice(gap) + node + rng.choice(gap))
        tail = rng.choice(("", "", "", ","))
        start, end = "{}" if is_map else "[]"
        return start + ",".join(out) + tail + rng.choice(gap) + end

    def flow_node(self, depth: int) -> str:
        rng = self.rng
        if self.anchors and self.chance(0.12):
            return f"*{rng.choice(self.anchors)} "
        lead = self.props().lstrip()
        lead = f"{lead} " if lead else ""
        kind = rng.random()
        if depth > 0 and kind < 0.3:
            return lead + self.flow(depth - 1)
        if kind < 0.5:
            return lead + self.quoted()
        if kind < 0.55:
            return lead
        return lead + rng.choice(_WORDS)


# -- data ------------------------------------------------------------------------------------------

_CHARS = "abc  \n\n\t:#-?'\"{}[],&*!|>%@`\\0123.e~\u0085\u00a0\u2028\u2029\ufeff\x00\x07\x1b\x7fé日😀\ud83d\ude00\r"


def text_value(rng: Random) -> str:
    """Return a string of a random kind and length."""
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(_WORDS)
    if kind < 0.5:
        return "".join(rng.choice(_CHARS) for _ in range(rng.randint(0, 12)))
    if kind < 0.6:
        return "".join(rng.choice(_CHARS) for _ in range(rng.randint(20, 200)))
    joints = rng.choice(
        (
            (" ",),
            (" ", "\n"),
            (" ", " ", " ", "\n", "\n\n", "\n  "),
            (" ", "  ", "\n\t"),
            (" ", ": ", '"', "\n"),
        )
    )
    words = (
        "a",
        "word",
        "longer-word",
        "x" * rng.choice((5, 15, 30, 60, 90)),
        "- x",
        "it's",
        "日本語",
        "😀😀",
        "\\",
        "\x07",
        "\x7f",
        '"q"',
        "\u2028",
    )
    size = rng.choice((5, 15, 40, 80))
    text = "".join(rng.choice(words) + rng.choice(joints) for _ in range(rng.randint(1, size)))
    return text if rng.random() < 0.3 else text.rstrip()


def number_value(rng: Random) -> float:
    """Return a double of a random kind."""
    kind = rng.randint(0, 6)
    if kind == 0:
        return rng.choice(
            (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e21, 1e-7, 1e-6, 5e-324, 2.0**53)
        )
    if kind < 3:
        return float(rng.randint(-100, 10000))
    if kind == 3:
        return rng.random() * 10.0 ** rng.randint(-12, 25)
    if kind == 4:
        return round(rng.random() * 1000, rng.randint(0, 6))
    return float(f"{rng.randint(1, 9999)}e{rng.randint(-320, 300)}")


def value(rng: Random, depth: int, pool: list[Any]) -> Any:
    """Return random data; `pool` collects its collections, some of which come back."""
    if pool and rng.random() < 0.1:
        return rng.choice(pool)
    kind = rng.random()
    if depth == 0 or kind < 0.35:
        return text_value(rng)
    if kind < 0.42:
        return number_value(rng)
    if kind < 0.47:
        return rng.choice((None, True, False))
    out: Any = [] if kind < 0.7 else {}
    pool.append(out)
    for _ in range(rng.choice((0, 1, 1, 2, 3, 4))):
        item = value(rng, depth - 1, pool)
        if isinstance(out, list):
            out.append(item)
        else:
            key = rng.choice(
                (
                    str(rng.randint(0, 12)),
                    text_value(rng),
                    rng.choice(_WORDS),
                    "k",
                    "key " * rng.randint(1, 20),
                )
            )
            out[key if rng.random() > 0.01 else key + "x" * 1020] = item
    return out


def deep_value(rng: Random) -> Any:
    """Return data nested beyond the line width."""
    inner: Any = text_value(rng)
    for _ in range(rng.randint(1, 70)):
        inner = [inner] if rng.random() < 0.4 else {rng.choice("abc"): inner}
        if rng.random() < 0.1:
            inner = [text_value(rng), inner]
    return inner

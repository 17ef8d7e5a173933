"""Asks the real npm `yaml`, and puts our own answers into the same form."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

from receipts.jsyaml import (
    AliasError,
    JsBytes,
    JsDate,
    JsMap,
    JsSet,
    Unsupported,
    YamlError,
    dump,
    load,
)
from receipts.jsyaml.emitter import entries
from receipts.jsyaml.jsnumber import number_text

NODE = Path(__file__).parents[2] / "node"
# Both answers nest as deeply as the texts do, and json and `tagged` recurse.
sys.setrecursionlimit(10_000)
PRESENT = (NODE / "node_modules" / "yaml").is_dir()


def ask(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answer every request by the real package."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(
        ["node", str(NODE / "yaml_oracle.mjs")],
        input=lines.encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    # Not splitlines(): the answers hold raw U+2028 and U+0085.
    return [json.loads(line) for line in done.stdout.decode("utf-8").split("\n")[:-1]]


def tagged(value: Any, seen: dict[int, int] | None = None) -> Any:
    """Return data in the oracle's form."""
    seen = {} if seen is None else seen
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, float | int):
        zero = value == 0 and math.copysign(1, value) < 0
        return ["n", "-0" if zero else number_text(float(value))]
    if id(value) in seen:
        return ["r", seen[id(value)]]
    seen[id(value)] = len(seen)
    if isinstance(value, list):
        return ["l", [tagged(item, seen) for item in value]]
    if isinstance(value, JsSet):
        return ["S", [tagged(item, seen) for item in value.items]]
    if isinstance(value, JsDate):
        return ["d", value.iso]
    if isinstance(value, JsBytes):
        return ["b", value.data.hex()]
    kind = "M" if isinstance(value, JsMap) else "m"
    return [kind, [[tagged(key, seen), tagged(item, seen)] for key, item in entries(value)]]


def read(text: str) -> dict[str, Any]:
    """Return our answer to a text, in the oracle's form."""
    try:
        data = load(text)
    except Unsupported as error:
        return {"unsupported": str(error)}
    except AliasError as error:
        return {"throws": str(error)}
    except YamlError as error:
        return {"error": str(error)}
    return {"data": tagged(data), "yaml": dump(data)}


def agree(theirs: dict[str, Any], ours: dict[str, Any]) -> bool:
    """Tell whether two answers say the same; the wording of refusals is each one's own."""
    if "data" in theirs:
        return theirs == ours
    if "unwritable" in theirs:
        return "unsupported" in ours
    return theirs.keys() == ours.keys()

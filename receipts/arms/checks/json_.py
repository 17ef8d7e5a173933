"""The check of a value in a JSON file: `json_path_equals`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from receipts import jsontext
from receipts.arms.checks import jsonpath
from receipts.arms.checks.base import Malformed, Outcome, fields_of, text_of
from receipts.arms.checks.files import LIMIT, contents, leads_out, path_of

if TYPE_CHECKING:
    from receipts.arms.checks.scene import Scene

_SHOWN = 60


@dataclass(frozen=True)
class JsonPathEquals:
    """A JSON file holds a value at a path.

    `equals` is the value as JSON, so that equal checks are equal.
    """

    path: str
    place: str
    equals: str

    @classmethod
    def read(cls, argument: Any) -> Self:  # noqa: ANN401 - any YAML value
        """Read `json_path_equals`."""
        path, place, equals = fields_of(argument, ("file", "path", "equals"))
        place = text_of(place, "path")
        try:
            jsonpath.parsed(place)
        except ValueError as error:
            raise Malformed(str(error)) from error
        return cls(path_of(path, "file"), place, _as_json(equals))

    @property
    def name(self) -> str:
        """The kind, the file, the path in it and how the value begins."""
        return f"json_path_equals:{self.path} {self.place} {self.equals[:_SHOWN]}"

    @property
    def always(self) -> bool | None:
        """Nothing outside of the sandbox is looked at."""
        return False if leads_out(self.path) else None

    def announce(self, scene: "Scene") -> None:
        """Ask nothing of the transcript."""

    def run(self, scene: "Scene") -> Outcome:
        """Read the file and compare."""
        data = contents(scene, self.path)
        if isinstance(data, Outcome):
            return data
        try:
            document = jsontext.loads(data, limit=LIMIT)
            value = jsonpath.value_at(document, jsonpath.parsed(self.place))
        except jsontext.JsonError as error:
            return Outcome(passed=False, detail=str(error))
        except jsonpath.NoSuchPlace:
            return Outcome(passed=False, detail=f"there is nothing at {self.place}")
        is_same = jsonpath.is_same(value, jsontext.loads(self.equals, limit=LIMIT))
        return Outcome(is_same, "it is the value" if is_same else "it is another value")


def _as_json(value: Any) -> str:  # noqa: ANN401 - any YAML value
    try:
        text = jsontext.dumps(_sorted(value))
        jsontext.loads(text)  # which it may be too deep or too long for
    except (TypeError, ValueError, RecursionError) as error:
        raise Malformed("equals must be a value that JSON can hold") from error
    return text


def _sorted(value: Any) -> Any:  # noqa: ANN401 - any YAML value
    """Return a value with its keys in order, and whole numbers as such."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    is_whole = (
        isinstance(value, float) and value.is_integer() and abs(value) < jsontext.SAFE_INTEGER
    )
    return int(value) if is_whole else value

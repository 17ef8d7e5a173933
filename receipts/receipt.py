"""The receipt: one JSON object for one evaluation of exactly these bytes.

Schema 2, and schema 1 for reading. The rules are those of the other client's schema, neither more
nor fewer, for a receipt that one of them takes and the other refuses splits a team: unknown fields
are kept at every level, numbers are finite, whole numbers lie within what JavaScript holds exactly
(and `5.0` is one), a key that may be null may not be absent and one that may be absent may not be
null. Whether the numbers contradict each other is asked by `receipts.check`.

A receipt's identity is its bytes. A model is a way to read them, and is never written back.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    ModelWrapValidatorHandler,
    Strict,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from receipts.forms import is_digest, is_skill_id, is_version
from receipts.jsontext import SAFE_INTEGER, JsonError, loads, shown
from receipts.runid import is_run_id
from receipts.stamping import stamp, unstamped_equal

__all__ = ["Receipt", "ReceiptFile", "read_receipt", "stamp", "unstamped_equal"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def _refusal(reason: str) -> PydanticCustomError:
    return PydanticCustomError("receipt", reason)


def _schema_version(value: object) -> object:
    if isinstance(value, bool) or value not in (1, 2):
        raise _refusal("must be 1 or 2")
    return value


def _integer(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 != 0:
        raise _refusal("must be a whole number")
    if abs(value) > SAFE_INTEGER:
        raise _refusal(f"must be a whole number within ±{SAFE_INTEGER}")
    return int(value)


def _not_empty(value: str) -> str:
    # Not pydantic's min_length, which refuses lone surrogates.
    if not value:
        raise _refusal("must hold at least one character")
    return value


def _form(fits: Callable[[str], bool], form: str) -> AfterValidator:
    def check(value: str) -> str:
        if not fits(value):
            raise _refusal(f"must be {form}")
        return value

    return AfterValidator(check)


_ABSENT: Any = object()


def _content_digest(value: object, info: ValidationInfo) -> object:
    if value is not _ABSENT:
        if not isinstance(value, str) or not is_digest(value):
            raise _refusal("must be sha256: and 64 lower-case hex digits")
        return value
    if info.data.get("schema_version") == 2:
        raise _refusal("is missing, and schema 2 records the digest of the bytes it evaluated")
    return None


def _is_odd(key: object) -> bool:
    return isinstance(key, str) and not key.isascii() and _SURROGATE.search(key) is not None


Integer = Annotated[int, BeforeValidator(_integer)]
Count = Annotated[int, Field(ge=0), BeforeValidator(_integer)]
Name = Annotated[str, AfterValidator(_not_empty)]
CheckResult = Annotated[tuple[str, bool], Strict(False)]  # a list in JSON  # noqa: FBT003


class _Open(BaseModel):
    """A map that keeps the fields it does not know."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    @model_validator(mode="wrap")
    @classmethod
    def _keep_odd_keys(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401
        """Keep unknown fields whose name holds a lone surrogate, which pydantic cannot take."""
        if not isinstance(data, dict) or "".join(map(str, data)).isascii():
            return handler(data)
        odd = {key for key in data if _is_odd(key)}
        model = handler({key: value for key, value in data.items() if key not in odd})
        if model.__pydantic_extra__ is not None:
            model.__pydantic_extra__.update({key: data[key] for key in odd})
        return model


class Comparison(_Open):
    """The record of the candidate against one opponent, over scored rows."""

    win: Count
    loss: Count
    tie: Count
    net_lift: FiniteFloat
    sign_p: FiniteFloat


class DroppedCase(_Open):
    """Why a case never started."""

    kind: Literal["setup", "staging"]
    detail: str


class ArmResult(_Open):
    """One arm's checks in one case-run; `passed` is null when nobody knows."""

    passed: bool | None
    checks: list[CheckResult]


class CaseResult(_Open):
    """One case in one repetition."""

    case: Name
    rep: Count
    arms: dict[str, ArmResult]
    outcomes: dict[str, Literal["win", "loss", "tie"]]


class CaseRuns(_Open):
    """In how many case-runs an arm passed every check."""

    passed: Count
    total: Count


class Triggers(_Open):
    """How well the skill was picked: rates, null without a denominator, and prompt counts."""

    recall: FiniteFloat | None
    precision: FiniteFloat | None
    tp: Count
    fn: Count
    fp: Count
    tn: Count


class Efficiency(_Open):
    """An arm's means, as the agent reported them."""

    turns: FiniteFloat | None
    duration_ms: FiniteFloat | None
    cost_usd: FiniteFloat | None


class Provenance(_Open):
    """Who ran it, with what, and when; by it two receipts are known to be comparable."""

    engine_version: str
    engine_commit: str
    cc_version: str
    model: str
    judge_model: str
    k: Annotated[int, Field(ge=1), BeforeValidator(_integer)]
    cases: list[str]
    arm_skill_lists: dict[str, list[str] | None]
    timestamp: str
    runner_handle: str


class Receipt(_Open):
    """One evaluation of one digest, by one method.

    `content_digest` is None only at schema 1. Fields that may be absent are empty then, and
    missing from `model_fields_set`.
    """

    schema_version: Annotated[Integer, BeforeValidator(_schema_version)]
    skill_id: Annotated[str, _form(is_skill_id, "a uuid")] | None
    skill_name: Name
    version: Annotated[str, _form(is_version, "v1, v2 and so on, or 40 hex digits")] | None
    content_digest: Annotated[str | None, BeforeValidator(_content_digest)] = Field(
        default=_ABSENT, validate_default=True
    )
    run_id: Annotated[str, _form(is_run_id, "a run id of the form YYYYMMDDTHHMMSSZ")]
    verdict: Literal["PASS", "NEUTRAL", "FAIL"]
    attribution: str
    execution_status: Literal["complete", "partial", "failed"]
    expected_rows: Count
    scored_rows: Count
    comparisons: dict[str, Comparison]
    arm_scores: dict[str, FiniteFloat | None]
    environment_skips: dict[str, list[str]] = {}
    dropped_cases: dict[str, DroppedCase] = {}
    per_case: list[CaseResult] = []
    case_runs: dict[str, CaseRuns] = {}
    triggers: Triggers | None
    efficiency: dict[str, Efficiency]
    provenance: Provenance

    @classmethod
    def model_validate_json(
        cls,
        json_data: str | bytes | bytearray,
        **options: Any,  # noqa: ANN401 - pydantic's own options, passed on
    ) -> Self:
        """Return the receipt that a JSON text is, read as strictly as the other client reads it.

        Raises:
            JsonError: The text is not JSON.
            pydantic.ValidationError: The schema refuses it. Both are ValueErrors.
        """
        text = bytes(json_data) if isinstance(json_data, bytearray) else json_data
        return cls.model_validate(loads(text), **options)

    @property
    def method(self) -> str:
        """How the receipt was made: `arms` where it does not say."""
        method = (self.__pydantic_extra__ or {}).get("method", "arms")
        return method if isinstance(method, str) else "arms"

    def block(self, name: str) -> Mapping[str, Any] | None:
        """Return a block beyond the schema, such as `golden`, `attempts` or `source`.

        None where there is none, or something else of that name that another client wrote.
        """
        block = (self.__pydantic_extra__ or {}).get(name)
        return block if isinstance(block, dict) else None


@dataclass(frozen=True, slots=True)
class ReceiptFile:
    """A receipt's bytes, and what they are.

    Attributes:
        data: The bytes as read. They are the receipt's identity; copying it copies these.
        kind: "usable"; "newer" for what a later version of this program may have written, which
            is kept and shown as such; "invalid" for anything else.
        receipt: The model of a usable one, else None.
        problem: What is wrong with an invalid one, in a sentence that names the field; else empty.
        newer_by: What this version does not know in a newer one, in a sentence; else empty.
        content_digest: Of a usable or newer one, where it is well-formed; so are the next three.
        run_id: As above.
        skill_id: As above.
        version: As above.
    """

    data: bytes
    kind: Literal["usable", "newer", "invalid"]
    receipt: Receipt | None = None
    problem: str = ""
    newer_by: str = ""
    content_digest: str | None = None
    run_id: str | None = None
    skill_id: str | None = None
    version: str | None = None

    @property
    def newer(self) -> bool:
        """Whether a later version of this program may have written it."""
        return self.kind == "newer"


def read_receipt(data: bytes) -> ReceiptFile:
    """Return what some bytes are as a receipt. Nothing in them can make it raise."""
    try:
        document = loads(data)
    except JsonError as error:
        return ReceiptFile(data, "invalid", problem=str(error))
    try:
        receipt = Receipt.model_validate(document)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=True, include_input=False)
        problem = _sentence(faults)
        if _is_newer(document, faults):
            return ReceiptFile(data, "newer", newer_by=problem, **_names(document))
        return ReceiptFile(data, "invalid", problem=problem)
    return ReceiptFile(data, "usable", receipt=receipt, **_names(document))


def _is_newer(document: object, faults: list[ErrorDetails]) -> bool:
    """Say whether a later schema, or one more word for the verdict, is all that is wrong."""
    if not isinstance(document, dict):
        return False
    schema = document.get("schema_version")
    if isinstance(schema, int | float) and schema % 1 == 0 and schema > 2:
        return True
    only_verdict = [fault["loc"] for fault in faults] == [("verdict",)]
    return only_verdict and isinstance(document.get("verdict"), str)


_FORMS: dict[str, Callable[[str], bool]] = {
    "content_digest": is_digest,
    "run_id": is_run_id,
    "skill_id": is_skill_id,
    "version": is_version,
}


def _names(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a receipt's names that are well-formed."""
    return {
        key: document[key]
        for key, fits in _FORMS.items()
        if isinstance(document.get(key), str) and fits(document[key])
    }


_REASONS = {
    "missing": "is missing",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "dict_type": "must be a map",
    "model_type": "must be a map",
    "list_type": "must be a list",
    "tuple_type": "must be a pair of text and true or false",
    "too_long": "must be a pair of text and true or false",
    "greater_than_equal": "must be at least {ge}",
    "literal_error": "must be {expected}",
}


def _sentence(faults: list[ErrorDetails]) -> str:
    """Return the first of a schema's complaints, and how many more there are."""
    first = faults[0]
    known = _REASONS.get(first["type"])
    reason = known.format_map(first.get("ctx", {})) if known else first["msg"]
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{shown(first['loc'])}: {reason}{more}"

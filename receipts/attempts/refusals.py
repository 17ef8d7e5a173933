"""What a schema found wrong with a file, in a sentence of ours."""

from pydantic import ValidationError

from receipts.jsontext import shown

_REASONS = {
    "missing": "is missing",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "dict_type": "must be a map",
    "model_type": "must be a map",
    "model_attributes_type": "must be a map",
    "list_type": "must be a list",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "enum": "must be {expected}",
    "literal_error": "must be {expected}",
    "datetime_parsing": "must be a time",
    "datetime_from_date_parsing": "must be a time",
    "datetime_type": "must be a time",
    "json_invalid": "no JSON: {error}",
}


def sentence(error: ValidationError) -> str:
    """Return the first of the schema's complaints, and how many more there are."""
    faults = error.errors(include_url=False, include_context=True, include_input=False)
    first = faults[0]
    known = _REASONS.get(first["type"])
    reason = known.format_map(first.get("ctx", {})) if known else first["msg"]
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    where = f"{shown(first['loc'])} " if first["loc"] or first["type"] != "json_invalid" else ""
    return f"{where}{reason}{more}"

"""The trigger prompts: what should make an agent choose the skill, and what should not."""

from dataclasses import dataclass

from receipts.arms.assets.yamlfile import Fields

FILE = "triggers.yaml"
_KEYS = ("should_trigger", "should_not_trigger")


@dataclass(frozen=True)
class Triggers:
    """The prompts for which the skill should be chosen, and those for which it should not."""

    should: tuple[str, ...]
    should_not: tuple[str, ...]


def read(fields: Fields) -> Triggers:
    """Read the trigger prompts; whatever cannot be used is refused in its report."""
    fields.check_keys(_KEYS)
    should, should_not = (fields.texts(key) for key in _KEYS)
    if not should and not should_not:
        fields.warn(f"{fields.who} has no prompts: it measures nothing")
    for key, prompts in zip(_KEYS, (should, should_not), strict=True):
        before: set[str] = set()
        for position, prompt in enumerate(prompts):
            if prompt in before:
                fields.warn(f"{fields.who}: '{key}' has one prompt twice", key, position)
            before.add(prompt)
    for prompt in sorted(set(should) & set(should_not)):
        fields.warn(
            f"{fields.who}: a prompt is in both lists, so one of them is missed",
            _KEYS[1],
            should_not.index(prompt),
        )
    return Triggers(should, should_not)

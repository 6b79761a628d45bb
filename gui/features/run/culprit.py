"""Finds the setting that makes the form invalid. Pure."""

from __future__ import annotations

from collections.abc import Callable

from core.plan.specification import Specification, specification_of


def setting_at_fault(
    asked: Specification, last_edited: str, can_run: Callable[[Specification], bool]
) -> str:
    """Return the name of the option whose default value would make invalid settings valid.

    The option that was edited last is tried first. Returns "" if no single default is enough.
    """
    values = {option.name: value for option, value in asked.values}
    changed = []
    for option, value in asked.values:
        if option.title and value not in (None, option.default):
            changed.append(option)
    # Stable: the others keep the order of the form.
    changed.sort(key=lambda option: option.name != last_edited)
    for option in changed:
        if can_run(specification_of({**values, option.name: option.default})):
            return option.name
    return ""

"""Settings of an earlier run, for use in the form. Pure."""

from __future__ import annotations

from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.trace.header import Header
from gui.look.text import tr


def settings_of(header: Header | None) -> Specification | str:
    """Return the settings of a run, or one line that says why they cannot be used."""
    if header is None:
        return tr("No run is shown: there are no settings to use.")
    if not header.source.has_plan:
        return tr("This recording does not state its settings: another program made it.")
    if header.specification.strategy not in STRATEGIES:
        name = header.specification.strategy
        return tr("This version has no strategy {name}: its settings cannot be used.", name=name)
    return header.specification

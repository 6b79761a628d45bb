"""The changes to a run that would help most: other lanes, larger tasks, or other ways."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from core.errors import PlanError
from core.plan.lanes import virtual_instead
from core.plan.planning import check
from core.plan.specification import Specification
from core.report.limits import Limit
from core.trace.source import Source
from core.trace.trace import Trace

if TYPE_CHECKING:  # importing it would slow the start of the window
    from core.predict.advisor import AdviceResult

ALTERNATIVES = 3
WIDTH = 512
"""Width of a layer at which tasks take longer than Python needs to start them."""


class Change(StrEnum):
    """Kinds of changes to a run."""

    VIRTUAL_LANES = "virtual-lanes"
    """Lanes share hardware: virtual lanes show the strategy without this effect."""
    WIDER = "wider"
    """Tasks are shorter than the time that Python needs to start them."""
    OTHER_WAY = "other-way"
    """Another strategy, schedule or number of micro-batches is predicted to be faster."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A run to make instead.

    For a predicted change, `step_ns` is the length of its step, `longer` the difference as a
    fraction of the present step, and `more_bytes` the additional memory of the fullest lane. They
    are 0 for other changes.
    """

    change: Change
    specification: Specification
    step_ns: int = 0
    longer: float = 0.0
    more_bytes: int = 0


def suggestion(trace: Trace, limit: Limit | None) -> Suggestion | None:
    """Return the change that a run's settings and its limit suggest, or None."""
    if trace.header.source is not Source.RUN:
        return None
    specification = trace.header.specification
    lanes = trace.header.compute_lanes
    devices = virtual_instead(lanes)
    if devices:
        virtual = specification.having(devices=devices)
        return _possible(Change.VIRTUAL_LANES, virtual)
    width = specification.model.filled().width
    if limit is Limit.HOST and width is not None and width < WIDTH:
        wider_model = replace(specification.model, width=WIDTH)
        wider = replace(specification, model=wider_model)
        return _possible(Change.WIDER, wider)
    return None


def better_ways(advised: AdviceResult) -> list[Suggestion]:
    """Return the ways to try first, at most ALTERNATIVES; [] if none is known to save enough."""
    present = advised.present
    if present is None:
        return []
    found = []
    for way in advised.better_ways(ALTERNATIVES):
        suggested = Suggestion(
            Change.OTHER_WAY,
            way.specification,
            step_ns=way.step_ns,
            longer=way.step_ns / present.step_ns - 1,
            more_bytes=way.memory_bytes - present.memory_bytes,
        )
        found.append(suggested)
    return found


def _possible(change: Change, specification: Specification) -> Suggestion | None:
    try:
        check(specification)
    except PlanError:
        return None
    return Suggestion(change, specification)

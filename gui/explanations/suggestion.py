"""The one change to a run that would help most: other lanes, larger tasks, or another way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from core.errors import PlanError
from core.plan.lanes import virtual_instead
from core.plan.planning import check
from core.plan.specification import Specification
from core.predict.advisor import AdviceResult
from core.report.limits import Limit
from core.trace.source import Source
from core.trace.trace import Trace

WIDTH = 512
"""Features of a layer from which on its tasks take longer than Python takes to start them."""


class Change(StrEnum):
    """What is to be changed."""

    VIRTUAL_LANES = "virtual-lanes"
    """Lanes share hardware: virtual ones show the strategy without that."""
    WIDER = "wider"
    """Tasks are so short that Python takes longer."""
    OTHER_WAY = "other-way"
    """Another strategy, schedule or number of pieces is predicted to be quicker."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A run to make instead, and its predicted step in ns, None where nothing was predicted."""

    change: Change
    specification: Specification
    step_ns: int | None = None


def suggestion(trace: Trace, limit: Limit | None) -> Suggestion | None:
    """What follows from how a run was set up and what limits it; None if nothing does."""
    if trace.header.source is not Source.RUN:
        return None
    specification = trace.header.specification
    lanes = trace.header.compute_lanes
    if devices := virtual_instead(lanes):
        return _possible(Change.VIRTUAL_LANES, specification.having(devices=devices))
    width = specification.model.filled().width
    if limit is Limit.HOST and width is not None and width < WIDTH:
        wider = replace(specification.model, width=WIDTH)
        return _possible(Change.WIDER, replace(specification, model=wider))
    return None


def better_way(advised: AdviceResult) -> Suggestion | None:
    """The way that the advisor would try first; None if none is known to spare enough."""
    best = advised.better
    if best is None:
        return None
    return Suggestion(Change.OTHER_WAY, best.specification, best.step_ns)


def _possible(change: Change, specification: Specification) -> Suggestion | None:
    try:
        check(specification)
    except PlanError:
        return None
    return Suggestion(change, specification)

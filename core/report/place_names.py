"""Names of lanes in sentences about a run."""

from __future__ import annotations

from collections.abc import Sequence

from core.plan.plan import Lane, rank_names
from core.trace.source import Source


def place_names(source: Source, lanes: Sequence[Lane]) -> tuple[str, ...]:
    """Return the name of each lane: `lane 2`, or without a plan its rank's (`replica 1 rank 2`).

    Without a plan, the numbers of lanes are their order in the file and mean nothing to a reader.
    """
    if source.has_plan:
        return tuple(f"lane {lane.serves}" for lane in lanes)
    return tuple(rank_names(lanes))

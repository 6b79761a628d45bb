"""Places of the workers of a job on the axes of a mesh.

A worker is a lane that computes. The axis DP has the replicas, PP the order of the workers of a
replica by their stages, and TP the workers that share replica and stages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from core.plan.plan import Lane, computing_lanes
from core.plan.task import ABSENT
from core.report.measured import MeasuredSteps


class Axis(StrEnum):
    """Axes of a mesh of workers."""

    DP = "DP"
    """Replicas."""
    PP = "PP"
    """Workers of a replica in the order of their stages."""
    TP = "TP"
    """Workers of one replica that have the same stages."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker: the index and name of its lane, and its place on each axis."""

    lane: int
    name: str
    place: dict[Axis, int]


def mesh_of(run: MeasuredSteps) -> tuple[Worker, ...]:
    """Return the workers of a run that have tasks, with their places."""
    columns = run.columns
    abouts = []
    for lane in computing_lanes(run.lanes):
        mine = columns.lane == lane.index
        stages = tuple(np.unique(columns.stage[mine & (columns.stage != ABSENT)]).tolist())
        replicas = columns.replica[mine & (columns.replica != ABSENT)]
        replica = int(np.bincount(replicas).argmax()) if len(replicas) else 0
        if mine.any():
            abouts.append((lane, replica, stages))
    if len({(replica, stages) for _, replica, stages in abouts}) == 1:
        # Without stages and replicas every lane is a replica, as in data parallel jobs.
        abouts = [(lane, place, stages) for place, (lane, _, stages) in enumerate(abouts)]
    return tuple(_placed(abouts))


def _placed(abouts: Sequence[tuple[Lane, int, tuple[int, ...]]]) -> Iterator[Worker]:
    replicas = sorted({replica for _, replica, _ in abouts})
    found: dict[tuple[int, tuple[int, ...]], int] = {}
    for lane, replica, stages in abouts:
        own = sorted({other for _, its, other in abouts if its == replica})
        number = found.get((replica, stages), 0)
        found[replica, stages] = number + 1
        place = {
            Axis.DP: replicas.index(replica),
            Axis.PP: own.index(stages),
            Axis.TP: number,
        }
        yield Worker(lane.index, lane.name, place)


def largest_axes(workers: Sequence[Worker]) -> tuple[Axis, Axis]:
    """Return the two axes with the most places, in the order of Axis."""
    sizes = {axis: max(worker.place[axis] for worker in workers) for axis in Axis}
    chosen = sorted(Axis, key=lambda axis: -sizes[axis])[:2]
    first, second = (axis for axis in Axis if axis in chosen)
    return first, second

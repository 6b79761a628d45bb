"""Places of the workers of a job on the axes of a mesh.

A worker is a lane that computes. The axis DP has the replicas, PP the order of the workers of a
replica by their stages, and TP the workers that share replica and stages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

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
class MeshWorker:
    """A worker: the index and name of its lane, and its place on each axis."""

    lane: int
    name: str
    place: dict[Axis, int]


def mesh_of(run: MeasuredSteps) -> tuple[MeshWorker, ...]:
    """Return the workers of a run that have tasks, with their places."""
    columns = run.columns
    groups = []
    for lane in computing_lanes(run.lanes):
        mine = columns.lane == lane.index
        if not mine.any():
            continue
        replicas = columns.replica[mine]
        known_replicas = replicas[replicas != ABSENT]
        replica = 0
        if len(known_replicas):
            replica = int(np.bincount(known_replicas).argmax())
        stages = np.unique(columns.stage[mine])
        known_stages = stages[stages != ABSENT].tolist()
        groups.append(
            _Group(
                lane=lane,
                replica=replica,
                stages=tuple(known_stages),
            )
        )
    kinds = {(group.replica, group.stages) for group in groups}
    if len(kinds) == 1:
        # Without stages and replicas every lane is a replica, as in data parallel jobs.
        groups = [group._replace(replica=place) for place, group in enumerate(groups)]
    return _placed(groups)


class _Group(NamedTuple):
    """A lane with the replica and the stages of its tasks."""

    lane: Lane
    replica: int
    stages: tuple[int, ...]


def _placed(groups: Sequence[_Group]) -> tuple[MeshWorker, ...]:
    """Return the workers of lanes, with their places."""
    stages_of: dict[int, set[tuple[int, ...]]] = {}
    for group in groups:
        of_replica = stages_of.setdefault(group.replica, set())
        of_replica.add(group.stages)
    replicas = sorted(stages_of)
    alike: Counter[tuple[int, tuple[int, ...]]] = Counter()
    workers = []
    for lane, replica, stages in groups:
        in_order = sorted(stages_of[replica])
        place = {
            Axis.DP: replicas.index(replica),
            Axis.PP: in_order.index(stages),
            Axis.TP: alike[replica, stages],
        }
        alike[replica, stages] += 1
        workers.append(
            MeshWorker(
                lane=lane.index,
                name=lane.name,
                place=place,
            )
        )
    return tuple(workers)


def largest_axes(workers: Sequence[MeshWorker]) -> tuple[Axis, Axis]:
    """Return the two axes with the most places, in the order of Axis."""
    sizes: dict[Axis, int] = {}
    for axis in Axis:
        sizes[axis] = max(worker.place[axis] for worker in workers)
    by_size = sorted(Axis, key=lambda axis: -sizes[axis])
    largest = by_size[:2]
    first, second = (axis for axis in Axis if axis in largest)
    return first, second

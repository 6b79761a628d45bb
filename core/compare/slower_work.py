"""The work that makes one run's steps longer than another's, found by replaying the step.

Contributions (core.compare.differences) say where lanes spend the time, and count a lane that waits
for a slow one as much as the slow one itself. Here B's step is replayed with the tasks of one sort
of work as long as in A, for one sort after the other. The sort that shortens it most is the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Floats, Ints
from core.compare.matching import StepTasks, match_steps
from core.message import N_, Message, message
from core.order import find_keys
from core.plan.task import IS_COMMUNICATION, KINDS
from core.report.measured import MeasuredSteps
from core.trace.trace import Trace

MOST_OF_IT = 0.5
"""The part of the difference that a sort of work must explain to be the reason."""
ONE_LANE = 0.7
"""A lane, or a kind, is named if its tasks explain at least this part of the work's cost."""
OTHER_LANES = 0.35
"""Largest part of the cost that any other lane, or kind, may then explain."""
MATCHED = 0.9
"""Least fraction of each run's tasks that the other run must have too."""


class Work(StrEnum):
    """Sorts of work, as words for a sentence."""

    COMPUTING = N_("computing")
    MOVING = N_("moving data")
    HOST = N_("waiting for the host")


@dataclass(frozen=True, slots=True)
class SlowerWork:
    """A sort of work that costs B's step `cost_ns` more than A's.

    `kind` is the kind of most of its tasks, or "" if several kinds are slower. `lane` is the name
    of the lane that has these tasks, or "" if several lanes have them.
    """

    work: Work
    cost_ns: int
    kind: str = ""
    lane: str = ""

    @property
    def text(self) -> Message:
        """The work with its kind and lane: `computing (backward) on cpu:2`."""
        work = Message(self.work)
        if self.kind and self.lane:
            return message("{work} ({kind}) on {lane}", work=work, kind=self.kind, lane=self.lane)
        if self.kind:
            return message("{work} ({kind})", work=work, kind=self.kind)
        if self.lane:
            return message("{work} on {lane}", work=work, lane=self.lane)
        return work


def slower_work(a: Trace, b: Trace, steps_a: list[int], steps_b: list[int]) -> SlowerWork | None:
    """Return the work that makes steps of B longer than steps of A.

    None if the runs have different tasks, if one has lanes whose waits are not known (a device's
    streams, ranks of a job), and if no sort of work explains MOST_OF_IT.
    """
    if a.step_table.follow or b.step_table.follow:
        return None
    one = MeasuredSteps.of(a, steps_a)
    other = MeasuredSteps.of(b, steps_b)
    if one.has_streams or other.has_streams:
        return None
    replay = _Replay.of(a, b, one, other)
    if replay is None:
        return None
    longer = float(other.spans.mean() - one.spans.mean())
    late = float(_lateness(other) - _lateness(one))
    found = [
        replay.costs(Work.COMPUTING, other.computes),
        replay.costs(Work.MOVING, IS_COMMUNICATION[other.columns.kind]),
        SlowerWork(Work.HOST, round(late)),
    ]
    worst = max(found, key=lambda work: work.cost_ns)
    return worst if worst.cost_ns >= MOST_OF_IT * longer else None


def _lateness(run: MeasuredSteps) -> float:
    """Return the mean ns by which steps are longer than if tasks started as soon as they could."""
    return float((run.spans - run.makespans).mean())


@dataclass(frozen=True, slots=True)
class _Replay:
    """B's step, in which tasks may take as long as in A; `taken` and `as_in_a` are ns, shape (n,).

    For tasks that only B has, both are B's durations.
    """

    run: MeasuredSteps
    taken: Floats
    as_in_a: Floats

    @classmethod
    def of(cls, a: Trace, b: Trace, one: MeasuredSteps, other: MeasuredSteps) -> _Replay | None:
        """Match the tasks of two runs; None if too many tasks have no match."""
        tasks_a = StepTasks.of(a, one.steps[one.median])
        tasks_b = StepTasks.of(b, other.steps[other.median])
        matches = match_steps(tasks_a, tasks_b)
        matched_a = tasks_a.task[matches.of_a]
        matched_b = tasks_b.task[matches.of_b]
        place_a = _places(one, matched_a)
        place_b = _places(other, matched_b)
        known = (place_a >= 0) & (place_b >= 0)
        count = max(len(one.columns), len(other.columns))
        if known.sum() < MATCHED * count:
            return None
        known_a = place_a[known]
        known_b = place_b[known]
        taken_in_a = one.taken.mean(axis=0)
        taken = other.taken.mean(axis=0)
        as_in_a = taken.copy()
        as_in_a[known_b] = taken_in_a[known_a]
        return cls(other, taken, as_in_a)

    def costs(self, work: Work, tasks: Bools) -> SlowerWork:
        """Return the cost of a sort of work, with its kind and lane if there is one of each."""
        columns = self.run.columns
        cost = self.saved(tasks)
        codes = np.unique(columns.kind[tasks])
        by_kind: dict[str, int] = {}
        for code in codes.tolist():
            of_kind = tasks & (columns.kind == code)
            kind_name = str(KINDS[code])
            by_kind[kind_name] = self.saved(of_kind)
        lanes = np.unique(columns.lane[tasks])
        by_lane: dict[str, int] = {}
        for lane in lanes.tolist():
            of_lane = tasks & (columns.lane == lane)
            lane_name = self.run.lanes[lane].name
            by_lane[lane_name] = self.saved(of_lane)
        kind = _alone(by_kind, cost)
        # Data moves between lanes, so the lane of a copy says little.
        name = "" if work is Work.MOVING else _alone(by_lane, cost)
        return SlowerWork(
            work=work,
            cost_ns=cost,
            kind=kind,
            lane=name,
        )

    def saved(self, tasks: Bools) -> int:
        """Return by how many ns the step is shorter if some tasks take as long as in A."""
        mended = np.where(tasks, self.as_in_a, self.taken)
        return self.run.simulated_ns(self.taken) - self.run.simulated_ns(mended)


def _alone(costs: dict[str, int], whole: int) -> str:
    """Return the name whose cost makes up the whole, if there are others that do not; else ""."""
    if len(costs) < 2 or whole <= 0:
        return ""
    largest_first = sorted(costs, key=lambda name: -costs[name])
    first, second = largest_first[:2]
    makes_up_whole = costs[first] >= ONE_LANE * whole
    others_do_not = costs[second] <= OTHER_LANES * whole
    if makes_up_whole and others_do_not:
        return first
    return ""


def _places(run: MeasuredSteps, tasks: NDArray[np.int32]) -> Ints:
    """Return the places of tasks, by number, in a run's columns; -1 for tasks that it lacks."""
    known = run.columns.task
    place, is_found = find_keys(known, tasks)
    return np.where(is_found, place, -1)

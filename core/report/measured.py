"""The measured steps of a run as arrays of comparable tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Floats, Ints
from core.costs.durations import durations
from core.costs.meetings import meeting
from core.costs.replay import lane_pairs
from core.costs.simulate import makespan_ns
from core.costs.waits import waits_of
from core.errors import PlanError
from core.order import evenly
from core.plan.division import Stage
from core.plan.plan import Lane, computing_lanes, device_streams, lane_indices
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.plan.transfers import Links, links_of
from core.predict.compare import CostSource, known_costs
from core.predict.replan import RunPlans
from core.report.alike_steps import alike_steps
from core.report.place_names import place_names
from core.report.same_work import same_work, work_parts
from core.trace.median_step import median_step
from core.trace.source import Source
from core.trace.step import StepColumns, StepSpans
from core.trace.trace import Trace

MOST_STEPS = 64
"""Largest number of steps that are all used. Of more, this many are chosen evenly, and the
MOST_LONGEST longest steps and the median one are added."""
MOST_SPANS = 1_000_000
"""Largest number of tasks in all these steps together."""
MOST_LONGEST = 8


@dataclass(frozen=True)
class MeasuredSteps:
    """S steps that share n tasks; times are in ns.

    - `taken`, shape (S, n): the duration of each task without waits for other members of a
      collective
    - `late`, shape (S, n): the time from which a task could start, by the median step's
      dependencies, to its start (of a collective, to the arrival of its last member)
    - `spans`, shape (S,): the length of each step
    - `median`: the position of the run's median step (core.trace.median_step) among the S steps
    - `columns`, `meets`: the tasks of the median step, and its collectives of ranks
      (core.costs.waits.meeting)
    - `alike`, shape (n,): numbers, the same for tasks with the same work
    - `roughly`, `parts`: numbers for tasks with nearly the same work, and each task's part of it
    - `name`: the position in `texts` of the name that another program gave a task, or ABSENT
    - `costs`, shape (n,): costs that were measured independently of the lanes, so that a slow lane
      does not affect them; or None
    """

    steps: tuple[int, ...]
    warmup: int
    lanes: tuple[Lane, ...]
    columns: StepColumns
    meets: Ints
    taken: Ints
    late: Ints
    spans: Ints
    median: int
    alike: Ints
    roughly: Ints
    parts: Floats
    source: Source
    links: Links = field(repr=False)
    name: Ints = field(repr=False)
    texts: Sequence[str] = field(repr=False)
    costs: Floats | None = field(repr=False)

    @classmethod
    def of(cls, trace: Trace, steps: Sequence[int]) -> MeasuredSteps:
        """Return the steps with the median step's tasks; of many steps, some are chosen."""
        header = trace.header
        lanes = header.lanes
        lengths = _lengths(trace, steps)
        median = median_step(trace, steps)
        chosen = _chosen(trace, lengths, median)
        spans = {step: StepSpans.of(trace, step) for step in chosen}
        alike = alike_steps(trace, spans, median)
        reference = alike.reference
        places = alike.places[reference]
        whole = StepColumns.of_spans(spans[median])
        columns = whole.picked(places)
        meets = meeting(whole, lanes)[places]
        taken = []
        late = []
        for step, positions in zip(alike.steps, alike.places, strict=True):
            own = StepColumns.of_spans(spans[step])
            begun = waits_of(own, lanes).begun[positions]
            timed = columns.timed(own.start[positions], own.end[positions])
            # All steps are replayed with the median step's dependencies, so lateness counts from
            # these too. In another program's steps, clock errors may yield different dependencies.
            ready = _ready(timed, meets, trace.step_bounds(step)[0])
            taken.append(timed.end - begun)
            late.append(np.maximum(0, begun - ready))
        plan = RunPlans(trace).plan(median)
        stages = () if plan is None else plan.stages
        name = spans[alike.steps[reference]].spans["name"][places]
        # Without a plan, only its name shows the work of a task.
        names = 0 * columns.kind if header.source.has_plan else name
        return cls(
            steps=alike.steps,
            warmup=header.specification.warmup,
            lanes=lanes,
            columns=columns,
            meets=meets,
            taken=np.stack(taken),
            late=np.stack(late),
            spans=np.array([lengths[step] for step in alike.steps], np.int64),
            median=reference,
            alike=same_work(
                columns=columns,
                stages=stages,
                model=header.model,
                names=names,
                exactly=True,
            ),
            roughly=same_work(
                columns=columns,
                stages=stages,
                model=header.model,
                names=names,
                exactly=False,
            ),
            parts=work_parts(columns, stages, header.model),
            source=header.source,
            links=links_of(columns, lanes),
            name=name,
            texts=trace.table.names,
            costs=_costs(trace, columns, stages),
        )

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Names of the lanes in sentences (core.report.place_names)."""
        return place_names(self.source, self.lanes)

    @cached_property
    def logs(self) -> Floats:
        """Logarithms of `taken`."""
        # A lane that is slower by a factor differs by the same amount in long and short tasks.
        return np.log(np.maximum(self.taken, 1))

    @cached_property
    def makespans(self) -> Ints:
        """Length of each step in ns if tasks start as soon as they can, shape (S,).

        For a device's streams it is not known when tasks can start, so this is `spans`.
        """
        if self.has_streams:
            return self.spans
        return np.array([self.simulated_ns(taken) for taken in self.taken], np.int64)

    @cached_property
    def has_streams(self) -> bool:
        """True if lanes are a device's streams, for whose tasks no waits are known."""
        return bool(device_streams(self.lanes))

    @cached_property
    def has_waits(self) -> bool:
        """True if it is known what tasks wait for on other lanes, so that steps can be replayed."""
        if self.has_streams:
            return False
        columns = self.columns
        crosses = columns.lane[columns.waiters] != columns.lane[columns.after]
        meets = self.meets != ABSENT
        return bool(crosses.any() or meets.any())

    @cached_property
    def on_devices(self) -> Bools:
        """True for tasks of a device, False for tasks of the host that starts them, shape (n,)."""
        if not self.has_streams:
            return np.ones(len(self.columns), np.bool_)
        streams = [lane.index for lane in self.lanes if lane.stream_of]
        found: Bools = np.isin(self.columns.lane, streams)
        return found

    @cached_property
    def computes(self) -> Bools:
        """True for tasks that compute, shape (n,)."""
        on_compute_lanes: Bools = np.isin(self.columns.lane, self.compute_lanes)
        return on_compute_lanes & ~IS_COMMUNICATION[self.columns.kind]

    @cached_property
    def computed(self) -> Floats:
        """Computing ns of each compute lane in each step, shape (S, lanes)."""
        lane = self.columns.lane
        work = np.where(self.computes, self.taken, 0)
        totals: list[Ints] = []
        for mine in self.compute_lanes:
            totals.append(work[:, lane == mine].sum(axis=1))
        return np.stack(totals, axis=1).astype(np.float64)

    @property
    def compute_lanes(self) -> list[int]:
        """Numbers of the lanes that compute."""
        return lane_indices(computing_lanes(self.lanes))

    def simulated_ns(self, taken: NDArray[np.number]) -> int:
        """Return the simulated length in ns of a step with these durations (n)."""
        whole_ns = np.rint(taken).astype(np.int64)
        return makespan_ns(self.columns, whole_ns, self.meets)

    def longer_by(self, place: int, task: int, usual: float) -> int:
        """Return by how many ns a step is longer because one task exceeded its `usual` ns.

        It is simulated. For a device's streams it is at most the step's excess over the median one.
        """
        taken = self.taken[place].astype(np.float64)
        if self.has_streams:
            step_excess = float(self.spans[place] - self.step_ns)
            task_excess = float(taken[task]) - usual
            return max(0, round(min(task_excess, step_excess)))
        taken[task] = usual
        return int(self.makespans[place]) - self.simulated_ns(taken)

    def name_of(self, task: int) -> str:
        """Return the name that another program gave a task, or its action such as 2F1."""
        place = int(self.name[task])
        if place == ABSENT:
            return str(self.columns[task])
        return self.texts[place]

    @property
    def step_ns(self) -> int:
        """Makespan of the median step in ns."""
        return int(self.spans[self.median])

    def loss(self, factors: Floats) -> tuple[int, float]:
        """Return the cost of slow tasks to the median step in ns, and as a share of its makespan.

        `factors` (n) are the tasks' durations relative to those without the fault.
        """
        without = self.simulated_ns(self.taken[self.median] / factors)
        lost = int(self.makespans[self.median]) - without
        return lost, lost / max(1, self.step_ns)


def _ready(columns: StepColumns, meets: Ints, begin: int) -> Ints:
    """Return the time in ns from which each task could start, shape (n,), at least `begin`.

    All that it waits for has ended by then, and the same is true of the tasks that it meets.
    """
    ready = np.full(len(columns), begin, np.int64)
    before, after = lane_pairs(columns.lane)
    np.maximum.at(ready, after, columns.end[before])
    waiter = columns.waiters
    np.maximum.at(ready, waiter, columns.end[columns.after])
    members = np.flatnonzero(meets != ABSENT)
    numbers, number = np.unique(meets[members], return_inverse=True)
    last = np.full(len(numbers), begin, np.int64)
    np.maximum.at(last, number, ready[members])
    ready[members] = last[number]
    return ready


def _costs(trace: Trace, columns: StepColumns, stages: Sequence[Stage]) -> Floats | None:
    """Return the cost of each of n tasks in ns, at least 1; None if measured on the lanes."""
    found = known_costs(trace)
    if found is None:
        return None
    costs, source = found
    # Other costs were measured on the lanes: a slow lane's costs would hide that it is slow.
    if source is not CostSource.ALONE:
        return None
    try:
        return np.maximum(1.0, durations(columns, costs, stages, trace.header.lanes))
    except PlanError:
        return None


def _lengths(trace: Trace, steps: Sequence[int]) -> dict[int, int]:
    """Return the length of each step in ns."""
    found = {}
    for step in steps:
        start, end = trace.step_bounds(step)
        found[step] = end - start
    return found


def _chosen(trace: Trace, lengths: dict[int, int], median: int) -> list[int]:
    """Return all steps; of too many, an even selection, the longest and the median."""
    steps = list(lengths)
    tasks = trace.span_count // max(1, len(trace.steps))
    # At least three: a step is compared with the median of the others.
    most = max(3, min(MOST_STEPS, MOST_SPANS // max(1, tasks)))
    if len(steps) <= most:
        return steps
    longest_first = sorted(steps, key=lengths.__getitem__, reverse=True)
    chosen = {*evenly(steps, most), *longest_first[:MOST_LONGEST], median}
    return sorted(chosen)

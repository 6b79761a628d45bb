"""The measured steps of a run beside each other, and which of their tasks have the same to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.costs.costs import durations
from core.costs.simulate import makespan_ns
from core.costs.waits import waits_of
from core.errors import PlanError
from core.models.description import ModelDescription
from core.plan.division import Stage
from core.plan.plan import Lane, computing_lanes, device_streams
from core.plan.task import ABSENT, IS_COMMUNICATION, KINDS, Kind
from core.plan.transfers import Links, links_of
from core.predict.compare import CostSource, known_costs
from core.predict.replan import RunPlans
from core.report.alike_steps import alike_steps
from core.trace.median_step import median_step
from core.trace.source import Source
from core.trace.step import StepColumns, StepSpans
from core.trace.trace import Trace

MOST_STEPS = 64
"""Steps that are looked at: of more, as many evenly chosen, the longest and the median one."""
MOST_SPANS = 1_000_000
"""Tasks of all these steps together."""
MOST_LONGEST = 8

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class MeasuredSteps:
    """S steps that share n tasks: what each task has `taken` in ns, shape (S, n).

    Waiting for other members of a collective is no part of it. `spans` are the S steps' own times.
    `median` is the place of the run's median step among the S steps
    (core.trace.median_step), and `step_ns` is its makespan. `alike`
    numbers what tasks have to do: tasks of one number have the same; of one number in `roughly`
    nearly so: each does its part, in `parts`, of that. `meets` are the plan's collectives of ranks
    (core.costs.waits.meeting). `source` is the trace's; predicted times have no noise. `name` is
    the place in `texts` of the name that another program gave each task, ABSENT for others.
    `costs` (n) are ns that were measured apart from the lanes, so that a slow lane is not in them,
    or None.
    """

    steps: tuple[int, ...]
    warmup: int
    lanes: tuple[Lane, ...]
    columns: StepColumns
    meets: Ints
    taken: Ints
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
        """From whole steps of a trace: of many some, of these those like the median one."""
        lanes, header = trace.header.lanes, trace.header
        whole = {step: end - start for step in steps for start, end in [trace.step_bounds(step)]}
        median = median_step(trace, steps)
        looked_at = _chosen(trace, whole, median)
        found = {step: StepSpans.of(trace, step) for step in looked_at}
        alike = alike_steps(trace, found, median)
        mine = alike.steps
        every = [StepColumns.of_spans(found[step]) for step in mine]
        waits = [waits_of(columns, lanes) for columns in every]
        begun = [one.begun for one in waits]
        taken = [
            (columns.end - begins)[places]
            for columns, begins, places in zip(every, begun, alike.places, strict=True)
        ]
        reference, places = alike.reference, alike.places[alike.reference]
        columns = every[reference].picked(places)
        plan = RunPlans(trace).plan(median)
        stages = () if plan is None else plan.stages
        # Without a plan, only the name of a task says what it does.
        name = found[mine[reference]].spans["name"][places]
        names = 0 * columns.kind if header.source.has_plan else name
        return cls(
            mine,
            header.specification.warmup,
            lanes,
            columns,
            waits[reference].meets[places],
            np.stack(taken),
            np.array([whole[step] for step in mine], np.int64),
            reference,
            _alike(columns, stages, header.model, names, exactly=True),
            _alike(columns, stages, header.model, names, exactly=False),
            _parts(columns, stages, header.model),
            header.source,
            links_of(columns, lanes),
            name,
            trace.table.names,
            _costs(trace, columns, stages),
        )

    @cached_property
    def logs(self) -> Floats:
        """The logarithms of what tasks took."""
        # A lane that is slower by a factor differs by the same amount in long tasks and in short.
        return np.log(np.maximum(self.taken, 1))

    @cached_property
    def makespans(self) -> Ints:
        """The length of each step if tasks start as soon as they can, in ns.

        Of a device's streams it is not known when tasks can start: what the steps lasted.
        """
        if self.has_streams:
            return self.spans
        return np.array([self.lasts(taken) for taken in self.taken], np.int64)

    @cached_property
    def has_streams(self) -> bool:
        """True if lanes are a device's streams, whose tasks' waits are not known."""
        return bool(device_streams(self.lanes))

    @cached_property
    def has_waits(self) -> bool:
        """True if it is known what tasks wait for on other lanes, so that steps can be replayed."""
        waiter = np.repeat(np.arange(len(self.columns)), np.diff(self.columns.after_first))
        lane = self.columns.lane
        crosses = lane[waiter] != lane[self.columns.after]
        return not self.has_streams and bool(crosses.any() or (self.meets != ABSENT).any())

    @cached_property
    def on_devices(self) -> NDArray[np.bool_]:
        """True for each task of a device, False for those of the host that starts them."""
        if not self.has_streams:
            return np.ones(len(self.columns), np.bool_)
        streams = [lane.index for lane in self.lanes if lane.stream_of]
        found: NDArray[np.bool_] = np.isin(self.columns.lane, streams)
        return found

    @cached_property
    def computes(self) -> NDArray[np.bool_]:
        """Whether each task computes."""
        found: NDArray[np.bool_] = np.isin(self.columns.lane, self.compute_lanes)
        return found & ~IS_COMMUNICATION[self.columns.kind]

    @cached_property
    def computed(self) -> Floats:
        """For how many ns each lane that computes does so in each step, shape (S, lanes)."""
        lane = self.columns.lane
        work = np.where(self.computes, self.taken, 0)
        totals = [work[:, lane == mine].sum(axis=1) for mine in self.compute_lanes]
        return np.stack(totals, axis=1).astype(np.float64)

    @property
    def compute_lanes(self) -> list[int]:
        """The lanes that compute, by number."""
        return [lane.index for lane in computing_lanes(self.lanes)]

    def lasts(self, taken: NDArray[np.number]) -> int:
        """What a step lasts in ns in which tasks take so long."""
        return makespan_ns(self.columns, np.rint(taken).astype(np.int64), self.meets)

    def longer_by(self, place: int, task: int, usual: float) -> int:
        """By how many ns a step is longer because one task took longer than the `usual` ns.

        By simulation; of a device's streams at most what the step took longer than the median one.
        """
        taken = self.taken[place].astype(np.float64)
        if self.has_streams:
            longer = float(self.spans[place] - self.step_ns)
            return max(0, round(min(float(taken[task]) - usual, longer)))
        taken[task] = usual
        return int(self.makespans[place]) - self.lasts(taken)

    def name_of(self, task: int) -> str:
        """The name that another program gave a task, else its action, such as 2F1."""
        place = int(self.name[task])
        return str(self.columns[task]) if place == ABSENT else self.texts[place]

    @property
    def step_ns(self) -> int:
        """The makespan of the median step in ns."""
        return int(self.spans[self.median])

    def loss(self, factors: Floats) -> tuple[int, float]:
        """Return what longer tasks cost the median step: in ns, and as a part of its makespan.

        `factors` (n) say how many times as long as it should each task takes.
        """
        without = self.lasts(self.taken[self.median] / factors)
        lost = int(self.makespans[self.median]) - without
        return lost, lost / max(1, self.step_ns)


def _costs(trace: Trace, columns: StepColumns, stages: Sequence[Stage]) -> Floats | None:
    """Return the cost of each of n tasks in ns, at least 1; None unless measured off the lanes."""
    found = known_costs(trace)
    # Other costs were measured on the lanes themselves: those of a slow lane are as long as its
    # tasks.
    if found is None or found[1] is not CostSource.ALONE:
        return None
    try:
        return np.maximum(1.0, durations(columns, found[0], stages))
    except PlanError:
        return None


def _chosen(trace: Trace, lengths: dict[int, int], median: int) -> list[int]:
    """The steps that are looked at: all, or of many some, the longest and the median one."""
    steps = list(lengths)
    tasks = trace.span_count // max(1, len(trace.steps))
    # At least three, or there is no median of the other steps to hold one against.
    most = max(3, min(MOST_STEPS, MOST_SPANS // max(1, tasks)))
    if len(steps) <= most:
        return steps
    evenly = [steps[i] for i in np.linspace(0, len(steps) - 1, most).astype(int).tolist()]
    longest = sorted(steps, key=lengths.__getitem__, reverse=True)[:MOST_LONGEST]
    return sorted({*evenly, *longest, median})


def _alike(
    columns: StepColumns,
    stages: Sequence[Stage],
    model: ModelDescription,
    names: NDArray[Any],
    exactly: bool,
) -> Ints:
    """A number for each of n tasks, the same for those that have the same to do.

    Passes through the same blocks, or ones of equal sizes, with the same rows; transfers of as many
    bytes. A backward through the model's first block is cheaper: its input needs no gradient; one
    through the last goes on from the loss: both are told apart if `exactly` is asked for.
    """
    backs = np.isin(columns.kind, _BACK) & exactly
    sizes = _sizes(columns, stages, model)
    last = max((stage.index for stage in stages), default=int(columns.stage.max(initial=0)))
    first = np.where(backs, _begins(columns.stage, stages) + 2 * (columns.stage == last), 0)
    paired = _begins(columns.paired_stage, stages) + 2 * (columns.paired_stage == last)
    paired = np.where(exactly, paired, 0)
    passes: tuple[NDArray[Any], ...] = (
        sizes[columns.stage], sizes[columns.paired_stage], first, paired, columns.block,
        columns.bucket, columns.rows, columns.paired_rows, names,
    )  # fmt: skip
    # Of transfers only what they are and their bytes counts.
    computes = ~IS_COMMUNICATION[columns.kind]
    about: list[NDArray[Any]] = [columns.kind, columns.payload, columns.bytes]
    about += [np.where(computes, one, 0) for one in passes]
    number = np.zeros(len(columns), np.int64)
    for column in about:  # one by one: NumPy compares rows bytewise, which takes ten times as long
        if len(column) and (column != column[0]).any():
            _, value = np.unique(column, return_inverse=True)
            # There are no more values than tasks, so the pair is one number; numbered anew each
            # time, it never grows beyond n * n.
            _, number = np.unique(number * len(column) + value, return_inverse=True)
    return number


_BACK = [KINDS.index(kind) for kind in (Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)]
_TO_INPUT = [KINDS.index(kind) for kind in (Kind.BACKWARD, Kind.BACKWARD_INPUT)]


def _parts(columns: StepColumns, stages: Sequence[Stage], model: ModelDescription) -> Floats:
    """What each of n tasks has to do of what others that are roughly alike have to, at most 1.

    A backward through the model's first block has its parameters' gradients to compute, but not its
    input's: half of it. What a block is of its stage its parameters tell.
    """
    # The last one is for what has no stage.
    spared = np.zeros(max([stage.index for stage in stages], default=-1) + 2)
    for stage in stages:
        held = [share * model.run_bytes(block, block + 1) for block, share in stage.held]
        whole = sum(held)
        if stage.first == 0 and whole > 0:
            spared[stage.index] = held[0] / whole / 2
    within = np.where(columns.stage < len(spared), columns.stage, ABSENT)
    paired = np.where(columns.paired_stage < len(spared), columns.paired_stage, ABSENT)
    # With a forward beside it a backward is two thirds of a task.
    parts: Floats = 1 - np.isin(columns.kind, _TO_INPUT) * spared[within] - 2 / 3 * spared[paired]
    return parts


def _sizes(columns: StepColumns, stages: Sequence[Stage], model: ModelDescription) -> Ints:
    """By stage a number, the same for stages of equal blocks; the last entry is for none (-1)."""
    count = int(max(columns.stage.max(initial=-1), columns.paired_stage.max(initial=-1))) + 1
    numbers: dict[object, int] = {}
    found = []
    for stage in range(count):
        about: object = stage
        if stage < len(stages) and stages[stage].last <= len(model.blocks):
            about = tuple(
                (tuple(n for _, n in model.blocks[block].parameters),
                 model.blocks[block].output_elements, share)
                for block, share in stages[stage].held
            )  # fmt: skip
        found.append(numbers.setdefault(about, len(numbers)))
    return np.array([*found, ABSENT], np.int64)


def _begins(stage: NDArray[np.int32], stages: Sequence[Stage]) -> NDArray[np.bool_]:
    """Whether each task's stage holds the model's first block."""
    first = np.array([*(one.first == 0 for one in stages), False])
    within = (stage >= 0) & (stage < len(stages))
    # Without a plan nothing is known of stages but that the first one holds the first block.
    found: NDArray[np.bool_] = np.where(within, first[np.where(within, stage, -1)], stage == 0)
    return found

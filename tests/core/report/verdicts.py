"""Runs with faults that never were: costs of equal blocks, with jitter and what is put in."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.costs.cost_values import values_of
from core.costs.costs import CostModel
from core.costs.durations import durations
from core.costs.meetings import meeting
from core.costs.simulate import simulate
from core.costs.waits import waits_of
from core.models.description import ModelDescription
from core.plan.faults import Faults
from core.plan.link import Link
from core.plan.plan import Plan
from core.plan.specification import Specification, describe
from core.plan.task import ABSENT, Kind
from core.recording.decode import append_batch
from core.recording.schema import NoteRow, Record, Timings, note_batch, plan_batch, span_batch
from core.trace.complete import completed_steps
from core.trace.header import Header
from core.trace.median_step import median_step
from core.trace.step import StepColumns
from core.trace.trace import Trace
from tests.core.helpers import plan_of

MS = 1e6
COST_MS = {
    Kind.FORWARD: 1.0, Kind.BACKWARD: 2.0, Kind.BACKWARD_INPUT: 1.0, Kind.BACKWARD_WEIGHT: 1.0,
    Kind.STEP: 0.1,
}  # fmt: skip
"""Of a block and eight rows; a step of a block."""
ROWS = 8.0
FIRST_BACK = 0.5
"""A backward through the model's first block costs so much of another one's."""


@dataclass(frozen=True)
class Made:
    """A run that was made up, and what its measured steps take with its faults and without."""

    trace: Trace
    with_faults: NDArray[np.int64]
    without: NDArray[np.int64]

    @property
    def losses(self) -> NDArray[np.int64]:
        """What the faults cost each measured step, in ns."""
        return self.with_faults - self.without

    @property
    def median_loss(self) -> int:
        """What the faults cost the median step, in ns."""
        steps = completed_steps(self.trace)
        return int(self.losses[steps.index(median_step(self.trace, steps))])


def equal_blocks(blocks: int) -> CostModel:
    """What a model of equal blocks costs."""
    passes = {}
    for kind, ms in COST_MS.items():
        size = 1.0 if kind is Kind.STEP else ROWS
        first = FIRST_BACK if kind in (Kind.BACKWARD, Kind.BACKWARD_INPUT) else 1.0
        passes[kind] = tuple(
            ((size, ms * MS * (1.0 if block else first)),) for block in range(blocks)
        )
    passes[Kind.LOSS] = (((ROWS, 0.05 * MS),),)
    return CostModel(passes, link=Link.of(5, 25), by_rows=True, by_block=True)


def unequal_blocks(blocks: int, seed: int) -> CostModel:
    """Return the costs of a model whose blocks differ by up to nine times."""
    model = equal_blocks(blocks)
    random = np.random.default_rng(seed)
    scales = np.exp(random.uniform(-np.log(3), np.log(3), blocks))
    passes = dict(model.passes)
    for kind in COST_MS:
        passes[kind] = tuple(
            tuple((size, ns * scale) for size, ns in curve)
            for curve, scale in zip(model.passes[kind], scales, strict=True)
        )
    return replace(model, passes=passes)


def by_stage(plan: Plan, costs: CostModel) -> CostModel:
    """Return costs as a recording has them: by stage where the tasks of a plan go by stage."""
    if (plan.columns.block != ABSENT).any() or not plan.stages:
        return costs
    passes = dict(costs.passes)
    for kind in COST_MS:
        curves = costs.passes[kind]
        (size, _), *_ = curves[0]
        sums = [
            sum(share * curves[block][0][1] for block, share in stage.held) for stage in plan.stages
        ]
        passes[kind] = tuple(((size, ns),) for ns in sums)
    return replace(costs, passes=passes, by_block=False)


def _sized(model: ModelDescription, costs: CostModel) -> ModelDescription:
    """Return the model with blocks of different sizes where their costs differ."""
    costly = [curve[0][1] for curve in costs.passes[Kind.FORWARD]]
    places = {ns: place for place, ns in enumerate(dict.fromkeys(costly))}
    blocks = []
    for block, ns in zip(model.blocks, costly, strict=True):
        parameters = tuple((name, count + places[ns]) for name, count in block.parameters)
        blocks.append(replace(block, parameters=parameters))
    return replace(model, blocks=tuple(blocks))


def lasting(plan: Plan, durations_ns: NDArray[np.int64]) -> tuple[StepColumns, int]:
    """When the tasks of a plan run, and how long all of them last."""
    columns = StepColumns.of_plan(plan)
    timed = simulate(columns, durations_ns, meeting(columns, plan.lanes))
    return timed, int(timed.end.max())


Longer = Callable[[StepColumns, int], NDArray[np.float64]]
"""By what factors the tasks of a step take longer: of its columns and its number from 0."""


def made(
    spec: Specification,
    idle: float = 0.0,
    longer: Longer | None = None,
    costs: CostModel | None = None,
) -> Made:
    """A run of a specification. Its jitter counts as no fault.

    Its blocks are equal, unless `costs` are given: then these are also in the recording, as what
    tasks were measured to cost before the run.

    The host is late for each task by the part `idle` of what that takes. A machine makes tasks
    `longer` by factors of its own, which count as a fault.
    """
    model, plan = describe(spec), plan_of(spec)
    real = equal_blocks(len(model.blocks)) if costs is None else costs
    usual = durations(plan.columns, real, plan.stages)
    faults = Faults.of(spec)
    alone = replace(faults, slow_lanes={}, slow_links={}, slow_kinds={}, hiccups=())
    trace = Trace(Header(spec, _sized(model, real), plan.lanes, plan.replicas))
    if costs is not None:
        trace.costs = json.dumps(values_of(by_stage(plan, costs)))
    append_batch(trace, plan_batch(0, plan.tasks))
    now, lasted = 0, []
    for step in range(len(spec.all_rows)):
        both = [f.durations(plan.columns, plan.lanes, step, usual) for f in (faults, alone)]
        if longer is not None:
            columns = StepColumns.of_plan(plan)
            both[0] = np.rint(both[0] * longer(columns, step)).astype(np.int64)
        late = (both[0] * idle).astype(np.int64)
        (timed, whole), (_, without) = (lasting(plan, both[0] + late), lasting(plan, both[1]))
        starts, ends = now + timed.start + late, now + timed.end
        append_batch(trace, span_batch(Timings(0, step, timed.task, starts, ends)))
        append_batch(
            trace, note_batch([NoteRow(Record.COUNTER, "loss", now + whole, step, None, 1.0)])
        )
        now += whole
        lasted.append((whole, without))
    with_faults, without = np.array(lasted[spec.warmup :], np.int64).T
    return Made(trace, with_faults, without)


def makespans(trace: Trace, spec: Specification) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What each measured step of a run lasts by simulation, with its fault and without, in ns.

    Without it every task takes what it took less what the fault added; jitter is no fault.
    """
    faults, lanes, found = replace(Faults.of(spec), jitter=0.0), trace.header.lanes, []
    for step in completed_steps(trace):
        columns = StepColumns.of_trace(trace, step)
        waits = waits_of(columns, lanes)
        taken = columns.end - waits.begun
        factors, extra = faults.effects(columns, lanes, step)
        plain = np.rint((taken - extra) / factors).astype(np.int64)
        found.append([int(simulate(columns, t, waits.meets).end.max()) for t in (taken, plain)])
    slow, usual = np.array(found, np.int64).T
    return slow, usual

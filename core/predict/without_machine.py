"""Plans for predictions that no machine has to run: missing settings are filled in."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.costs.costs import CostModel
from core.machine import host_hardware
from core.models.description import Block, ModelDescription
from core.plan.devices import PREDICTED, Hardware
from core.plan.pipeline.options import (
    BORDERS,
    CHUNKS,
    DEFAULT_MICROBATCHES,
    DEFAULT_SCHEDULE,
    MICROBATCHES,
    SCHEDULE,
    SPLIT_SIZE,
    STAGES,
    stages_asked,
)
from core.plan.plan import Job, Lane, Options, Plan
from core.plan.planning import check, check_lanes, job_of, lanes_of
from core.plan.schedules import Schedule, schedule_of
from core.plan.specification import Specification, with_defaults
from core.plan.strategies.dp_pp import DEFAULT_REPLICAS, REPLICAS
from core.plan.task import Kind
from core.trace.header import Header
from core.trace.source import Source

# Cores are divided among CPU lanes, and each lane gets at least one.
_NO_HARDWARE = Hardware(cores=1, memory=0)
_DEFAULT_LANES = 2


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step to predict: its settings, with missing numbers filled in, and its plan."""

    specification: Specification
    model: ModelDescription
    plan: Plan

    @property
    def header(self) -> Header:
        """The header of a prediction of this run."""
        return Header(
            specification=self.specification,
            model=self.model,
            lanes=self.plan.lanes,
            replicas=self.plan.replicas,
            source=Source.PREDICTED,
        )


def plan_without_machine(
    specification: Specification, model: ModelDescription, costs: CostModel
) -> PlannedStep:
    """Plan a step that no machine has to run. Raises PlanError if it cannot be planned."""
    filled, job = job_without_machine(specification, model, costs)
    strategy = check(filled)
    return PlannedStep(filled, job.model, strategy.plan(job))


def job_without_machine(
    specification: Specification, model: ModelDescription, costs: CostModel
) -> tuple[Specification, Job]:
    """Return a run with its missing numbers filled in, and the job for its strategy.

    By default there are as many lanes as the stages need, or two without `--stages` and
    `--borders`. These lanes copy while they compute, as GPUs do; with `--devices 8xcpu` they do
    not. No lane shares hardware with another. By default a micro-batch has the rows that the costs
    are for, or one row. A model with fewer blocks than stages gets as many blocks, unless the costs
    are by block. Raises PlanError.
    """
    options = check(specification).options
    if specification.devices.strip() == "auto":
        specification = replace(
            specification, devices=f"{_lane_count(specification, options)}x{PREDICTED.name}"
        )
    lanes: list[Lane] = []
    for lane in lanes_of(specification, _NO_HARDWARE, present=False):
        lanes.append(replace(lane, sharing="", sharers=0))
    check_lanes(specification, len(lanes), host_hardware())
    if specification.batch is None:
        pieces = _pieces(specification, options, len(lanes))
        specification = replace(specification, batch=pieces * _rows(costs))
    specification = replace(with_defaults(specification), steps=1, warmup=0, data=None)
    if STAGES in options and not costs.by_block:
        stages = _stage_count(specification, options, len(lanes))
        model = stretched(model, stages)
    return specification, job_of(specification, model, lanes, specification.batch_rows)


def stretched(model: ModelDescription, blocks: int) -> ModelDescription:
    """Return the model in `blocks` equal blocks; the model itself if it has as many.

    Each block has an equal share of the parameters. The last one has the model's output, the others
    have the output of the model's middle block.
    """
    own = model.blocks
    if len(own) >= blocks:
        return model
    middle = own[(len(own) - 1) // 2]
    count = max(1, model.parameter_bytes // model.element_bytes // blocks)
    parameters = (("parameters", count),)
    made: list[Block] = []
    for index in range(blocks):
        made.append(Block(f"block{index}", parameters, middle.output_elements))
    last_output = own[-1].output_elements
    made[-1] = replace(made[-1], output_elements=last_output)
    return replace(model, blocks=tuple(made))


def _schedule(specification: Specification, options: Options) -> Schedule | None:
    if SCHEDULE not in options:
        return None
    return schedule_of(specification[SCHEDULE] or DEFAULT_SCHEDULE)


def _replicas(specification: Specification, options: Options) -> int:
    if REPLICAS not in options:
        return 1
    return specification[REPLICAS] or DEFAULT_REPLICAS


def _chunks(specification: Specification, schedule: Schedule | None) -> int:
    if schedule is None:
        return 1
    return specification[CHUNKS] or schedule.chunks


def _lane_count(specification: Specification, options: Options) -> int:
    """Return the number of lanes for all ranks; planning refuses ranks with too few stages."""
    schedule = _schedule(specification, options)
    stages = stages_asked(specification[STAGES], specification[BORDERS])
    ranks = _DEFAULT_LANES
    if schedule is not None and schedule.ranks is not None:
        ranks = schedule.ranks
    elif stages is not None:
        ranks = max(1, stages // _chunks(specification, schedule))
    return ranks * _replicas(specification, options)


def _stage_count(specification: Specification, options: Options, lanes: int) -> int:
    """Return the number of stages that the plan will have, or a few more."""
    schedule = _schedule(specification, options)
    chunks = _chunks(specification, schedule)
    if schedule is not None and schedule.ranks is not None:
        return schedule.stage_count(schedule.ranks, chunks)
    asked = stages_asked(specification[STAGES], specification[BORDERS])
    return asked or chunks * lanes // _replicas(specification, options)


def _pieces(specification: Specification, options: Options, lanes: int) -> int:
    """Return the number of pieces of the batch: micro-batches, or a share for each lane."""
    schedule = _schedule(specification, options)
    if schedule is None:
        return 1 if STAGES in options else lanes
    replicas = _replicas(specification, options)
    size = specification[SPLIT_SIZE]
    if size is not None:
        return DEFAULT_MICROBATCHES * size * replicas
    count = specification[MICROBATCHES] or schedule.microbatches or DEFAULT_MICROBATCHES
    return count * replicas


def _rows(costs: CostModel) -> int:
    """Return the rows of a micro-batch that the costs are for; 1 if they do not depend on rows."""
    if not costs.by_rows:
        return 1
    curve = costs.passes[Kind.FORWARD][0]
    smallest, _ = curve[0]
    return max(1, round(smallest))

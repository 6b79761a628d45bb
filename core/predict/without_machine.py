"""What is predicted where there is no machine: a specification's missing numbers, filled in."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.costs.costs import CostModel
from core.machine import memory_bytes
from core.models.description import Block, ModelDescription
from core.plan.devices import PREDICTED, Hardware
from core.plan.pipeline.options import (
    CHUNKS,
    DEFAULT_MICROBATCHES,
    DEFAULT_SCHEDULE,
    MICROBATCHES,
    SCHEDULE,
    SPLIT_SIZE,
    STAGES,
)
from core.plan.plan import Job, Options, Plan
from core.plan.planning import check, check_lanes, job_of, lanes_of
from core.plan.schedules import Schedule, schedule_of
from core.plan.specification import Specification, with_defaults
from core.plan.strategies.dp_pp import DEFAULT_REPLICAS, REPLICAS
from core.plan.task import Kind
from core.trace.header import Header
from core.trace.source import Source

# Asked for its cores alone, to be divided among CPU lanes: each gets one, the least there is.
_NO_HARDWARE = Hardware(cores=1, memory=0)
_DEFAULT_LANES = 2


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step that is only predicted: its settings with their numbers filled in, and its plan."""

    specification: Specification
    model: ModelDescription
    plan: Plan

    @property
    def header(self) -> Header:
        """The header of a prediction of this run."""
        return Header(
            self.specification,
            self.model,
            self.plan.lanes,
            self.plan.replicas,
            source=Source.PREDICTED,
        )


def plan_without_machine(
    specification: Specification, model: ModelDescription, costs: CostModel
) -> PlannedStep:
    """Plan a step that no machine has to run. Raises PlanError if it cannot be planned."""
    filled, job = job_without_machine(specification, model, costs)
    return PlannedStep(filled, job.model, check(filled).plan(job))


def job_without_machine(
    specification: Specification, model: ModelDescription, costs: CostModel
) -> tuple[Specification, Job]:
    """A run with its missing numbers filled in, and what its strategy plans. Raises PlanError.

    Devices default to as many lanes as the stages need, two without `--stages`; these lanes copy
    beside computing, as GPUs do (`--devices 8xcpu` are lanes that copy themselves). No lane shares
    anything with another one. The batch
    defaults to a row for each micro-batch, or as many rows as the costs are for. A model that has
    fewer blocks than there are stages is stretched, unless the costs go by its blocks.
    """
    strategy = check(specification)
    s, options = specification, strategy.options
    # There are no devices to be found: as many lanes are made up as the pipeline takes.
    if s.devices.strip() == "auto":
        s = replace(s, devices=f"{_lane_count(s, options)}x{PREDICTED.name}")
    lanes = [
        replace(lane, sharing="", sharers=0) for lane in lanes_of(s, _NO_HARDWARE, present=False)
    ]
    check_lanes(s, len(lanes), memory_bytes())
    if s.batch is None:
        s = replace(s, batch=_rows(costs) * _pieces(s, options, len(lanes)))
    s = replace(with_defaults(s), steps=1, warmup=0, data=None)
    if STAGES in options and not costs.by_block:
        model = stretched(model, _stage_count(s, options, len(lanes)))
    return s, job_of(s, model, lanes, s.batch_rows)


def stretched(model: ModelDescription, blocks: int) -> ModelDescription:
    """The same model in `blocks` equal blocks if it has fewer; its output stays as it is.

    Each has an equal share of the parameters, and the middle block's output.
    """
    if len(model.blocks) >= blocks:
        return model
    middle = model.blocks[(len(model.blocks) - 1) // 2].output_elements
    count = max(1, model.parameter_bytes // model.element_bytes // blocks)
    made = [Block(f"block{i}", (("parameters", count),), middle) for i in range(blocks)]
    made[-1] = replace(made[-1], output_elements=model.blocks[-1].output_elements)
    return replace(model, blocks=tuple(made))


def _schedule(s: Specification, options: Options) -> Schedule | None:
    return schedule_of(s[SCHEDULE] or DEFAULT_SCHEDULE) if SCHEDULE in options else None


def _replicas(s: Specification, options: Options) -> int:
    return (s[REPLICAS] or DEFAULT_REPLICAS) if REPLICAS in options else 1


def _lane_count(s: Specification, options: Options) -> int:
    """As many lanes as the ranks need; ranks of too few stages are the plan's to refuse."""
    schedule = _schedule(s, options)
    if schedule is not None and schedule.ranks is not None:
        ranks = schedule.ranks
    elif (stages := s[STAGES]) is not None:
        chunks = 1 if schedule is None else s[CHUNKS] or schedule.chunks
        ranks = max(1, stages // chunks)
    else:
        ranks = _DEFAULT_LANES
    return ranks * _replicas(s, options)


def _stage_count(s: Specification, options: Options, lanes: int) -> int:
    """The stages that the plan will have, or a few more."""
    schedule = _schedule(s, options)
    chunks = 1 if schedule is None else s[CHUNKS] or schedule.chunks
    if schedule is not None and schedule.ranks is not None:
        return schedule.stage_count(schedule.ranks, chunks)
    return s[STAGES] or chunks * lanes // _replicas(s, options)


def _pieces(s: Specification, options: Options, lanes: int) -> int:
    """Into how many pieces the batch should divide: micro-batches, or a share for each lane."""
    schedule = _schedule(s, options)
    if schedule is None:
        return 1 if STAGES in options else lanes
    if (size := s[SPLIT_SIZE]) is not None:
        return DEFAULT_MICROBATCHES * size * _replicas(s, options)
    count = s[MICROBATCHES] or schedule.microbatches or DEFAULT_MICROBATCHES
    return count * _replicas(s, options)


def _rows(costs: CostModel) -> int:
    """The rows of a micro-batch that the costs are for."""
    return max(1, round(costs.passes[Kind.FORWARD][0][0][0])) if costs.by_rows else 1

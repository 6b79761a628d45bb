"""Plans of models that are cut into stages: stages, ranks and orders of one or more pipelines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from core.counts import blocks_text, lanes_text, replicas_text, stages_text
from core.errors import PlanError
from core.gc_paused import gc_paused
from core.message import counted, message
from core.models.description import ModelDescription
from core.order import stable_argsort
from core.plan.division import Part, Pipeline, Placement, Stage
from core.plan.lanes import with_helpers
from core.plan.pipeline.actions import FORWARD, ActionColumns, Needs
from core.plan.pipeline.complete import check_complete
from core.plan.pipeline.merge import merge
from core.plan.pipeline.options import BORDERS, CHUNKS, STAGES, read_borders, stages_asked
from core.plan.pipeline.staged_tasks import StagedTasks
from core.plan.plan import Job, Plan, Role
from core.plan.schedules.schedule import Action, Schedule, ScheduleError
from core.plan.splits import balanced_runs
from core.plan.task import ABSENT


def cut_stages(job: Job, count: int) -> tuple[Stage, ...]:
    """Cut the model's blocks into `count` stages at the job's borders: see `cut_blocks`."""
    runs = cut_blocks(job.model, count, job[BORDERS])
    return tuple(Stage(index, first, last) for index, (first, last) in enumerate(runs))


def cut_blocks(model: ModelDescription, count: int, borders: str | None) -> list[tuple[int, int]]:
    """Return the first block of each of `count` stages, and the block after its last one.

    Without borders, stages have nearly equal parameter counts. Raises PlanError if there are fewer
    blocks than stages, or if the number of borders is wrong.
    """
    blocks = model.blocks
    if count > len(blocks):
        raise PlanError(
            message(
                "{stages} need at least {blocks}, but {name} has {held}: use at most {most}",
                stages=stages_text(count),
                blocks=blocks_text(count),
                name=model.name,
                held=len(blocks),
                most=stages_text(len(blocks)),
            )
        )
    if borders is None:
        return balanced_runs([block.parameter_count for block in blocks], count)
    return list(pairwise([0, *_borders(borders, count, len(blocks)), len(blocks)]))


def _borders(text: str, stages: int, blocks: int) -> list[int]:
    """Return the first block of each stage after the first. Raises PlanError."""
    borders = read_borders(text)
    if len(borders) != stages - 1 or borders[-1] >= blocks:
        raise PlanError(
            message(
                "--borders {text}: {stages} of {blocks} need {numbers}",
                text=text,
                stages=stages_text(stages),
                blocks=blocks_text(blocks),
                numbers=counted(
                    "{n} number from 1 to {last}",
                    "{n} numbers from 1 to {last}",
                    stages - 1,
                    last=blocks - 1,
                ),
            )
        )
    return borders


def ranks_of(job: Job, schedule: Schedule, pipelines: int = 1) -> tuple[int, int]:
    """Return (ranks, chunks) of each of the `pipelines`: a rank holds `chunks` stages.

    Without `--stages` every lane is a rank, unless the schedule fixes the number of ranks. Raises
    PlanError if the numbers do not fit together.
    """
    if job[CHUNKS] is not None and not schedule.settable_chunks:
        raise PlanError(
            message(
                "--chunks {chunks} is not for {name}, which itself sets the number of stages on a "
                "lane",
                chunks=job[CHUNKS],
                name=schedule.name,
            )
        )
    chunks = job[CHUNKS] or schedule.chunks
    if len(job.lanes) % pipelines:
        raise PlanError(
            message(
                "{replicas} do not divide {lanes}; use a number that does",
                replicas=replicas_text(pipelines),
                lanes=lanes_text(len(job.lanes)),
            )
        )
    if schedule.ranks is not None:
        count = schedule.stage_count(schedule.ranks, chunks)
        if job[STAGES] not in (None, count):
            raise PlanError(
                message(
                    "--stages {given}: {name} is for {stages}",
                    given=job[STAGES],
                    name=schedule.name,
                    stages=stages_text(count),
                )
            )
        return schedule.ranks, chunks
    asked = stages_asked(job[STAGES], job[BORDERS])
    stages = asked or chunks * (len(job.lanes) // pipelines)
    if stages % chunks:
        raise PlanError(
            message(
                "{stages} cannot be shared in lanes of {chunks} chunks: use a multiple of {chunks}",
                stages=stages_text(stages),
                chunks=chunks,
            )
        )
    return stages // chunks, chunks


@gc_paused()
def staged_plan(job: Job, sizes: Sequence[Sequence[int]], schedule: Schedule) -> Plan:
    """Return a plan of one or more parallel pipelines, each in the order of `schedule`.

    `sizes[k]` holds the rows of each micro-batch of pipeline k. Pipelines have equal shares of the
    lanes; rank r of a pipeline is on lane r of its share, modulo the size of the share.

    A copy task moves each activation or gradient that changes lanes. If copies overlap compute, it
    runs on the sender's copy lane, otherwise on the receiving lane just before the data is needed.
    If several replicas hold a stage, an all-reduce sums their gradients before the optimizer's
    step; its members start together. Steps, and all-reduces on compute lanes, follow the lane's
    last pass, so that passes of other lanes never wait for them.

    Raises PlanError for numbers that do not fit together, and for a schedule that cannot run.
    """
    ranks, chunks = ranks_of(job, schedule, len(sizes))
    held = schedule.stage_placement(ranks, chunks)
    stages = cut_stages(job, schedule.stage_count(ranks, chunks))
    copies = 1 + max(one.replica for one in held)
    share = len(job.lanes) // len(sizes)
    # Pipelines with equally many micro-batches run the same orders.
    counts = dict.fromkeys(len(rows) for rows in sizes)
    orders = {count: _orders(schedule, ranks, count, chunks) for count in counts}
    # An entry for each rank of each pipeline; the arrays of ranks below have the same order.
    every: list[Sequence[Action]] = []
    for rows in sizes:
        every += orders[len(rows)]
    pipeline, rank = np.divmod(np.arange(len(every)), ranks)
    actions = ActionColumns.of(every, pipeline * copies)
    needs = Needs.of(actions, len(stages), max(orders))
    placements: list[Placement] = []
    for number in range(len(sizes)):
        for one in held:
            replica = number * copies + one.replica
            lane = number * share + one.rank % share
            placements.append(Placement(replica, one.stage, lane))
    parts = _parts(sizes, actions, copies)
    merged = merge(actions, needs, pipeline * share + rank % share)
    # Sort by pipeline.
    merged = merged[stable_argsort((actions.replica // copies)[merged])]
    lanes = list(job.lanes)
    if job.copies_overlap:
        lanes = with_helpers(lanes, Role.COPY, "copy")
    tasks = StagedTasks(
        job=job,
        stages=stages,
        placements=placements,
        parts=parts,
        actions=actions,
        merged=merged,
    )
    return Plan(
        lanes=tuple(lanes),
        stages=stages,
        placements=tuple(placements),
        parts=parts,
        columns=tasks.columns(needs, schedule.whole_loss),
        replicas=len(sizes) * copies,
        pipeline=_numbers(schedule, ranks, chunks, share, sizes),
    )


def _orders(schedule: Schedule, ranks: int, microbatches: int, chunks: int) -> list[list[Action]]:
    """Return every rank's actions. Raises ScheduleError if they are not a complete step."""
    orders = schedule.orders(ranks, microbatches, chunks)
    actions = ActionColumns.of(orders)
    check_complete(actions, schedule.stage_placement(ranks, chunks), microbatches)
    over_all = actions.back_microbatch == ABSENT
    mismatched = (actions.kind != FORWARD) & (over_all != schedule.whole_loss)
    for place in np.flatnonzero(mismatched).tolist():
        raise ScheduleError(
            message(
                "{name} runs {actions}: a backward covers all micro-batches if, and only if, "
                "they share one loss",
                name=schedule.name,
                actions=actions[place],
            )
        )
    return orders


def _parts(sizes: Sequence[Sequence[int]], actions: ActionColumns, copies: int) -> tuple[Part, ...]:
    """Return the pieces of the batch; each micro-batch belongs to the replica that runs it."""
    enters = actions.enters & (actions.stage == 0)
    replicas = actions.replica[enters]
    pipelines = (replicas // copies).tolist()
    microbatches = actions.microbatch[enters].tolist()
    keys = zip(pipelines, microbatches, strict=True)
    replica_of = dict(zip(keys, replicas.tolist(), strict=True))
    parts = list[Part]()
    start = 0
    for k, rows in enumerate(sizes):
        for microbatch, count in enumerate(rows):
            parts.append(
                Part(
                    replica=replica_of[k, microbatch],
                    microbatch=microbatch,
                    start=start,
                    rows=count,
                )
            )
            start += count
    return tuple(parts)


def _numbers(
    schedule: Schedule, ranks: int, chunks: int, share: int, sizes: Sequence[Sequence[int]]
) -> Pipeline | None:
    """Return the inputs of the schedule's formulas; None if no formula applies."""
    counts = {len(rows) for rows in sizes}
    if ranks > share or len(counts) > 1:
        return None
    return Pipeline(
        schedule=schedule.name,
        ranks=ranks,
        microbatches=counts.pop(),
        chunks=chunks,
    )

"""Plans of models cut into stages: naive model parallel, pipelines, pipelines side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from core.gc_paused import gc_paused
from core.order import stable_argsort
from core.plan.lanes import with_helpers
from core.plan.pipeline.actions import FORWARD, ActionColumns, Needs
from core.plan.pipeline.complete import check_complete
from core.plan.pipeline.merge import merge
from core.plan.pipeline.options import BORDERS, CHUNKS, STAGES, read_borders
from core.plan.pipeline.staged_tasks import StagedTasks
from core.plan.schedules.schedule import Action, Schedule, ScheduleError
from core.plan.splits import balanced_runs
from core.plan.strategy import Job
from core.plan.task import ABSENT, Part, Pipeline, Placement, Plan, PlanError, Role, Runner, Stage


def cut_stages(job: Job, count: int) -> tuple[Stage, ...]:
    """Cut the model's blocks into `count` stages at the job's borders.

    Where it has none, of nearly equal parameter counts. Raises PlanError if there are fewer blocks
    than stages, or another number of borders.
    """
    blocks = job.model.blocks
    if count > len(blocks):
        raise PlanError(
            f"{count} stages need at least {count} blocks, but {job.model.name} has {len(blocks)}: "
            f"use at most {len(blocks)} stages"
        )
    if (text := job[BORDERS]) is None:
        runs = balanced_runs([block.parameter_count for block in blocks], count)
    else:
        runs = list(pairwise([0, *_borders(text, count, len(blocks)), len(blocks)]))
    return tuple(Stage(index, first, last) for index, (first, last) in enumerate(runs))


def _borders(text: str, stages: int, blocks: int) -> list[int]:
    """Where the stages after the first begin. Raises PlanError if the model has no such ones."""
    borders = read_borders(text)
    if len(borders) != stages - 1 or borders[-1] >= blocks:
        raise PlanError(
            f"--borders {text}: {stages} stages of {blocks} blocks need {stages - 1} numbers "
            f"from 1 to {blocks - 1}"
        )
    return borders


def ranks_of(job: Job, schedule: Schedule, pipelines: int = 1) -> tuple[int, int]:
    """Ranks of each of `pipelines` pipelines, and how many stages (chunks) each of them holds.

    Without `--stages` every lane is a rank, unless the schedule is written for a number of ranks.
    Raises PlanError if the numbers do not go together.
    """
    if job[CHUNKS] is not None and not schedule.settable_chunks:
        raise PlanError(
            f"--chunks {job[CHUNKS]} is not for {schedule.name}, "
            "which says itself how many stages a lane holds"
        )
    chunks = job[CHUNKS] or schedule.chunks
    if len(job.lanes) % pipelines:
        raise PlanError(
            f"{pipelines} replicas do not divide {len(job.lanes)} lanes; use a number that does"
        )
    if schedule.ranks is not None:
        count = schedule.stage_count(schedule.ranks, chunks)
        if job[STAGES] not in (None, count):
            raise PlanError(f"--stages {job[STAGES]}: {schedule.name} is for {count} stages")
        return schedule.ranks, chunks
    borders = job[BORDERS]
    asked = job[STAGES] if borders is None else 1 + len(read_borders(borders))
    stages = asked or chunks * (len(job.lanes) // pipelines)
    if stages % chunks:
        raise PlanError(
            f"{stages} stages cannot be shared in lanes of {chunks} chunks: "
            f"use a multiple of {chunks}"
        )
    return stages // chunks, chunks


@gc_paused()
def staged_plan(job: Job, sizes: Sequence[Sequence[int]], schedule: Schedule) -> Plan:
    """A plan of one or more pipelines side by side, each in the order of `schedule`.

    `sizes[k]` holds the rows of each micro-batch of pipeline k, which has an equal share of the
    lanes; rank r of it lives on the share's lane r, or r modulo the share. An activation or
    gradient that changes lanes is a copy task: on the sending lane's copy lane where copies
    overlap compute, else on the receiving lane just before it is needed. Stages that several
    replicas hold sum their gradients by all-reduce before the optimizer's step. Steps, and
    all-reduces on compute lanes, come after a lane's last pass, so that no other lane waits for
    them. Raises PlanError for numbers that do not go together and for a schedule that cannot run.
    """
    ranks, chunks = ranks_of(job, schedule, len(sizes))
    held = schedule.stage_placement(ranks, chunks)
    stages = cut_stages(job, schedule.stage_count(ranks, chunks))
    copies = 1 + max(one.replica for one in held)
    share = len(job.lanes) // len(sizes)
    orders = {
        count: _orders(schedule, ranks, count, chunks) for count in dict.fromkeys(map(len, sizes))
    }
    every = [order for rows in sizes for order in orders[len(rows)]]
    pipeline, rank = np.divmod(np.arange(len(every)), ranks)
    actions = ActionColumns.of(every, pipeline * copies)
    needs = Needs.of(actions, len(stages), max(orders))
    placements = tuple(
        Placement(k * copies + one.replica, one.stage, k * share + one.rank % share)
        for k in range(len(sizes))
        for one in held
    )
    parts = _parts(sizes, actions, copies)
    merged = merge(actions, needs, pipeline * share + rank % share)
    # One pipeline behind the other.
    merged = merged[stable_argsort((actions.replica // copies)[merged])]
    compute = list(job.lanes)
    return Plan(
        Runner.LANES,
        tuple(with_helpers(compute, Role.COPY, "copy") if job.copies_overlap else compute),
        stages,
        placements,
        parts,
        StagedTasks(job, stages, placements, parts, actions, merged).columns(
            needs, schedule.whole_loss
        ),
        replicas=len(sizes) * copies,
        pipeline=_numbers(schedule, ranks, chunks, share, sizes),
    )


def _orders(schedule: Schedule, ranks: int, microbatches: int, chunks: int) -> list[list[Action]]:
    """Every rank's actions. Raises ScheduleError if they are not a whole step."""
    orders = schedule.orders(ranks, microbatches, chunks)
    actions = ActionColumns.of(orders)
    check_complete(actions, schedule.stage_placement(ranks, chunks), microbatches)
    over_all = actions.back_microbatch == ABSENT
    odd = (actions.kind != FORWARD) & (over_all != schedule.whole_loss)
    for place in np.flatnonzero(odd).tolist():
        raise ScheduleError(
            f"{schedule.name} runs {actions[place]}: a backward is over all micro-batches where "
            "there is one loss for all of them, and only there"
        )
    return orders


def _parts(sizes: Sequence[Sequence[int]], actions: ActionColumns, copies: int) -> tuple[Part, ...]:
    """The pieces of the batch: a micro-batch goes to the replica that takes it first."""
    enters = actions.enters & (actions.stage == 0)
    takers = actions.replica[enters]
    places = zip((takers // copies).tolist(), actions.microbatch[enters].tolist(), strict=True)
    replica_of = dict(zip(places, takers.tolist(), strict=True))
    parts, start = list[Part](), 0
    for k, rows in enumerate(sizes):
        for microbatch, count in enumerate(rows):
            parts.append(Part(replica_of[k, microbatch], microbatch, start, count))
            start += count
    return tuple(parts)


def _numbers(
    schedule: Schedule, ranks: int, chunks: int, share: int, sizes: Sequence[Sequence[int]]
) -> Pipeline | None:
    """What the schedule's formulas need to know; None where none of them holds."""
    counts = {len(rows) for rows in sizes}
    if ranks > share or len(counts) > 1:
        return None
    return Pipeline(schedule.name, ranks, counts.pop(), chunks)

"""Plans of models cut into stages: naive model parallel, pipelines, pipelines side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.gc_paused import uncollected
from core.plan.complete import check_complete
from core.plan.lanes import with_helpers
from core.plan.merge import merge
from core.plan.pipeline_options import CHUNKS, STAGES
from core.plan.schedules.schedule import Action, Schedule
from core.plan.splits import balanced_runs
from core.plan.strategy import Job
from core.plan.task import (
    Kind,
    Part,
    Payload,
    Pipeline,
    Placement,
    Plan,
    PlanBuilder,
    PlanError,
    Role,
    Runner,
    Stage,
)

# A look-up in an enumeration takes as long as a tenth of a task, of which there may be a million.
_FORWARD, _BACKWARD, _WEIGHT = Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_WEIGHT
_COPY, _ACTIVATION, _GRADIENT = Kind.COPY, Payload.ACTIVATION, Payload.GRADIENT
_ENTERS = frozenset({_FORWARD, Kind.OVERLAP})
_LAST_WORK = frozenset({_BACKWARD, _WEIGHT})
"""The passes after which a stage has its gradients of a micro-batch."""


def cut_stages(job: Job, count: int) -> tuple[Stage, ...]:
    """Cut the model's blocks into `count` stages of nearly equal parameter counts.

    Raises PlanError if there are fewer blocks than stages.
    """
    blocks = job.model.blocks
    if count > len(blocks):
        raise PlanError(
            f"{count} stages need at least {count} blocks, but {job.model.name} has {len(blocks)}: "
            f"use at most {len(blocks)} stages"
        )
    runs = balanced_runs([block.parameter_count for block in blocks], count)
    return tuple(Stage(index, first, last) for index, (first, last) in enumerate(runs))


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
    stages = job[STAGES] or chunks * (len(job.lanes) // pipelines)
    if stages % chunks:
        raise PlanError(
            f"{stages} stages cannot be shared in lanes of {chunks} chunks: "
            f"use a multiple of {chunks}"
        )
    return stages // chunks, chunks


@uncollected()
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
    seats = schedule.seats(ranks, chunks)
    stages = cut_stages(job, schedule.stage_count(ranks, chunks))
    copies = 1 + max(seat.replica for seat in seats)
    share = len(job.lanes) // len(sizes)
    placements, parts, merged = [], [], list[Action]()
    start = 0
    for k, rows in enumerate(sizes):
        first = k * copies
        placements += [
            Placement(first + seat.replica, seat.stage, k * share + seat.rank % share)
            for seat in seats
        ]
        orders = schedule.orders(ranks, len(rows), chunks)
        check_complete(orders, seats, len(rows))
        lanes = [rank % share for rank in range(ranks)]
        actions = merge(orders, lanes, len(stages), range(len(rows)))
        takers = {a.microbatch: a.replica for a in actions if a.stage == 0 and a.kind in _ENTERS}
        for microbatch, count in enumerate(rows):
            parts.append(Part(first + takers[microbatch], microbatch, start, count))
            start += count
        merged += [_of_replica(action, first) for action in actions] if first else actions
    writer = _Writer(job, stages, placements, parts, schedule.whole_loss)
    writer.write(merged)
    compute = list(job.lanes)
    return Plan(
        Runner.LANES,
        tuple(with_helpers(compute, Role.COPY, "copy") if job.copies_overlap else compute),
        stages,
        tuple(placements),
        tuple(parts),
        tuple(writer.plan.tasks),
        replicas=len(sizes) * copies,
        pipeline=_numbers(schedule, ranks, chunks, share, sizes),
    )


def _numbers(
    schedule: Schedule, ranks: int, chunks: int, share: int, sizes: Sequence[Sequence[int]]
) -> Pipeline | None:
    """What the schedule's formulas need to know; None where none of them holds."""
    counts = {len(rows) for rows in sizes}
    if ranks > share or len(counts) > 1:
        return None
    return Pipeline(schedule.name, ranks, counts.pop(), chunks)


def _of_replica(action: Action, first: int) -> Action:
    paired = action.paired and _of_replica(action.paired, first)
    return action._replace(replica=first + action.replica, paired=paired)


_Place = tuple[int, int]  # (replica, stage)
_Value = tuple[int, int, int | None]  # (replica, stage, micro-batch)


class _Writer:
    """Turns actions into tasks, with the copies, losses, all-reduces and steps between them."""

    def __init__(
        self,
        job: Job,
        stages: Sequence[Stage],
        placements: Sequence[Placement],
        parts: Sequence[Part],
        whole_loss: bool,
    ) -> None:
        self.job, self.stages, self.whole_loss = job, stages, whole_loss
        self.copies_overlap = job.copies_overlap
        self.last = len(stages) - 1
        self.plan = PlanBuilder()
        self.lanes: dict[_Place, int] = {(p.replica, p.stage): p.lane for p in placements}
        self.holders: dict[int, list[int]] = {s.index: [] for s in stages}
        for place in placements:
            self.holders[place.stage].append(place.replica)
        self.several = len(placements) > len(stages)
        self.rows: dict[tuple[int, int | None], int] = {
            (p.replica, p.microbatch): p.rows for p in parts
        }
        self.pieces: dict[int, list[int]] = {}
        for part in parts:
            self.pieces.setdefault(part.replica, []).append(part.microbatch)
        for replica, pieces in self.pieces.items():
            self.rows[replica, None] = sum(self.rows[replica, m] for m in pieces)
        self.boundary_bytes = [job.model.output_bytes(stage.last - 1) for stage in stages]
        self.unfinished: Counter[int] = Counter()
        self.finished: dict[_Place, int] = {}
        self.ready: dict[int, list[int]] = {}
        self.forwards: dict[_Value, int] = {}
        self.backwards: dict[_Value, int] = {}
        self.losses: dict[_Value, int] = {}
        self.copies: dict[tuple[Kind, _Value], int] = {}

    def write(self, actions: Sequence[Action]) -> None:
        halves = (action if action.paired is None else action.paired for action in actions)
        self.unfinished.update(half.stage for half in halves if half.kind in _LAST_WORK)
        for action in actions:
            if action.paired is not None:
                self._overlap(*action.halves)
            elif action.kind is _FORWARD:
                self._forward(action)
            else:
                self._backward(action)
        for stage, ready in self.ready.items():
            self._step(stage, ready if self.copies_overlap else self._summed(stage, ready))

    def _forward(self, action: Action) -> None:
        task = self._task(action, self._forward_needs(action))
        self._after_forward(action, task)

    def _backward(self, action: Action) -> None:
        task = self._task(action, self._backward_needs(action))
        self._after_backward(action, task)

    def _overlap(self, forward: Action, backward: Action) -> None:
        """Both halves as one task, which has the results of both."""
        needs = [*self._forward_needs(forward), *self._backward_needs(backward)]
        task = self.plan.add(
            Kind.OVERLAP,
            self.lanes[forward.replica, forward.stage],
            needs,
            stage=forward.stage,
            replica=self._replica(forward.replica),
            microbatch=forward.microbatch,
            rows=self.rows[forward.replica, forward.microbatch],
            paired_stage=backward.stage,
            paired_microbatch=backward.microbatch,
        )
        self._after_forward(forward, task)
        self._after_backward(backward, task)

    def _task(self, action: Action, needs: Sequence[int]) -> int:
        stage, kind, m, replica, _ = action
        return self.plan.add(
            kind,
            self.lanes[replica, stage],
            needs,
            stage=stage,
            replica=self._replica(replica),
            microbatch=m,
            rows=self.rows[replica, m],
        )

    def _replica(self, replica: int) -> int | None:
        """A replica's number where there is more than one."""
        return replica if self.several else None

    def _forward_needs(self, action: Action) -> list[int]:
        return [self._received(_FORWARD, action)] if action.stage else []

    def _backward_needs(self, action: Action) -> list[int]:
        stage, kind, m, replica, _ = action
        if kind is _WEIGHT:
            return [self.backwards[replica, stage, m]]
        gradient = (
            self.losses[replica, stage, m]
            if stage == self.last
            else self._received(_BACKWARD, action)
        )
        if m is not None:
            return [gradient, self.forwards[replica, stage, m]]
        return [gradient, *(self.forwards[replica, stage, piece] for piece in self.pieces[replica])]

    def _after_forward(self, action: Action, task: int) -> None:
        stage, _, m, replica, _ = action
        self.forwards[replica, stage, m] = task
        if stage < self.last:
            self._send(_FORWARD, replica, stage, stage + 1, m, task)
        elif not self.whole_loss:
            self._loss(replica, m, [task])
        elif m == self.pieces[replica][-1]:
            outputs = [self.forwards[replica, stage, piece] for piece in self.pieces[replica]]
            self._loss(replica, None, outputs)

    def _loss(self, replica: int, m: int | None, after: list[int]) -> None:
        self.losses[replica, self.last, m] = self.plan.add(
            Kind.LOSS,
            self.lanes[replica, self.last],
            after,
            stage=self.last,
            replica=self._replica(replica),
            microbatch=m,
            rows=self.rows[replica, m],
        )

    def _after_backward(self, action: Action, task: int) -> None:
        stage, kind, m, replica, _ = action
        if kind is not _WEIGHT:
            self.backwards[replica, stage, m] = task
            if stage > 0:
                self._send(_BACKWARD, replica, stage, stage - 1, m, task)
        if kind in _LAST_WORK:
            self.finished[replica, stage] = task
            self.unfinished[stage] -= 1
            if self.unfinished[stage] == 0:
                ready = [self.finished[holder, stage] for holder in self.holders[stage]]
                self.ready[stage] = self._summed(stage, ready) if self.copies_overlap else ready

    def _summed(self, stage: int, ready: list[int]) -> list[int]:
        """All-reduce a stage's gradients where several replicas hold it; what a step waits for."""
        holders = self.holders[stage]
        if len(holders) == 1:
            return ready
        size = self.job.model.run_bytes(self.stages[stage].first, self.stages[stage].last)
        return [
            self.plan.add(
                Kind.ALL_REDUCE,
                self._moving_lane(self.lanes[replica, stage]),
                ready,
                stage=stage,
                replica=replica,
                bytes=size,
                payload=Payload.PARAMETER_GRADIENTS,
            )
            for replica in holders
        ]

    def _step(self, stage: int, ready: list[int]) -> None:
        for replica in self.holders[stage]:
            self.plan.add(
                Kind.STEP,
                self.lanes[replica, stage],
                ready,
                stage=stage,
                replica=self._replica(replica),
            )

    def _moving_lane(self, lane: int) -> int:
        """The lane on which data moves that `lane` sends."""
        return len(self.job.lanes) + lane if self.copies_overlap else lane

    def _send(
        self, kind: Kind, replica: int, source: int, target: int, m: int | None, made: int
    ) -> None:
        """Copy at once where copies overlap compute; else the receiver copies when it is due."""
        if not self.copies_overlap:
            return
        sender, receiver = self.lanes[replica, source], self.lanes[replica, target]
        if sender != receiver:
            lane = self._moving_lane(sender)
            self.copies[kind, (replica, target, m)] = self._copy(
                kind, lane, replica, target, m, made
            )

    def _received(self, kind: Kind, action: Action) -> int:
        """The task that brings a stage its input (or, for a backward, its output's gradient)."""
        stage, _, m, replica, _ = action
        source = stage - 1 if kind is _FORWARD else stage + 1
        made = (self.forwards if kind is _FORWARD else self.backwards)[replica, source, m]
        lane = self.lanes[replica, stage]
        if self.lanes[replica, source] == lane:
            return made
        if not self.copies_overlap:
            return self._copy(kind, lane, replica, stage, m, made)
        return self.copies[kind, (replica, stage, m)]

    def _copy(
        self, kind: Kind, lane: int, replica: int, stage: int, m: int | None, made: int
    ) -> int:
        rows = self.rows[replica, m]
        return self.plan.add(
            _COPY,
            lane,
            [made],
            stage=stage,
            replica=self._replica(replica),
            microbatch=m,
            rows=rows,
            bytes=rows * self.boundary_bytes[stage - 1 if kind is _FORWARD else stage],
            payload=_ACTIVATION if kind is _FORWARD else _GRADIENT,
        )

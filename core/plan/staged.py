"""Plans of models cut into stages: naive model parallel and every pipeline schedule."""

from __future__ import annotations

from collections.abc import Sequence

from core.plan.lanes import with_helpers
from core.plan.merge import merge
from core.plan.schedules.schedule import Action, Schedule
from core.plan.splits import balanced_runs, starts
from core.plan.strategy import Job
from core.plan.task import (
    Kind,
    Part,
    Payload,
    Placement,
    Plan,
    PlanBuilder,
    PlanError,
    Role,
    Runner,
    Stage,
)


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


def staged_plan(job: Job, sizes: Sequence[int], schedule: Schedule) -> Plan:
    """A plan whose micro-batches of `sizes` rows pass the stages in the order of `schedule`.

    Stage s lives on lane s, or s modulo the lanes if there are more stages than lanes. An
    activation or gradient that changes lanes is a copy task: on the sending lane's copy lane where
    copies overlap compute, else on the receiving lane just before it is needed.
    """
    stages = cut_stages(job, job.stages or len(job.lanes))
    compute = list(job.lanes)
    lanes = with_helpers(compute, Role.COPY, "copy") if job.copies_overlap else compute
    placements = [Placement(0, s.index, s.index % len(compute)) for s in stages]
    parts = [
        Part(0, m, start, rows)
        for m, (start, rows) in enumerate(zip(starts(sizes), sizes, strict=True))
    ]
    writer = _Writer(job, stages, [p.lane for p in placements], parts, schedule)
    writer.write()
    return Plan(
        Runner.LANES,
        tuple(lanes),
        stages,
        tuple(placements),
        tuple(parts),
        tuple(writer.plan.tasks),
    )


class _Writer:
    """Turns actions into tasks, with the copies, losses and optimizer steps between them."""

    def __init__(
        self,
        job: Job,
        stages: Sequence[Stage],
        lanes: Sequence[int],
        parts: Sequence[Part],
        schedule: Schedule,
    ) -> None:
        self.job, self.stages, self.lanes, self.parts = job, stages, lanes, parts
        self.schedule = schedule
        self.plan = PlanBuilder()
        self.orders = [schedule.order(s.index, len(stages), len(parts)) for s in stages]
        self.left = [sum(a.kind is Kind.BACKWARD for a in order) for order in self.orders]
        self.forwards: dict[tuple[int, int | None], int] = {}
        self.backwards: dict[tuple[int, int | None], int] = {}
        self.losses: dict[int | None, int] = {}
        self.copies: dict[tuple[int, Kind, int | None], int] = {}

    def write(self) -> None:
        for action in merge(self.orders, self.lanes, self.needs):
            if action.kind is Kind.FORWARD:
                self._forward(action.stage, action.microbatch)
            else:
                self._backward(action.stage, action.microbatch)

    def needs(self, action: Action) -> list[Action]:
        """The actions of this and other stages whose results `action` takes."""
        stage, m, last = action.stage, action.microbatch, len(self.stages) - 1
        if action.kind is Kind.FORWARD:
            return [Action(stage - 1, Kind.FORWARD, m)] if stage else []
        pieces = range(len(self.parts)) if m is None else [m]
        own = [Action(stage, Kind.FORWARD, piece) for piece in pieces]
        return own if stage == last else [*own, Action(stage + 1, Kind.BACKWARD, m)]

    def _rows(self, m: int | None) -> int:
        return sum(part.rows for part in self.parts) if m is None else self.parts[m].rows

    def _forward(self, stage: int, m: int | None) -> None:
        after = [self._received(stage, Kind.FORWARD, m)] if stage else []
        task = self.plan.add(
            Kind.FORWARD, self.lanes[stage], after, stage=stage, microbatch=m, rows=self._rows(m)
        )
        self.forwards[stage, m] = task
        if stage < len(self.stages) - 1:
            self._send(stage, stage + 1, Kind.FORWARD, m, task)
        elif not self.schedule.whole_loss:
            self._loss(m, [task])
        elif m == len(self.parts) - 1:
            self._loss(None, [self.forwards[stage, part.microbatch] for part in self.parts])

    def _loss(self, m: int | None, after: list[int]) -> None:
        last = len(self.stages) - 1
        self.losses[m] = self.plan.add(
            Kind.LOSS, self.lanes[last], after, stage=last, microbatch=m, rows=self._rows(m)
        )

    def _backward(self, stage: int, m: int | None) -> None:
        last = len(self.stages) - 1
        gradient = self.losses[m] if stage == last else self._received(stage, Kind.BACKWARD, m)
        pieces = range(len(self.parts)) if m is None else [m]
        task = self.plan.add(
            Kind.BACKWARD,
            self.lanes[stage],
            [gradient, *(self.forwards[stage, piece] for piece in pieces)],
            stage=stage,
            microbatch=m,
            rows=self._rows(m),
        )
        self.backwards[stage, m] = task
        if stage > 0:
            self._send(stage, stage - 1, Kind.BACKWARD, m, task)
        self.left[stage] -= 1
        if self.left[stage] == 0:
            self.plan.add(Kind.STEP, self.lanes[stage], [task], stage=stage)

    def _send(self, source: int, target: int, kind: Kind, m: int | None, made: int) -> None:
        """Copy at once where copies overlap compute; else the receiver copies when it is due."""
        if self.lanes[source] != self.lanes[target] and self.job.copies_overlap:
            lane = len(self.job.lanes) + self.lanes[source]
            self.copies[target, kind, m] = self._copy(lane, target, kind, m, made)

    def _received(self, stage: int, kind: Kind, m: int | None) -> int:
        """The task that brings `stage` its input (or, for a backward, its output's gradient)."""
        source = stage - 1 if kind is Kind.FORWARD else stage + 1
        made = (self.forwards if kind is Kind.FORWARD else self.backwards)[source, m]
        if self.lanes[source] == self.lanes[stage]:
            return made
        if not self.job.copies_overlap:
            return self._copy(self.lanes[stage], stage, kind, m, made)
        return self.copies[stage, kind, m]

    def _copy(self, lane: int, stage: int, kind: Kind, m: int | None, made: int) -> int:
        boundary = self.stages[stage - 1 if kind is Kind.FORWARD else stage].last - 1
        rows = self._rows(m)
        return self.plan.add(
            Kind.COPY,
            lane,
            [made],
            stage=stage,
            microbatch=m,
            rows=rows,
            bytes=rows * self.job.model.output_bytes(boundary),
            payload=Payload.ACTIVATION if kind is Kind.FORWARD else Payload.GRADIENT,
        )

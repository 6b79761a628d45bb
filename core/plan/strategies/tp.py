"""Tensor parallel: every lane has a slice of each layer (Megatron-LM, arXiv 1909.08053).

    lane 0  F0 A F1 A F2 L B2 B1 A B0 A U
    lane 1  F0 A F1 A F2 L B2 B1 A B0 A U

All lanes work on the whole batch at once. Layers are divided in pairs: a lane has some columns of
the first and the matching rows of the second. In attention it has some heads. So its output is
partial.
For each segment an all-reduce (A) sums the lanes' outputs in the forward pass, and the gradients of
their inputs in the backward pass. The last segment (F2) is repeated on every lane. Norms and
embedding are not divided; their gradients are partial and all-reduced before the step.
"""

from collections import Counter

from core.counts import lanes_text
from core.errors import PlanError
from core.message import message
from core.models.description import ModelDescription, Segment
from core.plan.collectives import start_together
from core.plan.division import Part, Placement, Stage
from core.plan.plan import Job, Plan, Strategy
from core.plan.strategies import single
from core.plan.task import Kind, Payload, Task, TaskColumns, add_task


def plan(job: Job) -> Plan:
    """Return a plan with a stage for each of the model's segments, and a shard of it on each lane.

    Raises PlanError if the model cannot be split over this many lanes.
    """
    _check(job)
    if len(job.lanes) == 1:
        return single.plan(job)
    lanes = len(job.lanes)
    stages = []
    for index, segment in enumerate(job.model.segments):
        shares = _shares(job.model, segment, lanes)
        stages.append(
            Stage(
                index=index,
                first=segment.first,
                last=segment.last,
                shards=lanes,
                shares=shares,
            )
        )
    *split, whole = stages
    tail = Stage(
        index=whole.index,
        first=whole.first,
        last=whole.last,
        shards=1,
        shares=whole.shares,
    )
    tasks = _Tasks(job)
    for stage in split:
        tasks.add_pass(Kind.FORWARD, stage)
        tasks.add_sum(stage, Payload.ACTIVATION)
    for kind in (Kind.FORWARD, Kind.LOSS, Kind.BACKWARD):
        tasks.add_pass(kind, tail)
    for stage in reversed(split):
        tasks.add_pass(Kind.BACKWARD, stage)
        # The first segment's input is the batch, which needs no gradient.
        if stage.index > 0:
            tasks.add_sum(stage, Payload.GRADIENT)
    for stage in split:
        tasks.add_sum(stage, Payload.PARAMETER_GRADIENTS)
    for stage in (*split, tail):
        tasks.add_step(stage)
    placements: list[Placement] = []
    for stage in (*split, tail):
        for lane in range(lanes):
            placements.append(Placement(0, stage.index, lane, shard=lane))
    return Plan(
        lanes=job.lanes,
        stages=(*split, tail),
        placements=tuple(placements),
        parts=(
            Part(
                replica=0,
                microbatch=0,
                start=0,
                rows=job.rows,
            ),
        ),
        columns=start_together(TaskColumns.of(tasks.tasks)),
    )


def _check(job: Job) -> None:
    """Raise PlanError if the model cannot be split, or not over this many lanes."""
    lanes = len(job.lanes)
    if not job.model.segments:
        raise PlanError(
            message(
                "tp splits a gpt, or an mlp of two layers or more; this {name} cannot be split",
                name=job.model.name,
            )
        )
    for flag, number in job.model.divisors:
        if number % lanes:
            fitting = [n for n in range(1, number + 1) if number % n == 0]
            below = max(n for n in fitting if n < lanes)
            above = min((n for n in fitting if n > lanes), default=None)
            use = lanes_text(below)
            if above is not None:
                use = message("{below} or {above} lanes", below=below, above=above)
            raise PlanError(
                message(
                    "{lanes} do not divide {flag} {number}; use {use}",
                    lanes=lanes_text(lanes),
                    flag=flag,
                    number=number,
                    use=use,
                )
            )


def _shares(model: ModelDescription, segment: Segment, lanes: int) -> tuple[float, ...]:
    """Return the fraction of each block's parameters that a lane has, for a segment's blocks."""
    counts = model.parameter_counts
    held = Counter[int]()
    for names, parts in ((segment.divided, lanes), (segment.repeated, 1)):
        for name in names:
            held[int(name.split(".")[0])] += counts[name] / parts  # type: ignore[assignment]
    blocks = range(segment.first, segment.last)
    return tuple(held[block] / model.blocks[block].parameter_count for block in blocks)


class _Tasks:
    """Adds tasks for all lanes at once; a pass waits for the last task of its lane."""

    def __init__(self, job: Job) -> None:
        self.tasks: list[Task] = []
        self._job = job
        self._lanes = range(len(job.lanes))
        self._last: list[list[int]] = [[] for _ in self._lanes]
        self._ready: dict[int, list[int]] = {}  # the tasks that compute gradients, by stage

    def add_pass(self, kind: Kind, stage: Stage) -> None:
        """Add a pass through a stage, or the loss after the last one, on each lane."""
        made: list[int] = []
        for lane in self._lanes:
            task = add_task(
                self.tasks,
                kind,
                lane,
                self._last[lane],
                stage=stage.index,
                replica=0,
                shard=lane,
                rows=self._job.rows,
            )
            made.append(task)
        self._last = [[task] for task in made]
        if kind is Kind.BACKWARD:
            self._ready[stage.index] = made

    def add_sum(self, stage: Stage, payload: Payload) -> None:
        """Add an all-reduce of the shards' partial results, unless it has no bytes."""
        size = self._summed_bytes(stage, payload)
        if not size:
            return
        of_parameters = payload is Payload.PARAMETER_GRADIENTS
        # Every lane's sum waits for all lanes, because it reads their partial results.
        after = [last for (last,) in self._last]
        if of_parameters:
            after = self._ready[stage.index]
        made: list[int] = []
        for lane in self._lanes:
            task = add_task(
                self.tasks,
                Kind.ALL_REDUCE,
                lane,
                after,
                stage=stage.index,
                replica=0,
                shard=lane,
                bytes=size,
                payload=payload,
            )
            made.append(task)
        if of_parameters:
            self._ready[stage.index] = made
        else:
            self._last = [[task] for task in made]

    def add_step(self, stage: Stage) -> None:
        """Add the optimizer's step of each lane's shard, once no lane reads its gradients."""
        repeats = stage.shards > 1 and self._job.model.segments[stage.index].repeated
        ready = self._ready[stage.index]
        for lane in self._lanes:
            # If gradients are summed, all lanes must have read them before any step.
            after = ready if repeats else [ready[lane]]
            add_task(
                self.tasks,
                Kind.STEP,
                lane,
                after,
                stage=stage.index,
                replica=0,
                shard=lane,
            )

    def _summed_bytes(self, stage: Stage, payload: Payload) -> int:
        model = self._job.model
        if payload is Payload.ACTIVATION:
            return self._job.rows * model.output_bytes(stage.last - 1)
        if payload is Payload.GRADIENT:
            before = model.segments[stage.index - 1]
            return self._job.rows * model.output_bytes(before.last - 1)
        counts = model.parameter_counts
        repeated = model.segments[stage.index].repeated
        return model.element_bytes * sum(counts[name] for name in repeated)


STRATEGY = Strategy("tp", "Tensor parallel", "Every lane has a slice of each layer.", plan)

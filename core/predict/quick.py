"""The columns of a pipeline's plan without its tasks, in a fraction of the time.

`staged_plan` makes an object of every task, because an engine runs them one by one. Whoever only
wants to know when they would run, and has to know within a blink, needs the columns alone: here
they come from the ranks' orders by arithmetic on whole arrays. Tasks, lanes, waits, rows and bytes
are the same; only the numbers of the tasks differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from core.gc_paused import uncollected
from core.order import stable_argsort
from core.plan.schedules.numbered import ActionColumns
from core.plan.schedules.schedule import Action, Schedule
from core.plan.staged import cut_stages, ranks_of
from core.plan.strategy import Job
from core.plan.task import KINDS, Kind, Pipeline, Stage
from core.trace.columns import ABSENT
from core.trace.step import StepColumns

Ints = NDArray[np.int64]
_CODE = {kind: code for code, kind in enumerate(KINDS)}
_FORWARD, _BACKWARD, _INPUT, _WEIGHT, _OVERLAP, _LOSS, _COPY, _STEP = (
    _CODE[kind]
    for kind in (
        Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT, Kind.OVERLAP,
        Kind.LOSS, Kind.COPY, Kind.STEP,
    )
)  # fmt: skip
_PLACES = 8  # around an action: two copies before it, a loss and two copies after it
_LOSS_PLACE = 1


@dataclass(frozen=True, slots=True)
class QuickPlan:
    """What prediction needs of a plan: its tasks as columns (all times 0), stages, pipeline.

    `by_lane` are the positions of the n tasks lane by lane. `needs` and `runs` are what
    core.predict.simulate.Levels is made of.
    """

    columns: StepColumns
    by_lane: Ints
    needs: NDArray[np.int32]
    runs: Ints
    stages: tuple[Stage, ...]
    pipeline: Pipeline


def quick_plan(job: Job, rows: Sequence[int]) -> QuickPlan | None:
    """The pipeline that `staged_plan(job, [rows], job.schedule)` makes, `rows` by micro-batch.

    None where only that can tell: for schedules from files, with replicas, or with one loss for
    all micro-batches; where ranks share lanes; for a schedule that cannot run. Raises PlanError for
    numbers that do not go together.
    """
    schedule = job.schedule
    ranks, chunks = ranks_of(job, schedule)
    seats = schedule.seats(ranks, chunks)
    if schedule.ranks is not None or schedule.whole_loss or ranks > len(job.lanes):
        return None
    if any(seat.replica for seat in seats):
        return None
    stages = cut_stages(job, schedule.stage_count(ranks, chunks))
    lane_of = np.zeros(len(stages), np.int64)
    for seat in seats:
        lane_of[seat.stage] = seat.rank
    passes = _passes(schedule, ranks, len(rows), chunks, len(stages))
    order = _order(passes)
    if order is None:
        return None
    sizes = np.array([job.model.output_bytes(stage.last - 1) for stage in stages], np.int64)
    writer = _Writer(job, passes, order, lane_of, np.array(rows, np.int64), sizes)
    pipeline = Pipeline(schedule.name, ranks, len(rows), chunks)
    return QuickPlan(*writer.columns(), stages, pipeline)


@dataclass(frozen=True, slots=True)
class _Passes:
    """The actions of all ranks, one rank behind the other; `first` is where each rank's begin.

    `forward` and `backward` say for each action which value (stage x micro-batches + micro-batch)
    it makes, or -1; an overlap makes both. `weight` is the value of a weight part, which makes
    neither. `needs` are what each waits for, as up to three actions (-1 where there is none).
    """

    kind: Ints
    stage: Ints
    microbatch: Ints
    paired_stage: Ints
    paired_microbatch: Ints
    first: Ints
    forward: Ints
    backward: Ints
    weight: Ints
    needs: tuple[Ints, Ints, Ints]


@uncollected()
def _passes(schedule: Schedule, ranks: int, microbatches: int, chunks: int, stages: int) -> _Passes:
    schedule.check(ranks, microbatches, chunks)
    # One rank at a time: its actions are still in the processor's cache then.
    orders = [_rank(schedule.order(rank, ranks, microbatches, chunks)) for rank in range(ranks)]
    first = np.cumsum([0, *(order.shape[1] for order in orders)])
    kind, stage, microbatch, paired_stage, paired_microbatch = np.concatenate(orders, axis=1)
    value = stage * microbatches + microbatch
    overlaps = kind == _OVERLAP
    forward = np.where((kind == _FORWARD) | overlaps, value, ABSENT)
    backward = np.where((kind == _BACKWARD) | (kind == _INPUT), value, ABSENT)
    backward[overlaps] = (paired_stage * microbatches + paired_microbatch)[overlaps]
    weight = np.where(kind == _WEIGHT, value, ABSENT)
    return _Passes(
        kind, stage, microbatch, paired_stage, paired_microbatch, first, forward, backward, weight,
        _needs(forward, backward, weight, microbatches, stages * microbatches),
    )  # fmt: skip


def _rank(actions: Sequence[Action]) -> Ints:
    """Kind, stage, micro-batch and what is paired of n actions: shape (5, n)."""
    count = len(actions)
    columns = np.full((5, count), ABSENT)
    if isinstance(actions, ActionColumns):
        columns[:3] = actions.kinds, actions.stages, actions.microbatches
        return columns
    columns[0] = np.fromiter(map(_CODE.__getitem__, map(itemgetter(1), actions)), np.int64, count)
    columns[1] = np.fromiter(map(itemgetter(0), actions), np.int64, count)
    columns[2] = np.fromiter(map(itemgetter(2), actions), np.int64, count)
    for place in np.flatnonzero(columns[0] == _OVERLAP).tolist():
        other = actions[place].paired
        assert other is not None and other.microbatch is not None
        columns[3:, place] = other.stage, other.microbatch
    return columns


def _order(passes: _Passes) -> Ints | None:
    """The round in which each action can run, all ranks that can act doing so at once.

    None if some never can.
    """
    count = len(passes.kind)
    needs = np.full((3, count + 1), count)
    for row, needed in zip(needs, passes.needs, strict=True):
        row[:count] = np.where(needed == ABSENT, count, needed)
    number = np.zeros(count + 1, np.int64)
    number[count] = 1  # what an action without a need waits for
    head, last = passes.first[:-1].copy(), passes.first[1:]
    left, turn = count, 0
    while left:
        turn += 1
        ready = np.logical_and.reduce(number.take(needs.take(head, axis=1)))
        ready &= head < last
        acting = head[ready]
        if not len(acting):
            return None
        number[acting] = turn
        head += ready
        left -= len(acting)
    return number[:count]


def _makers(values: Ints, count: int) -> Ints:
    """The action that makes each of `count` values, -1 where none does, and -1 behind them."""
    made = np.flatnonzero(values != ABSENT)
    makers = np.full(count + 1, ABSENT)
    makers[values[made]] = made
    return makers


def _needs(
    forward: Ints, backward: Ints, weight: Ints, microbatches: int, values: int
) -> tuple[Ints, Ints, Ints]:
    """What brings each action its input, its gradient, and what it needs of its own stage."""
    forwards, backwards = _makers(forward, values), _makers(backward, values)
    inner = (backward != ABSENT) & (backward < values - microbatches)
    before = forwards[np.where(forward >= microbatches, forward - microbatches, values)]
    behind = backwards[np.where(inner, backward + microbatches, values)]
    own = forwards[np.where(backward == ABSENT, values, backward)]
    whole = backwards[np.where(weight == ABSENT, values, weight)]
    return before, behind, np.maximum(own, whole)


class _Writer:
    """Puts losses, copies and steps between the actions, as `staged_plan` does."""

    def __init__(
        self, job: Job, passes: _Passes, order: Ints, lane_of: Ints, rows: Ints, sizes: Ints
    ) -> None:
        self._passes, self._order, self._lane_of = passes, order * _PLACES, lane_of
        self._rows, self._sizes = rows, sizes
        self._m, self._stages = len(rows), len(lane_of)
        self._lanes, self._overlap = len(job.lanes), job.copies_overlap
        # Where a lane's copies stand around an action. Only an overlap has two of them; others
        # may stand at one place, so that there are fewer runs of tasks that can go at once.
        two = bool((passes.kind == _OVERLAP).any())
        self._receiving, self._sending = ((-2, -1), (2, 3)) if two else ((-1, -1), (1, 1))
        self._parts: list[dict[str, Ints]] = []
        self._count = 0

    def columns(self) -> tuple[StepColumns, Ints, NDArray[np.int32], Ints]:
        """All tasks, and their `by_lane`, `needs` and `runs` (see QuickPlan)."""
        p, count = self._passes, self._stages * self._m
        before, behind, own = map(np.copy, p.needs)
        lane = self._lane_of[p.stage]
        actions = self._add(
            kind=p.kind, lane=lane, stage=p.stage, microbatch=p.microbatch, key=self._order,
            rows=self._rows[p.microbatch], paired_stage=p.paired_stage,
            paired_microbatch=p.paired_microbatch,
        )  # fmt: skip
        ends = p.forward >= count - self._m
        losses = self._add(
            kind=np.full(ends.sum(), _LOSS), lane=lane[ends], stage=p.stage[ends],
            microbatch=p.microbatch[ends], key=self._order[ends] + _LOSS_PLACE,
            rows=self._rows[p.microbatch[ends]], after=actions[ends],
        )  # fmt: skip
        loss_of = np.full(self._m, ABSENT)
        loss_of[p.microbatch[ends]] = losses
        starts = p.backward >= count - self._m
        behind[starts] = loss_of[p.backward[starts] % self._m]
        self._copy(p.forward, before, True)
        self._copy(np.where(starts, ABSENT, p.backward), behind, False)
        self._step(p)
        behind[behind == before] = ABSENT  # an overlap may need both results of another one
        own[(own == before) | (own == behind)] = ABSENT
        return self._columns([before, behind, own])

    def _copy(self, values: Ints, needs: Ints, forward: bool) -> None:
        """Copy what actions need from other lanes; `needs` names the copies then."""
        takers = np.flatnonzero((values != ABSENT) & (needs != ABSENT))
        stage, microbatch = values[takers] // self._m, values[takers] % self._m
        makers = needs[takers]
        source = self._lane_of[stage - 1 if forward else (stage + 1) % self._stages]
        across = source != self._lane_of[stage]
        takers, stage, microbatch = takers[across], stage[across], microbatch[across]
        makers, source = makers[across], source[across]
        rows = self._rows[microbatch]
        size = rows * self._sizes[stage - 1 if forward else stage]
        if self._overlap:
            place = self._sending[not forward]
            lane, key = self._lanes + source, self._order[makers] + place
        else:
            place = self._receiving[not forward]
            lane, key = self._lane_of[stage], self._order[takers] + place
        needs[takers] = self._add(
            kind=np.full(len(takers), _COPY), lane=lane, stage=stage, microbatch=microbatch,
            key=key, rows=rows, bytes=size, after=makers,
        )  # fmt: skip

    def _step(self, p: _Passes) -> None:
        """A step of each stage after its lane's last pass, in the order in which stages end."""
        last = np.full(self._stages, ABSENT)
        for values in (p.backward, p.weight):
            some = np.flatnonzero((values != ABSENT) & (p.kind != _INPUT))
            np.maximum.at(last, values[some] // self._m, some)
        # A rank's actions stand in its order, so that the largest index is the last one.
        order = stable_argsort(self._order[last])
        by_lane = stable_argsort(self._lane_of[order])
        lanes = self._lane_of[order][by_lane]
        turn = np.empty(self._stages, np.int64)
        turn[by_lane] = np.arange(self._stages) - np.searchsorted(lanes, lanes)
        behind = self._order.max(initial=0) + _PLACES
        self._add(
            kind=np.full(self._stages, _STEP), lane=self._lane_of[order], stage=order,
            key=behind + turn, after=last[order],
        )  # fmt: skip

    def _add(self, kind: Ints, **columns: Ints) -> Ints:
        """Note tasks and return their numbers for now, those of the actions being theirs."""
        numbers = self._count + np.arange(len(kind))
        self._parts.append({"kind": kind, **columns})
        self._count += len(kind)
        return numbers

    def _columns(self, needs: Sequence[Ints]) -> tuple[StepColumns, Ints, NDArray[np.int32], Ints]:
        """All tasks by their keys; `needs` are what each action waits for."""
        keys, count = self._whole("key"), self._count
        sorted_by = stable_argsort(keys)
        # What is the same for all tasks takes no memory: plans are kept by the dozen.
        nothing = np.broadcast_to(np.int32(ABSENT), count)
        small = {
            name: self._whole(name, np.int32)[sorted_by] if self._has(name) else nothing
            for name in ("lane", "stage", "microbatch", "paired_stage", "paired_microbatch")
        }
        by_lane = stable_argsort(small["lane"])
        every = self._needs(needs, sorted_by, by_lane, small["lane"])
        waits = np.ascontiguousarray(every[1:].T)
        waited = waits < count
        first = np.zeros(count + 1, np.int64)
        np.cumsum(sum((row < count).view(np.int8) for row in every[1:]), out=first[1:])
        zeros = np.broadcast_to(np.int64(0), count)
        columns = StepColumns(
            task=np.arange(count, dtype=np.int32),
            kind=self._whole("kind", np.int8)[sorted_by],
            start=zeros,
            end=zeros,
            launched=np.broadcast_to(np.int64(ABSENT), count),
            replica=nothing,
            block=nothing,
            bucket=nothing,
            rows=self._whole("rows")[sorted_by],
            bytes=self._whole("bytes")[sorted_by],
            after_first=first,
            after=waits[waited].astype(np.int64),
            **small,
        )
        sizes = np.bincount(keys - keys.min())
        runs = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
        return columns, by_lane, every, runs

    def _needs(
        self, needs: Sequence[Ints], sorted_by: Ints, by_lane: Ints, lane: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """What each task stands behind and waits for, in the order of their keys: see Levels."""
        count = self._count
        place = np.empty(count + 1, np.int32)
        place[sorted_by] = np.arange(count, dtype=np.int32)
        place[ABSENT] = count
        found = np.full((1 + len(needs), count), count, np.int32)
        arranged = lane[by_lane]
        same = arranged[1:] == arranged[:-1]
        found[0, by_lane[1:][same]] = by_lane[:-1][same]
        before, *others = needs
        waited = self._whole("after")
        waited[: len(before)] = before
        found[1] = place[waited[sorted_by]]
        for row, needed in enumerate(others, 2):  # of actions, which were noted first
            found[row, place[: len(needed)]] = place[needed]
        return found

    def _has(self, name: str) -> bool:
        return any(name in part and (part[name] != ABSENT).any() for part in self._parts)

    def _whole(self, name: str, dtype: DTypeLike = np.int64) -> NDArray[Any]:
        """A column of all that was noted; what does not apply is -1, and 0 for rows and bytes."""
        column = np.full(self._count, 0 if name in ("rows", "bytes") else ABSENT, dtype)
        begin = 0
        for part in self._parts:
            end = begin + len(part["kind"])
            if name in part:
                column[begin:end] = part[name]
            begin = end
        return column

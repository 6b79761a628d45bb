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

import numpy as np
from numpy.typing import NDArray

from core.plan.schedules.schedule import Action, Schedule
from core.plan.staged import cut_stages, ranks_of
from core.plan.strategy import Job
from core.plan.task import KINDS, Kind, Pipeline, Stage
from core.trace.columns import ABSENT
from core.trace.step import StepColumns
from core.uncollected import uncollected

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


@dataclass(frozen=True, slots=True)
class QuickPlan:
    """What prediction needs of a plan: its tasks as columns (all times 0), stages, pipeline.

    Tasks from one of `runs` up to the next can run at once (core.predict.simulate.Levels).
    """

    columns: StepColumns
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
    passes = _passes(schedule, ranks, len(rows), chunks)
    order = _order(passes, len(stages))
    if order is None:
        return None
    sizes = np.array([job.model.output_bytes(stage.last - 1) for stage in stages], np.int64)
    writer = _Writer(job, passes, order, lane_of, np.array(rows, np.int64), sizes)
    columns, runs = writer.columns()
    return QuickPlan(columns, runs, stages, Pipeline(schedule.name, ranks, len(rows), chunks))


@dataclass(frozen=True, slots=True)
class _Passes:
    """The actions of all ranks, one rank behind the other; `first` is where each rank's begin.

    `forward` and `backward` say for each action which value (stage x micro-batches + micro-batch)
    it makes, or -1; an overlap makes both. `weight` is the value of a weight part, which makes
    neither.
    """

    kind: Ints
    stage: Ints
    microbatch: Ints
    paired_stage: Ints
    paired_microbatch: Ints
    first: Ints
    microbatches: int

    @property
    def forward(self) -> Ints:
        return np.where(_either(self.kind, _FORWARD, _OVERLAP), self._value, ABSENT)

    @property
    def backward(self) -> Ints:
        own = np.where(_either(self.kind, _BACKWARD, _INPUT), self._value, ABSENT)
        paired = self.paired_stage * self.microbatches + self.paired_microbatch
        return np.where(self.kind == _OVERLAP, paired, own)

    @property
    def weight(self) -> Ints:
        return np.where(self.kind == _WEIGHT, self._value, ABSENT)

    @property
    def _value(self) -> Ints:
        return self.stage * self.microbatches + self.microbatch


@uncollected()
def _passes(schedule: Schedule, ranks: int, microbatches: int, chunks: int) -> _Passes:
    orders = schedule.orders(ranks, microbatches, chunks)
    actions = [action for order in orders for action in order]
    count = len(actions)
    kinds = np.fromiter(map(_CODE.__getitem__, map(itemgetter(1), actions)), np.int64, count)
    paired = {i: actions[i].paired for i in np.flatnonzero(kinds == _OVERLAP).tolist()}
    paired_stage, paired_microbatch = np.full(count, ABSENT), np.full(count, ABSENT)
    for i, other in paired.items():
        assert isinstance(other, Action) and other.microbatch is not None
        kinds[i] = _OVERLAP
        paired_stage[i], paired_microbatch[i] = other.stage, other.microbatch
    return _Passes(
        kinds,
        np.fromiter(map(itemgetter(0), actions), np.int64, count),
        np.fromiter(map(itemgetter(2), actions), np.int64, count),
        paired_stage,
        paired_microbatch,
        np.cumsum([0, *map(len, orders)]),
        microbatches,
    )


def _order(passes: _Passes, stages: int) -> Ints | None:
    """The round in which each action can run, all ranks that can act doing so at once.

    None if some never can.
    """
    needs = [_with_end(needed) for needed in _needs(passes, stages)]
    count = len(passes.kind)
    done = np.zeros(count + 1, np.bool_)  # the last is what an action without a need waits for
    done[count] = True
    head, last = passes.first[:-1].copy(), passes.first[1:]
    number = np.zeros(count, np.int64)
    left, turn = count, 0
    while left:
        turn += 1
        ready = head < last
        for needed in needs:
            ready &= done[needed[head]]
        acting = head[ready]
        if not len(acting):
            return None
        number[acting] = turn
        done[acting] = True
        head[ready] += 1
        left -= len(acting)
    return number


def _with_end(needed: Ints) -> Ints:
    return np.append(needed, ABSENT)


def _makers(values: Ints, count: int) -> Ints:
    """The action that makes each of `count` values, -1 where none does, and -1 behind them."""
    made = np.flatnonzero(values != ABSENT)
    makers = np.full(count + 1, ABSENT)
    makers[values[made]] = made
    return makers


def _needs(passes: _Passes, stages: int) -> list[Ints]:
    """What each action waits for, as up to three actions (-1 where there is none)."""
    m, count = passes.microbatches, stages * passes.microbatches
    forward, backward, weight = passes.forward, passes.backward, passes.weight
    forwards, backwards = _makers(forward, count), _makers(backward, count)
    inner = (backward != ABSENT) & (backward < count - m)
    before = forwards[np.where(forward >= m, forward - m, count)]
    behind = backwards[np.where(inner, backward + m, count)]
    own = forwards[np.where(backward == ABSENT, count, backward)]
    whole = backwards[np.where(weight == ABSENT, count, weight)]
    return [before, behind, np.maximum(own, whole)]


def _either(kinds: Ints, one: int, other: int) -> NDArray[np.bool_]:
    return np.isin(kinds, [one, other])


class _Writer:
    """Puts losses, copies and steps between the actions, as `staged_plan` does."""

    def __init__(
        self, job: Job, passes: _Passes, order: Ints, lane_of: Ints, rows: Ints, sizes: Ints
    ) -> None:
        self._passes, self._order, self._lane_of = passes, order * _PLACES, lane_of
        self._rows, self._sizes = rows, sizes
        self._m, self._stages = len(rows), len(lane_of)
        self._lanes, self._overlap = len(job.lanes), job.copies_overlap
        self._parts: list[dict[str, Ints]] = []
        self._count = 0

    def columns(self) -> tuple[StepColumns, Ints]:
        """All tasks, and where each run of them begins that can go at once."""
        p, count = self._passes, self._stages * self._m
        before, behind, own = _needs(p, self._stages)
        lane = self._lane_of[p.stage]
        actions = self._add(
            kind=p.kind, lane=lane, stage=p.stage, microbatch=p.microbatch, key=self._order,
            rows=self._rows[p.microbatch], paired_stage=p.paired_stage,
            paired_microbatch=p.paired_microbatch,
        )  # fmt: skip
        ends = p.forward >= count - self._m
        losses = self._add(
            kind=np.full(ends.sum(), _LOSS), lane=lane[ends], stage=p.stage[ends],
            microbatch=p.microbatch[ends], key=self._order[ends] + 1,
            rows=self._rows[p.microbatch[ends]], after=actions[ends],
        )  # fmt: skip
        loss_of = np.full(self._m, ABSENT)
        loss_of[p.microbatch[ends]] = losses
        starts = p.backward >= count - self._m
        behind[starts] = loss_of[p.backward[starts] % self._m]
        self._copy(p.forward, before, -2, 2)
        self._copy(np.where(starts, ABSENT, p.backward), behind, -1, 3)
        self._step(p)
        behind[behind == before] = ABSENT  # an overlap may need both results of another one
        own[(own == before) | (own == behind)] = ABSENT
        return self._columns(np.stack([before, behind, own], axis=1))

    def _copy(self, values: Ints, needs: Ints, receiving: int, sending: int) -> None:
        """Copy what actions need from other lanes; `needs` names the copies then."""
        takers = np.flatnonzero((values != ABSENT) & (needs != ABSENT))
        stage, microbatch = values[takers] // self._m, values[takers] % self._m
        makers = needs[takers]
        forward = sending == 2
        source = self._lane_of[stage - 1 if forward else (stage + 1) % self._stages]
        across = source != self._lane_of[stage]
        takers, stage, microbatch = takers[across], stage[across], microbatch[across]
        makers, source = makers[across], source[across]
        rows = self._rows[microbatch]
        size = rows * self._sizes[stage - 1 if forward else stage]
        if self._overlap:
            lane, key = self._lanes + source, self._order[makers] + sending
        else:
            lane, key = self._lane_of[stage], self._order[takers] + receiving
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
        order = np.argsort(self._order[last], kind="stable")
        by_lane = np.argsort(self._lane_of[order], kind="stable")
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

    def _columns(self, needs: Ints) -> tuple[StepColumns, Ints]:
        """All tasks by their keys; `needs` are the three of each action."""
        keys = self._whole("key")
        sorted_by = np.argsort(keys, kind="stable")
        place = np.empty(self._count, np.int64)
        place[sorted_by] = np.arange(self._count)
        after = np.full((self._count, 3), ABSENT)
        after[: len(needs)] = needs
        after[len(needs) :, 0] = self._whole("after")[len(needs) :]
        after = after[sorted_by]
        waits = after != ABSENT
        first = np.zeros(self._count + 1, np.int64)
        np.cumsum(waits.sum(axis=1), out=first[1:])
        small = {
            name: self._whole(name)[sorted_by].astype(np.int32)
            for name in ("lane", "stage", "microbatch", "paired_stage", "paired_microbatch")
        }
        nothing = np.full(self._count, ABSENT, np.int32)
        zeros = np.zeros(self._count, np.int64)
        columns = StepColumns(
            task=np.arange(self._count, dtype=np.int32),
            kind=self._whole("kind")[sorted_by].astype(np.int8),
            start=zeros,
            end=zeros,
            launched=np.full(self._count, ABSENT, np.int64),
            replica=nothing,
            block=nothing,
            bucket=nothing,
            rows=self._whole("rows")[sorted_by],
            bytes=self._whole("bytes")[sorted_by],
            after_first=first,
            after=place[after[waits]],
            **small,
        )
        begun = np.flatnonzero(np.diff(keys[sorted_by])) + 1
        return columns, np.concatenate([[0], begun, [self._count]])

    def _whole(self, name: str) -> Ints:
        """A column of all that was noted; what does not apply is -1, and 0 for rows and bytes."""
        missing = 0 if name in ("rows", "bytes") else ABSENT
        return np.concatenate(
            [part.get(name, np.full(len(part["kind"]), missing)) for part in self._parts]
        )

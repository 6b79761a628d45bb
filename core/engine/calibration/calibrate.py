"""Measures what the tasks of a plan cost here, with all lanes busy at once.

Every lane goes through all its tasks of a step (its round) again and again until the time is up,
waiting for no other (rehearsal.py), so that each is measured while the others compute and
move data too. Tasks that share parameters with other lanes (replicate, reduce, all-reduce) come
after that, by themselves. A cost is the mean of a round's tasks, and of these the median.

Where a lane that waits must be woken up, a copy costs the time from the end of what made the data,
which is what the next task waits for: on CPU lanes waking up takes longer than most copies.

Nothing of the run changes: the modules are copies, and the random state is put back.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from core.engine.calibration.rehearsal import Rehearsal, Round, shares_parameters, walk_of
from core.engine.lanes.executor import POLL_SECONDS, Stopped
from core.engine.lanes.lane import Lane, open_clock
from core.engine.lanes.timestamps import Stamps
from core.engine.models.modules import Batch
from core.engine.models.stage_module import copy_to
from core.engine.models.workload import Workload
from core.engine.stop import Stop
from core.plan.specification import Specification
from core.plan.task import Kind, Plan, Role, Task
from core.predict.costs import CostModel, Curve, Link

BUDGET_SECONDS = 1.2
SHARING_SECONDS = 0.3
LEAST_ROUNDS = 2
MOST_ROUNDS = 20
LINK_BYTES = (1 << 12, 1 << 22)
TRANSFERS = 8  # the first of them allocates
ASLEEP_SECONDS = 0.01  # a lane wakes up later from a deep sleep
AWAKE_SECONDS = 0.001  # what a lane that has handed something over goes on to do is in the way

Times = dict[tuple[Kind, int, int, int], list[float]]
"""The mean ns of each round by kind, stage, rows and bytes (-1 and 0 where absent)."""


def calibrate(
    plan: Plan,
    batch: Batch,
    workload: Workload,
    specification: Specification,
    lanes: Sequence[Lane],
    stop: Stop,
) -> CostModel:
    """The costs of a plan's tasks by stage and rows, and of its transfers by bytes.

    `lanes` are the plan's, started and idle. Takes about a second and a half, more where a round
    takes longer: at least two of them are measured. Raises Stopped on request, or what a task
    raised.
    """
    gpus = sorted({lane.device for lane in plan.lanes if lane.device != "cpu"})
    with torch.random.fork_rng(devices=gpus):
        rehearsal = Rehearsal([plan], workload, specification)
        rehearsal.walk(plan, batch, walk_of(plan))
        times: Times = defaultdict(list)
        for sharing, seconds in ((False, BUDGET_SECONDS), (True, SHARING_SECONDS)):
            tasks: dict[int, list[Task]] = defaultdict(list)
            for task in plan.tasks:
                if shares_parameters(task) is sharing:
                    tasks[task.lane].append(task)
            rounds = {lanes[i]: Round(rehearsal, i, mine) for i, mine in tasks.items()}
            _Turns(rounds, seconds, stop).run(times)
        if lanes[-1].sleeps:
            for name in [name for name in times if name[0] is Kind.COPY]:
                times[name] = [_transfer_ns(lanes, name[-1])]
        return costs_from(times, len(plan.stages), _link(lanes))


def _finish(futures: Iterable[Future[None]]) -> None:
    """Wait until all have come to an end. Raises what one of them raised."""
    for future in wait(list(futures)).done:
        future.result()


class _Measured(NamedTuple):
    """A task's run in one round."""

    task: Task
    round: int
    stamps: Stamps


class _Turns:
    """Lets lanes go through their rounds until each has gone often enough."""

    def __init__(self, rounds: Mapping[Lane, Round], seconds: float, stop: Stop) -> None:
        self._rounds, self._stop = rounds, stop
        self._until = time.monotonic() + seconds
        self._done = dict.fromkeys(rounds, 0)
        self._measured: dict[Lane, list[_Measured]] = {lane: [] for lane in rounds}
        self._failed = False

    def run(self, times: Times) -> None:
        """Go, and add what was measured to `times`."""
        clocks = {lane.lane.device: open_clock(lane.lane.device) for lane in self._rounds}
        for clock in clocks.values():
            clock.begin()
        _finish(lane.call(partial(self._work, lane, r)) for lane, r in self._rounds.items())
        for clock in clocks.values():
            clock.end()
        if self._stop.requested:
            raise Stopped
        for lane, measured in self._measured.items():
            clock = clocks[lane.lane.device]
            rounds: dict[tuple[int, tuple[Kind, int, int, int]], list[int]] = defaultdict(list)
            first = 1 if self._done[lane] > LEAST_ROUNDS else 0  # the first one allocates
            for task, number, stamps in measured:
                if first <= number < self._done[lane]:
                    taken = max(0, clock.time(stamps.end) - clock.time(stamps.start))
                    rounds[number, _name(task)].append(taken)
            for (_, name), found in rounds.items():
                times[name].append(statistics.fmean(found))
            lane.recycle([mark for run in measured for mark in run.stamps.marks])

    def _work(self, lane: Lane, round_: Round) -> None:
        """All rounds of a lane, in its thread. Busy until the last lane is through."""
        try:
            while not self._is_over():
                self._go_round(lane, round_)
        except BaseException:
            self._failed = True  # the other lanes need not go on
            raise

    def _go_round(self, lane: Lane, round_: Round) -> None:
        held: list[list[Tensor]] = []
        round_.begin()
        for task in round_.tasks:
            if self._is_halted():
                return
            round_.prepare(task)
            stamps = Stamps(lane.marker(True))
            held.append(round_.run(task, stamps))
            self._measured[lane].append(_Measured(task, self._done[lane], stamps))
        while not lane.reached(stamps.end):
            time.sleep(POLL_SECONDS)
        self._done[lane] += 1

    def _is_halted(self) -> bool:
        return self._stop.requested or self._failed

    def _is_over(self) -> bool:
        if self._is_halted():
            return True
        fewest = min(self._done.values())
        late = time.monotonic() > self._until
        return fewest >= MOST_ROUNDS or (late and fewest >= LEAST_ROUNDS)


def _name(task: Task) -> tuple[Kind, int, int, int]:
    return task.kind, -1 if task.stage is None else task.stage, task.rows, task.bytes


def costs_from(times: Times, stages: int, link: Link | None) -> CostModel:
    """The cost model of measured times: the median of each kind, stage, rows and bytes."""
    passes: dict[Kind, tuple[Curve, ...]] = {}
    transfers: dict[Kind, Curve] = {}
    for kind in dict.fromkeys(name[0] for name in times):
        mine = {name[1:]: found for name, found in times.items() if name[0] is kind}
        if kind.is_communication:
            transfers[kind] = _curve((size, found) for (_, _, size), found in mine.items())
        elif kind is Kind.LOSS:
            passes[kind] = (_curve((rows, found) for (_, rows, _), found in mine.items()),)
        else:
            known = {
                stage: _curve((rows, found) for (of, rows, _), found in mine.items() if of == stage)
                for stage in dict.fromkeys(name[0] for name in mine)
            }
            spare = next(iter(known.values()))  # for stages of which the plan has no such pass
            passes[kind] = tuple(known.get(stage, spare) for stage in range(stages))
    return CostModel(passes, transfers, link, by_rows=True)


def _curve(points: Iterable[tuple[int, Sequence[float]]]) -> Curve:
    """The medians by size; a size of 0 (steps have no rows) counts as 1."""
    found: dict[int, list[float]] = defaultdict(list)
    for size, times in points:
        found[max(1, size)] += times
    return tuple((float(size), statistics.median(found[size])) for size in sorted(found))


def _link(lanes: Sequence[Lane]) -> Link:
    """Latency and bandwidth of a copy from the first compute lane's device to the last one's."""
    small, large = (_transfer_ns(lanes, size) for size in LINK_BYTES)
    slope = max(1e-3, (large - small) / (LINK_BYTES[1] - LINK_BYTES[0]))
    return Link(max(0.0, small - slope * LINK_BYTES[0]), slope)


def _transfer_ns(lanes: Sequence[Lane], size: int) -> float:
    """The median time of a copy of `size` bytes from the first compute lane by the last lane."""
    sender = next(lane for lane in lanes if lane.lane.role is Role.COMPUTE)
    clock = open_clock(lanes[-1].lane.device)
    clock.begin()
    transfers = [_Transfer(sender, lanes[-1], size) for _ in range(TRANSFERS)]
    clock.end()
    times = [clock.time(one.end) - clock.time(one.start) for one in transfers[1:]]
    for one in transfers:
        one.recycle()
    return statistics.median(times)


class _Transfer:
    """One copy by `mover` of `size` bytes that `sender` has just made, by its two marks.

    It begins when the bytes are made if the mover sleeps until then, else when the mover begins.
    """

    def __init__(self, sender: Lane, mover: Lane, size: int) -> None:
        self._sender, self._mover = sender, mover
        self._source = torch.zeros(size, dtype=torch.uint8, device=sender.device)
        self._making = sender.call(self._make)
        after = sender.call(partial(self._compute, AWAKE_SECONDS))
        _finish([self._making, after, mover.call(self._move)])
        self.start = self._made if mover.sleeps else self._begun

    def recycle(self) -> None:
        """Give the marks back to their lanes."""
        self._sender.recycle([self._made])
        self._mover.recycle([self._begun, self.end])

    def _make(self) -> None:
        self._compute(ASLEEP_SECONDS)
        self._fresh = self._source.clone()
        self._made = self._sender.mark(True)

    def _compute(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._source.clone()

    def _move(self) -> None:
        self._making.result()
        self._mover.wait(self._made)
        self._begun = self._mover.mark(True)
        self._copied = copy_to(self._mover.device, self._fresh)
        self.end = self._mover.mark(True)
        while not self._mover.reached(self.end):
            time.sleep(POLL_SECONDS)

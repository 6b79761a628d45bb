"""Measures the costs of a plan's tasks on this machine while all lanes are busy.

Every lane runs all its tasks of a step (a pass) repeatedly until the time is up. It does not wait
for other lanes (operations.py), so that its tasks are measured while other lanes compute and move
data too. Copy lanes make no more passes than the lanes that compute. Tasks that share parameters
with other lanes (replicate, reduce, all-reduce) are measured afterwards. A cost is the median, over
passes, of the mean duration of a pass's tasks.

On lanes that have to be woken up, the cost of a copy starts at the end of the task that made the
data, because that is the delay for the next task. On CPU lanes, waking up takes longer than most
copies.

The run itself does not change: the modules are copies, and the random state is restored.
"""

from __future__ import annotations

import math
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from core.costs.costs import MOST_PASSES, CostModel, Curve, Curves
from core.engine.calibration.operations import CalibrationOps, shares_parameters, walk_of
from core.engine.failures import RunStopped
from core.engine.lanes.devices import Clock, kept_random_state, open_clock
from core.engine.lanes.lane import POLL_SECONDS, LaneThread, Stamps, Timestamp, wait_until
from core.engine.models.modules import Batch
from core.engine.models.stage_module import copy_to
from core.engine.prepare import Prepared
from core.plan.link import Link
from core.plan.plan import Plan, Role
from core.plan.task import ABSENT, Kind, Task

BUDGET_SECONDS = 1.2
SHARING_SECONDS = 0.3
REPORT_SECONDS = 0.1  # between two reports of the number of passes
LEAST_PASSES = 2
# Sizes of copies for latency and bandwidth: the time of 4 KiB is nearly all latency, the time of
# 4 MiB nearly all bandwidth, and both are short.
LINK_BYTES = (1 << 12, 1 << 22)
TRANSFERS = 8  # the first of them allocates
ASLEEP_SECONDS = 0.01  # long enough for a deep sleep, from which a lane wakes up more slowly
AWAKE_SECONDS = 0.001  # for work of the sender after the handover, which may delay the copy


class CostKey(NamedTuple):
    """Tasks with the same key are assumed to have the same cost.

    `rows` is the number of rows of one pass, a mean for a backward over uneven micro-batches.
    Missing values are ABSENT or, for rows and bytes, 0.
    """

    kind: Kind
    of: int  # a stage or block
    rows: float
    bytes: int
    shard: int


PassListener = Callable[[int], None]
"""Called with the number of completed passes."""
CostTimes = dict[CostKey, list[float]]
"""For each key, the mean duration of its tasks in each pass, in ns."""


def measure_task_costs(
    prepared: Prepared,
    batch: Batch,
    lanes: Sequence[LaneThread],
    stop: threading.Event,
    on_pass: PassListener,
) -> CostModel:
    """Return the costs of a batch's tasks by stage and rows, and of its transfers by bytes.

    `lanes` are the plan's, started and idle. Takes about 1.5 s, or longer if two passes take
    longer. Raises RunStopped on request, or the exception of a task.
    """
    plan = prepared.plans[len(batch[0])]
    with kept_random_state(lane.device for lane in plan.lanes):
        operations = CalibrationOps(prepared)
        operations.walk(plan, batch, walk_of(plan), lanes)
        times: CostTimes = defaultdict(list)
        # In the order of a step: first the tasks that run while other lanes compute, then those
        # that run after all lanes have computed, with the gradients of the first passes.
        loops = _loops(operations, plan, lanes, sharing=False)
        measure_passes(
            loops=loops,
            seconds=BUDGET_SECONDS,
            stop=stop,
            times=times,
            on_pass=on_pass,
        )
        loops = _loops(operations, plan, lanes, sharing=True)
        measure_passes(
            loops=loops,
            seconds=SHARING_SECONDS,
            stop=stop,
            times=times,
            on_pass=lambda passes: None,
        )
        if lanes[-1].sleeps:
            # In these loops a CPU lane is already awake when it copies. In a step it usually has to
            # be woken up.
            for key in times:
                if key.kind is Kind.COPY:
                    times[key] = [transfer_ns(lanes, key.bytes)]
        return costs_from(times, len(plan.stages), _link(lanes))


def _loops(
    operations: CalibrationOps, plan: Plan, lanes: Sequence[LaneThread], sharing: bool
) -> list[LaneLoop]:
    """Return a loop for each lane over its tasks that share parameters, or over its other tasks."""
    tasks: dict[int, list[Task]] = defaultdict(list)
    for task in plan.tasks:
        if shares_parameters(task) is sharing:
            tasks[task.lane].append(task)  # in the plan's order, in which a lane runs them
    loops: list[LaneLoop] = []
    for lane, own_tasks in tasks.items():
        loops.append(LaneLoop(operations, lanes[lane], own_tasks))
    return loops


def _finish(futures: Sequence[Future[Any]]) -> None:
    """Wait for all futures. Raises the exception of a failed future."""
    for future in wait(futures).done:
        future.result()


class LaneLoop:
    """Runs a lane's tasks repeatedly. The halves of an overlap count as two tasks here.

    `passes` has the tasks of every complete pass, with their timestamps.
    """

    def __init__(self, operations: CalibrationOps, lane: LaneThread, tasks: Sequence[Task]) -> None:
        self.lane = lane
        self._tasks = tasks
        self._operations = operations.for_lane()
        self.passes: list[list[tuple[Task, Stamps]]] = []

    def go_once(self, is_halted: Callable[[], bool]) -> None:
        """Run one pass in the lane's thread; ends early once `is_halted` returns True."""
        operations = self._operations
        if not shares_parameters(self._tasks[0]):  # tasks that share need the existing gradients
            operations.restart(self._tasks[0].lane)
        done: list[tuple[Task, Stamps]] = []
        # Kept until the device has completed the pass. The lane's thread is ahead of the device,
        # and freed memory could be reused while another stream still reads it.
        held: list[list[Tensor]] = []
        for task in self._tasks:
            operations.put_inputs(task)
            for half in operations.step.plan.halves(task):
                if is_halted():
                    return
                stamps = Stamps(self.lane.timestamp)
                with self.lane.turn:
                    held.append(operations.run(half, stamps))
                done.append((half, stamps))
        wait_until(self.lane.timestamp())
        self.passes.append(done)

    def add_times(self, times: CostTimes, clock: Clock) -> None:
        """Add the mean ns of the tasks of each key for every pass."""
        plan = self._operations.step.plan
        # The first pass allocates, so it is dropped if enough passes remain.
        dropped = 1 if len(self.passes) > LEAST_PASSES else 0
        for done in self.passes[dropped:]:
            durations: dict[CostKey, list[float]] = defaultdict(list)
            for task, stamps in done:
                assert stamps.start is not None and stamps.end is not None
                taken = clock.time(stamps.end) - clock.time(stamps.start)
                passes = passes_of(plan, task)
                key = cost_key(task, passes)
                durations[key].append(max(0, taken) / passes)
                self.lane.recycle(stamps.all)
            for key, task_durations in durations.items():
                times[key].append(statistics.fmean(task_durations))


def measure_passes(
    loops: Sequence[LaneLoop],
    seconds: float,
    stop: threading.Event,
    times: CostTimes,
    on_pass: PassListener,
) -> None:
    """Run passes on all lanes at once until each has made enough; add their times to `times`.

    Raises RunStopped, or the exception of a task.
    """
    until = time.monotonic() + seconds
    failed = threading.Event()

    def is_halted() -> bool:
        return stop.is_set() or failed.is_set()

    def is_over() -> bool:
        needed = LEAST_PASSES if time.monotonic() > until else MOST_PASSES
        return _fewest_passes(loops) >= needed

    def work(loop: LaneLoop) -> None:
        """Run passes in a lane's thread until every lane has made enough of them."""
        try:
            # Lanes with enough passes continue too. Otherwise their cores would become free, and
            # the last passes of the other lanes would be too fast.
            while not (is_halted() or is_over()):
                # Copies without a pause would slow down the lanes that compute.
                if _is_ahead(loop, loops):
                    time.sleep(POLL_SECONDS)
                else:
                    loop.go_once(is_halted)
        except BaseException:
            failed.set()  # stops the other lanes
            raise

    devices = dict.fromkeys(loop.lane.lane.device for loop in loops)
    clocks = {device: open_clock(device) for device in devices}
    for clock in clocks.values():
        clock.begin()
    futures = [loop.lane.call(partial(work, loop)) for loop in loops]
    # Wait for all futures, even if one fails: the other lanes then stop by themselves (`failed`),
    # and must be idle when the clocks are anchored again.
    while wait(futures, REPORT_SECONDS).not_done:
        on_pass(_fewest_passes(loops))
    _finish(futures)
    for clock in clocks.values():
        clock.end()
    if stop.is_set():
        raise RunStopped
    for loop in loops:
        loop.add_times(times, clocks[loop.lane.lane.device])


def _fewest_passes(loops: Sequence[LaneLoop]) -> int:
    """Return the number of passes that every lane has completed."""
    # Lanes append meanwhile, without a lock: an old length causes at most one additional pass.
    return min(len(loop.passes) for loop in loops)


def _is_ahead(loop: LaneLoop, loops: Sequence[LaneLoop]) -> bool:
    """Return True if a copy lane has made more passes than every lane that computes."""
    if loop.lane.lane.role is Role.COMPUTE:
        return False
    of_computing: list[int] = []
    for other in loops:
        if other.lane.lane.role is Role.COMPUTE:
            of_computing.append(len(other.passes))
    return len(loop.passes) > max(of_computing, default=math.inf)


def passes_of(plan: Plan, task: Task) -> int:
    """Return the number of backward passes that a task runs; see `backward_passes`."""
    if task.kind is not Kind.BACKWARD:
        return 1
    return len(plan.parts_of(task))


def cost_key(task: Task, passes: int = 1) -> CostKey:
    """Return the key of the cost of one pass of a task that runs `passes` of them."""
    of = task.stage if task.block is None else task.block
    of = ABSENT if of is None else of
    shard = ABSENT if task.shard is None else task.shard
    return CostKey(
        kind=task.kind,
        of=of,
        rows=task.rows / passes,
        bytes=task.bytes,
        shard=shard,
    )


def costs_from(
    times: CostTimes, stages: int, link: Link | None, by_block: bool = False
) -> CostModel:
    """Return the cost model of measured times: medians by kind, stage, rows and bytes.

    With `by_block` stages are blocks. Costs without a stage apply to all stages. In a divided stage
    the slowest shard counts, because the others wait for it (only the first shard adds biases).
    """
    passes: dict[Kind, Curves] = {}
    transfers: dict[Kind, Curve] = {}
    by_kind: dict[Kind, CostTimes] = defaultdict(dict)
    for key, taken in times.items():
        by_kind[key.kind][key] = taken
    for kind, kind_times in by_kind.items():
        if kind.is_communication:
            transfers[kind] = _curve(kind_times, lambda key: max(1, key.bytes))
        elif kind is Kind.LOSS:
            passes[kind] = (_curve(_with_rows(kind_times), _rows),)
        else:
            passes[kind] = _stage_curves(_with_rows(kind_times), stages)
    return CostModel(passes, transfers, link, by_rows=True, by_block=by_block)


def _stage_curves(times: CostTimes, stages: int) -> Curves:
    """Return a curve for each stage, from the times of one kind of task."""
    by_stage: dict[int, CostTimes] = defaultdict(dict)
    for key, taken in times.items():
        by_stage[key.of][key] = taken
    known: dict[int, Curve] = {}
    for stage, stage_times in by_stage.items():
        known[stage] = _curve(stage_times, _rows)
    if ABSENT in known:
        # Measured without a stage, such as a rank's optimizer step for all its blocks. Each stage
        # has an equal part.
        default = tuple((size, ns / stages) for size, ns in known[ABSENT])
    else:
        default = next(iter(known.values()))  # for stages without such a task in the plan
    return tuple(known.get(stage, default) for stage in range(stages))


def _with_rows(times: CostTimes) -> CostTimes:
    """Return the times of passes with rows, of one kind; all times if none has rows.

    Ranks without rows run passes too, in less time than one row takes. Predictions count no time
    for them.
    """
    with_rows = {key: taken for key, taken in times.items() if key.rows}
    return with_rows or times


def _rows(key: CostKey) -> float:
    return max(1, key.rows)  # steps of the optimizer have no rows


def _curve(times: CostTimes, size_of: Callable[[CostKey], float]) -> Curve:
    """Return (size, median ns of the slowest shard) pairs by increasing size."""
    by_size: dict[float, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for key, taken in times.items():
        by_size[size_of(key)][key.shard] += taken
    points = []
    for size in sorted(by_size):
        by_shard = by_size[size]
        slowest = max(statistics.median(taken) for taken in by_shard.values())
        points.append((float(size), slowest))
    return tuple(points)


def _link(lanes: Sequence[LaneThread]) -> Link:
    """Measure latency and bandwidth of copies from the first compute lane by the last lane."""
    small_bytes, large_bytes = LINK_BYTES
    small_ns = transfer_ns(lanes, small_bytes)
    large_ns = transfer_ns(lanes, large_bytes)
    slope = (large_ns - small_ns) / (large_bytes - small_bytes)
    # Noise may make the large copy as fast as the small one; 1e-3 ns per byte is 1 TB/s.
    slope = max(1e-3, slope)
    latency = max(0.0, small_ns - slope * small_bytes)
    return Link(latency, slope)


def transfer_ns(lanes: Sequence[LaneThread], size: int) -> float:
    """Return the median ns of a copy of `size` bytes that the first compute lane has just made.

    The last lane copies them. If it sleeps while it waits, the time counts from the moment at which
    the bytes exist, else from the start of the copy.
    """
    sender = next(lane for lane in lanes if lane.lane.role is Role.COMPUTE)
    mover = lanes[-1]
    make_source = partial(torch.zeros, size, dtype=torch.uint8, device=sender.device)
    # Made on the sender's stream, which then reads it without a wait.
    source = sender.call(make_source).result()

    def compute(seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            source.clone()
            # Otherwise a stream would be given more work in this time than it can do in seconds.
            launched = sender.timestamp()
            wait_until(launched)
            sender.recycle([launched])

    def make() -> tuple[Tensor, Timestamp]:
        compute(ASLEEP_SECONDS)
        return source.clone(), sender.timestamp()

    def move(making: Future[tuple[Tensor, Timestamp]]) -> tuple[Timestamp, Timestamp]:
        fresh, made = making.result()
        mover.wait(made)
        begun = mover.timestamp()
        copied = copy_to(mover.device, fresh)
        end = mover.timestamp()
        wait_until(end)
        del copied  # the device may write to it until the end
        return made if mover.sleeps else begun, end

    clock = open_clock(mover.lane.device)
    clock.begin()
    moved = []
    for _ in range(TRANSFERS):
        # The copy is queued before the bytes are made. The mover waits for them on its thread, so
        # it sleeps in the same way as a lane in a step.
        making = sender.call(make)
        after = sender.call(partial(compute, AWAKE_SECONDS))
        moved.append(mover.call(partial(move, making)))
        _finish([making, after, moved[-1]])
    clock.end()
    lengths: list[float] = []
    for future in moved[1:]:
        start, end = future.result()
        lengths.append(clock.time(end) - clock.time(start))
    return statistics.median(lengths)

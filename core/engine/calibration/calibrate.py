"""Measures what the tasks of a plan cost here, with all lanes busy at once.

Every lane goes through all its tasks of a step (a pass) again and again until the time is up,
waiting for no other (operations.py), so that each is measured while the others compute and move
data too; but copy lanes make no more passes than the lanes that compute. Tasks that share
parameters with other lanes (replicate, reduce, all-reduce) come after that, by themselves. A cost
is the mean of a pass's tasks, and of these the median.

Where a lane that waits must be woken up, a copy costs the time from the end of what made the data,
which is what the next task waits for: on CPU lanes waking up takes longer than most copies.

Nothing of the run changes: the modules are copies, and the random state is put back.
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

from core.costs.costs import MOST_PASSES, CostModel, Curve
from core.engine.calibration.operations import CalibrationOps, shares_parameters, walk_of
from core.engine.failures import Stopped
from core.engine.lanes.devices import Clock, kept_random_state, open_clock
from core.engine.lanes.lane import POLL_SECONDS, LaneThread, Stamps, Timestamp, wait_until
from core.engine.models.modules import Batch
from core.engine.models.stage_module import copy_to
from core.engine.prepare import Prepared
from core.plan.link import Link
from core.plan.plan import Role
from core.plan.task import ABSENT, Kind, Task

BUDGET_SECONDS = 1.2
SHARING_SECONDS = 0.3
TELLING_SECONDS = 0.1
LEAST_PASSES = 2
# Two points of a line, bytes to ns: at 4 KiB a copy is nearly all latency, at 4 MiB nearly all
# bandwidth, and neither is long.
LINK_BYTES = (1 << 12, 1 << 22)
TRANSFERS = 8  # the first of them allocates
ASLEEP_SECONDS = 0.01  # a lane wakes up later from a deep sleep
AWAKE_SECONDS = 0.001  # what a lane that has handed something over goes on to do is in the way


class Name(NamedTuple):
    """Tasks with the same name are taken to cost the same; -1 and 0 stand for what is absent."""

    kind: Kind
    of: int  # a stage or block
    rows: int
    bytes: int
    shard: int


Passed = Callable[[int], None]
"""Hears how many passes are over."""
Times = dict[Name, list[float]]
"""The mean ns of each pass by what a task is."""


def calibrate(
    prepared: Prepared, batch: Batch, lanes: Sequence[LaneThread], stop: threading.Event,
    passed: Passed,
) -> CostModel:  # fmt: skip
    """The costs of a batch's tasks by stage and rows, and of its transfers by bytes.

    `lanes` are the plan's, started and idle. Takes about a second and a half, more where a pass
    takes longer: at least two of them are measured. `passed` gets their number. Raises Stopped on
    request, or what a task raised.
    """
    plan = prepared.plans[len(batch[0])]
    with kept_random_state(lane.device for lane in plan.lanes):
        operations = CalibrationOps(prepared)
        operations.walk(plan, batch, walk_of(plan))
        times: Times = defaultdict(list)
        # Two rounds, in the order of a step: what lanes do while others compute, then what they do
        # when all have computed (and which needs the gradients that the first round has left).
        for sharing, seconds in ((False, BUDGET_SECONDS), (True, SHARING_SECONDS)):
            on_pass = _unheard if sharing else passed  # those of one kind are counted
            tasks: dict[int, list[Task]] = defaultdict(list)
            for task in plan.tasks:
                if shares_parameters(task) is sharing:
                    # Lane by lane in the plan's order, as a lane would run them.
                    tasks[task.lane].append(task)
            loops = [LaneLoop(operations, lanes[i], mine) for i, mine in tasks.items()]
            measure_passes(loops, seconds, stop, times, on_pass)
        if lanes[-1].sleeps:
            # A CPU lane in this loop is awake already when it copies; in a step
            # it mostly has to be woken up.
            for name in [name for name in times if name.kind is Kind.COPY]:
                times[name] = [transfer_ns(lanes, name.bytes)]
        return costs_from(times, len(plan.stages), _link(lanes))


def _unheard(_: int) -> None:
    """Does nothing: for passes that are not reported."""


def _finish(futures: Sequence[Future[Any]]) -> None:
    """Wait until all are done. Raises what one of them raised."""
    for future in wait(futures).done:
        future.result()


class LaneLoop:
    """Runs a lane's tasks again and again; the halves of an overlap are two tasks here.

    `passes` has the halves of every whole pass, and when they ran.
    """

    def __init__(self, operations: CalibrationOps, lane: LaneThread, tasks: Sequence[Task]) -> None:
        self.lane, self._tasks, self._operations = lane, tasks, operations.for_lane()
        self.passes: list[list[tuple[Task, Stamps]]] = []

    def go_once(self, is_halted: Callable[[], bool]) -> None:
        """One pass, in the lane's thread; cut short once `is_halted`."""
        operations = self._operations
        if not shares_parameters(self._tasks[0]):  # those need the gradients that are there
            operations.restart(self._tasks[0].lane)
        done: list[tuple[Task, Stamps]] = []
        # Until the device is through with the pass: the lane's thread is ahead of it, and memory
        # that is freed early could be used again while another stream still reads it.
        held: list[list[Tensor]] = []
        for task in self._tasks:
            operations.hand(task)
            for half in operations.step.plan.halves(task):
                if is_halted():
                    return
                stamps = Stamps(self.lane.timestamp)
                with self.lane.turn:
                    held.append(operations.run(half, stamps))
                done.append((half, stamps))
        wait_until(self.lane.timestamp())
        self.passes.append(done)

    def add_times(self, times: Times, clock: Clock) -> None:
        """Add the mean ns of the tasks of each name, pass by pass."""
        # From index 1 on, or 0 where dropping one would leave too few.
        for done in self.passes[len(self.passes) > LEAST_PASSES :]:  # the first one allocates
            found: dict[Name, list[int]] = defaultdict(list)
            for task, stamps in done:
                assert stamps.start is not None and stamps.end is not None
                taken = clock.time(stamps.end) - clock.time(stamps.start)
                found[name_of(task)].append(max(0, taken))
                self.lane.recycle(stamps.all)
            for name, taken_by_all in found.items():
                times[name].append(statistics.fmean(taken_by_all))


def measure_passes(
    loops: Sequence[LaneLoop], seconds: float, stop: threading.Event, times: Times, passed: Passed
) -> None:
    """Let all lanes run passes at once until each has made enough; add their times to `times`.

    Raises Stopped, or what a task raised.
    """
    until = time.monotonic() + seconds
    failed = threading.Event()

    def is_halted() -> bool:
        return stop.is_set() or failed.is_set()

    def is_over() -> bool:
        return _fewest(loops) >= (LEAST_PASSES if time.monotonic() > until else MOST_PASSES)

    def work(loop: LaneLoop) -> None:
        """Passes in a lane's thread, until every lane has made enough of them."""
        try:
            # Also lanes with passes enough go on: one that stopped would leave its core to the
            # others, whose last passes would be too short.
            while not (is_halted() or is_over()):
                # Copies without end would keep the others from computing.
                if _is_ahead(loop, loops):
                    time.sleep(POLL_SECONDS)
                else:
                    loop.go_once(is_halted)
        except BaseException:
            failed.set()  # the other lanes need not go on
            raise

    clocks = {loop.lane.lane.device: open_clock(loop.lane.lane.device) for loop in loops}
    for clock in clocks.values():
        clock.begin()
    futures = [loop.lane.call(partial(work, loop)) for loop in loops]
    # All futures and not the first that failed: the others stop by themselves (`failed`), and must
    # have stopped before the clocks are anchored again.
    while wait(futures, TELLING_SECONDS).not_done:
        passed(_fewest(loops))
    _finish(futures)
    for clock in clocks.values():
        clock.end()
    if stop.is_set():
        raise Stopped
    for loop in loops:
        loop.add_times(times, clocks[loop.lane.lane.device])


def _fewest(loops: Sequence[LaneLoop]) -> int:
    """How many passes every lane has made."""
    # Read while lanes append, without a lock: a length that is out of date by one pass costs one.
    return min(len(loop.passes) for loop in loops)


def _is_ahead(loop: LaneLoop, loops: Sequence[LaneLoop]) -> bool:
    """Whether a copy lane has made more passes than every lane that computes."""
    if loop.lane.lane.role is Role.COMPUTE:
        return False
    computing = (len(other.passes) for other in loops if other.lane.lane.role is Role.COMPUTE)
    return len(loop.passes) > max(computing, default=math.inf)


def name_of(task: Task) -> Name:
    """The name under which a task's cost is kept."""
    of = task.stage if task.block is None else task.block
    shard = ABSENT if task.shard is None else task.shard
    return Name(task.kind, ABSENT if of is None else of, task.rows, task.bytes, shard)


def costs_from(times: Times, stages: int, link: Link | None, by_block: bool = False) -> CostModel:
    """The cost model of measured times: the median of each kind, stage, rows and bytes.

    With `by_block` stages are blocks. What is of no stage is of all alike. Of a divided stage the
    shard that takes longest counts (the first alone adds biases): the others wait for it.
    """
    passes: dict[Kind, tuple[Curve, ...]] = {}
    transfers: dict[Kind, Curve] = {}
    for kind in dict.fromkeys(name.kind for name in times):
        mine = {name: found for name, found in times.items() if name.kind is kind}
        if kind.is_communication:
            transfers[kind] = _curve(mine, lambda name: max(1, name.bytes))
        elif kind is Kind.LOSS:
            passes[kind] = (_curve(mine, _rows),)
        else:
            known = {
                stage: _curve({n: found for n, found in mine.items() if n.of == stage}, _rows)
                for stage in dict.fromkeys(name.of for name in mine)
            }
            spare = next(iter(known.values()))  # for stages of which the plan has no such pass
            if ABSENT in known:
                # Measured without a stage, as a rank's one optimizer step for all its
                # blocks: each has an equal part.
                spare = tuple((size, ns / stages) for size, ns in known[ABSENT])
            passes[kind] = tuple(known.get(stage, spare) for stage in range(stages))
    return CostModel(passes, transfers, link, by_rows=True, by_block=by_block)


def _rows(name: Name) -> int:
    return max(1, name.rows)  # steps have no rows


def _curve(times: Times, size_of: Callable[[Name], int]) -> Curve:
    """(size, median ns) by rising size, of the shard that takes longest."""
    found: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for name, taken in times.items():
        found[size_of(name)][name.shard] += taken
    return tuple(
        (float(size), max(map(statistics.median, found[size].values()))) for size in sorted(found)
    )


def _link(lanes: Sequence[LaneThread]) -> Link:
    """Latency and bandwidth of a copy from the first compute lane's device to the last one's."""
    small, large = (transfer_ns(lanes, size) for size in LINK_BYTES)
    # Noise can make the large copy look as quick as the small one. 1e-3 ns a byte is 1 TB/s.
    slope = max(1e-3, (large - small) / (LINK_BYTES[1] - LINK_BYTES[0]))
    return Link(max(0.0, small - slope * LINK_BYTES[0]), slope)


def transfer_ns(lanes: Sequence[LaneThread], size: int) -> float:
    """The median time of a copy by the last lane of `size` bytes that a compute lane has just made.

    It begins when the bytes are made if the last lane sleeps until then, else when that begins.
    """
    sender = next(lane for lane in lanes if lane.lane.role is Role.COMPUTE)
    mover = lanes[-1]
    source = torch.zeros(size, dtype=torch.uint8, device=sender.device)

    def compute(seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            source.clone()

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
        del copied  # only now
        return made if mover.sleeps else begun, end

    clock = open_clock(mover.lane.device)
    clock.begin()
    moved = []
    for _ in range(TRANSFERS):
        # Queued before it has run: the mover waits for the future on its own thread, and so is
        # asleep or not as a lane is in a step.
        making = sender.call(make)
        after = sender.call(partial(compute, AWAKE_SECONDS))
        moved.append(mover.call(partial(move, making)))
        _finish([making, after, moved[-1]])
    clock.end()
    bounds = [future.result() for future in moved[1:]]
    return statistics.median(clock.time(end) - clock.time(start) for start, end in bounds)

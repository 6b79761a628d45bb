"""Turns the operations recorded in one rank's step into plan tasks and span times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

# The lanes of a rank: computing, waiting for data, and from FIRST_TRACK on communication.
COMPUTE = 0
DATA = 1
FIRST_TRACK = 2
TRACKS = 2
"""Communication lanes of a rank, because gloo has two threads."""
PASSES = ("forward", "backward", "backward-input", "backward-weight", "recompute")
# Prefixes of the name of a copy between two ranks; the other rank's number follows.
FROM = "from rank "
TO = "to rank "
GROUP = "ranks "
"""Prefix of the name of a collective of some of the job's ranks; their numbers follow."""


def group_name(ranks: Sequence[int], world: int) -> str:
    """Return the name of a collective of some of the job's `world` ranks; "" if all take part."""
    if len(ranks) == world:
        return ""
    return GROUP + ", ".join(map(str, sorted(ranks)))


@dataclass(slots=True)
class Op:
    """An operation of a rank. Times are in ns on the host's clock; None if not known (yet).

    `number` is its block or bucket, or -1. If a device timed it, `asked` is when the host requested
    it. `launched` is when a collective's call begins; until then it waits in a queue. `parameters`
    are the ids of the parameters whose gradients are in a bucket. `held` is the size in bytes of
    the memory that a pass keeps until its backward pass is over. `is_awaited` is set for a bucket
    if the pass that requested it waits for it, and not only the update.
    """

    kind: str
    start: int
    end: int | None = None
    number: int = -1
    name: str = ""
    rows: int = 0
    bytes: int = 0
    payload: str = ""
    pass_number: int = 0
    stage: int = -1
    lane: int = COMPUTE
    asked: int | None = None
    launched: int | None = None
    parameters: tuple[int, ...] = ()
    held: int = 0
    is_awaited: bool = False

    @property
    def brings(self) -> bool:
        """True if the following computations need its result.

        That is false for data that the rank sends, and for the gradients that
        DistributedDataParallel reduces, which usually only the update needs.
        """
        if self.is_awaited:
            return True
        is_sent = self.name.startswith(TO)
        return not self.payload and not is_sent


class PlacedOp(NamedTuple):
    """An operation on a track (from 0), with start and end in ns; no end while it runs."""

    op: Op
    track: int
    start: int
    end: int | None


class CounterValue(NamedTuple):
    """A counter's value from the time `at` on, in ns on the host's clock."""

    name: str
    at: int
    value: int


class PlannedTask(NamedTuple):
    """A task of a plan, with the recording's field names; None means not applicable."""

    kind: str
    lane: int
    stage: int | None
    replica: int | None
    microbatch: int | None
    block: int | None
    bucket: int | None
    rows: int
    bytes: int
    payload: str
    after: tuple[int, ...]
    name: str


class TimedStep(NamedTuple):
    """The tasks of a step, and lists parallel to them: times in ns and indices of lanes."""

    tasks: tuple[PlannedTask, ...]
    start: list[int]
    end: list[int]
    launched: list[int | None]
    lane: list[int]


def timed_step(ops: Sequence[Op], replica: int, tracks: int) -> TimedStep:
    """Return a step's tasks and when they ran, given its operations in any order.

    Operations of a lane never overlap: each ends at the latest when the next one on its lane
    begins. A collective runs on the first free one of the `tracks`, as threads take work from a
    queue. Tasks are in the order in which they were requested. Operations without an end are left
    out; they were aborted, such as a forward pass that raised an exception.
    """
    ended = [op for op in ops if op.end is not None]
    done = sorted(_around_passes(ended), key=_request_order)
    # Taken before `on_tracks` moves the start of a collective that finds no free track.
    launched: list[int | None] = []
    collectives: list[Op] = []
    for op in done:
        if op.lane >= FIRST_TRACK:
            launched.append(op.start)
            collectives.append(op)
        else:
            launched.append(op.asked)
    for placed in on_tracks(collectives, tracks):
        placed.op.lane = FIRST_TRACK + placed.track
        placed.op.start = placed.start
        placed.op.end = placed.end
    for lane in (COMPUTE, DATA):
        on_lane = [op for op in done if op.lane == lane]
        on_lane.sort(key=_start)
        for op, following in pairwise(on_lane):
            op.end = min(_end(op), following.start)
    # With one pass in a step there are no micro-batches to distinguish.
    has_microbatches = any(op.pass_number for op in done)
    dependencies = _dependencies(done)
    tasks = []
    starts = []
    ends = []
    lanes = []
    for op, after in zip(done, dependencies, strict=True):
        tasks.append(_task_of(op, replica, has_microbatches, after))
        starts.append(op.start)
        ends.append(_end(op))
        lanes.append(op.lane)
    return TimedStep(tuple(tasks), starts, ends, launched, lanes)


def _around_passes(ops: Sequence[Op]) -> list[Op]:
    """Split updates around the passes inside them: LBFGS computes losses while it updates."""
    found = [op for op in ops if op.kind != "step"]
    passes = [op for op in found if op.lane == COMPUTE]
    for update in ops:
        if update.kind != "step":
            continue
        start = update.start
        end = _end(update)
        asked = update.asked
        inside = [op for op in passes if start <= op.start < end]
        inside.sort(key=_start)
        for op in inside:
            if start < op.start:
                found.append(replace(update, start=start, end=op.start, asked=asked))
            start = max(start, min(end, _end(op)))
            asked = op.asked
        if start < end or not inside:
            found.append(replace(update, start=start, asked=asked))
    return found


def _request_order(op: Op) -> tuple[int, int]:
    """Sort key: time of the request. A device may run the operations of streams in any order."""
    return op.start if op.asked is None else op.asked, op.lane


def _start(op: Op) -> int:
    return op.start


def _end(op: Op) -> int:
    assert op.end is not None
    return op.end


def on_tracks(collectives: Sequence[Op], tracks: int) -> list[PlacedOp]:
    """Return the collectives that have begun, each on the first free track.

    They are given in the order of their requests. The threads of a gloo group, which share a queue,
    take collectives in this way, and so does a stream, which is one track. torch does not report
    when a collective begins. Its start is taken as its launch, or the end of the collective before
    it on its track if that is later, but never later than its own end. Running collectives have no
    end.
    """
    # The time at which each track is free; infinite while its collective runs. For example, a, b
    # and c are launched in this order on two tracks. c begins when the first of the others ends:
    #     track 0  aaaaaaaa cccc
    #     track 1     bbbbbbbbbbbbb
    free: list[float] = [0.0] * tracks
    found: list[PlacedOp] = []
    for op in collectives:
        track = min(range(tracks), key=free.__getitem__)
        is_queued = op.launched is None and op.end is None
        # The other collectives follow it in the same queue, so they have not begun either.
        if is_queued or free[track] == math.inf:
            break
        launched = op.start
        if op.launched is not None:
            launched = max(launched, op.launched)
        end: int | None = None
        if op.end is None:
            start = int(max(launched, free[track]))
            free[track] = math.inf
        else:
            free_at = min(free[track], op.end)
            start = int(max(launched, free_at))
            end = max(start, op.end)
            free[track] = end
        found.append(PlacedOp(op, track, start, end))
    return found


def _dependencies(done: Sequence[Op]) -> list[tuple[int, ...]]:
    """Return, for each operation, the operations on the rank's other lanes that it waited for.

    A collective waits for the computation before it. A computation waits for the data loaded before
    it and for the results of earlier communication; an update waits for all communication before
    it, as in torch. A wait for data begins after the results that the thread waited for earlier,
    such as a loss that the ranks have averaged.
    """
    found: list[tuple[int, ...]] = []
    computed: int | None = None
    data: int | None = None
    moved: list[int] = []
    brought: list[int] = []
    for place, op in enumerate(done):
        needs: list[int] = []
        if op.lane == COMPUTE:
            if data is not None:
                needs.append(data)
            # Results that have arrived before its start may be needed; later results are not.
            arrived = [n for n in brought if _end(done[n]) <= op.start]
            if arrived:
                brought = [n for n in brought if n not in arrived]
            if op.kind == "step":
                needs += moved
                moved = []
            needs += arrived
            data = None
            computed = place
        elif op.lane == DATA:
            # The wait does not need a computation that ends later: the device lags the host.
            if computed is not None and _end(done[computed]) <= op.start:
                needs.append(computed)
            # The next computation needs them too, so they stay in `brought`.
            needs += [n for n in brought if _end(done[n]) <= op.start]
            data = place
        else:
            if computed is not None and _end(done[computed]) <= op.start:
                needs.append(computed)
            if op.brings:
                brought.append(place)
            else:
                moved.append(place)
        if needs:
            begun = {n for n in needs if done[n].start <= op.start}
            found.append(tuple(sorted(begun)))
        else:
            found.append(())
    return found


def _task_of(op: Op, replica: int, has_microbatches: bool, after: tuple[int, ...]) -> PlannedTask:
    number = op.number if op.number >= 0 else None
    is_communication = op.lane >= FIRST_TRACK
    is_pass = op.kind in PASSES or op.kind == "loss"
    # By position: named arguments would take longer, for each operation of each step.
    return PlannedTask(
        op.kind,
        min(op.lane, FIRST_TRACK),
        op.stage if op.stage >= 0 else None,
        replica,
        op.pass_number if has_microbatches and is_pass else None,
        None if is_communication else number,
        number if is_communication else None,
        op.rows,
        op.bytes,
        op.payload,
        after,
        op.name,
    )


def rank_lanes(rank: int, device: str, note: str = "") -> list[dict[str, object]]:
    """Return a rank's lanes for the header: computing, waiting for data, and communication."""
    named = [(f"rank {rank}", "compute"), (f"rank {rank} data", "copy")]
    for track in range(TRACKS):
        named.append((f"rank {rank} communication {track + 1}", "communication"))
    lanes: list[dict[str, object]] = []
    for index, (name, role) in enumerate(named):
        lane = {
            "index": index,
            "name": name,
            "device": device,
            "role": role,
            "serves": COMPUTE,
            "sharing": note,
        }
        lanes.append(lane)
    return lanes

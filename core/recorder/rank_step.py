"""Turns the operations recorded in one rank's step into plan tasks and span times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

COMPUTE, DATA, FIRST_TRACK = 0, 1, 2
"""The lanes of a rank: computing, waiting for data, and from here on communication."""
TRACKS = 2
"""Lanes for communication of a rank: gloo has two threads."""
PASSES = ("forward", "backward", "backward-input", "backward-weight", "recompute")
FROM, TO = "from rank ", "to rank "
"""Begins of the name of a copy between two ranks, before the other's number."""
GROUP = "ranks "
"""Begin of the name of a collective in which some of the job's ranks meet, before their numbers."""


def group_name(ranks: Sequence[int], world: int) -> str:
    """Return the name of a collective of these of the job's `world` ranks; "" for one of all."""
    return "" if len(ranks) == world else GROUP + ", ".join(map(str, sorted(ranks)))


@dataclass(slots=True)
class Op:
    """Something that a rank did. Times are ns of its host's clock; None is not known (yet).

    `number` is its block or bucket, -1 if it has none. Where times are a device's, `asked` is when
    the host asked for it. A collective is `launched` when its call begins; until then it waits in a
    queue. `parameters` are the ids of those whose gradients a bucket has; `held` are the bytes that
    a pass keeps in memory until its backward is over.
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

    @property
    def brings(self) -> bool:
        """Whether the rank goes on with what it brings: all but gradients and what it sends.

        Gradients that DistributedDataParallel reduces are for the update.
        """
        return not self.payload and not self.name.startswith(TO)


class Placed(NamedTuple):
    """A collective on a track (from 0), with start and end in ns; None while it runs."""

    op: Op
    track: int
    start: int
    end: int | None


class CounterValue(NamedTuple):
    """The value of a counter from a time (ns, the host's clock) on."""

    name: str
    at: int
    value: int


class PlannedTask(NamedTuple):
    """A task of a plan, by the recording's names; None does not apply."""

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
    """Tasks of a step with start, end and launch (ns) and lane; aligned by index."""

    tasks: tuple[PlannedTask, ...]
    start: list[int]
    end: list[int]
    launched: list[int | None]
    lane: list[int]


def timed_step(ops: Sequence[Op], replica: int, tracks: int) -> TimedStep:
    """A step's tasks and when they ran, from what happened in it in any order.

    What a lane does never overlaps: something ends at the latest where the next thing begins on
    its lane, and a collective goes on the first of the `tracks` that is free, as where threads take
    them from a queue. Tasks are in the order in which they were asked for. What never ended is left
    out: it was given up, as a forward pass that an exception left.
    """
    done = sorted(_around_passes([op for op in ops if op.end is not None]), key=_turn)
    # Before the start is put off of what finds no track free.
    launched = [op.start if op.lane >= FIRST_TRACK else op.asked for op in done]
    for placed in on_tracks([op for op in done if op.lane >= FIRST_TRACK], tracks):
        placed.op.lane = FIRST_TRACK + placed.track
        placed.op.start, placed.op.end = placed.start, placed.end
    for lane in (COMPUTE, DATA):
        on_lane = [op for op in done if op.lane == lane]
        for op, following in pairwise(sorted(on_lane, key=lambda op: op.start)):
            op.end = min(_end(op), following.start)
    # With one pass in a step there are no micro-batches to tell apart.
    several = any(op.pass_number for op in done)
    tasks = [
        _task_of(op, replica, several, after) for op, after in zip(done, _after(done), strict=True)
    ]
    return TimedStep(
        tuple(tasks),
        [op.start for op in done],
        [_end(op) for op in done],
        launched,
        [op.lane for op in done],
    )


def _around_passes(ops: Sequence[Op]) -> list[Op]:
    """Split updates around the passes inside: LBFGS asks for losses while it updates."""
    found = [op for op in ops if op.kind != "step"]
    passes = [op for op in found if op.lane == COMPUTE]
    for update in ops:
        if update.kind != "step":
            continue
        start, end, asked = update.start, _end(update), update.asked
        inside = sorted((op for op in passes if start <= op.start < end), key=lambda op: op.start)
        for op in inside:
            if start < op.start:
                found.append(replace(update, start=start, end=op.start, asked=asked))
            start, asked = max(start, min(end, _end(op))), op.asked
        if start < end or not inside:
            found.append(replace(update, start=start, asked=asked))
    return found


def _turn(op: Op) -> tuple[int, int]:
    """When it was asked for: a device does it later, and what of several streams in any order."""
    return op.start if op.asked is None else op.asked, op.lane


def _end(op: Op) -> int:
    assert op.end is not None
    return op.end


def on_tracks(collectives: Sequence[Op], tracks: int) -> list[Placed]:
    """Place collectives that have begun, each on the first track that is free.

    They are given in the order of asking. The threads of a gloo group, which share one queue, take
    them in this way, and so does a stream, which is one track. Torch does not report when one
    begins: here it is the later of its launch and the end of what ran on the track before, but
    never later than its own end. Those that run have no end.
    """
    # When each track is free again; infinite while its collective runs. Of a, b and c on two
    # tracks, launched in this order, c begins when the first of the others has ended:
    #     track 0  aaaaaaaa cccc
    #     track 1     bbbbbbbbbbbbb
    free: list[float] = [0.0] * tracks
    found: list[Placed] = []
    for op in collectives:
        track = min(range(tracks), key=free.__getitem__)
        is_queued = op.launched is None and op.end is None
        # The rest waits in the same queue, so none of it has begun either.
        if is_queued or free[track] == math.inf:
            break
        asked = op.start if op.launched is None else max(op.start, op.launched)
        latest = math.inf if op.end is None else op.end
        start = int(max(asked, min(free[track], latest)))
        end = None if op.end is None else max(start, op.end)
        free[track] = math.inf if end is None else end
        found.append(Placed(op, track, start, end))
    return found


def _after(done: Sequence[Op]) -> list[tuple[int, ...]]:
    """What each waited for on the rank's other lanes.

    A collective waits for what the rank computed before it; computing for the data that was waited
    for and what other ranks have sent, an update for all communication before it, as torch has it.
    """
    found: list[tuple[int, ...]] = []
    computed = data = None
    moved: list[int] = []
    brought: list[int] = []
    for place, op in enumerate(done):
        needs: list[int] = []
        if op.lane == COMPUTE:
            needs = [data] if data is not None else []
            # What has come by now may be what it waited for; what comes later is for a later one.
            there = [n for n in brought if _end(done[n]) <= op.start]
            brought = [n for n in brought if n not in there] if there else brought
            if op.kind == "step":
                needs, moved = needs + moved, []
            needs += there
            data, computed = None, place
        elif op.lane == DATA:
            needs, data = ([] if computed is None else [computed]), place
            needs = [n for n in needs if _end(done[n]) <= op.start]  # else the device is behind
        else:
            needs = [] if computed is None or _end(done[computed]) > op.start else [computed]
            (brought if op.brings else moved).append(place)
        needs = sorted({n for n in needs if done[n].start <= op.start}) if needs else []
        found.append(tuple(needs))
    return found


def _task_of(op: Op, replica: int, several: bool, after: tuple[int, ...]) -> PlannedTask:
    number = op.number if op.number >= 0 else None
    moves = op.lane >= FIRST_TRACK
    microbatch = op.pass_number if several and (op.kind in (*PASSES, "loss")) else None
    stage = op.stage if op.stage >= 0 else None
    return PlannedTask(
        op.kind, min(op.lane, FIRST_TRACK), stage, replica, microbatch,
        None if moves else number, number if moves else None,
        op.rows, op.bytes, op.payload, after, op.name,
    )  # fmt: skip


def lanes_of(rank: int, device: str, note: str = "") -> list[dict[str, object]]:
    """A rank's lanes: computing, waiting for data, and communication."""
    tracks = [f"rank {rank} communication {n + 1}" for n in range(TRACKS)]
    named = [(f"rank {rank}", "compute"), (f"rank {rank} data", "copy")]
    named += [(name, "communication") for name in tracks]
    return [
        {
            "index": index,
            "name": name,
            "device": device,
            "role": role,
            "serves": COMPUTE,
            "sharing": note,
        }
        for index, (name, role) in enumerate(named)
    ]

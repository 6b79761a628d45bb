"""Gaps of streams, cut by the state of their device.

Another program's trace has no dependencies between the tasks of streams. But the state of the
device is known at every moment: some stream computes, or else some stream communicates, or else
some stream copies, or the device is idle. A stream's gap is cut by this state. While another stream
works, the gap is attributed to that stream's task. While the device is idle, the gap is explained
by the last wait of the device's next task, on any of its streams.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Ints
from core.costs.waits import Waits
from core.explain.blocking import IdleGaps
from core.explain.intervals import disjoint, intersect, subtract
from core.plan.plan import Lane, Role, device_streams
from core.plan.task import ABSENT, IS_COLLECTIVE, IS_COMMUNICATION
from core.trace.step import StepColumns


@dataclass(frozen=True, slots=True)
class Busy:
    """Disjoint intervals in which a device works, in order of time, with the task of each."""

    task: Ints
    start: Ints
    end: Ints


def cut_by_device(
    columns: StepColumns, waits: Waits, lanes: Sequence[Lane], gaps: IdleGaps
) -> IdleGaps:
    """Return the gaps, with gaps of streams cut where the state of their device changes."""
    devices = device_streams(lanes)
    if not devices:
        return gaps
    parts: list[IdleGaps] = []
    is_stream = np.zeros(len(lanes), np.bool_)
    for streams in devices.values():
        busy = _busy(columns, lanes, streams)
        last = _last_of_place(columns, waits, lanes, streams)
        for stream in streams:
            is_stream[stream.index] = True
            mine = gaps.picked(gaps.lane == stream.index)
            parts.append(_while_working(mine, busy))
            parts.append(_while_idle(mine, busy, last))
    on_stream = is_stream[gaps.lane]
    others = gaps.picked(~on_stream)
    joined = IdleGaps.joined([others, *parts])
    by_interval_and_time = np.lexsort((joined.start, joined.whole))
    return joined.picked(by_interval_and_time)


def _busy(columns: StepColumns, lanes: Sequence[Lane], streams: Sequence[Lane]) -> Busy:
    """Return the times at which a device works, with the task that each time is attributed to."""
    mine = _on_lanes(columns, lanes, streams)
    moves = mine & IS_COMMUNICATION[columns.kind]
    copy_streams = [stream for stream in streams if stream.role is Role.COPY]
    copies = _on_lanes(columns, lanes, copy_streams) & ~moves
    computes = mine & ~moves & ~copies
    nothing = np.empty(0, np.int64)
    busy = Busy(nothing, nothing, nothing)
    # If several run at once, the time belongs to the computing task, or else to the communication.
    for tasks in (computes, moves, copies):
        busy = _with(busy, columns, np.flatnonzero(tasks))
    return busy


def _with(busy: Busy, columns: StepColumns, tasks: Ints) -> Busy:
    """Return `busy` extended by those times of further tasks that do not overlap it."""
    place, start, end = disjoint(columns.start[tasks], columns.end[tasks])
    own, free_start, free_end = subtract(start, end, busy.start, busy.end)
    added = tasks[place[own]]
    all_tasks = np.concatenate([busy.task, added])
    starts = np.concatenate([busy.start, free_start])
    ends = np.concatenate([busy.end, free_end])
    order = np.argsort(starts, kind="stable")
    return Busy(
        task=all_tasks[order],
        start=starts[order],
        end=ends[order],
    )


def _on_lanes(columns: StepColumns, lanes: Sequence[Lane], chosen: Sequence[Lane]) -> Bools:
    """Return True for each of n tasks that runs on one of the chosen lanes."""
    is_chosen = np.zeros(len(lanes), np.bool_)
    for lane in chosen:
        is_chosen[lane.index] = True
    return is_chosen[columns.lane]


def _last_of_place(
    columns: StepColumns, waits: Waits, lanes: Sequence[Lane], streams: Sequence[Lane]
) -> int:
    """Return the task that ends last on the lanes of a device and its host.

    If the device sends to other ranks, it is part of a pipeline, and the last of all tasks counts.
    """
    is_mine = _on_lanes(columns, lanes, streams)
    is_collective = IS_COLLECTIVE[columns.kind]
    sends = is_mine & waits.is_member & ~is_collective
    if sends.any():
        return int(np.argmax(columns.end))
    device = streams[0].device
    of_place = [lane for lane in lanes if lane.device == device]
    mine = np.flatnonzero(_on_lanes(columns, lanes, of_place))
    if not len(mine):
        return ABSENT
    last = np.argmax(columns.end[mine])
    return int(mine[last])


def _while_working(gaps: IdleGaps, busy: Busy) -> IdleGaps:
    """Return the parts of a stream's gaps in which its device works."""
    own, other, start, end = intersect(gaps.start, gaps.end, busy.start, busy.end)
    absent = np.full(len(own), ABSENT, np.int64)
    return IdleGaps(
        lane=gaps.lane[own],
        start=start,
        end=end,
        ended_by=absent,
        running=busy.task[other],
        last=absent,
        whole=gaps.whole[own],
    )


def _while_idle(gaps: IdleGaps, busy: Busy, last: int) -> IdleGaps:
    """Return the parts of a stream's gaps in which its device is idle.

    `last` is the task with which the walk begins at the end of the step.
    """
    own, start, end = subtract(gaps.start, gaps.end, busy.start, busy.end)
    # The device's next task ended its idle time; at the end of the step there is none.
    following = np.append(busy.task, ABSENT)
    place = np.searchsorted(busy.start, end, "left")
    return IdleGaps(
        lane=gaps.lane[own],
        start=start,
        end=end,
        ended_by=following[place],
        running=np.full(len(own), ABSENT, np.int64),
        last=np.full(len(own), last, np.int64),
        whole=gaps.whole[own],
    )

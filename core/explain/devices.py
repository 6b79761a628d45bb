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
from numpy.typing import NDArray

from core.explain.intervals import Ints, disjoint, intersect, subtract
from core.explain.walk import IdleGaps
from core.plan.plan import Lane, Role, device_streams
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.trace.step import StepColumns


@dataclass(frozen=True, slots=True)
class Busy:
    """Disjoint intervals in which a device works, in order of time, with the task of each."""

    task: Ints
    start: Ints
    end: Ints


def cut_by_device(columns: StepColumns, lanes: Sequence[Lane], gaps: IdleGaps) -> IdleGaps:
    """Return the gaps, with gaps of streams cut where the state of their device changes."""
    devices = device_streams(lanes)
    if not devices:
        return gaps
    streams = [stream.index for streams in devices.values() for stream in streams]
    kept = np.flatnonzero(~np.isin(gaps.lane, streams))
    parts = [_picked(gaps, kept)]
    for streams_of_one in devices.values():
        busy = _busy(columns, streams_of_one)
        last = _last_of_place(columns, lanes, streams_of_one[0].device)
        for stream in streams_of_one:
            mine = np.flatnonzero(gaps.lane == stream.index)
            parts += _cut(gaps, mine, busy, last)
    return _joined(parts)


def _busy(columns: StepColumns, streams: Sequence[Lane]) -> Busy:
    """Return the times at which a device computes, or else communicates, or else copies."""
    indices = [stream.index for stream in streams]
    copying = [stream.index for stream in streams if stream.role is Role.COPY]
    mine = np.isin(columns.lane, indices)
    moves = mine & IS_COMMUNICATION[columns.kind]
    copies = np.isin(columns.lane, copying) & ~moves
    busy = Busy(*np.empty((3, 0), np.int64))
    # The first wins: while the device also computes, the task of the time is the computing one.
    for some in (mine & ~moves & ~copies, moves, copies):
        busy = _with(busy, columns, np.flatnonzero(some))
    return busy


def _with(busy: Busy, columns: StepColumns, tasks: Ints) -> Busy:
    """Add the times of further tasks that lie outside the times in `busy`."""
    place, start, end = disjoint(columns.start[tasks], columns.end[tasks])
    own, start, end = subtract(start, end, busy.start, busy.end)
    task = np.concatenate([busy.task, tasks[place[own]]])
    start, end = np.concatenate([busy.start, start]), np.concatenate([busy.end, end])
    order = np.argsort(start, kind="stable")
    return Busy(task[order], start[order], end[order])


def _last_of_place(columns: StepColumns, lanes: Sequence[Lane], place: str) -> int:
    """Return the task that ends last on the lanes of a place (a device and its host)."""
    of_place = [lane.index for lane in lanes if lane.device == place]
    mine = np.flatnonzero(np.isin(columns.lane, of_place))
    return int(mine[np.argmax(columns.end[mine])]) if len(mine) else ABSENT


def _cut(gaps: IdleGaps, mine: NDArray[np.int64], busy: Busy, last: int) -> list[IdleGaps]:
    """Return a stream's gaps in two groups of parts: its device works, and its device is idle."""
    starts, ends = gaps.start[mine], gaps.end[mine]
    own, other, start, end = intersect(starts, ends, busy.start, busy.end)
    absent = np.full(len(own), ABSENT, np.int64)
    working = IdleGaps(
        gaps.lane[mine[own]], start, end, absent, busy.task[other], absent, gaps.whole[mine[own]]
    )
    own, start, end = subtract(starts, ends, busy.start, busy.end)
    # The device's next task ended its idle time; at the end of the step there is none.
    following = np.append(busy.task, ABSENT)[np.searchsorted(busy.start, end, "left")]
    absent = np.full(len(own), ABSENT, np.int64)
    until_end = np.full(len(own), last, np.int64)
    idle = IdleGaps(
        gaps.lane[mine[own]], start, end, following, absent, until_end, gaps.whole[mine[own]]
    )
    return [working, idle]


def _joined(parts: Sequence[IdleGaps]) -> IdleGaps:
    """Join all parts, sorted by interval and then by time."""
    whole = np.concatenate([part.whole for part in parts])
    start = np.concatenate([part.start for part in parts])
    order = np.lexsort((start, whole))
    return IdleGaps(
        np.concatenate([part.lane for part in parts])[order],
        start[order],
        np.concatenate([part.end for part in parts])[order],
        np.concatenate([part.ended_by for part in parts])[order],
        np.concatenate([part.running for part in parts])[order],
        np.concatenate([part.last for part in parts])[order],
        whole[order],
    )


def _picked(gaps: IdleGaps, places: NDArray[np.int64]) -> IdleGaps:
    """Return some of the gaps, in the order of `places`."""
    return IdleGaps(
        gaps.lane[places],
        gaps.start[places],
        gaps.end[places],
        gaps.ended_by[places],
        gaps.running[places],
        gaps.last[places],
        gaps.whole[places],
    )

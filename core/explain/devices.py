"""Gaps of streams, cut by what the device as a whole does.

Another program's trace does not say what tasks of a stream waited for. The state of the device is
known at every moment, though: some stream computes, or else some stream communicates, or else some
stream copies, or the device is idle. A stream's gap is cut by this state. While another stream
works, the task of that stream is what the gap is laid to. Only where the device is idle is there
something to explain, by what its next task waited for, whichever stream that is on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.explain.intervals import Ints, apart, inside_of, outside_of
from core.explain.walk import Gaps
from core.plan.plan import Lane, Role, device_streams
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.trace.step import StepColumns


@dataclass(frozen=True, slots=True)
class Busy:
    """The times at which a device works, sorted and apart, and the task at work in each."""

    task: Ints
    start: Ints
    end: Ints


def cut_by_device(columns: StepColumns, lanes: Sequence[Lane], gaps: Gaps) -> Gaps:
    """Return the gaps with those of streams cut wherever the state of their device changes."""
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
    """Times at which a device computes, else communicates, else copies."""
    indices = [stream.index for stream in streams]
    copying = [stream.index for stream in streams if stream.role is Role.COPY]
    mine = np.isin(columns.lane, indices)
    moves = mine & IS_COMMUNICATION[columns.kind]
    copies = np.isin(columns.lane, copying) & ~moves
    busy = Busy(*np.empty((3, 0), np.int64))
    # What comes first counts: time in which the device also computes is no time of moving data.
    for some in (mine & ~moves & ~copies, moves, copies):
        busy = _with(busy, columns, np.flatnonzero(some))
    return busy


def _with(busy: Busy, columns: StepColumns, tasks: Ints) -> Busy:
    """The same times, and those of further tasks outside of them."""
    place, start, end = apart(columns.start[tasks], columns.end[tasks])
    own, start, end = outside_of(start, end, busy.start, busy.end)
    task = np.concatenate([busy.task, tasks[place[own]]])
    start, end = np.concatenate([busy.start, start]), np.concatenate([busy.end, end])
    order = np.argsort(start, kind="stable")
    return Busy(task[order], start[order], end[order])


def _last_of_place(columns: StepColumns, lanes: Sequence[Lane], place: str) -> int:
    """The task that ends last on the lanes of a place: a device and its host."""
    mine = np.flatnonzero(
        np.isin(columns.lane, [one.index for one in lanes if one.device == place])
    )
    return int(mine[np.argmax(columns.end[mine])]) if len(mine) else ABSENT


def _cut(gaps: Gaps, mine: NDArray[np.int64], busy: Busy, last: int) -> list[Gaps]:
    """A stream's gaps in parts: where its device works, and where it is idle."""
    starts, ends = gaps.start[mine], gaps.end[mine]
    own, other, start, end = inside_of(starts, ends, busy.start, busy.end)
    absent = np.full(len(own), ABSENT, np.int64)
    working = Gaps(
        gaps.lane[mine[own]], start, end, absent, busy.task[other], absent, gaps.whole[mine[own]]
    )
    own, start, end = outside_of(starts, ends, busy.start, busy.end)
    # Whatever the device does next ended its idle time; with the step nothing did.
    following = np.append(busy.task, ABSENT)[np.searchsorted(busy.start, end, "left")]
    absent = np.full(len(own), ABSENT, np.int64)
    until_end = np.full(len(own), last, np.int64)
    idle = Gaps(
        gaps.lane[mine[own]], start, end, following, absent, until_end, gaps.whole[mine[own]]
    )
    return [working, idle]


def _joined(parts: Sequence[Gaps]) -> Gaps:
    """All parts, by interval and in it by time."""
    whole = np.concatenate([part.whole for part in parts])
    start = np.concatenate([part.start for part in parts])
    order = np.lexsort((start, whole))
    return Gaps(
        np.concatenate([part.lane for part in parts])[order],
        start[order],
        np.concatenate([part.end for part in parts])[order],
        np.concatenate([part.ended_by for part in parts])[order],
        np.concatenate([part.running for part in parts])[order],
        np.concatenate([part.last for part in parts])[order],
        whole[order],
    )


def _picked(gaps: Gaps, places: NDArray[np.int64]) -> Gaps:
    """Some of the gaps, in the order of `places`."""
    return Gaps(
        gaps.lane[places],
        gaps.start[places],
        gaps.end[places],
        gaps.ended_by[places],
        gaps.running[places],
        gaps.last[places],
        gaps.whole[places],
    )

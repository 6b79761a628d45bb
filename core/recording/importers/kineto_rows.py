"""Rows of a file of PyTorch's profiler: streams, threads of the host, and their annotations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.plan.plan import Role
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.recording.importers.event_names import MEMORY_COPY, matches
from core.recording.importers.imported_events import ImportedTrack
from core.recording.importers.trace_events import TraceEvents
from core.trace.import_issue import ImportIssue

HOST, DEVICE, ANNOTATION, DEVICE_ANNOTATION, PYTHON, COMMUNICATION = range(6)
"""Groups of rows: calls of a thread, streams, annotations of either, frames of Python, and
communication that continues while the thread that started it does other work."""
_MOST_GROUPS = 8
# Streams are first, and communication follows the threads.
_ORDER = np.array([1, 0, 3, 4, 5, 2, 6, 7])
"""Position of each group's rows among the groups."""
_STREAMS = {DEVICE: "device", HOST: "host", COMMUNICATION: "host"}
"""Groups of rows with the work of a rank: the streams of its device, or threads of its host."""
_ANNOTATIONS = {
    ANNOTATION: "host annotations",
    DEVICE_ANNOTATION: "device annotations",
    PYTHON: "Python",
}
"""Groups of rows without work, with the suffix of their names."""


@dataclass(frozen=True)
class KinetoRows:
    """The n rows of a file, streams first: thread, group, and times in ns.

    `busy` is the time of all events of a row, `moving` the time of communication, and `copying` the
    time of copies of memory.
    """

    thread: Ints
    group: Ints
    busy: NDArray[Any]
    moving: NDArray[Any]
    copying: NDArray[Any]

    @property
    def working_groups(self) -> tuple[int, ...]:
        """The groups of rows that work: streams of devices, or without any, the host's rows."""
        is_on_device = self.group == DEVICE
        if is_on_device.any():
            return (DEVICE,)
        return (HOST, COMMUNICATION)

    @cached_property
    def main(self) -> int:
        """The row of the stream (of the thread, without a device) that computes most, or ABSENT."""
        is_working = np.isin(self.group, self.working_groups)
        computing = self.busy - self.moving - self.copying
        computing = np.where(is_working, computing, 0)
        most = computing.max(initial=0)
        if most <= 0:
            return ABSENT
        return int(np.argmax(computing))

    def tracks(
        self, streams: Sequence[str], threads: Sequence[str], place: str
    ) -> tuple[ImportedTrack, ...]:
        """Return the rows as tracks of a place.

        `streams` and `threads` have a name for each thread, as a stream of a device and as a thread
        of the host.
        """
        tracks = []
        for row in range(len(self.thread)):
            tracks.append(self._track(row, streams, threads, place))
        return tuple(tracks)

    def _track(
        self, row: int, streams: Sequence[str], threads: Sequence[str], place: str
    ) -> ImportedTrack:
        thread = int(self.thread[row])
        group = int(self.group[row])
        is_on_device = group in (DEVICE, DEVICE_ANNOTATION)
        name = streams[thread] if is_on_device else threads[thread]
        if group in _ANNOTATIONS:
            annotated = self._annotated(row)
            name = f"{name} {_ANNOTATIONS[group]}"
            return ImportedTrack(
                name=name,
                place=place,
                role=Role.NESTED,
                serves=annotated,
                cores=1,
            )
        if group == COMMUNICATION:
            host_row = self._row_of(thread, HOST)
            if host_row != ABSENT:
                name = f"{name} communication"
        role = self._role(row)
        serves = ABSENT
        if role is not Role.COMPUTE:
            serves = self.main
        stream_of = ""
        if group in self.working_groups:
            stream_of = _STREAMS[group]
        cores = 1 if group == HOST else 0
        return ImportedTrack(
            name=name,
            place=place,
            role=role,
            serves=serves,
            cores=cores,
            stream_of=stream_of,
        )

    def _role(self, row: int) -> Role:
        is_working = self.group[row] in self.working_groups
        if not is_working or self.main in (ABSENT, row):
            return Role.COMPUTE
        busy = self.busy[row]
        if 2 * self.moving[row] > busy:
            return Role.COMMUNICATION
        if self.copying[row] == busy:
            return Role.COPY
        return Role.COMPUTE

    def _annotated(self, row: int) -> int:
        """Return the row that a row of annotations is about."""
        group = DEVICE if self.group[row] == DEVICE_ANNOTATION else HOST
        return self._row_of(int(self.thread[row]), group)

    def _row_of(self, thread: int, group: int) -> int:
        """Return the row of a thread in a group, or ABSENT."""
        is_row = self.thread == thread
        is_row &= self.group == group
        if not is_row.any():
            return ABSENT
        return int(np.argmax(is_row))


def rows_of_events(
    events: TraceEvents,
    columns: dict[str, NDArray[Any]],
    group: Ints,
    kind: NDArray[np.int8],
) -> tuple[KinetoRows, NDArray[np.int32]]:
    """Return the rows, and the row of each event.

    A row is a pair of thread and group, because a process may have the same number as a device.
    """
    # Thread and group in one number.
    key_of_event = columns["thread"] * _MOST_GROUPS + group
    keys, which = np.unique(key_of_event, return_inverse=True)
    count = len(keys)
    length = columns["length"]
    copies_memory = matches(events.labels, MEMORY_COPY)
    is_copy = copies_memory[columns["name"]]
    time_moving = np.where(IS_COMMUNICATION[kind], length, 0)
    time_copying = np.where(is_copy, length, 0)
    busy = np.bincount(which, length, count)
    moving = np.bincount(which, time_moving, count)
    copying = np.bincount(which, time_copying, count)
    computing = busy - moving - copying
    key_group = keys % _MOST_GROUPS
    # Sorted by group; streams by computing time, the longest first; threads of the host that mostly
    # communicate last; then by number. The last argument of lexsort is the first key.
    is_stream = key_group == DEVICE
    most_computing = -computing * is_stream
    mostly_moves = 2 * moving > busy
    mostly_moves &= key_group == HOST
    position = _ORDER[key_group]
    order = np.lexsort((keys, mostly_moves, most_computing, position))
    new_row = np.empty(count, np.int32)
    new_row[order] = np.arange(count)
    keys = keys[order]
    rows = KinetoRows(
        thread=keys // _MOST_GROUPS,
        group=key_group[order],
        busy=busy[order],
        moving=moving[order],
        copying=copying[order],
    )
    is_on_device = np.isin(rows.group, (DEVICE, DEVICE_ANNOTATION))
    device_threads = rows.thread[is_on_device]
    host_threads = rows.thread[~is_on_device]
    ambiguous = np.intersect1d(device_threads, host_threads)
    events.issues[ImportIssue.COLLIDING] += len(ambiguous)
    return rows, new_row[which]

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
_HOST_NAME = "host"
"""Name of the hardware on which threads of the host run."""
ONLY_DEVICE = "device"
"""Name of the device in a file with only one."""
_ANNOTATIONS = {
    ANNOTATION: "host annotations",
    DEVICE_ANNOTATION: "device annotations",
    PYTHON: "Python",
}
"""Groups of rows without work, with the suffix of their names."""


@dataclass(frozen=True)
class KinetoRows:
    """The n rows of a file, streams first: thread, group, device, and times in ns.

    `device` is a position in `devices`, the names of devices, or ABSENT for rows of the host.
    `busy` is the time of all events of a row, `moving` the time of communication, and `copying` the
    time of copies of memory.
    """

    thread: Ints
    group: Ints
    device: Ints
    devices: Sequence[str]
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
    def mains(self) -> Ints:
        """For each row the stream of its device that computes most, or ABSENT, shape (n,).

        Without a device it is a thread of the host. Rows without work have none.
        """
        is_working = np.isin(self.group, self.working_groups)
        computing = self.busy - self.moving - self.copying
        mains = np.full(len(self.group), ABSENT, np.int64)
        for device in np.unique(self.device[is_working]).tolist():
            rows = np.flatnonzero(is_working & (self.device == device))
            most = rows[np.argmax(computing[rows])]
            if computing[most] > 0:
                mains[rows] = most
        return mains

    @property
    def distinct_mains(self) -> list[int]:
        """The main stream of each device that computes, or the main thread of the host."""
        numbers: list[int] = np.unique(self.mains[self.mains != ABSENT]).tolist()
        return numbers

    @cached_property
    def main(self) -> int:
        """The stream (or thread) that computes most in the file, or ABSENT."""
        mains = self.distinct_mains
        if not mains:
            return ABSENT
        computing = self.busy - self.moving - self.copying
        return mains[int(np.argmax(computing[mains]))]

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
            serves = int(self.mains[row])
            if serves == ABSENT:
                # A device that computes nothing works for another one.
                serves = self.main
        stream_of = ""
        if group in self.working_groups:
            stream_of = self.devices[self.device[row]] if is_on_device else _HOST_NAME
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
        if not is_working or self.main == ABSENT or self.mains[row] == row:
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


def devices_of_threads(events: TraceEvents, thread: Ints, group: Ints) -> list[str]:
    """Return the name of each thread's device: its process, if the tasks of devices have several.

    `thread` and `group` are those of each event. The process of a device's task has its number.
    """
    processes = [str(pid) for pid, _ in events.threads]
    threads_of_tasks = np.unique(thread[group == DEVICE])
    numbers = {processes[place] for place in threads_of_tasks.tolist()}
    if len(numbers) <= 1:
        return [ONLY_DEVICE] * len(processes)
    return [f"device {number}" for number in processes]


def rows_of_events(
    events: TraceEvents,
    columns: dict[str, NDArray[Any]],
    group: Ints,
    kind: NDArray[np.int8],
    devices: Sequence[str],
) -> tuple[KinetoRows, NDArray[np.int32]]:
    """Return the rows, and the row of each event; `devices` has the device of each thread.

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
    # Sorted by group; streams by device and computing time, the longest first; threads of the host
    # that mostly communicate last; then by number. The last argument of lexsort is the first key.
    is_stream = key_group == DEVICE
    device_names, device_of_thread = _numbered_devices(devices)
    device = np.where(is_stream, device_of_thread[keys // _MOST_GROUPS], ABSENT)
    most_computing = -computing * is_stream
    mostly_moves = 2 * moving > busy
    mostly_moves &= key_group == HOST
    position = _ORDER[key_group]
    order = np.lexsort((keys, mostly_moves, most_computing, device, position))
    new_row = np.empty(count, np.int32)
    new_row[order] = np.arange(count)
    keys = keys[order]
    rows = KinetoRows(
        thread=keys // _MOST_GROUPS,
        group=key_group[order],
        device=device[order],
        devices=device_names,
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


def _numbered_devices(devices: Sequence[str]) -> tuple[list[str], Ints]:
    """Return the distinct names of devices in natural order, and the position of each thread's."""
    # Of names with the same words, those with fewer digits have the smaller numbers.
    names = sorted(set(devices), key=lambda name: (len(name), name))
    numbers = {name: number for number, name in enumerate(names)}
    return names, np.array([numbers[name] for name in devices], np.int64)

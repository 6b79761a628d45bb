"""Traces of PyTorch's profiler (Kineto): ranks, steps, a device's streams, collectives.

A stream is a lane, and communication where most of its time is; threads of the host follow. What
annotates other work lies on rows of its own, since it is no work. A task belongs to the step during
which it starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.plan.plan import Role
from core.plan.task import ABSENT, IS_COMMUNICATION, KIND_CODES, Kind
from core.recording.importers.calls import (
    INSTANTS,
    counters_of,
    lone_arrows,
    names_of,
    times_of,
    titles,
)
from core.recording.importers.found import LARGEST, MOST_GROUP, Found, Launches, Track
from core.recording.importers.json_events import Events, Number
from core.recording.importers.kineto_job import has_job, job_of
from core.recording.importers.send_recv import KernelEvents, told_kinds
from core.recording.importers.words import MEMORY, kinds_of, matching, steps_of
from core.trace.import_issue import ImportIssue

_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset", "mtia_ccp_events")
_LAUNCH = ("cuda_runtime", "cuda_driver", "runtime", "hip_runtime", "mtia_runtime", "xpu_runtime")
_OWN = ("cpu_op", "operator", *_DEVICE, *_LAUNCH)
HOST, DEVICE, NOTES, DEVICE_NOTES, PYTHON = range(5)
"""What a row tells of: a thread's calls, a stream, notes on either, or Python's frames."""
_GROUPS = {
    **dict.fromkeys(_DEVICE, DEVICE),
    **dict.fromkeys(("gpu_user_annotation", "cuda_sync", "cuda_profiler_range"), DEVICE_NOTES),
    **dict.fromkeys(("user_annotation", "trace", "overhead"), NOTES),
    **dict.fromkeys(("python_function", "python"), PYTHON),
}
_ASCEND = "ascend hardware"
_PROCESSES = {
    _ASCEND: DEVICE,
    **dict.fromkeys(("overlap analysis", "communication", "hccl"), DEVICE_NOTES),
}
"""Processes of Ascend's profiler whose events have no category, by name: the streams of the device,
and rows that sum up or divide what is on these."""
# HOST (0) and DEVICE (1) change places, so that streams come first. Eight, for `% 8` below.
_ORDER = np.array([1, 0, 2, 3, 4, 5, 6, 7])
"""Where each group's rows stand."""
_STREAMS = {DEVICE: "device", HOST: "host"}
"""Rows that a rank's work runs on: its device's streams, or the threads of its host."""
_ROWS = {NOTES: "annotations", DEVICE_NOTES: "annotations", PYTHON: "Python"}
REACTS_NS = 20_000
"""So soon after what it waited for a task of a device starts."""


def is_kineto(events: Events) -> bool:
    """Whether a file is one: it says so, or it has events of the profiler's categories."""
    if has_job(events.heading):
        return True
    return any(_category(name) in _OWN for name in events.categories)


def found_of_kineto(events: Events, path: Path) -> Found:
    """The rows, tasks and steps of one rank's file."""
    columns, names = events.whole(), names_of(events)
    start, end = times_of(columns["begin"], columns["length"])
    groups = np.array([_GROUPS.get(_category(name), HOST) for name in events.categories])
    group = groups[columns["category"]]
    thread_titles = titles(events)
    group = _by_process(group, events, columns, [process for _, process in thread_titles])
    has_instants = np.array([str(tid).startswith(INSTANTS) for _, tid in events.threads])
    # Moments last no time: as a row of the host they would be a lane that never works.
    group[has_instants[columns["thread"]]] = NOTES
    launches = _launches(events, columns, group)
    told = KernelEvents(
        names,
        columns["name"],
        columns["thread"],
        start,
        end,
        group == DEVICE,
        tuple(events.collectives),
        columns["collective"],
    )
    kind = told_kinds(told, kinds_of(names)[columns["name"]], launches)
    if (group == DEVICE).any():
        # A call of the host that starts a collective on a device moves nothing itself.
        kind[group != DEVICE] = KIND_CODES[Kind.OTHER]
    job = job_of(events.heading, path.name)
    place = path.name if job.rank is None else f"rank {job.rank}"
    rows, row = _rows(events, columns, group, kind)
    tids = [tid for _, tid in events.threads]
    tracks = tuple(rows.track(n, tids, thread_titles, place) for n in range(len(rows.thread)))
    host = (group != DEVICE) & (group != DEVICE_NOTES)  # which notes the steps
    steps = steps_of(names, columns["name"][host], start[host], end[host])
    events.issues[ImportIssue.ORPHAN_LAUNCH] += launches.orphans
    events.issues[ImportIssue.ORPHAN_FLOW] += lone_arrows(events)
    process_groups, codes = _process_groups(events)
    found = Found(
        tracks, names, row, columns["name"], start, end, kind,
        _more(codes[columns["group"]], job.rank), launches.times(start),
        steps.at(start) if len(steps.number) else None,
        launches.links, steps, counters=counters_of(events, place), issues=events.issues,
        world_size=job.world_size or 0,
        groups=process_groups,
    )  # fmt: skip
    found = replace(
        found, links=np.concatenate([found.links, _after_collectives(found, rows.main)])
    )
    # Newer files count from a base of their own: with it, ranks of a job share an axis. A base
    # that leads out of int64 cannot be true, and is left out.
    return found.later(job.base_ns) if found.latest + job.base_ns <= LARGEST else found


def _more(bucket: NDArray[np.int16], rank: int | None) -> dict[str, NDArray[Any]]:
    """The rank of each task, as its replica, and the process group of a collective, as a bucket."""
    own = ABSENT if rank is None else min(rank, np.iinfo(np.int16).max)
    return {"bucket": bucket, "replica": np.full(len(bucket), own, np.int16)}


def _after_collectives(found: Found, main: int) -> NDArray[np.int64]:
    """Collectives, and the tasks of the main stream that are taken to have waited for them.

    No file says so. It is taken of a task that had been launched while its stream was free, and
    that started less than REACTS_NS after the end of a collective that ran meanwhile.
    """
    mine = np.flatnonzero(found.track == main)
    moving = np.flatnonzero(IS_COMMUNICATION[found.kind] & (found.track != main))
    if len(mine) < 2 or not len(moving) or found.launched is None:
        return np.empty((0, 2), np.int64)
    mine = mine[np.argsort(found.start[mine], kind="stable")]
    moving = moving[np.argsort(found.end[moving], kind="stable")]
    # When the stream was free for each task but the first: its tasks may overlap in a file, so
    # behind the latest end of all before.
    task, free = mine[1:], np.maximum.accumulate(found.end[mine])[:-1]
    # Where none has ended yet this is -1, the last of all: the second condition rules that out.
    last = moving[np.searchsorted(found.end[moving], found.start[task], "right") - 1]
    waited = (found.launched[task] != ABSENT) & (found.launched[task] <= free)
    waited &= (found.end[last] > free) & (found.end[last] <= found.start[task])
    waited &= found.start[task] - found.end[last] < REACTS_NS
    return np.stack([last[waited], task[waited]], axis=1)


def _process_groups(events: Events) -> tuple[tuple[str, ...], NDArray[np.int16]]:
    """The names of process groups in order, and for each number of `events.groups` its place."""
    names = sorted({str(name) for name in events.groups if name is not None})
    place = {name: min(number_, MOST_GROUP) for number_, name in enumerate(names)}
    codes = [ABSENT if name is None else place[str(name)] for name in events.groups]
    return tuple(names), np.array(codes, np.int16)


def _by_process(
    group: NDArray[np.int64],
    events: Events,
    columns: dict[str, NDArray[Any]],
    processes: Sequence[str],
) -> NDArray[np.int64]:
    """The groups of events; where Ascend's profiler gave no category, by the thread's process."""
    names = [process.lower() for process in processes]
    if _ASCEND not in names:
        return group
    by_thread = np.array([_PROCESSES.get(name, ABSENT) for name in names])[columns["thread"]]
    has_none = np.array([not name for name in events.categories])[columns["category"]]
    return np.where(has_none & (by_thread != ABSENT), by_thread, group)


def _category(name: str | None) -> str:
    return (name or "").lower()


def _launches(
    events: Events, columns: dict[str, NDArray[Any]], group: NDArray[np.int64]
) -> Launches:
    launching = np.array([_category(name) in _LAUNCH for name in events.categories])
    # 0 stands for "no call", in files too.
    ids = np.nan_to_num(columns["correlation"], nan=0.0)
    calls = np.flatnonzero(launching[columns["category"]] & (ids > 0))
    return Launches.of(ids, calls, np.flatnonzero((group == DEVICE) & (ids > 0)))


@dataclass(frozen=True)
class _Rows:
    """The n rows of a file, a device's streams first: thread and group of each, and their times.

    Times are ns in all, in communication, and in copies of memory.
    """

    thread: NDArray[np.int64]
    group: NDArray[np.int64]
    busy: NDArray[Any]
    moving: NDArray[Any]
    copying: NDArray[Any]

    @cached_property
    def main(self) -> int:
        """The stream that computes most, ABSENT without one."""
        computing = np.where(self.group == DEVICE, self.busy - self.moving - self.copying, 0)
        return int(np.argmax(computing)) if len(computing) and computing.max() > 0 else ABSENT

    def track(
        self, row: int, tids: Sequence[Number], names: list[tuple[str, str]], place: str
    ) -> Track:
        """A row as a track; `tids` and `names` are those of the threads."""
        thread, group = int(self.thread[row]), int(self.group[row])
        on_device = group in (DEVICE, DEVICE_NOTES)
        title = f"stream {tids[thread]}" if on_device else names[thread][0]
        if group in _ROWS:
            return Track(f"{title} {_ROWS[group]}", place, Role.NESTED, self._beside(row), 1)
        role = self._role(row)
        serves = ABSENT if role is Role.COMPUTE else self.main
        streams = DEVICE if (self.group == DEVICE).any() else HOST
        stream_of = _STREAMS[group] if group == streams else ""
        return Track(title, place, role, serves, int(group == HOST), stream_of)

    def _role(self, row: int) -> Role:
        if self.group[row] != DEVICE or self.main in (ABSENT, row):
            return Role.COMPUTE
        if 2 * self.moving[row] > self.busy[row]:
            return Role.COMMUNICATION
        return Role.COPY if self.copying[row] == self.busy[row] else Role.COMPUTE

    def _beside(self, row: int) -> int:
        """The row of what a row of notes is about."""
        about = DEVICE if self.group[row] == DEVICE_NOTES else HOST
        found = np.flatnonzero((self.thread == self.thread[row]) & (self.group == about))
        return int(found[0]) if len(found) else ABSENT


def _rows(
    events: Events, columns: dict[str, NDArray[Any]], group: NDArray[np.int64],
    kind: NDArray[np.int8],
) -> tuple[_Rows, NDArray[np.int32]]:  # fmt: skip
    """The rows, and the row of each event.

    A process may have a device's number: what is told apart are thread and group of categories.
    """
    # Eight groups of categories at most: thread and group in one number.
    every, which = np.unique(columns["thread"] * 8 + group, return_inverse=True)
    length = columns["length"]
    memory = matching(names_of(events), MEMORY)[columns["name"]]
    weights = (length, np.where(IS_COMMUNICATION[kind], length, 0), np.where(memory, length, 0))
    times = np.stack([np.bincount(which, some, len(every)) for some in weights])
    computing = times[0] - times[1] - times[2]
    # By group, among a device's streams the one that computes most first, then by number: lexsort
    # takes its last key first.
    order = np.lexsort((every, -computing * (every % 8 == DEVICE), _ORDER[every % 8]))
    new = np.empty(len(every), np.int32)
    new[order] = np.arange(len(every), dtype=np.int32)
    row, every = new[which], every[order]
    rows = _Rows(every // 8, every % 8, *times[:, order])
    on_device = np.isin(rows.group, (DEVICE, DEVICE_NOTES))
    both = np.intersect1d(rows.thread[on_device], rows.thread[~on_device])
    events.issues[ImportIssue.COLLIDING] += len(both)
    return rows, row.astype(np.int32)

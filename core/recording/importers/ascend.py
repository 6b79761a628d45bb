"""Traces of the profiler of Ascend's NPUs for PyTorch (`trace_view.json` of torch_npu).

The file is a list of events whose processes have names. *Ascend Hardware* is the device: its
threads are streams. Their tasks compute or copy memory; tasks by which a stream waits for or
signals to another stream are annotations. *Communication* (*HCCL* in older files) has a row for
each process group with its collectives, and rows (*Plane*) with the parts of these collectives. The
rows of groups are communication streams, unless the streams themselves have tasks of these names.
The rows of *Overlap Analysis* sum up the streams, and are annotations. All other processes are the
host, such as *Python* and *CANN*.

A send and its receive have the same numbers in their names, `hcom_send__447_18_1` and
`hcom_receive__447_18_1`: the first number is a process group of these two ranks, which has no other
transfers. A `hcom_batchSendRecv` names only the process group, not the ranks.

An arrow from a call of the host to a task is its launch. Times since 1970 are written as text, so
they are exact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.plan.task import ABSENT, IS_COLLECTIVE, IS_COMMUNICATION, KIND_CODES, Kind
from core.recording.importers.annotated_passes import PassMarks, passes_of_calls, with_passes
from core.recording.importers.event_flows import links_of_flows
from core.recording.importers.event_names import kinds_from_names, matches
from core.recording.importers.event_numbers import event_times, to_nanoseconds
from core.recording.importers.event_threads import (
    ASCEND_DEVICE,
    has_ascend_device,
    thread_names,
)
from core.recording.importers.imported_events import (
    MOST_GROUP_NUMBER,
    ImportedEvents,
    Launches,
)
from core.recording.importers.kineto import (
    EventColumns,
    category_groups,
    host_steps,
)
from core.recording.importers.kineto_rows import (
    DEVICE,
    DEVICE_ANNOTATION,
    HOST,
    ONLY_DEVICE,
    rows_of_events,
)
from core.recording.importers.profiled_rank import ProfiledRank
from core.recording.importers.profiler_job import ProfilerJob, profiler_job
from core.recording.importers.trace_events import TraceEvents
from core.recording.index import Progress
from core.recording.sniff import ASCEND_OUTPUT
from core.trace.import_issue import ImportIssue

_COMMUNICATION = ("Communication", "HCCL")
_OVERLAP_ANALYSIS = "Overlap Analysis"
_GROUP_ROW = re.compile(r"^Group \d+ Communication$", re.IGNORECASE)
_LAUNCHES = ("HostToDevice", "async_npu")
"""Categories of arrows from a call of the host to the task that it launches."""
_CONTROL = re.compile(
    r"^(?:[A-Z]+_)*(?:WAIT|RECORD|RESET|PLACE_HOLDER|WRITE_VALUE|ACTIVE|SWITCH)(?:_[A-Z]+)*$"
)
"""Names of tasks by which streams wait for each other; they neither compute nor move data."""
_NAME_OF_COLLECTIVE = re.compile(r"^hcom_[A-Za-z]+_{1,2}(\d+)_\d+")
"""Name of a collective with the number of its process group, as in `hcom_allReduce__586_0_1`."""
_TRANSFER = re.compile(r"^hcom_(?:send|receive)_")
"""Name of a transfer between the two ranks of its process group."""
_BATCH = re.compile(r"^hcom_batchSendRecv_", re.IGNORECASE)
"""Name of several transfers, whose ranks are not in the file."""
_INFO = re.compile(r"^profiler_info_(\d{1,6})\.json$")
_RANK = re.compile(r"(?:^|[-_. ])rank[-_ ]?(\d{1,6})", re.IGNORECASE)
_MOST_PARENTS = 5
"""Number of folders above a file whose names may have its rank."""


def is_ascend(events: TraceEvents) -> bool:
    """Return True if a process is named like the device."""
    return has_ascend_device(events)


def read_ascend(
    events: TraceEvents, path: Path, progress: Progress | None = None
) -> ImportedEvents:
    """Return the events of one rank's file. Raises Cancelled if `progress` returns False."""
    columns = events.whole_columns()
    names = events.labels
    name = columns["name"]
    thread = columns["thread"]
    rounded_start, rounded_end = event_times(columns["begin"], columns["length"])
    start = rounded_start + columns["begin_rest"]
    # Lengths are short enough for a double.
    end = start + to_nanoseconds(columns["length"])
    threads = thread_names(events)
    kind_of_name = kinds_from_names(names)
    kind = kind_of_name[name]
    group = _groups(events, columns, threads, kind)
    is_on_device = group == DEVICE
    kind[~is_on_device] = KIND_CODES[Kind.OTHER]
    job = _job(events, path)
    place = f"rank {job.rank}"
    if job.rank is None:
        place = _place(path)
    # A file is about one device. Its processes are the device and analyses of its communication.
    devices = [ONLY_DEVICE] * len(events.threads)
    rows, row = rows_of_events(events, columns, group, kind, devices)
    streams = _stream_names(events, threads)
    steps = host_steps(
        names=names,
        columns=columns,
        start=start,
        end=end,
        group=group,
    )
    # Arrows have rounded times.
    arrows = links_of_flows(
        events=events,
        thread=thread,
        start=rounded_start,
        end=rounded_end,
        progress=progress,
        categories=_LAUNCHES,
    )
    # Of several calls, the last one launched the task.
    launches = _launches(arrows, group, start)
    marks = PassMarks.of(
        names=names,
        name=name,
        thread=thread,
        start=start,
        end=end,
        is_annotation=group == HOST,
    )
    attributes: dict[str, NDArray[Any]] = {}
    if len(marks):
        # Operators run on the thread of the annotations, and the runtime's calls on another one.
        operators = _launches(arrows, group, -start)
        call = operators.call
        task = operators.device
        passes = passes_of_calls(marks, thread[call], start[call])
        kind, attributes = with_passes(
            names=names,
            name=name,
            kind=kind,
            task=task,
            passes=passes,
        )
    process_groups, group_of_name = _process_groups(names)
    names_transfer = matches(names, _TRANSFER)
    is_transfer = names_transfer[name]
    is_transfer &= kind == KIND_CODES[Kind.COPY]
    meets = IS_COLLECTIVE[kind] | is_transfer
    bucket = np.where(meets, group_of_name[name], ABSENT)
    if job.rank is not None:
        names_batch = matches(names, _BATCH)
        is_batch = names_batch[name] & is_on_device
        events.issues[ImportIssue.UNKNOWN_RANKS] += int(is_batch.sum())
    found = ProfiledRank(
        events=events,
        name=name,
        start=start,
        end=end,
        kind=kind,
        rows=rows,
        row=row,
        launches=launches,
        steps=steps,
        bucket=bucket.astype(np.int16),
        process_groups=process_groups,
        attributes=attributes,
        streams=streams,
        place=place,
        job=job,
    )
    return found.imported()


def _groups(
    events: TraceEvents,
    columns: EventColumns,
    threads: Sequence[tuple[str, str]],
    kind: NDArray[np.int8],
) -> Ints:
    """Return the group of rows of each event; `kind` has the kinds by name.

    `threads` has the names of each thread and its process.
    """
    thread = columns["thread"]
    name = columns["name"]
    processes = []
    are_groups = []
    for row, process_name in threads:
        processes.append(process_name)
        are_groups.append(_GROUP_ROW.match(row) is not None)
    process = np.array(processes)
    of_streams = process == ASCEND_DEVICE
    of_notes = np.isin(process, _COMMUNICATION)
    of_notes |= process == _OVERLAP_ANALYSIS
    of_groups = np.array(are_groups, np.bool_)
    is_stream = of_streams[thread]
    is_note = of_notes[thread]
    is_collective = IS_COMMUNICATION[kind]
    # In some files the collectives are also tasks of streams; they must not count twice.
    on_streams = np.unique(name[is_stream & is_collective])
    is_work = is_note & is_collective
    is_work &= of_groups[thread]
    is_work &= ~np.isin(name, on_streams)
    names_control = matches(events.labels, _CONTROL)
    is_control = is_stream & names_control[name]
    group = category_groups(events, columns)
    group[is_stream] = DEVICE
    group[is_control] = DEVICE_ANNOTATION
    group[is_note] = DEVICE_ANNOTATION
    group[is_work] = DEVICE
    return group


def _stream_names(events: TraceEvents, threads: Sequence[tuple[str, str]]) -> list[str]:
    """Return a name for each thread, for its rows of the device."""
    names = []
    for (thread, process), (_, tid) in zip(threads, events.threads, strict=True):
        name = thread
        if process == ASCEND_DEVICE:
            name = f"stream {tid}"
        elif process == _OVERLAP_ANALYSIS:
            name = f"{process}: {thread}"
        names.append(name)
    return names


def _launches(arrows: Ints, group: Ints, priority: Ints) -> Launches:
    """Return the launches among pairs of events, shape (k, 2).

    Arrows may lead from several calls to one task: from an operator, and from the call of the
    runtime that it makes. Of these calls, the one with the largest `priority` is taken.
    """
    source, target = arrows.T
    is_launch = group[source] == HOST
    is_launch &= group[target] == DEVICE
    call = source[is_launch]
    task = target[is_launch]
    order = np.lexsort((priority[call], task))
    call = call[order]
    task = task[order]
    is_last = np.ones(len(task), np.bool_)
    is_last[:-1] = task[1:] != task[:-1]
    return Launches(
        call=call[is_last],
        device=task[is_last],
        orphans=0,
    )


def _process_groups(names: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """Return the names of process groups, and the group of each event's name; ABSENT for none."""
    found: list[str | None] = []
    for name in names:
        match = _NAME_OF_COLLECTIVE.match(name)
        if match is None:
            found.append(None)
        else:
            found.append(match[1])
    known = sorted({name for name in found if name is not None})
    numbers: dict[str | None, int] = {None: ABSENT}
    for number, name in enumerate(known):
        numbers[name] = min(number, MOST_GROUP_NUMBER)
    group_of_name = [numbers[name] for name in found]
    return tuple(known), np.array(group_of_name, np.int64)


def _job(events: TraceEvents, path: Path) -> ProfilerJob:
    """Return the job of a file; its rank may also be in the names of files and folders above it."""
    job = profiler_job(events.heading, path.name)
    if job.rank is None:
        job = replace(job, rank=_rank_of_folders(path))
    return job


def _rank_of_folders(path: Path) -> int | None:
    """Return the rank in the name of `profiler_info_RANK.json`, or of a folder above the file.

    Returns None if neither has a rank.
    """
    folder = path.absolute().parent
    if folder.name == ASCEND_OUTPUT:
        folder = folder.parent
        for other in sorted(folder.glob("profiler_info_*.json")):
            match = _INFO.match(other.name)
            if match is not None:
                return int(match[1])
    for parent in (folder, *folder.parents)[:_MOST_PARENTS]:
        match = _RANK.search(parent.name)
        if match is not None:
            return int(match[1])
    return None


def _place(path: Path) -> str:
    """Return a name for the events of a file without a rank, from a folder: all files are alike."""
    folder = path.absolute().parent
    if folder.name != ASCEND_OUTPUT:
        return path.name
    return folder.parent.name

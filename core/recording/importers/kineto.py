"""Traces of PyTorch's profiler (Kineto): ranks, steps, streams of a device, collectives.

Each stream becomes a lane, or a communication lane if it mostly communicates. Threads of the host
follow. Annotations are on separate rows, because they are not work. A task belongs to the step
during which it starts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.plan.task import ABSENT, IS_COMMUNICATION, KIND_CODES, Kind
from core.recording.importers.annotated_passes import PassMarks, passes_of_calls, with_passes
from core.recording.importers.complete_events import INSTANTS
from core.recording.importers.event_flows import count_incomplete_flows
from core.recording.importers.event_names import kinds_from_names, matches
from core.recording.importers.event_numbers import event_times
from core.recording.importers.event_steps import MarkingEvents, steps_from_names
from core.recording.importers.event_threads import has_ascend_device
from core.recording.importers.imported_events import (
    MOST_GROUP_NUMBER,
    ImportedEvents,
    Launches,
    StepRanges,
)
from core.recording.importers.kineto_rows import (
    ANNOTATION,
    COMMUNICATION,
    DEVICE,
    DEVICE_ANNOTATION,
    HOST,
    ONLY_DEVICE,
    PYTHON,
    devices_of_threads,
    rows_of_events,
)
from core.recording.importers.profiled_rank import ProfiledRank
from core.recording.importers.profiler_job import ProfilerJob, is_of_profiler, profiler_job
from core.recording.importers.rank_transfers import (
    RankArguments,
    exchanges_of_groups,
    name_of_transfers,
    transfer_peers,
    transfers_of_kernels,
)
from core.recording.importers.send_recv import KernelEvents, resolve_kinds
from core.recording.importers.trace_events import TraceEvents
from core.recording.index import Progress
from core.trace.import_issue import ImportIssue
from core.trace.imported import Direction

EventColumns = dict[str, NDArray[Any]]
_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset", "mtia_ccp_events")
_LAUNCH = ("cuda_runtime", "cuda_driver", "runtime", "hip_runtime", "mtia_runtime", "xpu_runtime")
_OF_PROFILER = ("cpu_op", "operator", *_DEVICE, *_LAUNCH)
"""Categories that only the profiler writes."""
_GROUPS = {
    **dict.fromkeys(_DEVICE, DEVICE),
    **dict.fromkeys(("gpu_user_annotation", "cuda_sync", "cuda_profiler_range"), DEVICE_ANNOTATION),
    **dict.fromkeys(("user_annotation", "trace", "overhead"), ANNOTATION),
    **dict.fromkeys(("python_function", "python"), PYTHON),
}
"""Groups of rows by category; other categories are calls of the host."""
_SENDS_OR_RECEIVES = re.compile("send|recv", re.IGNORECASE)


def is_kineto(events: TraceEvents) -> bool:
    """Return True for files of the profiler on devices other than Ascend's.

    They are recognised by the heading or by any category.
    """
    if has_ascend_device(events):
        return False
    if is_of_profiler(events.heading):
        return True
    return any(_lower(category) in _OF_PROFILER for category in events.categories)


def read_kineto(
    events: TraceEvents, path: Path, progress: Progress | None = None
) -> ImportedEvents:
    """Return the events of one rank's file."""
    columns = events.whole_columns()
    names = events.labels
    name = columns["name"]
    thread = columns["thread"]
    start, end = event_times(columns["begin"], columns["length"])
    group = category_groups(events, columns)
    launches = _launches(events, columns, group)
    kind_of_name = kinds_from_names(names)
    by_name = kind_of_name[name]
    is_on_device = group == DEVICE
    has_device = is_on_device.any()
    if not has_device:
        # Without a device, annotations of Gloo are the only record of its communication. They begin
        # within the call that starts it, and end later.
        is_annotation = group == ANNOTATION
        is_moving = is_annotation & IS_COMMUNICATION[by_name]
        group[is_moving] = COMMUNICATION
    kernels = KernelEvents(
        names=names,
        name=name,
        thread=thread,
        start=start,
        end=end,
        is_task=is_on_device,
        collectives=tuple(events.collectives),
        collective=columns["collective"],
    )
    kind = _kinds(kernels, by_name, launches)
    marks = PassMarks.of(
        names=names,
        name=name,
        thread=thread,
        start=start,
        end=end,
        is_annotation=group == ANNOTATION,
    )
    attributes: dict[str, NDArray[Any]] = {}
    if len(marks):
        call = launches.call
        task = launches.device
        if not has_device:
            is_work = np.isin(group, (HOST, COMMUNICATION))
            task = np.flatnonzero(is_work)
            call = task
        passes = passes_of_calls(marks, thread[call], start[call])
        kind, attributes = with_passes(
            names=names,
            name=name,
            kind=kind,
            task=task,
            passes=passes,
        )
    job = profiler_job(events.heading, path.name)
    place = path.name if job.rank is None else f"rank {job.rank}"
    devices = devices_of_threads(events, thread, group)
    rows, row = rows_of_events(events, columns, group, kind, devices)
    streams = _stream_names(events, devices)
    steps = host_steps(
        names=names,
        columns=columns,
        start=start,
        end=end,
        group=group,
    )
    events.issues[ImportIssue.ORPHAN_LAUNCH] += launches.orphans
    events.issues[ImportIssue.ORPHAN_FLOW] += count_incomplete_flows(events)
    group_names: list[str | None] = []
    for value in events.groups:
        group_names.append(None if value is None else str(value))
    called = _called_ranks(events, columns["place"], group)
    ranks = RankArguments(
        sender=columns["sender"],
        receiver=columns["receiver"],
        group=columns["group"],
        group_names=group_names,
        called=called,
    )
    groups, kind = _communication_groups(
        events=events,
        kernels=kernels,
        kind=kind,
        launches=launches,
        ranks=ranks,
        job=job,
    )
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
        bucket=groups.bucket,
        process_groups=groups.names,
        attributes=attributes,
        streams=streams,
        place=place,
        job=job,
        exchanges=groups.exchanges,
    )
    return found.imported()


def _lower(category: str | None) -> str:
    return (category or "").lower()


def category_groups(events: TraceEvents, columns: EventColumns) -> Ints:
    """Return the group of rows of each event by its category."""
    groups_of_categories = [_GROUPS.get(_lower(name), HOST) for name in events.categories]
    by_category = np.array(groups_of_categories)
    group: Ints = by_category[columns["category"]]
    # Instants have no duration: as a row of the host they would be a lane that never works.
    has_instants = [str(tid).startswith(INSTANTS) for _, tid in events.threads]
    thread_has_instants = np.array(has_instants)
    is_instant = thread_has_instants[columns["thread"]]
    group[is_instant] = ANNOTATION
    return group


def _stream_names(events: TraceEvents, devices: Sequence[str]) -> list[str]:
    """Return a name for each thread as a stream; of several devices, with the device's name."""
    names = []
    for (_, tid), device in zip(events.threads, devices, strict=True):
        name = f"stream {tid}"
        names.append(name if device == ONLY_DEVICE else f"{device} {name}")
    return names


def _launches(events: TraceEvents, columns: EventColumns, group: Ints) -> Launches:
    """Match the tasks of devices and the calls that launched them by correlation id."""
    launches = [_lower(name) in _LAUNCH for name in events.categories]
    category_launches = np.array(launches)
    # 0 means "no call", in files too.
    ids = np.nan_to_num(columns["correlation"], nan=0.0)
    has_id = ids > 0
    is_call = category_launches[columns["category"]] & has_id
    is_task = (group == DEVICE) & has_id
    calls = np.flatnonzero(is_call)
    tasks = np.flatnonzero(is_task)
    return Launches.of(ids, calls, tasks)


def _kinds(events: KernelEvents, by_name: NDArray[np.int8], launches: Launches) -> NDArray[np.int8]:
    """Return the kind of each event, given the kinds by name."""
    kind = resolve_kinds(events, by_name, launches)
    if events.is_task.any():
        # A call of the host that starts a collective on a device communicates nothing itself.
        kind[~events.is_task] = KIND_CODES[Kind.OTHER]
    return kind


def host_steps(
    names: tuple[str, ...],
    columns: EventColumns,
    start: Ints,
    end: Ints,
    group: Ints,
) -> StepRanges:
    """Return the steps that events of the host mark."""
    is_host = group != DEVICE
    is_host &= group != DEVICE_ANNOTATION
    events = MarkingEvents(
        names=names,
        name=columns["name"][is_host],
        thread=columns["thread"][is_host],
        start=start[is_host],
        end=end[is_host],
        is_work=group[is_host] == HOST,
    )
    return steps_from_names(events)


def _called_ranks(events: TraceEvents, place: NDArray[np.int32], group: Ints) -> dict[int, int]:
    """Return the peer rank of each call that transfers data, by the call's position.

    Returns {} if there is a device, whose kernels have arguments that name the peer.
    """
    if not events.called_ranks or (group == DEVICE).any():
        return {}
    found = {}
    for position, number in enumerate(place.tolist()):
        if number in events.called_ranks:
            found[position] = events.called_ranks[number]
    return found


@dataclass(frozen=True, slots=True)
class _Groups:
    """Groups of ranks that communicate: their `names`, and the group of each of n events.

    `bucket` is a position in `names` or ABSENT. `exchanges` maps names of groups to the transfers
    that they represent.
    """

    names: tuple[str, ...]
    bucket: NDArray[np.int16]
    exchanges: Mapping[str, Sequence[Direction]]


def _communication_groups(
    events: TraceEvents,
    kernels: KernelEvents,
    kind: NDArray[np.int8],
    launches: Launches,
    ranks: RankArguments,
    job: ProfilerJob,
) -> tuple[_Groups, NDArray[np.int8]]:
    """Return the groups of the events, and their kinds, with all-to-alls told apart from copies.

    A process group does not say which sends and receives belong together. So these tasks have
    the group of their transfers instead, or none if the other ranks are unknown.
    """
    process_groups, bucket = _process_groups(events, ranks.group)
    transfers = np.flatnonzero(kind == KIND_CODES[Kind.COPY])
    if not len(transfers):
        return _Groups(process_groups, bucket, {}), kind
    peers = transfer_peers(
        events=kernels,
        transfers=transfers,
        launches=launches,
        ranks=ranks,
        job=job,
    )
    all_to_all = exchanges_of_groups(peers, ranks, job)
    kind = kind.copy()
    kind[all_to_all] = KIND_CODES[Kind.ALL_TO_ALL]
    transfers = np.setdiff1d(transfers, all_to_all)
    known: dict[int, tuple[Direction, ...]] = {}
    if job.rank is not None:
        known = transfers_of_kernels(peers, job.rank)
        names_transfer = matches(kernels.names, _SENDS_OR_RECEIVES)
        name = kernels.name[transfers]
        between_ranks = transfers[names_transfer[name]]
        unknown = np.setdiff1d(between_ranks, list(known))
        events.issues[ImportIssue.UNKNOWN_RANKS] += len(unknown)
    exchanges: dict[str, tuple[Direction, ...]] = {}
    for own in known.values():
        exchanges[name_of_transfers(own)] = own
    added = sorted(exchanges)
    places: dict[str, int] = {}
    for place, group in enumerate(added, len(process_groups)):
        places[group] = place
    bucket = bucket.copy()
    bucket[transfers] = ABSENT
    for transfer in transfers.tolist():
        if transfer in known:
            group = name_of_transfers(known[transfer])
            place = places[group]
            # If there are more groups than numbers, the last number must not join different ranks.
            if place < MOST_GROUP_NUMBER:
                bucket[transfer] = place
    names = (*process_groups, *added)
    return _Groups(names, bucket, exchanges), kind


def _process_groups(
    events: TraceEvents, group: NDArray[np.int32]
) -> tuple[tuple[str, ...], NDArray[np.int16]]:
    """Return the sorted names of process groups, and the position of each event's group.

    `group` has the positions of the events' groups in the file's list.
    """
    found = {str(name) for name in events.groups if name is not None}
    names = sorted(found)
    places = {name: place for place, name in enumerate(names)}
    codes = []
    for name in events.groups:
        place = ABSENT if name is None else places[str(name)]
        codes.append(min(place, MOST_GROUP_NUMBER))
    return tuple(names), np.array(codes, np.int16)[group]

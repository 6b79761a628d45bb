"""Kernels that send and receive: parts of an all-to-all of ranks, or copies between two ranks.

Libraries run both with kernels of one name. Newer files name the collective in the kernel's
arguments. Else the annotation or call that encloses the kernel or its launch tells; and where none
does, the file: kernels of one that has calls to send and receive, but no all-to-all, are copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.plan.task import ABSENT, IS_COMMUNICATION, KIND_CODES, Kind
from core.recording.importers.found import Launches
from core.recording.importers.json_events import Number
from core.recording.importers.words import ALL_TO_ALL, SEND_RECV, SENDS, collective_of, matching

Ints = NDArray[np.int64]
_ALL_TO_ALL, _COPY = KIND_CODES[Kind.ALL_TO_ALL], KIND_CODES[Kind.COPY]


@dataclass(frozen=True, slots=True)
class KernelEvents:
    """The n events of a file as columns; times are ns.

    `name` and `collective` index `names` and `collectives`, `thread` numbers threads and streams.
    `is_task` says which events are tasks of a device.
    """

    names: Sequence[str]
    name: NDArray[np.int32]
    thread: NDArray[np.int32]
    start: Ints
    end: Ints
    is_task: NDArray[np.bool_]
    collectives: Sequence[Number]
    collective: NDArray[np.int32]


def told_kinds(
    events: KernelEvents, kind: NDArray[np.int8], launches: Launches
) -> NDArray[np.int8]:
    """The kind of each event: of communication that its name leaves open, by what surrounds it.

    `kind` is what names tell: places in KINDS.
    """
    made = kind.copy()
    named = _by_argument(events)
    is_named = IS_COMMUNICATION[kind] & events.is_task & (named != ABSENT)
    made[is_named] = named[is_named]
    sends = matching(events.names, SEND_RECV)[events.name] & (kind == _COPY) & events.is_task
    kernels = np.flatnonzero(sends & ~is_named)
    if len(kernels):
        made[kernels] = _by_surroundings(events, kernels, launches)
    return made


def _by_argument(events: KernelEvents) -> NDArray[np.int8]:
    """The kind that each event's argument names; ABSENT for none."""
    codes = [_kind_of_collective(name) for name in events.collectives]
    return np.array(codes, np.int8)[events.collective]


def _kind_of_collective(name: Number) -> int:
    if not isinstance(name, str):
        return ABSENT
    found = collective_of(name)
    if found is not None:
        return KIND_CODES[found]
    return _COPY if SENDS.match(name) else ABSENT


def _by_surroundings(events: KernelEvents, kernels: Ints, launches: Launches) -> NDArray[np.int8]:
    """Tells parts of an all-to-all from copies, by the calls and annotations around kernels."""
    exchanges = matching(events.names, ALL_TO_ALL)[events.name] & ~events.is_task
    sends = matching(events.names, SENDS)[events.name] & ~events.is_task
    marks = np.flatnonzero(exchanges | sends)
    usual = _COPY if sends.any() and not exchanges.any() else _ALL_TO_ALL
    kinds = np.full(len(kernels), usual, np.int8)
    call = np.full(len(events.start), ABSENT, np.int64)
    call[launches.device] = launches.call
    for inner in (kernels, call[kernels]):
        mark = _enclosing(events, marks, inner)
        is_known = mark != ABSENT
        kinds[is_known] = np.where(exchanges[mark[is_known]], _ALL_TO_ALL, _COPY)
    return kinds


def _enclosing(events: KernelEvents, marks: Ints, inner: Ints) -> Ints:
    """The mark on the same thread during which each of some events starts; ABSENT without one.

    `marks` and `inner` are places of events; one that is ABSENT itself has no mark.
    """
    found = np.full(len(inner), ABSENT, np.int64)
    for thread in np.unique(events.thread[inner[inner != ABSENT]]).tolist():
        mine = marks[events.thread[marks] == thread]
        asked = np.flatnonzero((inner != ABSENT) & (events.thread[inner] == thread))
        if not len(mine):
            continue
        mine = mine[np.argsort(events.start[mine], kind="stable")]
        moment = events.start[inner[asked]]
        place = np.searchsorted(events.start[mine], moment, "right") - 1
        # A call of one collective may lie within another's: the one that lasts longest is asked.
        latest = np.maximum.accumulate(events.end[mine])
        longest = np.maximum.accumulate(
            np.where(events.end[mine] == latest, np.arange(len(mine)), 0)
        )
        inside = (place >= 0) & (latest[place] >= moment)
        found[asked[inside]] = mine[longest[place[inside]]]
    return found

"""Kinds of communication that the names of kernels leave open.

Kernels that send and receive are parts of an all-to-all, or copies between two ranks; some kernels
run any collective. Newer files have the name of the collective among the kernel's arguments, which
decides for all kernels, whatever their names are. Otherwise the annotation or call that encloses
the kernel or its launch decides. Without these, kernels that send and receive are copies if the
file has calls to send and receive but no all-to-all, and parts of an all-to-all in all other files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.plan.task import ABSENT, IS_COMMUNICATION, KIND_CODES, Kind
from core.recording.importers.event_names import (
    ALL_TO_ALL,
    CALL,
    SEND_RECV,
    SENDS,
    collective_in,
    matches,
)
from core.recording.importers.event_numbers import Scalar
from core.recording.importers.imported_events import Launches

_ALL_TO_ALL = KIND_CODES[Kind.ALL_TO_ALL]
_COPY = KIND_CODES[Kind.COPY]
_COLLECTIVE = KIND_CODES[Kind.COLLECTIVE]


@dataclass(frozen=True, slots=True)
class KernelEvents:
    """The n events of a file as columns; times are ns.

    `name` and `collective` are positions in `names` and `collectives`. `thread` is the number of a
    thread or stream. `is_task` is True for tasks of a device.
    """

    names: Sequence[str]
    name: NDArray[np.int32]
    thread: NDArray[np.int32]
    start: Ints
    end: Ints
    is_task: Bools
    collectives: Sequence[Scalar]
    collective: NDArray[np.int32]


def resolve_kinds(
    events: KernelEvents, kind: NDArray[np.int8], launches: Launches
) -> NDArray[np.int8]:
    """Return the kind of each event; arguments and surroundings resolve ambiguous names.

    `kind` has the kinds by name, as positions in KINDS.
    """
    resolved = kind.copy()
    by_argument = _by_argument(events)
    has_argument = events.is_task & (by_argument != ABSENT)
    resolved[has_argument] = by_argument[has_argument]
    is_kernel = IS_COMMUNICATION[kind] & events.is_task
    names_both = matches(events.names, SEND_RECV)
    is_ambiguous = is_kernel & names_both[events.name]
    is_ambiguous &= kind == _COPY
    is_ambiguous &= ~has_argument
    kernels = np.flatnonzero(is_ambiguous)
    if len(kernels):
        resolved[kernels] = _by_surroundings(events, kernels, launches, by_argument)
    is_unknown = is_kernel & (kind == _COLLECTIVE)
    is_unknown &= ~has_argument
    kernels = np.flatnonzero(is_unknown)
    if len(kernels):
        resolved[kernels] = _by_calls(events, kernels, launches, by_argument)
    return resolved


def _by_argument(events: KernelEvents) -> NDArray[np.int8]:
    """Return the kind in each event's argument `Collective name`; ABSENT without one."""
    codes = [_kind_of_collective(name) for name in events.collectives]
    return np.array(codes, np.int8)[events.collective]


def _kind_of_collective(name: Scalar) -> int:
    if not isinstance(name, str):
        return ABSENT
    kind = collective_in(name)
    if kind is not None:
        return KIND_CODES[kind]
    if SENDS.match(name):
        return _COPY
    return ABSENT


def _by_surroundings(
    events: KernelEvents,
    kernels: Ints,
    launches: Launches,
    by_argument: NDArray[np.int8],
) -> NDArray[np.int8]:
    """Return the kinds of kernels by the calls and annotations around them or their launches.

    A kernel for several sends and receives is launched after their calls. So if no call encloses
    it, the last call before its launch decides. `by_argument` has the kind in each event's
    arguments.
    """
    names_exchange = matches(events.names, ALL_TO_ALL)
    is_exchange = names_exchange[events.name]
    is_exchange |= by_argument == _ALL_TO_ALL
    is_exchange &= ~events.is_task
    names_send = matches(events.names, SENDS)
    is_send = names_send[events.name]
    is_send |= by_argument == _COPY
    is_send &= ~events.is_task
    marks = np.flatnonzero(is_exchange | is_send)
    only_sends = is_send.any() and not is_exchange.any()
    default = _COPY if only_sends else _ALL_TO_ALL
    kinds = np.full(len(kernels), default, np.int8)
    call = np.full(len(events.start), ABSENT, np.int64)
    call[launches.device] = launches.call
    launching = call[kernels]
    # Later marks in this order replace earlier ones.
    found = (
        _marks_before(events, marks, launching),
        enclosing_marks(events, marks, kernels),
        enclosing_marks(events, marks, launching),
    )
    for mark in found:
        is_known = mark != ABSENT
        known_marks = mark[is_known]
        kinds[is_known] = np.where(is_exchange[known_marks], _ALL_TO_ALL, _COPY)
    return kinds


def _by_calls(
    events: KernelEvents,
    kernels: Ints,
    launches: Launches,
    by_argument: NDArray[np.int8],
) -> NDArray[np.int8]:
    """Return the kinds of kernels by the calls and annotations that enclose them or their launches.

    Without one that names a kind, it is COLLECTIVE. `by_argument` has the kind in each event's
    arguments.
    """
    kind_of_name = np.array([_kind_of_call(name) for name in events.names], np.int8)
    named = np.where(by_argument != ABSENT, by_argument, kind_of_name[events.name])
    is_mark = ~events.is_task & (named != ABSENT)
    marks = np.flatnonzero(is_mark)
    kinds = np.full(len(kernels), _COLLECTIVE, np.int8)
    call = np.full(len(events.start), ABSENT, np.int64)
    call[launches.device] = launches.call
    # Later marks in this order replace earlier ones.
    for inner in (kernels, call[kernels]):
        mark = enclosing_marks(events, marks, inner)
        is_known = mark != ABSENT
        kinds[is_known] = named[mark[is_known]]
    return kinds


def _kind_of_call(name: str) -> int:
    """Return the kind of communication that a call or an annotation names, or ABSENT."""
    if not CALL.match(name):
        return ABSENT
    return _kind_of_collective(name)


def _marks_before(events: KernelEvents, marks: Ints, inner: Ints) -> Ints:
    """Return for each inner event the last mark on its thread that starts before it, or ABSENT.

    `marks` and `inner` are positions of events; `inner` may be ABSENT.
    """
    found = np.full(len(inner), ABSENT, np.int64)
    is_known = inner != ABSENT
    thread_of_inner = events.thread[inner]
    thread_of_mark = events.thread[marks]
    threads = np.unique(thread_of_inner[is_known])
    for thread in threads.tolist():
        own_marks = marks[thread_of_mark == thread]
        if not len(own_marks):
            continue
        order = np.argsort(events.start[own_marks], kind="stable")
        own_marks = own_marks[order]
        mark_start = events.start[own_marks]
        is_on_thread = is_known & (thread_of_inner == thread)
        wanted = np.flatnonzero(is_on_thread)
        moment = events.start[inner[wanted]]
        place = np.searchsorted(mark_start, moment, "right") - 1
        has_mark = place >= 0
        last_marks = own_marks[place[has_mark]]
        found[wanted[has_mark]] = last_marks
    return found


def enclosing_marks(events: KernelEvents, marks: Ints, inner: Ints) -> Ints:
    """Return for each inner event the mark on its thread during which it starts, or ABSENT.

    `marks` and `inner` are positions of events; `inner` may be ABSENT.
    """
    found = np.full(len(inner), ABSENT, np.int64)
    is_known = inner != ABSENT
    thread_of_inner = events.thread[inner]
    thread_of_mark = events.thread[marks]
    threads = np.unique(thread_of_inner[is_known])
    for thread in threads.tolist():
        own_marks = marks[thread_of_mark == thread]
        if not len(own_marks):
            continue
        order = np.argsort(events.start[own_marks], kind="stable")
        own_marks = own_marks[order]
        mark_start = events.start[own_marks]
        mark_end = events.end[own_marks]
        is_on_thread = is_known & (thread_of_inner == thread)
        wanted = np.flatnonzero(is_on_thread)
        moment = events.start[inner[wanted]]
        place = np.searchsorted(mark_start, moment, "right") - 1
        # Calls of collectives may be nested: use the mark that ends last.
        latest_end = np.maximum.accumulate(mark_end)
        positions = np.arange(len(own_marks))
        latest_positions = np.where(mark_end == latest_end, positions, 0)
        latest = np.maximum.accumulate(latest_positions)
        is_inside = place >= 0
        is_inside &= latest_end[place] >= moment
        last_begun = place[is_inside]
        found[wanted[is_inside]] = own_marks[latest[last_begun]]
    return found

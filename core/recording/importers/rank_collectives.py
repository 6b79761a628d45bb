"""Matches the collectives of several ranks, by their sequence numbers or else by their times.

Each rank's own host marks its steps, so the k-th collective of a step may be another one on each
rank, and so may the first collective of each file. After the match, all members of a collective are
in one step, and members without counterparts have a process group of their own. Then the k-th
tasks of a kind and a process group in a step are one collective, as core.costs.meetings assumes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.order import evenly, groups, row_keys, row_numbers, turns
from core.plan.plan import Role
from core.plan.task import ABSENT, IS_COLLECTIVE
from core.recording.importers.imported_events import MOST_GROUP_NUMBER, ImportedEvents

_MOST_SAMPLES = 16
"""Number of collectives from which the difference between the numbers of two ranks is guessed."""


@dataclass(frozen=True, slots=True)
class _Members:
    """The tasks of n collectives as arrays of shape (n,), sorted by start.

    `event` is the position of a task among all events, `rank` the number of its device, and
    `bucket` its process group or ABSENT. `start` and `end` are in ns. `sequence` is the number of
    the collective in its process group, or ABSENT. `step` is 1 less than the first step for tasks
    before it. `alike` is equal for tasks of one kind, process group and sequence of steps.
    """

    event: Ints
    rank: Ints
    bucket: Ints
    start: Ints
    end: Ints
    sequence: Ints
    step: Ints
    alike: Ints

    @classmethod
    def of(cls, imported: ImportedEvents) -> _Members:
        """Return the collectives of all ranks."""
        is_working = np.array(
            [track.role is not Role.NESTED for track in imported.tracks], np.bool_
        )
        is_member = IS_COLLECTIVE[imported.kind] & is_working[imported.track]
        event = imported.by_start(np.flatnonzero(is_member))
        ranks: dict[tuple[str, str], int] = {}
        rank_of_track = []
        for track in imported.tracks:
            rank_of_track.append(ranks.setdefault((track.place, track.stream_of), len(ranks)))
        bucket = _column(imported.attributes.get("bucket"), event)
        step = _column(imported.step, event)
        numbers = imported.steps.number
        if len(numbers):
            step = np.maximum(step, int(numbers[0]) - 1)
        window = _windows(numbers, step)
        return cls(
            event=event,
            rank=np.array(rank_of_track, np.int64)[imported.track[event]],
            bucket=bucket,
            start=imported.start[event],
            end=imported.end[event],
            sequence=_column(imported.sequence, event),
            step=step,
            alike=row_numbers(imported.kind[event], bucket, window),
        )

    def picked(self, places: Ints) -> _Members:
        """Return some of the tasks."""
        columns = {column.name: getattr(self, column.name)[places] for column in fields(self)}
        return _Members(**columns)


def with_matched_collectives(imported: ImportedEvents, has_one_clock: bool) -> ImportedEvents:
    """Return the events with the steps and process groups of matched collectives.

    Collectives without sequence numbers are matched only if the ranks have one clock.
    """
    members = _Members.of(imported)
    if not has_one_clock:
        members = members.picked(np.flatnonzero(members.sequence != ABSENT))
    if len(np.unique(members.rank)) < 2:
        return imported
    collective = _collectives(members)
    first_step, last_step = _first_and_last_step(members, collective)
    # Steps that are further apart are not the same step of the job.
    is_apart = last_step - first_step > 1
    collective = _with_separate(collective, is_apart)
    step = np.where(is_apart, members.step, last_step)
    with_steps = _with_steps(imported, members, step)
    return _with_groups(with_steps, members, collective)


def _collectives(members: _Members) -> Ints:
    """Return the number of each member's collective."""
    number = np.empty(len(members.event), np.int64)
    next_number = 0
    for own in groups(members.alike):
        some = members.picked(own)
        has_sequence = bool((some.sequence != ABSENT).all())
        numbers = _numbers_by_sequence(some) if has_sequence else _numbers_by_time(some)
        number[own] = next_number + numbers
        next_number += int(numbers.max()) + 1
    return number


def _column(values: NDArray[Any] | None, events: Ints) -> Ints:
    """Return some values of a column as int64; ABSENT without the column."""
    if values is None:
        return np.full(len(events), ABSENT, np.int64)
    return values[events].astype(np.int64)


def _windows(numbers: Ints, step: Ints) -> Ints:
    """Return for each step in `step` the number of gaps in the step `numbers` before it.

    A profiler that records several times leaves such gaps, and may begin with another collective on
    each rank each time.
    """
    gaps = np.diff(numbers) > 1
    first_after_gap = numbers[1:][gaps]
    gaps_before: Ints = np.searchsorted(first_after_gap, step, "right")
    return gaps_before


def _numbers_by_sequence(members: _Members) -> Ints:
    """Return numbers that are equal for members with one sequence number, from 0."""
    _, sequence = np.unique(members.sequence, return_inverse=True)
    # Collectives that were started as one have the same sequence number.
    turn = turns(row_keys(members.rank, sequence))
    return row_numbers(sequence, turn)


def _numbers_by_time(members: _Members) -> Ints:
    """Return numbers that are equal for members of one collective, from 0.

    All ranks run the collectives of a process group in the same order. So the numbers of a rank's
    collectives differ by a constant from those of the rank with most of them: the constant with
    which they are closest in time. Members that are still far apart have separate numbers.
    """
    of_ranks = groups(members.rank)
    reference = max(of_ranks, key=len)
    number = np.empty(len(members.event), np.int64)
    for own in of_ranks:
        number[own] = np.arange(len(own)) + _difference(members, own, reference)
    number -= number.min()
    number = _with_separate(number, _is_far(members, number, reference))
    return row_numbers(number)


def _difference(members: _Members, own: Ints, reference: Ints) -> int:
    """Return k for which `own[i]` and `reference[i + k]` are closest in time.

    That is the smallest mean time between them. If they overlap for several k, it is the longest
    overlap.
    """
    starts = members.start[reference]
    samples = evenly(range(len(own)), _MOST_SAMPLES)
    candidates = {0}
    for times in (members.start, members.end):
        begun = np.searchsorted(starts, times[own[samples]], "right")
        candidates.update((begun - samples).tolist())
        candidates.update((begun - 1 - samples).tolist())

    def distance(difference: int) -> tuple[bool, float, float, int]:
        first = max(0, -difference)
        past_last = min(len(own), len(reference) - difference)
        if first >= past_last:
            return True, np.inf, 0.0, difference
        mine = own[first:past_last]
        other = reference[first + difference : past_last + difference]
        has_few = 2 * len(mine) < len(own)
        apart = _apart_ns(members, mine, other)
        mean_gap = float(np.maximum(apart, 0).mean())
        overlap = float(np.minimum(apart, 0).sum())
        return has_few, mean_gap, overlap, abs(difference)

    return min(sorted(candidates), key=distance)


def _apart_ns(members: _Members, some: Ints, others: Ints) -> Ints:
    """Return the time between pairs of members in ns; it is negative if they overlap."""
    after = members.start[some] - members.end[others]
    before = members.start[others] - members.end[some]
    apart: Ints = np.maximum(after, before)
    return apart


def _is_far(members: _Members, number: Ints, reference: Ints) -> Bools:
    """Return True for members that are far from the first member with their number.

    Between them is more than half of the mean time between two collectives of one rank,
    `reference`. Without a named process group, members must overlap.
    """
    order = np.lexsort((members.rank, number))
    _, first_place, which = np.unique(number[order], return_index=True, return_inverse=True)
    first = np.empty(len(number), np.int64)
    first[order] = order[first_place[which]]
    most_ns = 0
    if (members.bucket != ABSENT).all():
        intervals = max(1, len(reference) - 1)
        whole_ns = int(members.start[reference[-1]] - members.start[reference[0]])
        most_ns = whole_ns // (2 * intervals)
    every = np.arange(len(number))
    result: Bools = _apart_ns(members, every, first) > most_ns
    return result


def _with_separate(number: Ints, is_separate: Bools) -> Ints:
    """Return the numbers of collectives, with a new one for each member that is separate."""
    next_number = int(number.max(initial=ABSENT)) + 1
    new = next_number + np.arange(len(number))
    return np.where(is_separate, new, number)


def _first_and_last_step(members: _Members, collective: Ints) -> tuple[Ints, Ints]:
    """Return for each member the smallest and the largest step of its collective's members."""
    _, which = np.unique(collective, return_inverse=True)
    count = int(which.max()) + 1
    first = np.full(count, np.iinfo(np.int64).max)
    last = np.full(count, ABSENT)
    np.minimum.at(first, which, members.step)
    np.maximum.at(last, which, members.step)
    return first[which], last[which]


def _with_steps(imported: ImportedEvents, members: _Members, step: Ints) -> ImportedEvents:
    """Return the events with new steps of the members; unchanged if the file has no steps.

    The last of several steps is used: no later task of a lane can belong to an earlier step.
    """
    if imported.step is None:
        return imported
    changed = step != members.step
    new_step = imported.step.copy()
    new_step[members.event[changed]] = step[changed]
    return replace(imported, step=new_step)


def _with_groups(imported: ImportedEvents, members: _Members, collective: Ints) -> ImportedEvents:
    """Return the events with separate process groups for collectives of only some ranks.

    These are collectives whose other members are not in the files.
    """
    numbers: dict[str, int] = {}
    bucket = members.bucket.copy()
    for own in _incomplete(members, collective):
        group = int(members.bucket[own[0]])
        name = _group_name(imported, group, members.event[own])
        place = len(imported.groups) + numbers.setdefault(name, len(numbers))
        bucket[own] = min(place, MOST_GROUP_NUMBER)
    if not numbers:
        return imported
    all_events = np.arange(len(imported))
    new_bucket = _column(imported.attributes.get("bucket"), all_events)
    new_bucket[members.event] = bucket
    attributes = {**imported.attributes, "bucket": new_bucket.astype(np.int16)}
    return replace(imported, attributes=attributes, groups=(*imported.groups, *numbers))


def _incomplete(members: _Members, collective: Ints) -> Iterator[Ints]:
    """Yield the members of each collective that lacks a rank of its process group."""
    found = np.bincount(collective)[collective]
    is_lacking = np.zeros(len(collective), np.bool_)
    for own in groups(members.alike):
        ranks = len(np.unique(members.rank[own]))
        is_lacking[own] = found[own] < ranks
    yield from groups(collective, np.flatnonzero(is_lacking))


def _group_name(imported: ImportedEvents, group: int, events: Ints) -> str:
    """Return the name of a process group for collectives of some ranks: group, then ranks."""
    tracks = [imported.tracks[track] for track in imported.track[events].tolist()]
    names = sorted({f"{track.place} {track.stream_of}" for track in tracks})
    of_group = "" if group == ABSENT else imported.groups[group]
    return f"{of_group} of {', '.join(names)}"

"""Numbers the tasks of imported events within their steps, so that equal steps have one plan.

Two steps are equal if each lane runs the same tasks in the same order, with the same dependencies.
Each task of a plan follows the tasks that it waits for, and the task before it on its lane.
"""

from __future__ import annotations

from collections import Counter as Counts
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.order import stable_argsort
from core.recording.importers.imported_events import ImportedEvents
from core.trace.import_issue import ImportIssue
from core.trace.spans import ATTRIBUTES, TaskTable, blank_rows

MOST_ROUNDS = 64
"""Largest number of passes of the search for an order.

After it, tasks are in order of their starts, and dependencies that contradict it are left out.
"""


@dataclass(frozen=True, slots=True)
class _Step:
    """The n events of a step by lane and start, and k dependencies as positions among them.

    `key` is equal for steps that are equal. `rows` are the attributes of the tasks.
    """

    events: Ints
    rows: NDArray[Any]
    before: Ints
    after: Ints
    key: bytes


def plans_of_steps(
    imported: ImportedEvents, issues: Counts[ImportIssue]
) -> tuple[TaskTable, NDArray[np.int32]]:
    """Return a table with a plan for each different step, and the row of each event.

    If events have arguments or colours, which belong to rows of the table, every step has its own
    plan. Its tasks have the same numbers as in equal steps.
    """
    table = TaskTable()
    row = np.empty(len(imported), np.int32)
    is_shared = imported.arguments is None and imported.colours is None
    attributes = _attributes(imported, table)
    first_rows: dict[bytes, tuple[int, Ints]] = {}
    for number, (events, links) in enumerate(_events_of_steps(imported)):
        step = _step(imported, attributes, events, links)
        key = step.key
        if not is_shared:
            key += number.to_bytes(8)
        if key not in first_rows:
            first_row = len(table)
            place = _add_plan(imported, table, step, issues)
            first_rows[key] = first_row, place
        first_row, place = first_rows[key]
        row[step.events] = first_row + place
    return table, row


def _attributes(imported: ImportedEvents, table: TaskTable) -> NDArray[Any]:
    """Return the attributes of all events as rows of a table."""
    rows = blank_rows(len(imported))
    places = [table.names.place(name) for name in imported.names]
    # The last entry is for events without a name.
    names = np.array([*places, -1], np.int32)
    rows["name"] = names[imported.name]
    rows["kind"] = imported.kind
    for name, column in imported.attributes.items():
        rows[name] = column
    return rows


def _events_of_steps(imported: ImportedEvents) -> list[tuple[Ints, Ints]]:
    """Return the events of each step by lane and start, and the dependencies within the step."""
    step = imported.step
    assert step is not None
    order = np.lexsort((-imported.end, imported.start, imported.track, step))
    count = len(order)
    sorted_steps = step[order]
    is_last = np.diff(sorted_steps) != 0
    bounds = np.flatnonzero(is_last) + 1
    edges = [0, *bounds.tolist(), count]
    links = imported.links
    before, after = links.T
    is_within = step[before] == step[after]
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    placed_links = place[links[is_within]]
    # Sorted by the waiting event, so that equal steps have equal lists.
    before, after = placed_links.T
    link_order = np.lexsort((before, after))
    placed_links = placed_links[link_order]
    link_bounds = np.searchsorted(after[link_order], edges).tolist()
    bounds_of_events = pairwise(edges)
    bounds_of_links = pairwise(link_bounds)
    parts = []
    for (first, last), (begin, end) in zip(bounds_of_events, bounds_of_links, strict=True):
        events = order[first:last]
        own_links = placed_links[begin:end] - first
        parts.append((events, own_links))
    return parts


def _step(imported: ImportedEvents, attributes: NDArray[Any], events: Ints, links: Ints) -> _Step:
    rows = attributes[events]
    if len(links):
        links = np.unique(links, axis=0)
    before, after = links.T
    track = imported.track[events]
    # Column by column, because the padding between the fields of a row has undefined bytes.
    parts = [rows[name].tobytes() for name in ATTRIBUTES]
    parts.append(rows["name"].tobytes())
    parts.append(track.tobytes())
    parts.append(links.tobytes())
    key = b"|".join(parts)
    return _Step(
        events=events,
        rows=rows,
        before=before,
        after=after,
        key=key,
    )


def _add_plan(
    imported: ImportedEvents, table: TaskTable, step: _Step, issues: Counts[ImportIssue]
) -> Ints:
    """Add the tasks of a step to the table; return the position of each event in the plan."""
    order = _order(imported, step)
    count = len(order)
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    before = place[step.before]
    after = place[step.after]
    is_backward = before >= after
    issues[ImportIssue.BACKWARD_LINK] += int(is_backward.sum())
    before = before[~is_backward]
    after = after[~is_backward]
    rows = step.rows[order]
    rows["after_count"] = np.bincount(after, minlength=count)
    by_waiting_task = stable_argsort(after)
    needs = before[by_waiting_task]
    table.add(rows, needs.astype(np.int32))
    return place


def _order(imported: ImportedEvents, step: _Step) -> Ints:
    """Return an order of tasks that respects their lanes and, if possible, their dependencies.

    Tasks are in order of their starts, but each follows the tasks that it waits for.
    """
    track = imported.track[step.events]
    start = imported.start[step.events]
    is_followed = track[1:] == track[:-1]
    followed = np.flatnonzero(is_followed)
    before = np.concatenate([followed, step.before])
    after = np.concatenate([followed + 1, step.after])
    time = start.copy()
    # Of tasks with equal times, those that others wait for are first.
    depth = np.zeros(len(time), np.int64)
    for _ in range(MOST_ROUNDS):
        time_before = time[before]
        time_after = time[after]
        depth_before = depth[before]
        is_late = time_before > time_after
        is_level = time_before == time_after
        is_level &= depth_before >= depth[after]
        if not (is_late.any() or is_level.any()):
            return np.lexsort((depth, time))
        late = after[is_late]
        np.maximum.at(time, late, time_before[is_late])
        level = after[is_level]
        least_depth = depth_before[is_level] + 1
        np.maximum.at(depth, level, least_depth)
    # The lanes' own order always holds.
    return np.argsort(start, kind="stable")

"""Numbers the tasks of imported events within their steps, so that equal steps have one plan.

Two steps are equal if each lane runs the same tasks in the same order, with the same dependencies.
The tasks of a plan are in an order in which each follows the tasks that it waits for, and the task
before it on its lane.
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
"""Limit of the search for an order; dependencies that contradict it then are left out."""


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
        key = step.key if is_shared else step.key + number.to_bytes(8)
        if key not in first_rows:
            place = _add_plan(imported, table, step, issues)
            first_rows[key] = len(table) - len(events), place
        first, place = first_rows[key]
        row[step.events] = first + place
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
    bounds = np.flatnonzero(np.diff(step[order])) + 1
    edges = [0, *bounds.tolist(), len(order)]
    links = imported.links
    is_within = step[links[:, 0]] == step[links[:, 1]]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    placed_links = place[links[is_within]]
    # Sorted by the waiting event, so that equal steps have equal lists.
    before, after = placed_links.T
    placed_links = placed_links[np.lexsort((before, after))]
    link_bounds = np.searchsorted(placed_links[:, 1], edges).tolist()
    parts = []
    for (first, last), (begin, end) in zip(pairwise(edges), pairwise(link_bounds), strict=True):
        parts.append((order[first:last], placed_links[begin:end] - first))
    return parts


def _step(imported: ImportedEvents, attributes: NDArray[Any], events: Ints, links: Ints) -> _Step:
    rows = attributes[events]
    pairs = np.unique(links, axis=0) if len(links) else links
    track = imported.track[events]
    # Column by column, because the bytes between the fields of a row have any value.
    columns = [rows[name].tobytes() for name in (*ATTRIBUTES, "name")]
    key = b"|".join([*columns, track.tobytes(), pairs.tobytes()])
    return _Step(events, rows, pairs[:, 0], pairs[:, 1], key)


def _add_plan(
    imported: ImportedEvents, table: TaskTable, step: _Step, issues: Counts[ImportIssue]
) -> Ints:
    """Add the tasks of a step to the table; return the position of each event in the plan."""
    order = _order(imported, step)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    before = place[step.before]
    after = place[step.after]
    is_forward = before < after
    issues[ImportIssue.BACKWARD_LINK] += int((~is_forward).sum())
    before = before[is_forward]
    after = after[is_forward]
    rows = step.rows[order]
    rows["after_count"] = np.bincount(after, minlength=len(order))
    table.add(rows, before[stable_argsort(after)].astype(np.int32))
    return place


def _order(imported: ImportedEvents, step: _Step) -> Ints:
    """Return an order in which tasks follow their lanes and, if possible, their dependencies.

    Tasks are in order of their starts, but no earlier than the tasks that they wait for.
    """
    track = imported.track[step.events]
    on_lane = np.flatnonzero(track[1:] == track[:-1])
    before = np.concatenate([on_lane, step.before])
    after = np.concatenate([on_lane + 1, step.after])
    time = imported.start[step.events].copy()
    # Among tasks at one time, tasks that others wait for are first.
    depth = np.zeros(len(time), np.int64)
    for _ in range(MOST_ROUNDS):
        time_before = time[before]
        depth_before = depth[before]
        is_late = time_before > time[after]
        is_level = (time_before == time[after]) & (depth_before >= depth[after])
        if not (is_late.any() or is_level.any()):
            return np.lexsort((depth, time))
        np.maximum.at(time, after[is_late], time_before[is_late])
        np.maximum.at(depth, after[is_level], depth_before[is_level] + 1)
    # The lanes' own order always holds.
    return np.lexsort((np.arange(len(time)), imported.start[step.events]))

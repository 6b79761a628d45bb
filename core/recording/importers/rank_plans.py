"""Merges the plans of a job's ranks into plans of the run, in which nothing waits for later tasks.

A copy from another rank waits for the task that sent it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.plan.task import ABSENT
from core.recording.importers.rank_recording import RankRecording
from core.trace.spans import Spans
from core.trace.trace import Trace

EARLIEST = -(1 << 62)
"""A time in ns before all times of a trace."""
_TRANSFER = re.compile(r"(from|to) rank (\d{1,5})")  # names in core.recorder.rank_step


class MergedPlans:
    """Plans of the run, one for each combination of the ranks' plans in a step.

    `places` has the run's lane for each lane of each rank. `senders` has for each copy from another
    rank the task that sent it, both as rows of the run's table.
    """

    def __init__(
        self, trace: Trace, ranks: Sequence[RankRecording], places: list[list[int]]
    ) -> None:
        self._trace, self._ranks, self._places = trace, ranks, places
        self._numbers: dict[tuple[int, ...], int] = {}
        self._plan_of_step: dict[int, int] = {}
        # For each plan of the run, the row in its table of each task of each rank.
        self._rows: list[list[Ints]] = []
        self.senders: dict[int, int] = {}

    def add(self, step: int) -> None:
        """Add a step, and its plan to the run's table if it is a new one."""
        # Steps in which all ranks follow the same plans have one plan of the run.
        key = tuple(rank.plans[step] for rank in self._ranks)
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers)
            self._add_plan(key, step)
        self._plan_of_step[step] = self._numbers[key]

    def next_round(self, ranks: Sequence[RankRecording]) -> None:
        """Replace the ranks' recordings by later ones, and forget the steps, but not the plans."""
        self._ranks = ranks
        self._plan_of_step.clear()

    def lanes(self) -> list[tuple[int, Spans]]:
        """Return each lane of the run with its spans of the steps that were added."""
        lanes = []
        for number, rank in enumerate(self._ranks):
            for lane in rank.trace.header.lanes:
                place = self._places[number][lane.index]
                lanes.append((place, self.spans(number, lane.index)))
        sent = _sent_times(self.senders, [spans for _, spans in lanes])
        shifted = []
        for place, spans in lanes:
            shifted.append((place, _starting_when_sent(spans, sent)))
        return shifted

    def spans(self, number: int, lane: int) -> Spans:
        """Return a rank's lane in the steps that were added, with rows and times of the run."""
        rank = self._ranks[number]
        origin = self._trace.header.origin_ns
        spans = rank.trace.spans(lane)
        spans = spans[np.isin(spans.step, list(self._plan_of_step))]
        plan = np.array([self._plan_of_step[step] for step in spans.step.tolist()], np.int64)
        row = np.zeros(len(spans), np.int32)
        for each in np.unique(plan).tolist():
            is_of_plan = plan == each
            row_of_task = self._rows[each][number]
            tasks = spans["task"][is_of_plan]
            row[is_of_plan] = row_of_task[tasks]
        start = rank.to_run_clock(spans["start"], origin)
        end = rank.to_run_clock(spans["end"], origin)
        ready = rank.to_run_clock(spans["ready"], origin)
        launched = rank.to_run_clock(spans["launched"], origin)
        return Spans(self._trace.table, start, end, spans.step, row, ready, launched)

    def _add_plan(self, key: Sequence[int], step: int) -> None:
        """Add a plan to the table, with tasks in the order in which they began in `step`."""
        rows, needs, bounds = self._concatenated(key)
        begins = []
        for number, (first, last) in enumerate(pairwise(bounds)):
            begins.append(self._begins(number, step, last - first))
        begin = np.concatenate(begins)
        senders = dict(_senders(self._trace, rows))
        for copy, sender in senders.items():
            needs[copy] = np.append(needs[copy], sender)
            # Clocks of two ranks agree only within a half-width, so a copy may seem to begin before
            # it was sent.
            begin[copy] = max(begin[copy], begin[sender])
        is_copy = np.zeros(len(rows), np.bool_)
        is_copy[list(senders)] = True
        # Sorted by begin; of tasks with one begin, copies last. So no task waits for a later one,
        # which a table of tasks does not allow.
        order = np.lexsort((is_copy, begin))
        # The inverse permutation: the new position of each task.
        place = np.argsort(order)
        first_row = len(self._trace.table)
        sorted_needs = [place[needs[task]] for task in order.tolist()]
        rows = rows[order]
        rows["after_count"] = [len(need) for need in sorted_needs]
        self._trace.table.add(rows, np.concatenate(sorted_needs).astype(np.int32))
        for copy, sender in senders.items():
            self.senders[first_row + place[copy]] = first_row + place[sender]
        table_rows = first_row + place
        self._rows.append([table_rows[first:last] for first, last in pairwise(bounds)])

    def _concatenated(self, key: Sequence[int]) -> tuple[NDArray[Any], list[Ints], list[int]]:
        """Return the tasks of the ranks' plans, the dependencies of each, and bounds of ranks."""
        all_rows: list[NDArray[Any]] = []
        all_needs: list[Ints] = []
        bounds = [0]
        for number, plan in enumerate(key):
            rows, needs = self._plan_of_rank(number, plan)
            all_rows.append(rows)
            all_needs += [need + bounds[-1] for need in needs]
            bounds.append(bounds[-1] + len(rows))
        return np.concatenate(all_rows), all_needs, bounds

    def _plan_of_rank(self, number: int, plan: int) -> tuple[NDArray[Any], list[Ints]]:
        """Return the tasks of a rank's plan, with lanes and names of the run, and dependencies."""
        table = self._ranks[number].trace.table
        names = self._trace.table.names
        where = table.plan(plan)
        # A copy, because the rank's table must not change.
        rows = table.rows[where].copy()
        lanes = np.array(self._places[number])
        rows["lane"] = lanes[rows["lane"]]
        has_name = rows["name"] != ABSENT
        for task in np.flatnonzero(has_name).tolist():
            name = table.names[rows["name"][task]]
            rows["name"][task] = names.place(name)
        tasks = np.arange(where.start, where.stop)
        counts, needs = table.needs(tasks)
        bounds = np.cumsum(counts)[:-1]
        return rows, np.split(needs.astype(np.int64), bounds)

    def _begins(self, number: int, step: int, count: int) -> Ints:
        """Return the begin of each of a rank's `count` tasks in a step."""
        rank = self._ranks[number]
        begin = np.zeros(count, np.int64)
        for lane in rank.trace.header.lanes:
            spans = rank.trace.spans(lane.index)
            spans = spans[spans.of_step(step)]
            begin[spans["task"]] = rank.to_run_clock(spans.start, self._trace.header.origin_ns)
        return begin


def _senders(trace: Trace, rows: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Yield each copy from another rank among a plan's tasks with the task that sent it.

    The first copy from a rank belongs to the first task that sends to the receiver, and so on. If
    their numbers differ, the pairs are unknown.
    """
    lanes = trace.header.lanes
    sends: dict[tuple[int, int], list[int]] = defaultdict(list)
    receives: dict[tuple[int, int], list[int]] = defaultdict(list)
    for task in np.flatnonzero(rows["name"] != ABSENT).tolist():
        name = trace.table.names[rows["name"][task]]
        transfer = _TRANSFER.fullmatch(name)
        if transfer is None:
            continue
        own = lanes[rows["lane"][task]].serves
        other = int(transfer[2])
        if transfer[1] == "from":
            receives[other, own].append(task)
        else:
            sends[own, other].append(task)
    for ranks, copies in receives.items():
        senders = sends.get(ranks, [])
        if len(senders) == len(copies):
            yield from zip(copies, senders, strict=True)


def _sent_times(senders: dict[int, int], lanes: Sequence[Spans]) -> dict[tuple[int, int], int]:
    """Return the time at which the data of each copy was sent, by the copy's step and row."""
    copies = {sender: copy for copy, sender in senders.items()}
    sent: dict[tuple[int, int], int] = {}
    if not copies:
        return sent
    for spans in lanes:
        sending = spans[np.isin(spans.row, list(copies))]
        steps = sending.step.tolist()
        rows = sending.row.tolist()
        for step, row, start in zip(steps, rows, sending.start.tolist(), strict=True):
            sent[step, copies[row]] = start
    return sent


def _starting_when_sent(spans: Spans, sent: dict[tuple[int, int], int]) -> Spans:
    """Return spans in which copies from other ranks start when their data was sent."""
    if not sent:
        return spans
    keys = zip(spans.step.tolist(), spans.row.tolist(), strict=True)
    earliest = np.array([sent.get(key, EARLIEST) for key in keys], np.int64)
    # At most the end of the span, because clocks of two ranks agree only within a half-width.
    start = np.minimum(np.maximum(spans.start, earliest), spans.end)
    return replace(spans, start=start)

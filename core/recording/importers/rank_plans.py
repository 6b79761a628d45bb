"""Merges the plans of a job's ranks into plans of the run.

No task waits for a later one. A copy from another rank waits for the task that sent it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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

_TasksOfRanks = dict[tuple[int, int], list[int]]
"""Tasks by the ranks of sender and receiver."""
_SentTimes = dict[tuple[int, int], int]
"""Times in ns by the step and the row of a copy."""


@dataclass(frozen=True, slots=True)
class _Tasks:
    """The n tasks of a plan of the run, by rank.

    `needs` has for each task the positions of the tasks that it waits for. The tasks of rank r are
    those from `bounds[r]` up to `bounds[r + 1]`.
    """

    rows: NDArray[Any]
    needs: list[Ints]
    bounds: list[int]


class MergedPlans:
    """Plans of the run, one for each combination of the ranks' plans in a step.

    `places` has the run's lane for each lane of each rank. `senders` maps each copy from another
    rank to the task that sent it, both as rows of the run's table.
    """

    def __init__(
        self, trace: Trace, ranks: Sequence[RankRecording], places: list[list[int]]
    ) -> None:
        self._trace = trace
        self._ranks = ranks
        self._places = places
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
        """Replace the ranks' recordings by later ones, and forget the steps but keep the plans."""
        self._ranks = ranks
        self._plan_of_step.clear()

    def lanes(self) -> list[tuple[int, Spans]]:
        """Return each lane of the run with its spans of the steps that were added."""
        lanes = []
        for number, rank in enumerate(self._ranks):
            for lane in rank.trace.header.lanes:
                place = self._places[number][lane.index]
                lanes.append((place, self.spans(number, lane.index)))
        all_spans = [spans for _, spans in lanes]
        sent = _sent_times(self.senders, all_spans)
        shifted = []
        for place, spans in lanes:
            spans = _starting_when_sent(spans, sent)
            shifted.append((place, spans))
        return shifted

    def spans(self, number: int, lane: int) -> Spans:
        """Return a rank's lane in the steps that were added, with rows and times of the run."""
        rank = self._ranks[number]
        origin = self._trace.header.origin_ns
        plan_of_step = self._plan_of_step
        spans = rank.trace.spans(lane)
        added_steps = list(plan_of_step)
        is_added = np.isin(spans.step, added_steps)
        spans = spans[is_added]
        task = spans["task"]
        steps = spans.step.tolist()
        plans = [plan_of_step[step] for step in steps]
        plan = np.array(plans, np.int64)
        row = np.zeros(len(spans), np.int32)
        for each in np.unique(plan).tolist():
            is_of_plan = plan == each
            row_of_task = self._rows[each][number]
            tasks_of_plan = task[is_of_plan]
            row[is_of_plan] = row_of_task[tasks_of_plan]
        start = rank.to_run_clock(spans["start"], origin)
        end = rank.to_run_clock(spans["end"], origin)
        ready = rank.to_run_clock(spans["ready"], origin)
        launched = rank.to_run_clock(spans["launched"], origin)
        return Spans(
            table=self._trace.table,
            start=start,
            end=end,
            step=spans.step,
            row=row,
            ready=ready,
            launched=launched,
        )

    def _add_plan(self, key: Sequence[int], step: int) -> None:
        """Add a plan to the table, with tasks in the order in which they began in `step`."""
        tasks = self._concatenated(key)
        rows = tasks.rows
        needs = tasks.needs
        begins = []
        for number, (first, last) in enumerate(pairwise(tasks.bounds)):
            count = last - first
            begins.append(self._begins(number, step, count))
        begin = np.concatenate(begins)
        senders = dict(_senders(self._trace, rows))
        for copy, sender in senders.items():
            needs_of_copy = needs[copy]
            needs[copy] = np.append(needs_of_copy, sender)
            # Clocks of two ranks agree only within a half-width, so a copy may seem to begin before
            # it was sent.
            sent = begin[sender]
            begin[copy] = max(begin[copy], sent)
        copies = list(senders)
        is_copy = np.zeros(len(rows), np.bool_)
        is_copy[copies] = True
        # Sorted by begin; of tasks that begin together, copies are last. So no task waits for a
        # later one, which a table of tasks does not allow.
        order = np.lexsort((is_copy, begin))
        # The inverse permutation: the new position of each task.
        place = np.argsort(order)
        table = self._trace.table
        first_row = len(table)
        sorted_needs = []
        counts = []
        for task in order.tolist():
            needs_of_task = needs[task]
            counts.append(len(needs_of_task))
            sorted_needs.append(place[needs_of_task])
        rows = rows[order]
        rows["after_count"] = counts
        all_needs = np.concatenate(sorted_needs)
        table.add(rows, all_needs.astype(np.int32))
        row_of_task = first_row + place
        for copy, sender in senders.items():
            copy_row = row_of_task[copy]
            self.senders[copy_row] = row_of_task[sender]
        rows_of_ranks = np.split(row_of_task, tasks.bounds[1:-1])
        self._rows.append(rows_of_ranks)

    def _concatenated(self, key: Sequence[int]) -> _Tasks:
        """Return the tasks of the ranks' plans, one rank after another."""
        all_rows: list[NDArray[Any]] = []
        all_needs: list[Ints] = []
        bounds = [0]
        first = 0
        for number, plan in enumerate(key):
            rows, needs = self._plan_of_rank(number, plan)
            all_rows.append(rows)
            all_needs += [need + first for need in needs]
            first += len(rows)
            bounds.append(first)
        return _Tasks(
            rows=np.concatenate(all_rows),
            needs=all_needs,
            bounds=bounds,
        )

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
        name_codes = rows["name"]
        for task in np.flatnonzero(has_name).tolist():
            code = name_codes[task]
            name = table.names[code]
            name_codes[task] = names.place(name)
        tasks = np.arange(where.start, where.stop)
        counts, needs = table.needs(tasks)
        needs = needs.astype(np.int64)
        bounds = np.cumsum(counts)[:-1]
        return rows, np.split(needs, bounds)

    def _begins(self, number: int, step: int, count: int) -> Ints:
        """Return the begin of each of a rank's `count` tasks in a step."""
        rank = self._ranks[number]
        origin = self._trace.header.origin_ns
        begin = np.zeros(count, np.int64)
        for lane in rank.trace.header.lanes:
            spans = rank.trace.spans(lane.index)
            spans = spans[spans.of_step(step)]
            tasks = spans["task"]
            begin[tasks] = rank.to_run_clock(spans.start, origin)
        return begin


def _senders(trace: Trace, rows: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Yield each copy from another rank among a plan's tasks with the task that sent it.

    The first copy from a rank belongs to the first task that sends to the receiver, and so on. If
    there are more of one than of the other, the pairs are unknown and not yielded.
    """
    lanes = trace.header.lanes
    names = trace.table.names
    sends: _TasksOfRanks = defaultdict(list)
    receives: _TasksOfRanks = defaultdict(list)
    has_name = rows["name"] != ABSENT
    for task in np.flatnonzero(has_name).tolist():
        row = rows[task]
        name = names[row["name"]]
        transfer = _TRANSFER.fullmatch(name)
        if transfer is None:
            continue
        lane = lanes[row["lane"]]
        own = lane.serves
        other = int(transfer[2])
        if transfer[1] == "from":
            receives[other, own].append(task)
        else:
            sends[own, other].append(task)
    for ranks, copies in receives.items():
        senders = sends.get(ranks, [])
        if len(senders) == len(copies):
            yield from zip(copies, senders, strict=True)


def _sent_times(senders: dict[int, int], lanes: Sequence[Spans]) -> _SentTimes:
    """Return the time in ns at which the data of each copy was sent."""
    sent: _SentTimes = {}
    if not senders:
        return sent
    copies = {sender: copy for copy, sender in senders.items()}
    sending_rows = list(copies)
    for spans in lanes:
        is_sending = np.isin(spans.row, sending_rows)
        sending = spans[is_sending]
        steps = sending.step.tolist()
        rows = sending.row.tolist()
        starts = sending.start.tolist()
        for step, row, start in zip(steps, rows, starts, strict=True):
            copy = copies[row]
            sent[step, copy] = start
    return sent


def _starting_when_sent(spans: Spans, sent: _SentTimes) -> Spans:
    """Return spans in which copies from other ranks start when their data was sent."""
    if not sent:
        return spans
    steps = spans.step.tolist()
    rows = spans.row.tolist()
    keys = zip(steps, rows, strict=True)
    sent_of_span = [sent.get(key, EARLIEST) for key in keys]
    earliest = np.array(sent_of_span, np.int64)
    start = np.maximum(spans.start, earliest)
    # At most the end of the span, because clocks of two ranks agree only within a half-width.
    start = np.minimum(start, spans.end)
    return replace(spans, start=start)

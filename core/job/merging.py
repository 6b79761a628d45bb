"""Merges the streams of a job's ranks into one run's stream, step by step as they arrive.

**Every item arrives exactly once.** A rank's batches arrive in the order in which it wrote them,
each once (core.recorder.wire). A step waits until every rank has sent it. Then it is sent, once:
`_last_step` is the last step that was sent, and only later steps are considered. A step that a rank
has skipped is sent for no rank and is counted in `left_out`. The numbers of a step, such as its
loss, arrive after it and before the next step. They are sent, once, when every rank has passed the
step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.counts import ranks_text
from core.message import counted, message
from core.plan.task import ABSENT
from core.recording.decode import append_batch, numbers_of, parts_of
from core.recording.exporters.recording import table_plan_batch
from core.recording.importers.rank_plans import EARLIEST, MergedPlans
from core.recording.importers.rank_recording import RankRecording, clock_comparisons
from core.recording.importers.ranks import merge_counters, merge_headers
from core.recording.schema import NoteRow, Record, Timings, note_batch, span_batch
from core.trace.event_rows import Counter
from core.trace.header import Header
from core.trace.spans import Spans
from core.trace.step_bounds import StepBounds
from core.trace.trace import STATE_LEVEL, Trace

MOST_SPANS = 1 << 20
"""Most spans of a rank that wait for other ranks. Beyond it the rank's oldest steps are dropped."""
MOST_TASKS = 1 << 22
"""Most tasks in a rank's plans. No real job has more."""
MOST_NUMBERS = 1 << 20
"""Most numbers that a rank may send for steps that the run does not have yet."""


class RankStream:
    """The part of a rank's stream that is not merged yet, and its clock comparisons."""

    def __init__(self, number: int, header: Header) -> None:
        """Raise ValueError if the header does not fit the rank's number."""
        if not 0 <= number < header.replicas:
            raise ValueError(
                message(
                    "rank {number} is not in a job of {ranks}",
                    number=number,
                    ranks=ranks_text(header.replicas),
                )
            )
        self.number = number
        self.header = header
        self.trace = Trace(header)
        self.clocks: list[tuple[int, int, float]] = []
        self.device = 0.0
        self.has_ended = False
        self.latest = -1
        self._logs = 0

    def take(self, batch: pa.RecordBatch) -> None:
        """Append a batch. Raise ValueError or LookupError for invalid rows."""
        self._check_new(batch)
        append_batch(self.trace, batch)
        compared, width = clock_comparisons(batch)
        self.clocks = self.clocks + compared
        self.device = max(self.device, width)
        self.trace.clocks.clear()  # kept in self.clocks; here they would grow with the run
        if self.trace.steps:
            self.latest = max(self.latest, self.trace.steps[-1])
        if len(self.trace.table) > MOST_TASKS:
            raise ValueError(
                message(
                    "rank {number} has sent more than {most:,} tasks",
                    number=self.number,
                    most=MOST_TASKS,
                )
            )
        if sum(map(len, self.trace.counters.values())) > MOST_NUMBERS:
            text = message(
                "rank {number} has sent more than {most:,} numbers of future steps",
                number=self.number,
                most=MOST_NUMBERS,
            )
            raise ValueError(text)

    def _check_new(self, batch: pa.RecordBatch) -> None:
        """Raise ValueError unless each step arrives once, complete, and after earlier steps."""
        spans = parts_of(batch).get(Record.SPAN)
        if spans is None:
            return
        step = numbers_of(spans, "step").astype(np.int64)
        task = numbers_of(spans, "task")
        if step.min() <= self.latest:
            raise ValueError(message("step {step} arrives twice", step=step.min()))
        step_and_task = (step << 32) + task  # a task's number has 32 bits
        if len(np.unique(step_and_task)) < len(step):
            raise ValueError(message("a task of a step arrives twice"))

    def seen(self) -> RankRecording:
        """Return the part not merged yet, and the offset to rank 0's clock if it is known."""
        at = np.zeros(0, np.int64)
        ahead = np.zeros(0, np.int64)
        half_width = np.zeros(0)
        if self.clocks:
            # Only the first comparison counts, so that spans already shown do not move.
            first_at, first_ahead, first_width = self.clocks[0]
            at = np.array([first_at], np.int64)
            ahead = np.array([first_ahead], np.int64)
            half_width = np.array([first_width], np.float64)
        return RankRecording(
            path=Path(f"rank-{self.number}"),
            trace=self.trace,
            warning="",
            at=at,
            ahead=ahead,
            half=half_width,
        )

    @property
    def half_width(self) -> float:
        """The uncertainty of its times in ns; includes the clocks' drift once it is known."""
        if not self.clocks:
            return math.inf
        _, first, width = self.clocks[0]
        widths = [width]
        for _, ahead, half_width in self.clocks[1:]:
            widths.append(abs(ahead - first) + half_width)
        return self.device + max(widths)

    @property
    def drifts(self) -> bool:
        """True if its clock was compared only at the beginning; rank 0 has the run's clock."""
        return self.number > 0 and len(self.clocks) == 1

    def drop(self, last: int) -> None:
        """Drop the spans of the steps up to `last`, and the numbers of the steps before it."""
        old = self.trace
        steps = StepBounds()
        counters = {}
        for key, counter in old.counters.items():
            is_kept = counter.steps >= last
            columns = {name: column[is_kept] for name, column in counter.arrays.items()}
            counters[key] = Counter(*key, columns)
        lanes = []
        for lane in old.lanes:
            kept = lane[lane.step > last]
            steps.widen(kept.step, kept.start, kept.end)
            lanes.append(kept)
        self.trace = Trace(
            header=old.header,
            table=old.table,
            lanes=lanes,
            step_table=steps,
            counters=counters,
            logs=old.logs,
            version=old.version,
        )

    def new_logs(self, origin: int) -> list[NoteRow]:
        """Return its log lines since the last call, except the line about its end."""
        logs = self.trace.logs
        seen = self.seen()
        rows = []
        for place in range(self._logs, len(logs)):
            line = logs[place]
            if line.level == STATE_LEVEL:
                continue
            (time,) = seen.to_run_clock(np.array([line.time]), origin).tolist()
            rows.append(NoteRow(Record.LOG, line.level, time, line.step, text=line.text))
        self._logs = len(logs)
        return rows


class RankMerger:
    """Merges the streams of all ranks, once each of them has begun."""

    def __init__(self, ranks: list[RankStream]) -> None:
        """Take the ranks in order. Raise ValueError if they have too many lanes."""
        self.ranks = ranks
        seen = [rank.seen() for rank in ranks]
        # The lanes of all ranks are renumbered; `places` has the new number of each rank's lanes.
        self.header, self._places = merge_headers(seen)
        self._trace = Trace(self.header)
        self._plans = MergedPlans(self._trace, seen, self._places)
        self._last_step = -1
        self._numbered = -1
        self._sent_plans = 0
        self._latest = [(EARLIEST, -1)] * len(self.header.lanes)
        self.left_out = 0

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield batches of the steps that every rank has sent by now.

        Raise ValueError or LookupError for invalid streams.
        """
        complete, passed = self._decided()
        if complete:
            yield from self._steps(complete)
        notes = []
        if passed:
            self._last_step = passed[-1]
            # More numbers of the last step may arrive: no rank may have begun the next step yet.
            notes += self._numbers(self._last_step - 1)
            # Drop also steps that some ranks lack: they cannot be completed and would stay in
            # memory.
            for rank in self.ranks:
                rank.drop(self._last_step)
        self.left_out += len(passed) - len(complete)
        for rank in self.ranks:
            notes += rank.new_logs(self.header.origin_ns)
        if notes:
            yield note_batch(notes)

    def last(self) -> Iterator[pa.RecordBatch]:
        """Yield the last batches, once all ranks have ended."""
        yield from self.batches()
        last_step = max(0, self._last_step)
        notes = self._clocks([last_step])
        notes += self._numbers(self._last_step)
        if self.left_out:
            text = counted(
                "{n:,} step is not in every rank's stream: it is left out",
                "{n:,} steps are not in every rank's stream: they are left out",
                self.left_out,
            )
            _, end = self._trace.bounds
            notes.append(NoteRow(Record.LOG, "warning", end, text=str(text)))
        yield note_batch(notes)

    def _numbers(self, last: int) -> list[NoteRow]:
        """Return the numbers of the run's steps up to `last` that were not returned yet."""
        known = self._trace.step_table.numbers
        steps = known[(known > self._numbered) & (known <= last)]
        self._numbered = last
        seen = [rank.seen() for rank in self.ranks]
        counters = merge_counters(seen, self._places, steps, self.header.origin_ns)
        rows = []
        for (name, lane), counter in counters.items():
            columns = counter.times.tolist(), counter.steps.tolist(), counter.values.tolist()
            for time, step, value in zip(*columns, strict=True):
                rows.append(NoteRow(Record.COUNTER, name, time, step, lane, value))
        return rows

    def _decided(self) -> tuple[list[int], list[int]]:
        """Return the new steps that all ranks have sent, and all new steps that are decided."""
        # A rank sends its steps in order, so all steps up to the slowest rank's latest are decided.
        latest = [rank.latest for rank in self.ranks if not rank.has_ended]
        reach = min(latest, default=math.inf)
        for rank in self.ranks:
            # A rank whose steps wait for a silent rank would fill the memory. Then half of its
            # steps are decided without the silent rank.
            if rank.trace.span_count > MOST_SPANS:
                steps = rank.trace.steps
                reach = max(reach, steps[len(steps) // 2])
        steps_of_ranks = [set(rank.trace.steps) for rank in self.ranks]
        every = set.union(*steps_of_ranks)
        common = set.intersection(*steps_of_ranks)
        passed = sorted(step for step in every if self._last_step < step <= reach)
        sent_by_all = [step for step in passed if step in common]
        return sent_by_all, passed

    def _steps(self, steps: list[int]) -> Iterator[pa.RecordBatch]:
        """Yield the plans, spans and clocks of some steps."""
        self._plans.next_round([rank.seen() for rank in self.ranks])
        for step in steps:
            self._plans.add(step)
        table = self._trace.table
        # A plan is sent once, before the first spans that refer to it.
        for number in range(self._sent_plans, len(table.firsts) - 1):
            yield table_plan_batch(table, number)
        self._sent_plans = len(table.firsts) - 1
        timings: list[Timings] = []
        for place, spans in self._plans.lanes():
            self._check_order(place, spans)
            self._trace.step_table.widen(spans.step, spans.start, spans.end)
            timings += _timings(place, spans)
        yield span_batch(*timings)
        yield note_batch(self._clocks(steps))

    def _check_order(self, place: int, spans: Spans) -> None:
        """Raise ValueError unless a lane's steps are in time order."""
        start, step = self._latest[place]
        starts = np.append(start, spans.start)
        steps = np.append(step, spans.step)
        order = np.argsort(starts, kind="stable")
        if (np.diff(steps[order]) < 0).any():
            raise ValueError(message("a lane's steps go back in time"))
        last = order[-1]
        self._latest[place] = int(starts[last]), int(steps[last])

    def _clocks(self, steps: list[int]) -> list[NoteRow]:
        """Return the uncertainty of each rank's times in some steps, where it was measured."""
        time = max(0, self._trace.bounds[1])
        rows = []
        for rank in self.ranks:
            for step in steps if rank.clocks else ():
                name = f"rank-{rank.number}"
                rows.append(NoteRow(Record.CLOCK, name, time, step, value=rank.half_width))
        return rows


def _timings(place: int, spans: Spans) -> Iterator[Timings]:
    """Yield a lane's spans by plan and step, because ranks may follow several plans in a step."""
    plans = spans["plan"]
    pairs = set(zip(plans.tolist(), spans.step.tolist(), strict=True))
    for plan, step in sorted(pairs):
        some = spans[(plans == plan) & (spans.step == step)]
        yield Timings(
            plan=plan,
            step=step,
            task=some["task"].astype(np.int64),
            start=some.start,
            end=some.end,
            ready=some["ready"],
            launched=some["launched"],
            # A span names its lane only if it differs from its task's lane.
            lane=np.where(some["lane"] == place, ABSENT, place),
        )

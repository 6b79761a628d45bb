"""Ranks' streams as one run's stream, step by step, while they come.

**Every item arrives exactly once.** A rank's batches come in the order in which it wrote them, each
once (core.recorder.wire). A step waits here until every rank has sent it; then it goes out, once:
`_told` is the last step that has, and only later ones are looked at. A step that a rank has passed
by without telling it goes out for no rank, and is counted in `left_out`. What is told of a step
(`record.tell`) comes behind it and before the next one: it goes out, once, when every rank has
passed the step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.plan.task import ABSENT
from core.recording.decode import append_batch, numbers_of, parts_of
from core.recording.exporters.recording import table_plan_batch
from core.recording.importers.ranks import (
    LEAST,
    Plans,
    Rank,
    clocks_of,
    joint_header,
    told_numbers,
)
from core.recording.schema import NoteRow, Record, Timings, note_batch, span_batch
from core.trace.event_rows import Counter
from core.trace.header import Header
from core.trace.spans import Spans
from core.trace.step_bounds import StepBounds
from core.trace.trace import STATE_LEVEL, Trace

MOST_SPANS = 1 << 20
"""Of a rank that wait for other ranks; beyond them its oldest steps are left out."""
MOST_TASKS = 1 << 22
"""Of a rank's plans: a job that tells more of them is none."""
MOST_NUMBERS = 1 << 20
"""That a rank has told of steps which the run does not have yet."""


class Coming:
    """A rank's stream so far: what the run has not taken yet, and what was said of its clock."""

    def __init__(self, number: int, header: Header) -> None:
        """Raises ValueError for a header that no rank has."""
        if not 0 <= number < header.replicas:
            raise ValueError(f"rank {number} is none of a job of {header.replicas}")
        self.number, self.header = number, header
        self.trace = Trace(header)
        self.clocks: list[tuple[int, int, float]] = []
        self.device = 0.0
        self.has_ended = False
        self.latest = -1
        self._logs = 0

    def take(self, batch: pa.RecordBatch) -> None:
        """Take what came. Raises ValueError or LookupError for rows that no run has."""
        self._check_new(batch)
        append_batch(self.trace, batch)
        compared, width = clocks_of(batch)
        self.clocks, self.device = self.clocks + compared, max(self.device, width)
        self.trace.clocks.clear()  # they are kept above, and would grow with the run
        self.latest = max([self.latest, *self.trace.steps[-1:]])
        if len(self.trace.table) > MOST_TASKS:
            raise ValueError(f"rank {self.number} tells more than {MOST_TASKS:,} tasks")
        if sum(map(len, self.trace.counters.values())) > MOST_NUMBERS:
            text = f"rank {self.number} tells more than {MOST_NUMBERS:,} numbers of steps to come"
            raise ValueError(text)

    def _check_new(self, batch: pa.RecordBatch) -> None:
        """A step comes once and as a whole, and after those before it."""
        spans = parts_of(batch).get(Record.SPAN)
        if spans is None:
            return
        step, task = numbers_of(spans, "step").astype(np.int64), numbers_of(spans, "task")
        if step.min() <= self.latest:
            raise ValueError(f"step {step.min()} comes again")
        # Step and task as one number: a task's has 32 bits.
        if len(np.unique((step << 32) + task)) < len(step):
            raise ValueError("a task of a step comes twice")

    def seen(self) -> Rank:
        """What has come and was not taken, on rank 0's clock as far as that is known."""
        columns = list(zip(*self.clocks, strict=True)) or [(), (), ()]
        at, ahead = (np.array(columns[n], np.int64) for n in (0, 1))
        # What the clocks were when it began: what was shown stays where it is.
        half = np.array(columns[2][:1], np.float64)
        return Rank(Path(f"rank-{self.number}"), self.trace, "", at[:1], ahead[:1], half)

    @property
    def half_width(self) -> float:
        """How far its times may be off in ns: at the end the clocks' drift is known too."""
        if not self.clocks:
            return math.inf
        _, first, width = self.clocks[0]
        later = (abs(ahead - first) + half for _, ahead, half in self.clocks[1:])
        return self.device + max([width, *later])

    @property
    def drifts(self) -> bool:
        """Whether nothing is known of its clock since the beginning; rank 0 has the run's."""
        return self.number > 0 and len(self.clocks) == 1

    def drop(self, last: int) -> None:
        """Forget the spans of steps up to this one, and the numbers of those before it."""
        old = self.trace
        table, steps = old.table, StepBounds()
        counters = {}
        for key, told in old.counters.items():
            late = told.steps >= last
            counters[key] = Counter(*key, {name: all_[late] for name, all_ in told.arrays.items()})
        lanes = []
        for lane in old.lanes:
            kept = lane[lane.step > last]
            steps.widen(kept.step, kept.start, kept.end)
            lanes.append(kept)
        self.trace = Trace(
            old.header, table, lanes, steps, counters, logs=old.logs, version=old.version
        )

    def lines(self, origin: int) -> list[NoteRow]:
        """What it has logged since it was last asked, but how it ended."""
        fresh = [self.trace.logs[place] for place in range(self._logs, len(self.trace.logs))]
        self._logs = len(self.trace.logs)
        seen = self.seen()
        return [
            NoteRow(Record.LOG, row.level, int(seen.moved(np.array([row.time]), origin)[0]),
                    row.step, text=row.text)
            for row in fresh
            if row.level != STATE_LEVEL
        ]  # fmt: skip


class Joining:
    """The run of all ranks, of which each has begun."""

    def __init__(self, ranks: list[Coming]) -> None:
        """Ranks in their order. Raises ValueError if they have too many lanes."""
        self.ranks = ranks
        seen = [rank.seen() for rank in ranks]
        # Lanes of all ranks are numbered through; `places` says which number each rank's lane got.
        self.header, self._places = joint_header(seen)
        self._trace = Trace(self.header)
        self._plans = Plans(self._trace, seen, self._places)
        self._last_step, self._numbered, self._sent_plans = -1, -1, 0
        self._latest = [(LEAST, -1)] * len(self.header.lanes)
        self.left_out = 0

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Batches of the steps that every rank has delivered by now.

        Raises ValueError or LookupError for streams that no job sends.
        """
        whole, passed = self._decided()
        if whole:
            yield from self._steps(whole)
        # Also steps that not all ranks have: they can come no more, and would stay in memory.
        notes = []
        if passed:
            self._last_step = passed[-1]
            # Of the last one more may come: no rank need have begun the next.
            notes += self._numbers(self._last_step - 1)
            for rank in self.ranks:
                rank.drop(self._last_step)
        self.left_out += len(passed) - len(whole)
        origin = self.header.origin_ns
        notes += [line for rank in self.ranks for line in rank.lines(origin)]
        if notes:
            yield note_batch(notes)

    def last(self) -> Iterator[pa.RecordBatch]:
        """The last batches, once all ranks have ended."""
        yield from self.batches()
        notes = [*self._clocks([max(0, self._last_step)]), *self._numbers(self._last_step)]
        if self.left_out:
            text = f"{self.left_out} steps are not in every rank's stream: they are left out"
            notes.append(NoteRow(Record.LOG, "warning", self._trace.bounds[1], text=text))
        yield note_batch(notes)

    def _numbers(self, last: int) -> list[NoteRow]:
        """What was told of the run's steps up to `last`, from where it was last asked."""
        known = self._trace.step_table.numbers
        steps = known[(known > self._numbered) & (known <= last)]
        self._numbered = last
        seen = [rank.seen() for rank in self.ranks]
        told = told_numbers(seen, self._places, steps, self.header.origin_ns)
        return [
            NoteRow(Record.COUNTER, name, time, step, lane, value)
            for (name, lane), numbers in told.items()
            for time, step, value in zip(
                numbers.times.tolist(), numbers.steps.tolist(), numbers.values.tolist(), strict=True
            )
        ]

    def _decided(self) -> tuple[list[int], list[int]]:
        """Steps that all ranks have sent; and with them those that can come no more."""
        # A rank tells its steps in order, so behind the latest of the slowest rank nothing more
        # comes. A rank that waits with very many spans for one that is silent would fill the
        # memory: half of its steps are decided without that one then.
        reach = min(math.inf if rank.has_ended else rank.latest for rank in self.ranks)
        for rank in self.ranks:
            if rank.trace.span_count > MOST_SPANS:
                reach = max(reach, rank.trace.steps[len(rank.trace.steps) // 2])
        every = [set(rank.trace.steps) for rank in self.ranks]
        passed = sorted(step for step in set.union(*every) if self._last_step < step <= reach)
        common = set.intersection(*every)
        return [step for step in passed if step in common], passed

    def _steps(self, steps: list[int]) -> Iterator[pa.RecordBatch]:
        self._plans.next_round([rank.seen() for rank in self.ranks])
        for step in steps:
            self._plans.add(step)
        table = self._trace.table
        # A plan is sent once, ahead of the first spans that refer to it.
        for number in range(self._sent_plans, len(table.firsts) - 1):
            yield table_plan_batch(table, number)
        self._sent_plans = len(table.firsts) - 1
        timings = []
        for place, spans in self._plans.lanes():
            self._check_order(place, spans)
            self._trace.step_table.widen(spans.step, spans.start, spans.end)
            # Timings are of one plan and one step each; ranks may follow several plans in a step.
            for plan, step in sorted(
                set(zip(spans["plan"].tolist(), spans.step.tolist(), strict=True))
            ):
                some = spans[(spans["plan"] == plan) & (spans.step == step)]
                # The lane is told only where it is not the task's own.
                lane = np.where(some["lane"] == place, ABSENT, place)
                timings.append(
                    Timings(plan, step, some["task"].astype(np.int64), some.start, some.end,
                            some["ready"], some["launched"], lane)
                )  # fmt: skip
        yield span_batch(*timings)
        yield note_batch(self._clocks(steps))

    def _check_order(self, place: int, spans: Spans) -> None:
        """A lane's steps follow each other, or whoever draws could not."""
        start, step = self._latest[place]
        starts, steps = np.append(start, spans.start), np.append(step, spans.step)
        order = np.argsort(starts, kind="stable")
        if (np.diff(steps[order]) < 0).any():
            raise ValueError("a lane's steps go back in time")
        self._latest[place] = int(starts[order[-1]]), int(steps[order[-1]])

    def _clocks(self, steps: list[int]) -> list[NoteRow]:
        """How far each rank's times may be off in some steps, where that was measured."""
        return [
            NoteRow(Record.CLOCK, f"rank-{rank.number}", max(0, self._trace.bounds[1]), step,
                    value=rank.half_width)
            for rank in self.ranks
            for step in steps
            if rank.clocks
        ]  # fmt: skip

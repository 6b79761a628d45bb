"""Activity of the lanes of a run at each moment of a range of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Floats, Ints
from core.explain.blockers import BlockerWaits
from core.explain.lane_memory import held_bytes
from core.order import stable_argsort
from core.plan.task import ABSENT
from core.trace.dependencies import LaneLinks
from core.trace.step import StepColumns
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class LaneMoment:
    """Activity of a lane at a moment.

    `running` is the index of the span that runs, in the lane's spans, and `wait` the position of
    the wait that goes on, in the film's waits; each is ABSENT if there is none. `held` is the
    memory in bytes, None if it was not recorded.
    """

    lane: int
    running: int = ABSENT
    wait: int = ABSENT
    held: float | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """A task that ended, and a task of another lane that waited for it. Times are ns."""

    source_lane: int
    source_start: int
    source_end: int
    lane: int
    start: int
    end: int


class Film:
    """The time from `start` to `end` ns of a trace, with the lanes' waits and dependencies.

    Without `waits`, idle lanes have no wait; without `links`, nothing arrives.
    """

    def __init__(
        self,
        trace: Trace,
        start: int,
        end: int,
        waits: BlockerWaits | None = None,
        links: LaneLinks | None = None,
    ) -> None:
        """Raises ValueError if the range is empty."""
        if end <= start:
            raise ValueError(f"the range {start} to {end} ns is empty")
        self.trace = trace
        self.start = start
        self.end = end
        self.waits = waits
        self.lanes = [lane.index for lane in trace.header.compute_lanes]
        self._memory = {lane: held_bytes(trace, lane) for lane in self.lanes}
        ends = trace.step_table.ends
        self._step_ends: Ints = np.sort(ends[(ends > start) & (ends < end)])
        self._links = links
        # Links are sorted by the start of the waiting task; arrivals by the end of the other one.
        self._by_end: Ints = np.empty(0, np.int64)
        if links is not None:
            self._by_end = stable_argsort(links.needed_end)
            self._ends = links.needed_end[self._by_end]

    @property
    def length(self) -> int:
        """The length in ns."""
        return self.end - self.start

    def at(self, time: float) -> list[LaneMoment]:
        """Return the activity of each compute lane at a time in ns; a span ends before its end."""
        return [self._lane_at(lane, int(time)) for lane in self.lanes]

    def next_event(self, time: float) -> int:
        """Return the next start or end of a span after a time; the film's end if there is none."""
        least = self.end
        for lane in self.lanes:
            spans = self.trace.spans(lane)
            for column in (spans.start, spans.end):
                index = int(column.searchsorted(int(time), "right"))
                if index < len(column):
                    least = min(least, int(column[index]))
        return least

    def previous_event(self, time: float) -> int:
        """Return the last start or end of a span before a time; else the film's start."""
        most = self.start
        # A float is rounded up, so that an event earlier in the same nanosecond counts.
        moment = int(np.ceil(time))
        for lane in self.lanes:
            spans = self.trace.spans(lane)
            for column in (spans.start, spans.end):
                index = int(column.searchsorted(moment)) - 1
                if index >= 0:
                    most = max(most, int(column[index]))
        return most

    def next_step_end(self, time: float) -> int | None:
        """Return the first end of a step after a time, before the film's end; None without one."""
        place = int(self._step_ends.searchsorted(time, "right"))
        return int(self._step_ends[place]) if place < len(self._step_ends) else None

    def arrivals(self, after: float, until: float, most: int) -> list[Arrival]:
        """Return the arrivals in a range of time in ns: the latest `most`, in order of time.

        The range does not contain `after`.
        """
        links = self._links
        if links is None or not len(self._by_end):
            return []
        first, last = np.searchsorted(self._ends, [after, until], "right").tolist()
        found = []
        for place in self._by_end[max(first, last - most) : last].tolist():
            found.append(
                Arrival(
                    int(links.needed_lane[place]),
                    int(links.needed_start[place]),
                    int(links.needed_end[place]),
                    int(links.lane[place]),
                    int(links.start[place]),
                    int(links.end[place]),
                )
            )
        return found

    def _lane_at(self, lane: int, time: int) -> LaneMoment:
        spans = self.trace.spans(lane)
        held = self._held(lane, time)
        # A lane's spans do not overlap: only the last one that has started can still run.
        index = int(spans.start.searchsorted(time, "right")) - 1
        if index >= 0 and time < spans.end[index]:
            return LaneMoment(lane, running=index, held=held)
        return LaneMoment(lane, wait=self._wait(lane, time), held=held)

    def _wait(self, lane: int, time: int) -> int:
        waits = self.waits
        if waits is None or lane + 1 >= len(waits.lane_first):
            return ABSENT
        of_lane = waits.of_lane(lane)
        place = of_lane.start + int(waits.start[of_lane].searchsorted(time, "right")) - 1
        goes_on = place >= of_lane.start and time < waits.end[place]
        return place if goes_on else ABSENT

    def _held(self, lane: int, time: int) -> float | None:
        times, held = self._memory[lane]
        if not len(times):
            return None
        index = int(times.searchsorted(time, "right")) - 1
        return float(held[index]) if index >= 0 else 0.0


def links_of_step(columns: StepColumns) -> LaneLinks:
    """Return the dependencies between lanes of a step, sorted by the start of the waiting task."""
    waiter = np.repeat(np.arange(len(columns)), np.diff(columns.after_first))
    needed = columns.after
    between_lanes = columns.lane[needed] != columns.lane[waiter]
    waiter = waiter[between_lanes]
    needed = needed[between_lanes]
    order = stable_argsort(columns.start[waiter])
    waiter = waiter[order]
    needed = needed[order]
    return LaneLinks(
        needed_lane=columns.lane[needed],
        needed_start=columns.start[needed],
        needed_end=columns.end[needed],
        lane=columns.lane[waiter],
        start=columns.start[waiter],
        end=columns.end[waiter],
    )


def frame_times(length: float, seconds: float, per_second: float) -> Floats:
    """Return the moments of the frames of a film: from 0 to `length` ns, both included.

    The film takes `seconds`, with about `per_second` frames each, and has at least two frames.
    """
    count = max(2, round(seconds * per_second) + 1)
    return np.linspace(0.0, length, count)


def lead_at(lengths: Sequence[float], time: float) -> float:
    """Return how long the first of two films to end has ended at a time, in ns; 0 before that."""
    lasts = min(max(lengths), time)
    return max(0.0, lasts - min(lengths))

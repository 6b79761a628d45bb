"""Activity of the lanes of a run at each moment of a range of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Floats, Ints
from core.explain.blockers import BlockerWaits
from core.explain.lane_memory import held_bytes
from core.order import stable_argsort
from core.plan.plan import lane_indices
from core.plan.task import ABSENT
from core.trace.dependencies import LaneLinks
from core.trace.step import StepColumns
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class LaneMoment:
    """Activity of a lane at a moment.

    `running` is the position of the running span among the lane's spans, and `wait` the position
    of the current wait among the film's waits; each is ABSENT if there is none. `held` is the
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

    Without `waits`, idle lanes have no wait; without `links`, there are no arrivals.
    """

    def __init__(
        self,
        trace: Trace,
        start: int,
        end: int,
        waits: BlockerWaits | None = None,
        links: LaneLinks | None = None,
    ) -> None:
        """Prepare the range for lookups. Raises ValueError if it is empty."""
        if end <= start:
            raise ValueError(f"the range {start} to {end} ns is empty")
        self.trace = trace
        self.start = start
        self.end = end
        self.waits = waits
        self.lanes = lane_indices(trace.header.compute_lanes)
        self._memory = {lane: held_bytes(trace, lane) for lane in self.lanes}
        ends = trace.step_table.ends
        is_within = (ends > start) & (ends < end)
        self._step_ends: Ints = np.sort(ends[is_within])
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
        """Return the activity of each compute lane at a time in ns. At its end, a span is over."""
        moment = int(time)
        return [self._lane_at(lane, moment) for lane in self.lanes]

    def next_event(self, time: float) -> int:
        """Return the next start or end of a span after a time; at most the film's end."""
        least = self.end
        moment = int(time)
        for lane in self.lanes:
            spans = self.trace.spans(lane)
            for column in (spans.start, spans.end):
                index = int(column.searchsorted(moment, "right"))
                if index < len(column):
                    event = int(column[index])
                    least = min(least, event)
        return least

    def previous_event(self, time: float) -> int:
        """Return the last start or end of a span before a time; at least the film's start."""
        most = self.start
        # A float is rounded up, so that an event earlier in the same nanosecond counts.
        moment = int(np.ceil(time))
        for lane in self.lanes:
            spans = self.trace.spans(lane)
            for column in (spans.start, spans.end):
                index = int(column.searchsorted(moment)) - 1
                if index >= 0:
                    event = int(column[index])
                    most = max(most, event)
        return most

    def next_step_end(self, time: float) -> int | None:
        """Return the first end of a step after a time, before the film's end; None without one."""
        ends = self._step_ends
        place = int(ends.searchsorted(time, "right"))
        if place == len(ends):
            return None
        return int(ends[place])

    def arrivals(self, after: float, until: float, most: int) -> list[Arrival]:
        """Return the arrivals in a range of time in ns: the latest `most`, in order of time.

        The range does not contain `after`.
        """
        links = self._links
        if links is None or not len(self._by_end):
            return []
        bounds = np.searchsorted(self._ends, [after, until], "right")
        first, last = bounds.tolist()
        first = max(first, last - most)
        found = []
        for place in self._by_end[first:last].tolist():
            arrival = Arrival(
                source_lane=int(links.needed_lane[place]),
                source_start=int(links.needed_start[place]),
                source_end=int(links.needed_end[place]),
                lane=int(links.lane[place]),
                start=int(links.start[place]),
                end=int(links.end[place]),
            )
            found.append(arrival)
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
        begun = int(waits.start[of_lane].searchsorted(time, "right"))
        if not begun:
            return ABSENT
        last = of_lane.start + begun - 1
        goes_on = time < waits.end[last]
        return last if goes_on else ABSENT

    def _held(self, lane: int, time: int) -> float | None:
        times, held = self._memory[lane]
        if not len(times):
            return None
        count = int(times.searchsorted(time, "right"))
        if not count:
            return 0.0
        return float(held[count - 1])


def links_of_step(columns: StepColumns) -> LaneLinks:
    """Return the dependencies between lanes of a step, sorted by the start of the waiting task."""
    lane = columns.lane
    start = columns.start
    end = columns.end
    waiter = columns.waiters
    needed = columns.after
    between_lanes = lane[needed] != lane[waiter]
    waiter = waiter[between_lanes]
    needed = needed[between_lanes]
    order = stable_argsort(start[waiter])
    waiter = waiter[order]
    needed = needed[order]
    return LaneLinks(
        needed_lane=lane[needed],
        needed_start=start[needed],
        needed_end=end[needed],
        lane=lane[waiter],
        start=start[waiter],
        end=end[waiter],
    )


def frame_times(length: float, seconds: float, per_second: float) -> Floats:
    """Return the moments of the frames of a film: from 0 to `length` ns, both included.

    The film takes `seconds`, with about `per_second` frames each, and has at least two frames.
    """
    count = max(2, round(seconds * per_second) + 1)
    return np.linspace(0.0, length, count)


def lead_at(lengths: Sequence[float], time: float) -> float:
    """Return the ns from the end of the shorter film to `time`; 0 before it ends.

    The result no longer grows when the longer film has ended too.
    """
    shorter = min(lengths)
    longer = max(lengths)
    shown = min(longer, time)
    return max(0.0, shown - shorter)

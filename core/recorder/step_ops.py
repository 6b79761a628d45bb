"""The operations of the step that goes on, and the time that belongs to no step."""

from __future__ import annotations

import time
from collections.abc import Callable

from .rank_step import DATA, Op

MOST_OPS = 200_000
"""Operations kept for one step; more, as in a job that never updates its model, are counted."""


class StepOps:
    """Keeps what happens in a step until its end. `now` reads the clock, or makes a moment.

    A step that has ended is whole once anything but another update follows. Then `hand_in` gets its
    operations, and the times (start, end) in ns that were part of no step.
    """

    def __init__(self, hand_in: Callable[[list[Op], list[tuple[int, int]]], None]) -> None:
        self._hand_in = hand_in
        self._has_ended = False
        self.now: Callable[[], int] = time.perf_counter_ns
        self.lost = 0
        """Operations that were not kept, because a step had too many."""
        self._ops: list[Op] = []
        self._waits: list[Op] = []  # for data, since the last pass
        self._outside: list[tuple[int, int]] = []
        self._outside_since: int | None = None
        self._has_trained = True  # since the last time that was part of no step

    def note(self, op: Op) -> Op:
        """Keep an operation; its end may be set later."""
        if op.kind != "step":
            self.flush()
        self._has_trained = True
        if len(self._ops) < MOST_OPS:
            self._ops.append(op)
        else:
            self.lost += 1
        return op

    @property
    def kept(self) -> tuple[Op, ...]:
        """The step's operations so far; safe from another thread."""
        return tuple(self._ops)

    def waited(self, start: int, end: int) -> None:
        """Keep a wait for a batch of data until it is known which pass uses the batch."""
        if self._outside_since is None and len(self._waits) < MOST_OPS:
            self._waits.append(Op("data", start, end, lane=DATA))

    def take_waits(self) -> None:
        """A training pass begins: the data that was waited for is the step's."""
        for op in self._waits:
            self.note(op)
        self._waits.clear()

    def leave(self) -> None:
        """The job does something from here on that is part of no step."""
        self.flush()
        if self._outside_since is None:
            self._outside_since = time.perf_counter_ns()

    def evaluate(self) -> None:
        """An evaluation begins, which uses the data that was waited for."""
        self.leave()
        if self._waits:
            self._outside_since = self._waits[0].start
            self._waits.clear()

    def come_back(self) -> None:
        """The job goes on; it may leave again before it trains, as between batches of a test."""
        if self._outside_since is None:
            return
        start, self._outside_since = self._outside_since, None
        if self._outside and not self._has_trained:
            start = self._outside.pop()[0]
        self._outside.append((start, time.perf_counter_ns()))
        self._has_trained = False

    def end(self) -> None:
        """The step's update has ended; updates of other optimizers may follow."""
        self.take_waits()
        self._has_ended = True

    def flush(self) -> None:
        """Hand in the step that has ended, if one has: the next begins."""
        if not self._has_ended:
            return
        self._has_ended = False
        ops, self._ops = self._ops, []
        outside, self._outside = self._outside, []
        self._hand_in(ops, outside)

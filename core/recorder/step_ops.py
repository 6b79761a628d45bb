"""Collects the operations of the current step, and the times that belong to no step."""

from __future__ import annotations

import time
from collections.abc import Callable

from .rank_step import DATA, Op

MOST_OPS = 200_000
"""Most operations kept for one step. A job that never updates its model would have no end of them;
the rest is only counted."""
Period = tuple[int, int]
"""Start and end in ns."""


class StepOps:
    """Collects operations until their step ends. `now` reads the clock, or makes a moment.

    A step that has ended is complete when anything but another update follows. `hand_in` then
    receives its operations, and the periods before its end that belong to no step.
    """

    def __init__(self, hand_in: Callable[[list[Op], list[Period]], None]) -> None:
        self._hand_in = hand_in
        self._has_ended = False
        self.now: Callable[[], int] = time.perf_counter_ns
        self.lost = 0
        """Operations that were dropped because a step had too many."""
        self._ops: list[Op] = []
        self._waits: list[Op] = []  # for data, since the last pass
        self._outside: list[Period] = []
        self._outside_since: int | None = None
        self._has_trained = True  # since the last period outside of a step

    def note(self, op: Op) -> Op:
        """Add an operation; its end may be set later."""
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
        """The step's operations so far. Safe to call from another thread."""
        return tuple(self._ops)

    def waited(self, start: int, end: int) -> None:
        """Keep a wait for a batch of data until it is known which pass uses the batch."""
        if self._outside_since is None and len(self._waits) < MOST_OPS:
            self._waits.append(Op("data", start, end, lane=DATA))

    def take_waits(self) -> None:
        """Add the waits for data to the step, because a training pass begins."""
        for op in self._waits:
            self.note(op)
        self._waits.clear()

    def leave(self) -> None:
        """Begin a period that belongs to no step."""
        self.flush()
        if self._outside_since is None:
            self._outside_since = time.perf_counter_ns()

    def evaluate(self) -> None:
        """Begin an evaluation. The waits for data before it were waits for its own data."""
        self.leave()
        if self._waits:
            self._outside_since = self._waits[0].start
            self._waits.clear()

    def resume(self) -> None:
        """End a period that belongs to no step.

        Periods without training in between, such as the batches of a test, are joined to one.
        """
        if self._outside_since is None:
            return
        start, self._outside_since = self._outside_since, None
        if self._outside and not self._has_trained:
            start, _ = self._outside.pop()
        self._outside.append((start, time.perf_counter_ns()))
        self._has_trained = False

    def end(self) -> None:
        """End the step. Updates of other optimizers may still follow and belong to it."""
        self.take_waits()
        self._has_ended = True

    def flush(self) -> None:
        """Hand in the step that has ended, if there is one, and begin the next step."""
        if not self._has_ended:
            return
        self._has_ended = False
        ops, self._ops = self._ops, []
        outside, self._outside = self._outside, []
        self._hand_in(ops, outside)

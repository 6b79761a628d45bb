"""Collects the operations of the current step, and the times that belong to no step."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from .rank_step import DATA, Op

MOST_OPS = 200_000
"""Most operations kept for one step; the rest is only counted. A job that never updates its model
would otherwise fill the memory."""
Period = tuple[int, int]
"""Start and end in ns."""


@dataclass(slots=True, eq=False)
class EndedStep:
    """A step after its update, and the periods before its end that belong to no step.

    Updates of other optimizers may still be added. `changed` is the host's time of the last change.
    """

    number: int
    ops: list[Op]
    outside: list[Period]
    changed: int


class StepOps:
    """Collects operations until their step ends. `now` reads the clock, or makes a moment.

    A step that has ended is complete when anything but another update follows, and is then passed
    to `hand_in`. If nothing follows for some time, another thread may take it with `take_idle`.
    """

    def __init__(self, hand_in: Callable[[EndedStep], None]) -> None:
        self._hand_in = hand_in
        # Holds at most one step. The thread that removes it owns it. There is no lock, because a
        # process that is forked while another thread holds the lock could never acquire it.
        self._ended: list[EndedStep] = []
        self.is_updating = False
        """True while an optimizer updates parameters."""
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
        self._has_trained = True
        if op.kind == "step" and self._add_to_ended(op):
            return op
        self.flush()
        if len(self._ops) < MOST_OPS:
            self._ops.append(op)
        else:
            self.lost += 1
        return op

    @property
    def kept(self) -> tuple[Op, ...]:
        """The operations that are not handed in. Safe to call from another thread."""
        kept: list[Op] = []
        for step in tuple(self._ended):
            kept += step.ops
        return (*kept, *self._ops)

    def waited(self, start: int, end: int) -> None:
        """Keep a wait for a batch of data until it is known which pass uses the batch."""
        if self._outside_since is None and len(self._waits) < MOST_OPS:
            self._waits.append(Op("data", start, end, lane=DATA))

    def take_waits(self) -> None:
        """Add the waits for data to the step, because a training pass begins."""
        for op in self._waits:
            self.note(op)
        self._waits.clear()

    def drop(self) -> None:
        """Drop the operations of the current step."""
        self._ops.clear()

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

        Periods without training in between, such as the batches of a test, are joined into one.
        """
        if self._outside_since is None:
            return
        start, self._outside_since = self._outside_since, None
        if self._outside and not self._has_trained:
            start, _ = self._outside.pop()
        self._outside.append((start, time.perf_counter_ns()))
        self._has_trained = False

    def end(self, number: int) -> None:
        """End the step. Updates of other optimizers may still follow and belong to it."""
        self.take_waits()
        self.flush()
        ops, self._ops = self._ops, []
        outside, self._outside = self._outside, []
        self._ended.append(EndedStep(number, ops, outside, time.perf_counter_ns()))

    def flush(self) -> None:
        """Hand in the step that has ended, if there is one."""
        if not self._ended:
            return
        step = self._take()
        if step is not None:
            self._hand_in(step)

    def take_idle(self, seconds: float) -> EndedStep | None:
        """Remove and return the step that has ended if nothing has followed for `seconds`.

        Safe to call from another thread.
        """
        for step in tuple(self._ended):
            idle_ns = time.perf_counter_ns() - step.changed
            if self.is_updating or idle_ns < seconds * 1e9:
                continue
            try:
                self._ended.remove(step)
            except ValueError:  # the training thread has taken it
                continue
            return step
        return None

    def _add_to_ended(self, update: Op) -> bool:
        """Add an update to the step that has ended; return False if there is none."""
        if not self._ended:
            return False
        step = self._take()
        if step is None:
            return False
        step.ops.append(update)
        step.changed = time.perf_counter_ns()
        self._ended.append(step)
        return True

    def _take(self) -> EndedStep | None:
        try:
            return self._ended.pop()
        except IndexError:  # another thread has taken it
            return None

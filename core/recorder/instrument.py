"""Records the operations of torch in this process and hands each complete step to a sink.

All recordings share the instrument: hooks on blocks, collectives and a pipeline's stages, and the
clock of the model's device. Its owner decides where steps end and what happens to them. `record`
writes them to a stream; Bubblescope's own ranks match the operations to their plan.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from torch import nn

from .collectives import CollectiveHooks
from .events import DeviceTimes, IsPast, RecordedStep, device_times
from .guard import Guard
from .hooks import BlockHooks
from .memory import ActivationMemory, ReportMemory
from .rank_step import COMPUTE, Op
from .stages import StageHooks
from .step_ops import EndedStep, Period, StepOps

Sink = Callable[[RecordedStep], None]
"""Receives each complete step once and in order, with all times on the host's clock."""


class Instrument:
    """Records the operations of a model's steps.

    With a `model` of None, the first module that trains is the model. `report` receives the bytes
    that are kept for backward passes (`activations`) whenever they change. `ended` is called with
    the number of each complete step, and the periods before its end that belong to no step.
    """

    def __init__(
        self,
        model: nn.Module | None,
        guard: Guard,
        sink: Sink,
        report: ReportMemory | None = None,
        ended: Callable[[int, list[Period]], None] = lambda number, outside: None,
    ) -> None:
        self.ops = StepOps(self._hand_in)
        self._ended = ended
        self.device_times: DeviceTimes | None = None
        self._sink = sink
        self._has_given_blocks = False
        activations = None
        if report is not None:
            activations = ActivationMemory(report)
        self.hooks = BlockHooks(
            model,
            self.ops,
            guard,
            self._begin_training,
            self._begin_outermost,
            activations,
        )
        self.collectives = CollectiveHooks(self.hooks, guard)
        self._stages = StageHooks(self.hooks, guard, self.pause)

    def use_blocks(self, model: nn.Module, blocks: Iterable[nn.Module]) -> None:
        """Record these blocks of a model that the caller has made. Call it before `install`.

        Only these modules get hooks. They run inside the hooks of torch's wrappers, so that a
        block's span leaves out the wrappers' work. The collectives recorded are the buckets of
        DistributedDataParallel and the caller's requests.
        """
        self._has_given_blocks = True
        self.hooks.model = model
        self.hooks.is_settled = True
        self.hooks.modules.blocks = tuple(blocks)
        self.hooks.backward.is_exact = True

    def install(self) -> None:
        """Begin recording."""
        self.hooks.install()
        if not self._has_given_blocks:
            self.collectives.install()
            self._stages.install()

    def removers(self) -> list[Callable[[], object]]:
        """Return functions that undo `install`. Call each of them, even if another one fails."""
        return [self.hooks.remove, self._stages.remove, self.collectives.remove]

    def pause(self, on: bool) -> None:
        """Leave out everything until the next call with False."""
        self.hooks.pause(on)
        self.collectives.pause(on)

    def begin_update(self) -> Op:
        """Begin the optimizer's update and return it. The caller adds it to `ops`."""
        self.ops.is_updating = True
        self.hooks.backward.finish()
        return Op("step", self.ops.now())

    def end_update(self, update: Op) -> None:
        """End the optimizer's update."""
        update.end = self.ops.now()
        self.ops.is_updating = False

    def end_step(self, number: int) -> None:
        """End the step. It is complete once `ops` are flushed; the next operation flushes them."""
        self.hooks.end_step(number)

    def take_idle(self, seconds: float) -> RecordedStep | None:
        """Return the step that has ended, if nothing has followed for `seconds`.

        The caller passes it on; the sink does not get it. Call it on the thread that writes steps.
        Only the training thread may query a device, so steps that a device times are not returned.
        """
        if self.device_times is not None:
            return None
        ended = self.ops.take_idle(seconds)
        if ended is None:
            return None
        self._ended(ended.number, ended.outside)
        return RecordedStep(ended.number, ended.ops, self.hooks.replica)

    def _hand_in(self, ended: EndedStep) -> None:
        """Hand the step to the sink. If a device times it, hand over the steps completed by now."""
        if self.device_times is None:
            self._sink(RecordedStep(ended.number, ended.ops, self.hooks.replica))
        else:
            self.device_times.hand_in(ended.number, ended.ops, self.hooks.replica)
            for step in self.device_times.ready():
                self._sink(step)
        self._ended(ended.number, ended.outside)

    def running(self, is_past: IsPast) -> list[Op]:
        """Return copies of the current step's operations, with times on the host's clock.

        These are the computations that have not ended, and all collectives. Operations that a
        device has not begun are left out. Safe to call from another thread, if `is_past`, which
        queries an event, makes no query while a graph is captured.
        """
        found = []
        for op in self.ops.kept:
            end = self._on_host(op.end, is_past)
            if op.lane == COMPUTE and end is not None:
                continue
            start = self._on_host(op.start, is_past)
            if start is not None:
                found.append(replace(op, start=start, end=end))
        return found

    def _on_host(self, time: int | None, is_past: IsPast) -> int | None:
        """Return a time on the host's clock; None if the device has not reached it."""
        if time is None or self.device_times is None:
            return time
        return self.device_times.host_time(time, is_past)

    def finish(self, seconds: float) -> None:
        """Hand over the steps that the device completes within `seconds`."""
        if self.device_times is not None:
            for step in self.device_times.finish(seconds):
                self._sink(step)

    def _begin_training(self) -> None:
        """Look up the model's device before the first training pass."""
        assert self.hooks.model is not None
        before = self.device_times
        self.device_times = device_times(self.hooks.model)
        if self.device_times is not None:
            self.ops.now = self.device_times.now
        elif before is not None:  # the model has moved to a device that does not time its work
            self.ops.now = time.perf_counter_ns
        self._begin_outermost(self.hooks.model)

    def _begin_outermost(self, module: nn.Module) -> None:
        self.collectives.watch(module)
        if not self._has_given_blocks:
            self.collectives.watch_functional()
            self._stages.install()

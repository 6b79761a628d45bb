"""Notes what torch does in this process and hands each finished step to a sink.

The instrument is what all recordings have in common: hooks on blocks, collectives, a pipeline's
stages, and the clock of the model's device. Its owner decides what a step is, and what becomes of
it: `record` writes a stream of its own; Bubblescope's ranks match the operations to their plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from torch import nn

from .collectives import Collectives
from .events import DeviceTimes, Step, device_times
from .guard import Guard
from .hooks import Hooks
from .memory import Activations, ReportMemory
from .rank_step import COMPUTE, Op
from .stages import Stages
from .step_ops import StepOps

Sink = Callable[[Step], None]
"""Takes each finished step once, in order, with all times on the host's clock."""
Times = tuple[int, int]


class Instrument:
    """Records the operations of a model's steps.

    With a `model` of None the first module that trains is the model. `report` gets the bytes that
    are kept for backward passes (`activations`) whenever they change. `ended` is called with the
    number of each step that is whole, and the times (start, end) in ns that were part of none.
    """

    def __init__(
        self,
        model: nn.Module | None,
        guard: Guard,
        sink: Sink,
        report: ReportMemory | None = None,
        ended: Callable[[int, list[Times]], None] = lambda number, outside: None,
    ) -> None:
        self.ops = StepOps(self._hand_in)
        self._number, self._ended = 0, ended
        self.device_times: DeviceTimes | None = None
        self._sink, self._is_own = sink, False
        self.hooks = Hooks(
            model,
            self.ops,
            guard,
            self._begin_training,
            self._begin_outermost,
            None if report is None else Activations(report),
        )
        self.collectives = Collectives(self.hooks, guard)
        self._stages = Stages(self.hooks, guard)

    def own(self, model: nn.Module, blocks: Iterable[nn.Module]) -> None:
        """Record these blocks of a model that the caller has made; call it before `install`.

        Hooks are then on these modules alone, behind the hooks of torch's wrappers, so that a
        block's span leaves out what these do around it; of collectives, buckets and what is
        requested are seen.
        """
        self._is_own, self.hooks.model = True, model
        self.hooks.modules.blocks = tuple(blocks)
        self.hooks.backward.is_exact = True

    def install(self) -> None:
        """Begin to see what torch does."""
        self.hooks.install()
        if not self._is_own:
            self.collectives.install()
            self._stages.install()

    def removers(self) -> list[Callable[[], object]]:
        """Return functions that undo `install`; each may be called although another one failed."""
        return [self.hooks.remove, self._stages.remove, self.collectives.remove]

    def pause(self, on: bool) -> None:
        """Leave out what happens until this is called again."""
        self.hooks.pause(on)
        self.collectives.pause(on)

    def begin_update(self) -> Op:
        """The optimizer begins to update the model; return the update, which is not noted yet."""
        self.hooks.backward.finish()
        return Op("step", self.ops.now())

    def end_update(self, update: Op) -> None:
        """The optimizer has updated the model."""
        update.end = self.ops.now()

    def end_step(self, number: int) -> None:
        """End the step; it is whole when `ops` are flushed, which the next operation does, too."""
        self._number = number
        self.hooks.end_step()

    def _hand_in(self, ops: list[Op], outside: list[Times]) -> None:
        """Hand finished steps to the sink: the one that is whole, unless a device still works."""
        if self.device_times is None:
            self._sink(Step(self._number, ops, self.hooks.replica))
        else:
            self.device_times.hand_in(self._number, ops, self.hooks.replica)
            for step in self.device_times.ready():
                self._sink(step)
        self._ended(self._number, outside)

    def under_way(self) -> list[Op]:
        """Return copies of operations that a step has begun, on the host's clock.

        All collectives so far, and of what computes what has no end yet. A collective that a device
        has not come to yet is left out. Safe from another thread.
        """
        return [op for op in map(self._on_host, self.ops.kept) if op is not None]

    def _on_host(self, op: Op) -> Op | None:
        times = self.device_times
        start, end = op.start, op.end
        if times is not None:
            end = None if end is None else times.host_time(end)
            if op.lane == COMPUTE and end is not None:
                return None
            found = times.host_time(start)
            if found is None:
                return None
            start = found
        elif op.lane == COMPUTE and end is not None:
            return None
        return replace(op, start=start, end=end)

    def finish(self, seconds: float) -> None:
        """Hand the steps to the sink that a device is done with within `seconds`."""
        if self.device_times is not None:
            for step in self.device_times.finish(seconds):
                self._sink(step)

    def _begin_training(self) -> None:
        """Before the first training pass: the model is where it is trained by now."""
        assert self.hooks.model is not None
        self.device_times = device_times(self.hooks.model)
        if self.device_times is not None:
            self.ops.now = self.device_times.now
        self._begin_outermost(self.hooks.model)

    def _begin_outermost(self, module: nn.Module) -> None:
        self.collectives.watch(module)
        if not self._is_own:
            self.collectives.watch_functional()
            self._stages.install()

"""Two lines in a training script: `with record(model, optimizer, out="runs/"):`.

A step ends where the optimizer's update does, or the last of other optimizers' that follow at once.
What happened since the last step belongs to it, waiting for its data too. The first step begins
with the recording. What the job may make after that, such as its process group,
DistributedDataParallel and the model's device, is looked up when the first step runs.
"""

from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import torch
from torch import nn
from torch.optim import optimizer as optimizers
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from . import loader
from .guard import Guard
from .instrument import Instrument
from .memory import StepCounters
from .rank_step import Op
from .rank_stream import RankStream

LAST_SECONDS = 10.0
"""For what the device still does when the recording ends."""
OUTSIDE = "outside_ms"
"""The counter with the ms for which the job evaluated, or was paused, from the value's time on."""
NO_STEPS = "no optimizer of torch.optim has updated the model, so there are no steps"


@dataclass(slots=True)
class Update:
    """An optimizer's update that goes on; `inside` counts its own hooked updates within."""

    optimizer: torch.optim.Optimizer
    op: Op
    inside: int = 0


class record(AbstractContextManager["record"]):
    """Records the steps of a training job, each rank into a file of its own in the folder `out`.

    Or to a listener, whose address `bubblescope listen` shows. `header` has more for the file's.

    `model` is what runs forward (also in DistributedDataParallel), `optimizer` the one whose steps
    are the steps, or a wrapper of it; without one it is the first that updates the model. Nothing
    of the job is changed or waited for, and nothing is stored in the model. An error of the
    recorder ends the recording with one printed line, and the job goes on.
    """

    def __init__(
        self,
        model: nn.Module | None,
        optimizer: torch.optim.Optimizer | None = None,
        out: str | Path = "runs/",
        *,
        header: Mapping[str, object] | None = None,
    ) -> None:
        self._model, self._optimizer = model, optimizer
        self._out, self._header = out, header or {}
        self._guard = Guard()

    def __enter__(self) -> record:
        """Begin to look at the job."""
        guard = self._guard
        self._step = 0
        self._stream = RankStream(self._out, self._header)
        self._update: Update | None = None
        self._stepping: weakref.ref[torch.optim.Optimizer] | None = None
        self._counters = StepCounters()
        self._instrument = Instrument(
            self._model, guard, self._stream.step, self._counters.report, self._end_step
        )
        self._hooks = self._instrument.hooks
        self._removers: list[Callable[[], object]] = []
        guard(self._install)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        """End: the hooks are taken off, and clocks compared again unless the job failed."""
        for remove in self._removers:
            self._guard.always(remove)
        has_failed = kind is not None and not _is_success(error)
        self._guard.always(partial(self._finish, has_failed))

    def tell(self, name: str, value: float) -> None:
        """Record a number (such as `loss`) of the step that has just ended; call it on one rank."""
        self._guard(self._stream.number, name, self._step - 1, value)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave out of the job's steps what happens within: an evaluation, a checkpoint."""
        self._guard(self._instrument.pause, True)
        try:
            yield
        finally:
            self._guard(self._instrument.pause, False)

    def _install(self) -> None:
        """Put all hooks on. Each has its removal listed before anything else can fail."""
        # torch.compile warns of global hooks, because they are called for its wrapper too. Ours
        # want that.
        warnings.filterwarnings("ignore", "Using `torch.compile.module.` when there are global")
        self._removers += self._instrument.removers()
        self._instrument.install()
        before, after = map(self._guard.around, (self._before_update, self._after_update))
        self._removers.append(register_optimizer_step_pre_hook(before).remove)
        self._removers.append(register_optimizer_step_post_hook(after).remove)
        self._removers.append(loader.watch(self._instrument.ops.waited, self._guard))

    def _before_update(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        # An optimizer inside another one, as in ZeroRedundancyOptimizer, is part of its update, and
        # so is the parent's step of a subclass. An update that failed has no end that is seen.
        if self._update is not None and _updates_running() > 1:
            self._update.inside += optimizer is self._update.optimizer
            return
        self._update = None
        self._hooks.begin()
        is_stepping = self._is_stepping(optimizer)
        # One that asks for the first pass itself, as LBFGS does, may come before the model.
        may_train = self._hooks.model is None
        if not (is_stepping or may_train or self._shares_parameters(optimizer)):
            return
        if not self._stream.has_begun and is_stepping:
            # The ranks wait for each other here, once, in the step that is no measure of the
            # others. No rank needs anything more of another one to come this far.
            self._begin_stream(is_together=True)
        self._update = Update(optimizer, self._instrument.begin_update())

    def _after_update(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        update = self._update
        if update is None or update.optimizer is not optimizer:
            return
        if update.inside:
            update.inside -= 1
            return
        self._update = None
        self._instrument.end_update(update.op)
        is_stepping = self._is_stepping(optimizer)
        if not (is_stepping or self._shares_parameters(optimizer)):
            return
        ops = self._instrument.ops
        if not is_stepping:
            ops.note(update.op)
            return
        ops.flush()  # an update that follows another is a step of its own
        ops.note(update.op)
        if not self._stream.has_begun:
            self._begin_stream(is_together=True)
        if self._hooks.model is not None:
            self._counters.update(self._hooks.model, optimizer)
        self._step += 1
        self._instrument.end_step(self._step - 1)

    def _shares_parameters(self, optimizer: torch.optim.Optimizer) -> bool:
        """Return True if the optimizer updates the model, or another network that is watched."""
        return bool(_parameters_of(optimizer) & self._hooks.modules.parameters)

    def _is_stepping(self, optimizer: torch.optim.Optimizer) -> bool:
        """Return True if the optimizer's updates end the steps.

        It is the first one that updates what the given optimizer does, which may be a wrapper of
        it; without one, or where that has nothing of the model, the first that updates the model.
        An optimizer that takes over its parameters replaces it.
        """
        current = None if self._stepping is None else self._stepping()
        if optimizer is current:
            return True
        if self._hooks.model is None:
            return False
        own = {id(parameter) for parameter in self._hooks.model.parameters()}
        given = own if self._optimizer is None else _parameters_of(self._optimizer) & own
        wanted = (given or own) if current is None else _parameters_of(current)
        if _parameters_of(optimizer) & wanted:
            self._stepping = weakref.ref(optimizer)
            return True
        return False

    def _end_step(self, step: int, outside: list[tuple[int, int]]) -> None:
        """The step is whole, and the next one begins."""
        counted = self._counters.end_step()
        if counted:
            self._stream.counters(step, counted)
        for start, end in outside:
            self._stream.number(OUTSIDE, step, (end - start) / 1e6, start)

    def _begin_stream(self, is_together: bool) -> None:
        assert self._hooks.model is not None
        times_device = self._instrument.device_times is not None
        self._stream.begin(self._hooks.model, times_device, is_together)

    def _finish(self, has_failed: bool) -> None:
        """Write what is left, and end the stream."""
        if self._hooks.model is None:
            return  # a process that trained nothing
        self._instrument.ops.flush()
        is_whole = not has_failed and not self._guard.error
        if not self._stream.has_begun:
            self._begin_stream(is_together=False)
            if not self._guard.error and self._stream.rank == 0:
                print(f"bubblescope: {NO_STEPS}", flush=True)
        self._instrument.finish(LAST_SECONDS)
        if is_whole and self._step:
            # Where one rank has failed, the others are not there to compare clocks with: it would
            # wait for them in vain.
            self._stream.compare_clocks()
        outcome = None if self._guard.error else "failed" if has_failed else "finished"
        self._stream.finish(outcome, list(self._warnings()))

    def _warnings(self) -> Iterator[str]:
        """Yield what the recording lacks, a line each."""
        if self._guard.error:
            yield f"the recording ended before the job: {self._guard.error}"
        elif not self._step:
            yield NO_STEPS
        device_times, lost = self._instrument.device_times, self._instrument.ops.lost
        if device_times is not None and device_times.left_out:
            yield f"{device_times.left_out} steps were left out: the device did not end them"
        if lost:
            yield f"{lost:,} operations were left out: no optimizer ended their step"


def _parameters_of(optimizer: Any) -> set[int]:
    """Return the ids of the parameters that an optimizer, or a wrapper of one, updates."""
    groups = getattr(optimizer, "param_groups", [])
    return {id(parameter) for group in groups for parameter in group["params"]}


def _updates_running() -> int:
    """Return how many updates the calling hook is inside of: torch calls it from each one's."""
    running = 0
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        running += frame.f_code.co_filename == optimizers.__file__
        frame = frame.f_back
    return running


def _is_success(error: BaseException | None) -> bool:
    """Return True for an exit of the script with status 0."""
    return isinstance(error, SystemExit) and error.code in (None, 0)

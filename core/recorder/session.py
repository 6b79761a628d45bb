"""The recorder's entry for training scripts: `with record(model, optimizer, out="runs/"):`.

A step ends with the optimizer's update, or with the last update if other optimizers follow at once.
It contains everything since the last step, including the waits for its data. The first step begins
with the recording. Objects that the job may create later, such as its process group,
DistributedDataParallel and the model on its device, are looked up when the first step runs.
"""

from __future__ import annotations

import os
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

from .closures import UpdateArguments, watched_closure, with_watched_closure
from .events import RecordedStep
from .guard import Guard
from .instrument import Instrument
from .loader import watch_batches
from .memory import StepMemory
from .messages import print_message
from .rank_step import Op
from .rank_writer import RankWriter

LAST_SECONDS = 10.0
"""Limit on the wait for the device's last steps when the recording ends."""
OUTSIDE = "outside_ms"
"""Counter of the ms that the job spent in evaluation or pauses, at the start of each period."""
NO_STEPS = (
    "no optimizer of torch.optim has updated the model outside of compiled code, so there are no "
    "steps"
)


_RECORDINGS: weakref.WeakSet[record] = weakref.WeakSet()
"""The recordings of this process that have not ended."""


def _after_fork() -> None:
    for recording in list(_RECORDINGS):
        recording.leave_to_parent()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_after_fork)


@dataclass(slots=True)
class OptimizerUpdate:
    """An optimizer's running update; `inside` counts nested updates of the same optimizer.

    With a closure, `op` is the part since the closure last returned.
    """

    optimizer: torch.optim.Optimizer
    op: Op
    inside: int = 0
    has_called_closure: bool = False


class record(AbstractContextManager["record"]):
    """Records the steps of a training job, each rank into its own file in the folder `out`.

    `out` may also be a listener's address, as `bubblescope listen` shows it. `header` adds entries
    to the recording's header.

    `model` is the module that runs forward, with or without DistributedDataParallel. `optimizer` is
    the one whose updates end the steps, or a wrapper of it; by default, the first to update the
    model. The recorder does not change the job, does not make it wait for the device, and stores
    nothing in the model. An error of the recorder ends the recording and prints one line; the job
    continues.
    """

    def __init__(
        self,
        model: nn.Module | None,
        optimizer: torch.optim.Optimizer | None = None,
        out: str | Path = "runs/",
        *,
        header: Mapping[str, object] | None = None,
    ) -> None:
        self._model = model
        self._optimizer = optimizer
        self._out = out
        self._header = header or {}
        self._guard = Guard()
        self._is_of_parent = False

    def __enter__(self) -> record:
        """Begin recording."""
        guard = self._guard
        self._process = os.getpid()
        self._step = 0
        self._stream = RankWriter(self._out, self._header, self._take_idle)
        self._update: OptimizerUpdate | None = None
        self._stepping: weakref.ref[torch.optim.Optimizer] | None = None
        self._counters = StepMemory()
        self._instrument = Instrument(
            model=self._model,
            guard=guard,
            sink=self._stream.step,
            report=self._counters.report,
            ended=self._end_step,
        )
        self._hooks = self._instrument.hooks
        self._removers: list[Callable[[], object]] = []
        guard(self._install)
        _RECORDINGS.add(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the hooks and end the recording. Unless the job failed, clocks are compared."""
        _RECORDINGS.discard(self)
        for remove in self._removers:
            self._guard.always(remove)
        is_forked = os.getpid() != self._process
        if is_forked and (self._is_of_parent or not self._stream.has_begun):
            return
        has_failed = kind is not None and not _is_success(error)
        self._guard.always(partial(self._finish, has_failed))

    def leave_to_parent(self) -> None:
        """Record nothing in this forked process if its parent has begun to record.

        Otherwise this process may begin: a script may fork its ranks before they train.
        """
        if self._stream.has_begun:
            self._is_of_parent = True
            self._guard.stop()

    def tell(self, name: str, value: float) -> None:
        """Record a number, such as the loss, of the step that has just ended. Call on one rank."""
        self._guard(self._stream.number, name, self._step - 1, value)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the code within, such as an evaluation or a checkpoint, out of the job's steps."""
        self._guard(self._instrument.pause, True)
        try:
            yield
        finally:
            self._guard(self._instrument.pause, False)

    @contextmanager
    def forward_pass(self) -> Iterator[None]:
        """Record the code within as one forward pass of the model.

        Use it in trainers that call another method of the model, such as `training_step`. Otherwise
        the parts of that method are separate passes.
        """
        self._guard(self._hooks.enter)
        try:
            yield
        finally:
            self._guard(self._hooks.leave)

    def _install(self) -> None:
        """Install all hooks. Each one's removal is stored before a later one can fail."""
        # torch.compile warns that global hooks are called for its wrapper too. Ours need that.
        warnings.filterwarnings("ignore", "Using `torch.compile.module.` when there are global")
        self._removers += self._instrument.removers()
        self._instrument.install()
        before = _unless_compiling(self._before_update_hook)
        after = _unless_compiling(self._guard.around(self._after_update))
        self._removers.append(register_optimizer_step_pre_hook(before).remove)
        self._removers.append(register_optimizer_step_post_hook(after).remove)
        self._removers.append(watch_batches(self._instrument.ops.waited, self._guard))

    def _before_update_hook(
        self, optimizer: torch.optim.Optimizer, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> UpdateArguments | None:
        """Begin an update; return its arguments with a watched closure, or None without one."""
        self._guard(self._before_update, optimizer)
        update = self._update
        # In an update within another one the closure is already watched.
        if self._guard.error or update is None or update.inside or _updates_running() > 1:
            return None
        watched = partial(
            watched_closure,
            guard=self._guard,
            before=self._before_closure,
            after=self._after_closure,
        )
        changed: UpdateArguments | None
        changed = self._guard(with_watched_closure, arguments, options, watched)
        return changed

    def _before_closure(self) -> None:
        """End a part of the update. Before its first closure an update has done nothing."""
        update = self._update
        if update is None:
            return
        self._instrument.end_update(update.op)
        if update.has_called_closure:
            self._instrument.ops.note(update.op)

    def _after_closure(self) -> None:
        """Begin the next part of the update."""
        update = self._update
        if update is None:
            return
        update.has_called_closure = True
        update.op = self._instrument.begin_update()

    def _before_update(self, optimizer: torch.optim.Optimizer) -> None:
        # An optimizer inside another one, as in ZeroRedundancyOptimizer, is part of its update, and
        # so is a subclass's call of its parent's step. The frames are counted, because no hook is
        # called at the end of an update that has failed.
        if self._update is not None and _updates_running() > 1:
            self._update.inside += optimizer is self._update.optimizer
            return
        self._update = None
        self._hooks.begin()
        is_stepping = self._is_stepping(optimizer)
        # LBFGS runs the model's first pass within its update, so the model may not be known yet.
        may_train = self._hooks.model is None
        if not (is_stepping or may_train or self._shares_parameters(optimizer)):
            return
        if not self._stream.has_begun and is_stepping:
            # The ranks wait for each other here once, for a short time, in the warm-up step. Every
            # rank that trains reaches this point without needing anything further from another.
            self._begin_stream(is_together=True)
        self._update = OptimizerUpdate(optimizer, self._instrument.begin_update())

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
        ops.flush()  # an update that follows another one of this optimizer is a separate step
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

        `record` may have been given an optimizer, or a wrapper of one. Then the first optimizer to
        update its parameters ends the steps. If none was given, or if it updates nothing of the
        model, the first to update the model does. An optimizer that takes over the parameters of
        the current one replaces it.
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

    def _take_idle(self, seconds: float) -> RecordedStep | None:
        return self._instrument.take_idle(seconds)

    def _end_step(self, step: int, outside: list[tuple[int, int]]) -> None:
        """Record the counters of a complete step, and the periods before its end outside steps."""
        counted = self._counters.end_step()
        if counted:
            self._stream.counters(step, counted)
        for start, end in outside:
            self._stream.number(OUTSIDE, step, (end - start) / 1e6, start)

    def _begin_stream(self, is_together: bool) -> None:
        assert self._hooks.model is not None
        self._hooks.is_settled = True
        times_device = self._instrument.device_times is not None
        self._stream.begin(self._hooks.model, times_device, is_together)

    def _finish(self, has_failed: bool) -> None:
        """Write the last steps and end the stream."""
        if self._hooks.model is None:
            return  # this process has trained nothing
        self._instrument.ops.flush()
        is_whole = not has_failed and not self._guard.error
        if not self._stream.has_begun:
            self._begin_stream(is_together=False)
            if not self._guard.error and self._stream.rank == 0:
                print_message(NO_STEPS)
        self._instrument.finish(LAST_SECONDS)
        if is_whole and self._step:
            # Not after a failure: the other ranks may not reach this point.
            self._stream.compare_clocks()
        outcome: str | None = "failed" if has_failed else "finished"
        if self._guard.error:
            outcome = None
        self._stream.finish(outcome, list(self._warnings()))

    def _warnings(self) -> Iterator[str]:
        """Yield a line for each thing that is missing from the recording."""
        if self._guard.error:
            yield f"the recording ended before the job: {self._guard.error}"
        elif not self._step:
            yield NO_STEPS
        device_times = self._instrument.device_times
        lost = self._instrument.ops.lost
        reasons = {} if device_times is None else device_times.reasons
        for reason, steps in reasons.items():
            yield f"{steps:,} steps were left out: {reason}"
        if lost:
            yield f"{lost:,} operations were left out: no optimizer ended their step"


def _unless_compiling(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a hook that does nothing while torch.compile compiles it.

    It must not break the job's graph, so a compiled update is not recorded.
    """

    def hook(*arguments: Any) -> Any:
        if torch.compiler.is_compiling():
            return None
        return function(*arguments)

    return hook


def _parameters_of(optimizer: Any) -> set[int]:
    """Return the ids of the parameters that an optimizer, or a wrapper of one, updates."""
    found: set[int] = set()
    for group in getattr(optimizer, "param_groups", []):
        found.update(map(id, group["params"]))
    return found


def _updates_running() -> int:
    """Return the number of nested updates that run; torch calls the hooks from each of them."""
    running = 0
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        running += frame.f_code.co_filename == optimizers.__file__
        frame = frame.f_back
    return running


def _is_success(error: BaseException | None) -> bool:
    """Return True for an exit of the script with status 0."""
    return isinstance(error, SystemExit) and error.code in (None, 0)

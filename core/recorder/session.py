"""Two lines in a training script: `with record(model, optimizer, out="runs/"):`.

A step ends where the optimizer's does; what happened since the last one belongs to it, waiting for
its data too. The first step begins with the recording. What the job may make after that, such as its
process group, DistributedDataParallel and the model's device, is looked up when the first step runs.
"""

from __future__ import annotations

import os
import platform
import time
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from . import clocks, loader
from .blocks import unwrapped
from .collectives import Collectives
from .events import DeviceTimes, Step, device_times
from .guard import Guard
from .hooks import Hooks
from .rank_step import TRACKS, Op, PlannedTask, lanes_of, timed_step
from .stages import Stages
from .stream import FORMAT, Sender, Write, note_batch, plan_batch, span_batch
from .wire import connect, is_address

WARMUP = 1
"""Steps that are no measure of the others: the first one is cold."""
LAST_SECONDS = 10.0
"""For what the device still does when the recording ends."""
OUTSIDE = "outside_ms"
"""The counter with the time that a job spent on evaluation or paused before the end of a step."""


class record(AbstractContextManager["record"]):
    """Records the steps of a training job, each rank into a file of its own in the folder `out`.

    Or to a listener, whose address `bubblescope listen` shows. `header` has more for the file's.

    `model` is what runs forward (also in DistributedDataParallel), `optimizer` the one whose steps
    are the steps, or a wrapper of it; without one it is the first that updates the model. Nothing of
    the job is changed or waited for, and nothing is stored in the model. An error of the recorder
    ends the recording with one printed line, and the job goes on.
    """

    def __init__(
        self,
        model: nn.Module | None,
        optimizer: torch.optim.Optimizer | None = None,
        out: str | Path = "runs/",
        *,
        header: Mapping[str, object] | None = None,
    ) -> None:
        self._model, self._optimizer, self._out = model, optimizer, out
        self._told_header = header or {}
        self._guard = Guard()

    def __enter__(self) -> record:
        """Begin to look at the job."""
        self.rank, self._world = 0, 1
        self._origin = time.perf_counter_ns()
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._step, self._plans = 0, dict[tuple[PlannedTask, ...], int]()
        self._clocks: clocks.Clocks | None = None
        self._device_times: DeviceTimes | None = None
        self._device = ""
        self._updating: tuple[torch.optim.Optimizer, Op] | None = None
        self._stepping: weakref.ref[torch.optim.Optimizer] | None = None
        self._removers: list[Any] = []
        self._sender = Sender(self._open)
        guard = self._guard
        self._hooks = Hooks(self._model, guard, self._begin_training, self._begin_outermost)
        self._stages = Stages(self._hooks, guard)
        self._collectives = Collectives(self._hooks, guard)
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
        at, step = time.perf_counter_ns() - self._origin, self._step - 1
        self._sender.hand_in(partial(_say_number, name, at, step, value))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave out of the job's steps what happens within: an evaluation, a checkpoint."""
        self._guard(self._pause, True)
        try:
            yield
        finally:
            self._guard(self._pause, False)

    def _install(self) -> None:
        """Put all hooks on. Each has its removal listed before anything else can fail."""
        # torch.compile warns of global hooks, because they are called for its wrapper too. Ours
        # want that.
        warnings.filterwarnings("ignore", "Using `torch.compile.module.` when there are global")
        self._removers += [self._hooks.remove, self._stages.remove, self._collectives.remove]
        self._hooks.install()
        self._collectives.install()
        self._stages.install()
        before, after = map(self._guard.around, (self._before_update, self._after_update))
        self._removers.append(register_optimizer_step_pre_hook(before).remove)
        self._removers.append(register_optimizer_step_post_hook(after).remove)
        self._removers.append(loader.watch(self._hooks.waited, self._guard))

    def _pause(self, on: bool) -> None:
        self._hooks.pause(on)
        self._collectives.pause(on)

    def _begin_training(self) -> None:
        """Before the first training pass: the model is where it is trained by now."""
        model = self._hooks.model
        assert model is not None
        self._device_times = device_times(model)
        if self._device_times is not None:
            self._hooks.now = self._device_times.now
        self._begin_outermost(model)

    def _begin_outermost(self, module: nn.Module) -> None:
        self._collectives.watch(module)
        self._stages.install()

    def _before_update(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        # An optimizer inside another one, as in ZeroRedundancyOptimizer, is part of its update.
        if self._updating is not None:
            return
        self._hooks.begin()
        is_stepping = self._is_stepping(optimizer)
        if not is_stepping and not _parameters_of(optimizer) & self._hooks.parameters:
            return  # it trains something else
        if self._clocks is None and is_stepping:
            # The ranks wait for each other here, once, in the step that is no measure of the
            # others. No rank needs anything more of another one to come this far.
            self._begin_stream(is_together=True)
        self._updating = optimizer, Op("step", self._hooks.now())

    def _after_update(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        if self._updating is None or self._updating[0] is not optimizer:
            return
        _, op = self._updating
        self._updating = None
        op.end = self._hooks.now()
        self._hooks.note(op)
        if self._is_stepping(optimizer):
            self._end_step()

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

    def _end_step(self) -> None:
        # From here on what happens belongs to the next step. Turning operations into rows costs
        # more than noting them, so the sender's thread does that.
        ops, outside = self._hooks.step_over()
        step, replica = self._step, self._hooks.replica
        self._step += 1
        if self._device_times is None:
            self._sender.hand_in(partial(self._write_step, step, ops, replica))
        else:
            self._device_times.hand_in(step, ops, replica)
            self._hand_in(self._device_times.ready())
        if outside:
            at = time.perf_counter_ns() - self._origin
            self._sender.hand_in(partial(_say_number, OUTSIDE, at, step, outside / 1e6))

    def _begin_stream(self, is_together: bool) -> None:
        """Open the rank's stream; ranks that are `is_together` here compare their clocks."""
        if _is_job():
            self.rank, self._world = dist.get_rank(), dist.get_world_size()
        else:
            self.rank = int(os.environ.get("RANK", 0))
        self._clocks = clocks.Clocks(self.rank, self._world)
        compared = self._clocks.compare("begin") if is_together else None
        # The header says what the device is timed with, which is known by now.
        self._sender.start(self._header())
        self._sender.hand_in(partial(self._say_clock, compared))

    def _finish(self, has_failed: bool) -> None:
        """Write what is left, and end the stream."""
        if self._hooks.model is None:
            return  # a process that trained nothing
        if self._clocks is None:
            self._begin_stream(is_together=False)
            if not has_failed and not self._guard.error:
                lines = "no optimizer of torch.optim has updated the model, so there are no steps"
                print(f"bubblescope: {lines}", flush=True)
        if self._device_times is not None:
            self._hand_in(self._device_times.finish(LAST_SECONDS))
        if not has_failed and not self._guard.error and self._step and self._clocks is not None:
            # Where one rank has failed, the others are not there to compare clocks with: it would
            # wait for them in vain.
            self._sender.hand_in(partial(self._say_clock, self._clocks.compare("end")))
        outcome = "failed" if has_failed else "finished"
        self._sender.hand_in(partial(self._say_end, outcome))
        self._sender.close()
        if self._sender.failed:
            print(f"bubblescope: not all was recorded: {self._sender.failed}", flush=True)

    def _hand_in(self, steps: Iterator[Step]) -> None:
        """Have steps written whose device times are known."""
        for step in steps:
            self._sender.hand_in(partial(self._write_device_step, step))

    def _write_device_step(self, step: Step, write: Write) -> None:
        self._write_step(step.number, step.ops, step.replica, write)
        begun = step.since.host - self._origin
        write(note_batch("clock", self._device, max(0, begun), step.number, step.half_width))

    def _write_step(self, step: int, ops: list[Op], replica: int | None, write: Write) -> None:
        """Write a step's plan, if it is a new one, and its spans; on the sender's thread."""
        step_tasks = timed_step(ops, self.rank if replica is None else replica, TRACKS)
        # A job does the same in most steps, so a plan is told once, and each step says only when
        # its tasks ran. Another batch size or a skipped collective makes another plan.
        if step_tasks.tasks not in self._plans:
            self._plans[step_tasks.tasks] = len(self._plans)
            write(plan_batch(self._plans[step_tasks.tasks], step_tasks.tasks))
        write(span_batch(self._plans[step_tasks.tasks], step, step_tasks, self._origin))

    def _say_clock(self, compared: clocks.Compared | None, write: Write) -> None:
        if compared is not None:
            at, ahead = compared.at - self._origin, str(compared.ahead)
            write(note_batch("clock", f"rank {self.rank}", at, 0, compared.half_width, ahead))

    def _say_end(self, outcome: str, write: Write) -> None:
        now = time.perf_counter_ns() - self._origin
        for text in self._warnings():
            write(note_batch("log", "warning", now, text=text))
        if not self._guard.error:
            write(note_batch("log", "state", now, text=outcome))

    def _warnings(self) -> Iterator[str]:
        """Yield what the recording lacks, a line each."""
        if self._guard.error:
            yield f"the recording ended before the job: {self._guard.error}"
        if self._sender.left_out:
            yield f"{self._sender.left_out} steps were left out: they came faster than written"
        if self._device_times is not None and self._device_times.left_out:
            count = self._device_times.left_out
            yield f"{count} steps were left out: the device did not end them"
        if self._hooks.lost:
            yield f"{self._hooks.lost:,} operations were left out: no optimizer ended their step"

    def _open(self) -> object:
        """Open the rank's file; those of ranks that only an earlier job had are removed."""
        if is_address(str(self._out)):
            return connect(str(self._out), self.rank)
        folder = Path(self._out)
        folder.mkdir(parents=True, exist_ok=True)
        # Ranks that have not met, or not yet, are known to the launcher alone.
        ranks = max(self._world, int(os.environ.get("WORLD_SIZE", 1)))
        # An earlier job with more ranks has left files that would pass for ranks of this one.
        for path in folder.glob("rank-*.arrow") if self.rank == 0 else ():
            if path.stem[5:].isdigit() and int(path.stem[5:]) >= ranks:
                path.unlink(missing_ok=True)
        return (folder / f"rank-{self.rank}.arrow").open("wb")

    def _header(self) -> dict[str, object]:
        assert self._hooks.model is not None
        model = unwrapped(self._hooks.model)
        device = next((p.device for p in model.parameters()), torch.get_default_device())
        self._device = str(device)
        note = "" if self._device_times is not None else _note(device)
        return {
            "specification": {"warmup": WARMUP},
            "model": {"name": type(model).__name__, "blocks": [], "input_bytes": 0},
            "lanes": lanes_of(self.rank, self._device, note),
            "replicas": self._world,
            "origin_ns": self._origin,
            "started": self._started,
            "hardware": {"host": platform.node(), "rank": self.rank, "ranks": self._world},
            "versions": {"python": platform.python_version(), "torch": torch.__version__},
            "format": FORMAT,
            **self._told_header,
        }


def _parameters_of(optimizer: Any) -> set[int]:
    """Return the ids of the parameters that an optimizer, or a wrapper of one, updates."""
    groups = getattr(optimizer, "param_groups", [])
    return {id(parameter) for group in groups for parameter in group["params"]}


def _is_success(error: BaseException | None) -> bool:
    """Return True for an exit of the script with status 0."""
    return isinstance(error, SystemExit) and error.code in (None, 0)


def _say_number(name: str, at: int, step: int, value: float, write: Write) -> None:
    write(note_batch("counter", name, at, step, value))


def _note(device: torch.device) -> str:
    """Return what has to be said wherever a time of a device is shown that times no work."""
    found = torch.accelerator.current_accelerator()
    is_one = found is not None and device.type == found.type
    return "times are the host's: when work was launched, not when it ran" if is_one else ""


def _is_job() -> bool:
    return dist.is_available() and dist.is_initialized()

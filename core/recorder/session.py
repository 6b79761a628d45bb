"""Two lines in a training script: `with record(model, optimizer, out="runs/"):`.

A step ends where the optimizer's does; what happened since the last one belongs to it, waiting for
its data too. The first step begins with the recording.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType

import torch
import torch.distributed as dist
from torch import nn
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from . import clocks, loader
from .collectives import Collectives
from .events import Step, device_times
from .hooks import Hooks, unwrapped
from .rank_step import DATA, TRACKS, Op, PlannedTask, lanes_of, timed_step
from .stages import Stages
from .stream import FORMAT, Sender, Write, note_batch, plan_batch, span_batch
from .wire import connect, is_address

WARMUP = 1
"""Steps that are no measure of the others: the first one is cold."""
LAST_SECONDS = 10.0
"""For what the device still does when the recording ends."""


class record(AbstractContextManager["record"]):
    """Records the steps of a training job, each rank into a file of its own in the folder `out`.

    Or to a listener, whose address `bubblescope listen` shows. `header` has more for the file's.

    `model` is what runs forward (also in DistributedDataParallel), `optimizer` the one whose steps
    are the steps; without one it is the first that updates the model. Nothing of the job is changed
    or waited for. What goes wrong with recording is printed in a line, and the job goes on.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer | None = None,
        out: str | Path = "runs/",
        *,
        header: Mapping[str, object] | None = None,
    ) -> None:
        self._model, self._optimizer, self._out = model, optimizer, out
        self._told_header = header or {}

    def __enter__(self) -> record:
        """Begin: clocks are compared here, and the first step begins."""
        self.rank = dist.get_rank() if _is_job() else int(os.environ.get("RANK", 0))
        self._world = dist.get_world_size() if _is_job() else 1
        self._origin = time.perf_counter_ns()
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._step, self._plans = 0, dict[tuple[PlannedTask, ...], int]()
        self._clocks = clocks.Clocks(self.rank, self._world)
        # Ranks wait for each other here, once, before anything is timed; nothing later in the job
        # does.
        compared = self._clocks.compare("begin")
        self._device_times = device_times(self._model)
        self._sender = Sender(self._open)
        # The header asks what devices are timed with, so it is made behind `device_times`.
        self._sender.start(self._header())
        self._sender.hand_in(partial(self._say_clock, compared))
        self._now = time.perf_counter_ns if self._device_times is None else self._device_times.now
        self._hooks = Hooks(self._model, self._now)
        self._stages = Stages(self._hooks)
        self._collectives = Collectives(self._model, self._hooks)
        self._updating: Op | None = None
        self._handles = [
            register_optimizer_step_pre_hook(self._before_update),
            register_optimizer_step_post_hook(self._after_update),
        ]
        self._leave_loader = loader.watch(self._waited)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        """End: the hooks are taken off, and clocks compared again unless the job failed."""
        for handle in self._handles:
            handle.remove()
        self._hooks.remove()
        self._stages.remove()
        self._collectives.remove()
        self._leave_loader()
        if self._device_times is not None:
            self._hand_in(self._device_times.finish(LAST_SECONDS))
        # Where one rank has failed, the others are not there to compare clocks with: it would wait
        # for them in vain.
        compared = None if kind else self._clocks.compare("end")
        self._sender.hand_in(partial(self._say_clock, compared))
        self._sender.hand_in(partial(self._say_end, "failed" if kind else "finished"))
        self._sender.close()
        if self._sender.failed:
            print(f"bubblescope: not all was recorded: {self._sender.failed}", flush=True)

    def tell(self, name: str, value: float) -> None:
        """Record a number (such as `loss`) of the step that has just ended; call it on one rank."""
        at, step = time.perf_counter_ns() - self._origin, self._step - 1
        self._sender.hand_in(partial(_say_number, name, at, step, value))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What happens within is none of the job's steps: an evaluation, a checkpoint."""
        self._hooks.pause(True)
        self._collectives.pause(True)
        try:
            yield
        finally:
            self._hooks.pause(False)
            self._collectives.pause(False)

    def _waited(self, start: int, end: int) -> None:
        self._hooks.ops.append(Op("data", start, end, lane=DATA))

    def _before_update(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        # The hooks see every optimizer of the process: a job may have one for another model too.
        if self._optimizer is None and self._is_updated_by(optimizer):
            self._optimizer = optimizer
        if optimizer is self._optimizer:
            self._updating = Op("step", self._now())

    def _is_updated_by(self, optimizer: torch.optim.Optimizer) -> bool:
        own = {id(parameter) for parameter in self._model.parameters()}
        return any(id(p) in own for group in optimizer.param_groups for p in group["params"])

    def _after_update(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        if optimizer is not self._optimizer or self._updating is None:
            return
        self._updating.end = self._now()
        self._hooks.ops.append(self._updating)
        self._updating = None
        # From here on what happens belongs to the next step. Turning operations into rows costs
        # more than noting them, so the sender's thread does that.
        ops, step = self._hooks.step_over(), self._step
        self._step += 1
        if self._device_times is None:
            self._sender.hand_in(partial(self._write_step, step, ops, self._hooks.replica))
        else:
            self._device_times.hand_in(step, ops, self._hooks.replica)
            self._hand_in(self._device_times.ready())

    def _hand_in(self, steps: Iterator[Step]) -> None:
        """Steps of which the device's times are known."""
        for step in steps:
            self._sender.hand_in(partial(self._tell_device, step))

    def _tell_device(self, step: Step, write: Write) -> None:
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
        if self._sender.left_out:
            text = f"{self._sender.left_out} steps were left out: they came faster than written"
            write(note_batch("log", "warning", now, text=text))
        if self._device_times is not None and self._device_times.left_out:
            text = f"{self._device_times.left_out} steps were left out: the device did not end them"
            write(note_batch("log", "warning", now, text=text))
        write(note_batch("log", "state", now, text=outcome))

    def _open(self) -> object:
        """The rank's file; those of ranks that an earlier job had and this one has not are gone."""
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
        model = unwrapped(self._model)
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


def _say_number(name: str, at: int, step: int, value: float, write: Write) -> None:
    write(note_batch("counter", name, at, step, value))


def _note(device: torch.device) -> str:
    """What has to be said wherever a time of a device is shown that does not time its work."""
    found = torch.accelerator.current_accelerator()
    is_one = found is not None and device.type == found.type
    return "times are the host's: when work was launched, not when it ran" if is_one else ""


def _is_job() -> bool:
    return dist.is_available() and dist.is_initialized()

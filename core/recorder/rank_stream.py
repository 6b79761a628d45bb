"""One rank's recording: its header, the steps that it writes, and how it ends."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn

from .blocks import unwrapped
from .clocks import Clocks, Compared
from .events import Step
from .rank_step import TRACKS, CounterValue, PlannedTask, lanes_of, timed_step
from .stream import FORMAT, Sender, Write, counters_batch, note_batch, plan_batch, span_batch
from .wire import connect, is_address

WARMUP = 1
"""Steps that are no measure of the others: the first one is cold."""


class RankStream:
    """Writes the steps of this process's rank to the folder or listener `out`.

    What is handed in before `begin` waits. Times count from the making of this.
    """

    def __init__(self, out: str | Path, header: Mapping[str, object]) -> None:
        self._out, self._told_header = out, header
        self._origin = time.perf_counter_ns()
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._plans: dict[tuple[PlannedTask, ...], int] = {}
        self._sender = Sender(self._open)
        self._clocks: Clocks | None = None
        self.rank, self._world, self._device = 0, 1, ""

    @property
    def has_begun(self) -> bool:
        """True once the rank and its header are known."""
        return self._clocks is not None

    def begin(self, model: nn.Module, times_device: bool, is_together: bool) -> None:
        """Open the stream; ranks that are `is_together` here compare their clocks.

        `times_device` says that the device times its work itself.
        """
        if dist.is_available() and dist.is_initialized():
            self.rank, self._world = dist.get_rank(), dist.get_world_size()
        else:
            self.rank = int(os.environ.get("RANK", 0))
        self._clocks = Clocks(self.rank, self._world)
        compared = self._clocks.compare("begin") if is_together else None
        self._sender.start(self._header(model, times_device))
        self._sender.hand_in(partial(self._write_clock, compared))

    def step(self, step: Step) -> None:
        """Hand in a finished step."""
        # Turning operations into rows costs more than noting them: the sender's thread does it.
        self._sender.hand_in(partial(self._write_step, step))

    def number(self, name: str, step: int, value: float, since: int | None = None) -> None:
        """Hand in a number of a step that holds from a moment of this host's clock on, or now."""
        at = (time.perf_counter_ns() if since is None else since) - self._origin
        self._sender.hand_in(lambda write: write(note_batch("counter", name, at, step, value)))

    def counters(self, step: int, counted: Sequence[CounterValue]) -> None:
        """Hand in counters of a step."""
        batch = partial(counters_batch, step, counted, self._origin)
        self._sender.hand_in(lambda write: write(batch()))

    def compare_clocks(self) -> None:
        """Compare the ranks' clocks once more."""
        if self._clocks is not None:
            self._sender.hand_in(partial(self._write_clock, self._clocks.compare("end")))

    def finish(self, outcome: str | None, warnings: Sequence[str]) -> None:
        """End the stream: with warnings, and an outcome if the job's end was seen."""
        self._sender.hand_in(partial(self._write_end, outcome, warnings))
        self._sender.close()
        if self._sender.failed:
            print(f"bubblescope: not all was recorded: {self._sender.failed}", flush=True)

    def _write_step(self, step: Step, write: Write) -> None:
        """Write a step's plan, if it is a new one, and its spans; on the sender's thread."""
        replica = self.rank if step.replica is None else step.replica
        step_tasks = timed_step(step.ops, replica, TRACKS)
        # A job does the same in most steps, so a plan is told once, and each step says only when
        # its tasks ran. Another batch size or a skipped collective makes another plan.
        if step_tasks.tasks not in self._plans:
            self._plans[step_tasks.tasks] = len(self._plans)
            write(plan_batch(self._plans[step_tasks.tasks], step_tasks.tasks))
        write(span_batch(self._plans[step_tasks.tasks], step.number, step_tasks, self._origin))
        if step.since is not None:
            begun = max(0, step.since.host - self._origin)
            write(note_batch("clock", self._device, begun, step.number, step.half_width))

    def _write_clock(self, compared: Compared | None, write: Write) -> None:
        if compared is not None:
            at, ahead = compared.at - self._origin, str(compared.ahead)
            write(note_batch("clock", f"rank {self.rank}", at, 0, compared.half_width, ahead))

    def _write_end(self, outcome: str | None, warnings: Sequence[str], write: Write) -> None:
        now, left_out = time.perf_counter_ns() - self._origin, self._sender.left_out
        late = (
            [f"{left_out} steps were left out: they came faster than written"] if left_out else []
        )
        for text in (*warnings, *late):
            write(note_batch("log", "warning", now, text=text))
        if outcome is not None:
            write(note_batch("log", "state", now, text=outcome))

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

    def _header(self, model: nn.Module, times_device: bool) -> dict[str, object]:
        inner = unwrapped(model)
        device = next((p.device for p in inner.parameters()), torch.get_default_device())
        self._device = str(device)
        note = "" if times_device else _note(device)
        return {
            "source": "job",
            "specification": {"warmup": WARMUP},
            "model": {"name": type(inner).__name__, "blocks": [], "input_bytes": 0},
            "lanes": lanes_of(self.rank, self._device, note),
            "replicas": self._world,
            "origin_ns": self._origin,
            "started": self._started,
            "hardware": {"host": platform.node(), "rank": self.rank, "ranks": self._world},
            "versions": {"python": platform.python_version(), "torch": torch.__version__},
            "format": FORMAT,
            **self._told_header,
        }


def _note(device: torch.device) -> str:
    """Return what has to be said wherever a time of a device is shown that times no work."""
    found = torch.accelerator.current_accelerator()
    is_one = found is not None and device.type == found.type
    return "times are the host's: when work was launched, not when it ran" if is_one else ""

"""Writes one rank's recording: its header, its steps, and how it ended."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn

from .blocks import unwrapped
from .clocks import ClockOffset, RankClocks
from .events import RecordedStep
from .messages import print_message
from .rank_file import Occupied, RankFile, remove_unused
from .rank_step import TRACKS, CounterValue, PlannedTask, rank_lanes, timed_step
from .stream import FORMAT, QueuedWrite, Sender, Write, counter_rows, note_row, plan_row, step_rows
from .wire import connect, is_address

WARMUP = 1
"""Warm-up steps, which are not representative: the first step is cold."""
MOST_RANKS = 1 << 16
"""Most ranks of a job: a listener reads a rank's number from two bytes."""
MOST_SHOWN = 40
"""Most characters of a variable's value that a message shows."""
MOST_PLANNED = 100_000
"""Most tasks of the plans that a rank remembers. A job whose batches all have other numbers of rows
has a new plan in each step."""
IDLE_SECONDS = 1.0
"""If nothing follows a step for this time, it is written: the job may be killed while it waits."""


class RankWriter:
    """Writes the steps of this process's rank to the folder or listener `out`.

    Steps that are handed in before `begin` wait. Times count from the creation of the writer.
    `header` adds entries to the recording's header. `take_idle` returns the last step if nothing
    has followed it for the given number of seconds; the writing thread calls it.
    """

    def __init__(
        self,
        out: str | Path,
        header: Mapping[str, object],
        take_idle: Callable[[float], RecordedStep | None],
    ) -> None:
        self._out = out
        self._given_header = header
        self._take_idle = take_idle
        self._origin = time.perf_counter_ns()
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._plans: dict[tuple[PlannedTask, ...], int] = {}
        self._plans_written = 0
        self._planned = 0  # tasks in `_plans`
        self._sender = Sender(self._open, self._idle_step)
        self._clocks: RankClocks | None = None
        self._left_out = 0  # steps that found the queue full
        self._numbers_left_out = 0
        self._is_left_out = False  # another recording writes this rank's file
        self.rank = 0
        self._world = 1
        self._device = ""

    @property
    def has_begun(self) -> bool:
        """True once the rank and its header are known."""
        return self._clocks is not None

    def begin(self, model: nn.Module, times_device: bool, is_together: bool) -> None:
        """Open the stream.

        `times_device` is True if the device times its own work. If `is_together`, all ranks that
        train call this in the same step and compare their clocks.
        """
        if dist.is_available() and dist.is_initialized():
            self.rank = dist.get_rank()
            self._world = dist.get_world_size()
        else:
            self.rank = _variable("RANK", range(MOST_RANKS), "recorded as rank 0") or 0
        self._clocks = RankClocks(self.rank, self._world)
        offset = self._clocks.compare("begin") if is_together else None
        self._sender.start(self._header(model, times_device))
        self._sender.hand_in(partial(self._write_clock, offset))

    def step(self, step: RecordedStep) -> None:
        """Hand in a complete step."""
        # The sender's thread makes the rows, because that takes longer than recording.
        if not self._sender.hand_in(partial(self._write_step, step)):
            self._left_out += 1

    def number(self, name: str, step: int, value: float, since: int | None = None) -> None:
        """Hand in a number of a step.

        It holds from `since`, in ns on this host's clock; the default is now.
        """
        moment = time.perf_counter_ns() if since is None else since
        at = moment - self._origin
        row = partial(note_row, "counter", name, at, step, value)
        self._hand_in_numbers(1, lambda write: write(row()))

    def counters(self, step: int, values: Sequence[CounterValue]) -> None:
        """Hand in counters of a step."""
        rows = partial(counter_rows, step, values, self._origin)
        self._hand_in_numbers(len(values), lambda write: write(rows()))

    def compare_clocks(self) -> None:
        """Compare the ranks' clocks again, at the end of the job."""
        if self._clocks is None:
            return
        offset = self._clocks.compare("end")
        if offset is not None:
            write = partial(self._write_clock, offset)
            self._hand_in_numbers(1, write)

    def finish(self, outcome: str | None, warnings: Sequence[str]) -> None:
        """Write the warnings and how the job ended, and close the stream.

        The outcome is None if the recording ended before the job.
        """
        self._sender.close(partial(self._write_end, outcome, warnings))
        if self._sender.failed and not self._is_left_out:
            print_message(f"not all was recorded: {self._sender.failed}")

    def _hand_in_numbers(self, count: int, write: QueuedWrite) -> None:
        if not self._sender.hand_in(write):
            self._numbers_left_out += count

    def _idle_step(self) -> QueuedWrite | None:
        step = self._take_idle(IDLE_SECONDS)
        if step is None:
            return None
        return partial(self._write_step, step)

    def _write_step(self, step: RecordedStep, write: Write) -> None:
        """Write the step's plan, if it is a new one, and its spans; on the sender's thread."""
        replica = self.rank if step.replica is None else step.replica
        timed = timed_step(step.ops, replica, TRACKS)
        # Most steps of a job have the same tasks. So a plan is written once, and each step contains
        # only the times of its tasks. A different batch size or a skipped collective gives a new
        # plan.
        tasks = timed.tasks
        plan = self._plans.get(tasks)
        if plan is None:
            plan = self._add_plan(tasks)
            write(plan_row(plan, tasks))
        rows = step_rows(plan, step.number, timed, self._origin)
        write(rows)
        if step.anchor is not None:
            begun = max(0, step.anchor.host - self._origin)
            row = note_row("clock", self._device, begun, step.number, step.half_width)
            write(row)

    def _add_plan(self, tasks: tuple[PlannedTask, ...]) -> int:
        """Remember a plan and return its number. The oldest plans are forgotten.

        A plan that recurs after that is written again, with a new number.
        """
        number = self._plans_written
        self._plans_written += 1
        self._plans[tasks] = number
        self._planned += len(tasks)
        while self._planned > MOST_PLANNED and len(self._plans) > 1:
            oldest = next(iter(self._plans))
            del self._plans[oldest]
            self._planned -= len(oldest)
        return number

    def _write_clock(self, offset: ClockOffset | None, write: Write) -> None:
        if offset is None:
            return
        at = offset.at - self._origin
        name = f"rank {self.rank}"
        ahead = str(offset.ahead)
        row = note_row("clock", name, at, 0, offset.half_width, ahead)
        write(row)

    def _write_end(self, outcome: str | None, warnings: Sequence[str], write: Write) -> None:
        now = time.perf_counter_ns() - self._origin
        texts = list(warnings)
        dropped = {"steps": self._left_out, "numbers of steps": self._numbers_left_out}
        for name, count in dropped.items():
            if count:
                texts.append(
                    f"{count} {name} were dropped: they arrived faster than they could be written"
                )
        for text in texts:
            write(note_row("log", "warning", now, text=text))
        if outcome is not None:
            write(note_row("log", "state", now, text=outcome))

    def _open(self) -> object:
        """Open the rank's file or connection; rank 0 removes the files of an earlier, larger job.

        Those would look like ranks of this job. Raise Occupied if another recording writes the
        file.
        """
        if is_address(str(self._out)):
            return connect(str(self._out), self.rank)
        folder = Path(self._out)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            file = RankFile(folder / f"rank-{self.rank}.arrow")
        except Occupied as error:
            self._is_left_out = True
            print_message(f"this process is not recorded: {error}")
            raise
        if self.rank == 0:
            # Before the rendezvous, only the launcher knows the number of ranks.
            launched = _variable("WORLD_SIZE", range(1, MOST_RANKS + 1), "ignored")
            ranks = max(self._world, launched or 1)
            for path in folder.glob("rank-*.arrow"):
                number = path.stem.removeprefix("rank-")
                if number.isdigit() and int(number) >= ranks:
                    remove_unused(path)
        return file

    def _header(self, model: nn.Module, times_device: bool) -> dict[str, object]:
        inner = unwrapped(model)
        parameter = next(inner.parameters(), None)
        device = torch.get_default_device() if parameter is None else parameter.device
        self._device = str(device)
        note = "" if times_device else _note(device)
        return {
            "specification": {"warmup": WARMUP},
            "model": {"name": type(inner).__name__, "blocks": [], "input_bytes": 0},
            "lanes": rank_lanes(self.rank, self._device, note),
            "replicas": self._world,
            "origin_ns": self._origin,
            "started": self._started,
            "source": "job",
            "hardware": {"host": platform.node(), "rank": self.rank, "ranks": self._world},
            "versions": {"python": platform.python_version(), "torch": torch.__version__},
            "format": FORMAT,
            **self._given_header,
        }


def _variable(name: str, accepted: range, consequence: str) -> int | None:
    """Return a number from the environment; None if it is not set, empty or -1.

    For anything else that is not an accepted number, print one line with the consequence.
    """
    text = os.environ.get(name, "").strip()
    if text in ("", "-1"):  # some launchers set -1 for a process that is not a rank
        return None
    digits = text.lstrip("0") or "0"
    is_number = text.isascii() and text.isdigit()
    # Python refuses to parse thousands of digits.
    if is_number and len(digits) < 10 and int(digits) in accepted:
        return int(digits)
    shown = ascii(text[:MOST_SHOWN])
    print_message(
        f"{name}={shown} is not a number from {accepted[0]} to {accepted[-1]:,}: {consequence}"
    )
    return None


def _note(device: torch.device) -> str:
    """Return the note shown with an accelerator's times if it does not time its own work."""
    found = torch.accelerator.current_accelerator()
    if found is None or device.type != found.type:
        return ""
    return "times are the host's: when work was launched, not when it ran"

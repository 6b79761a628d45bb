"""The runs of a sweep, one after the other in one engine process.

Both the command line and the Python interface use this module.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bubblescope.api.interrupts import noting_interrupts
from bubblescope.api.running import Progress, execute_with, ready_hardware, send_files
from core.engine.client import EngineClient
from core.errors import PlanError
from core.files import reason
from core.plain import plain
from core.plan.devices import Hardware
from core.plan.planning import plan_run, run_lanes
from core.plan.specification import Specification
from core.sweep.results import remaining, seconds_left
from core.sweep.sweep import Point, Sweep
from core.sweep.table import SweepRow, UnmeasuredError, header_text, read_table, row_text, sweep_row


class SweepTable:
    """The rows so far, in memory and, if a file is given, appended to it one by one.

    Reads the rows that the file at `path` already has. Raises PlanError if it is not this sweep's
    table, or if its runs were made on a machine other than `host` ("" is this one).
    """

    def __init__(self, path: str | None, asked: Sweep, host: str = "") -> None:
        self._path = path
        self._sweep = asked
        self.measured: list[SweepRow] = []
        whole = 0
        if path is not None:
            self.measured, whole = read_table(Path(path), asked, host)
            if Path(path).exists():
                os.truncate(path, whole)  # remove an incomplete last line
        self._is_new = not whole

    def add(self, row: SweepRow) -> None:
        """Add a row. Raises OSError, naming the file."""
        self.measured.append(row)
        if self._path is None:
            return
        try:
            with open(self._path, "a", encoding="utf-8", newline="") as file:
                if self._is_new:
                    file.write(header_text())
                file.write(row_text(self._sweep, row))
                file.flush()
                # A sweep takes hours, so its rows should survive a power failure.
                os.fsync(file.fileno())
        except OSError as error:
            raise OSError(f"{self._path} cannot be written: {reason(error)}") from error
        self._is_new = False

    @property
    def place(self) -> str:
        """Place of the rows for a message, such as ` in sweep.csv`; "" without a file."""
        return "" if self._path is None else f" in {plain(self._path)}"


@dataclass(frozen=True, slots=True)
class SweepPlace:
    """A run of a sweep that begins: its setting, its number from 1, and the number of runs.

    `seconds_left` is the estimated time in s of this run and the following ones; None at first.
    """

    setting: Specification
    number: int
    count: int
    seconds_left: float | None


class SweepListener(Protocol):
    """Protocol: a display of a sweep's progress."""

    def begins(self, place: SweepPlace) -> Progress:
        """Show that a run begins; returns the progress of its steps."""

    def has_measured(self, row: SweepRow) -> None:
        """Show the result of the run that began last."""

    def has_failed(self, text: str) -> None:
        """Show why the run that began last has no result."""


def run_sweep(
    asked: Sweep,
    rows: SweepTable,
    listener: SweepListener,
    host: str = "",
    files: Sequence[Path] = (),
) -> Mapping[int, str]:
    """Make the runs that the table lacks; returns the errors of failed settings by position.

    With a `host`, which must be checked (core.process.ssh), the engine runs there, and `files` are
    sent there for the runs; the first one is their model. Raises PlanError before the first run if
    the machine cannot run a setting, and KeyboardInterrupt after the current run if it is
    interrupted.
    """
    points = remaining(asked, rows.measured)
    if not points:
        return {}
    client = EngineClient(host)
    with noting_interrupts() as interrupts, closing(client):
        hardware = ready_hardware(client, interrupts)
        # Check all settings first, so that a sweep does not fail after hours for a reason that was
        # known at the start.
        for setting in asked.settings:
            check_setting(setting, hardware, host)
        sweeping = _Sweeping(client, asked, rows, listener, interrupts)
        for number, point in enumerate(points):
            send_files(client, files, interrupts)  # again if the connection has ended meanwhile
            # A setting that has failed once, for example for lack of memory, would fail again.
            if point.setting not in sweeping.failed:
                sweeping.make(point, points[number:])
    return sweeping.failed


class _Sweeping:
    """Makes runs in an engine process, and adds their rows to the table."""

    def __init__(
        self,
        client: EngineClient,
        asked: Sweep,
        rows: SweepTable,
        listener: SweepListener,
        interrupts: list[int],
    ) -> None:
        self._client = client
        self._sweep = asked
        self._rows = rows
        self._listener = listener
        self._interrupts = interrupts
        self._took: list[tuple[int, float]] = []
        self.failed: dict[int, str] = {}

    def make(self, point: Point, left: Sequence[Point]) -> None:
        """Make a run; `left` are the runs from this one on. Raises KeyboardInterrupt."""
        setting = self._sweep.settings[point.setting]
        count = len(self._sweep.points)
        seconds = seconds_left(left, self._took)
        place = SweepPlace(setting, count - len(left) + 1, count, seconds)
        began = time.monotonic()
        try:
            progress = self._listener.begins(place)
            trace, ended = execute_with(self._client, setting, None, progress, self._interrupts)
            if self._interrupts:
                raise KeyboardInterrupt
            row = sweep_row(point, trace, ended.outcome, str(ended.text))
        except (UnmeasuredError, PlanError) as error:
            self.failed[point.setting] = str(error)
            self._listener.has_failed(str(error))
            return
        self._rows.add(row)
        self._took.append((point.setting, time.monotonic() - began))
        self._listener.has_measured(row)


def check_setting(setting: Specification, hardware: Hardware, host: str = "") -> None:
    """Raise PlanError, naming the setting's strategy and the host, if it cannot be run there."""
    try:
        if setting.own_model:  # only torch can describe it
            run_lanes(setting, hardware)
        else:
            plan_run(setting, hardware)
    except PlanError as error:
        text = f"{setting.strategy}: {error}"
        raise PlanError(f"the machine {host}: {text}" if host else text) from error

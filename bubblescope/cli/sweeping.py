"""The `sweep` command: many runs in one engine process, and their table."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bubblescope.api.interrupts import INTERRUPTED, noting_interrupts
from bubblescope.api.running import RunError, execute_with, ready_hardware
from bubblescope.cli.drawing import loading_qt
from bubblescope.cli.hosts import host_of
from bubblescope.cli.progress import ProgressPrinter
from bubblescope.cli.report import table
from core.engine.client import EngineClient
from core.errors import PlanError
from core.files import check_outputs, reason
from core.option import Option, OptionValue, flag_of, listed
from core.plain import plain, say
from core.plan.devices import Hardware
from core.plan.planning import plan_run, run_lanes
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.sweep.results import MOST_NAMED, Result, Results, remaining, seconds_left
from core.sweep.sweep import Point, Sweep, sweep_of
from core.sweep.table import SweepRow, UnmeasuredError, header_text, read_table, row_text, sweep_row
from core.sweep.values import COMMA, value_text

NONE = "none"


def sweep(arguments: argparse.Namespace) -> int:
    """Make the runs that the table lacks, and print all results. Return the exit status."""
    given = vars(arguments)
    check_outputs(given)
    asked = sweep_of(given, _references(arguments.beside), arguments.repeat, arguments.shuffle)
    host = host_of(arguments)
    rows = _Table(arguments.csv, asked)
    failed = {}
    if remaining(asked, rows.measured):
        try:
            failed = _Sweeping(asked, rows, host).run()
        except KeyboardInterrupt:
            say(_interrupted(asked, rows), sys.stderr)
            return INTERRUPTED
    results = Results(asked, tuple(rows.measured))
    try:
        if arguments.image is not None and results.by_setting:
            with loading_qt():
                from gui.features.sweep.picture import export_sweep

            export_sweep(results, Path(arguments.image), arguments.theme)
    finally:
        # In `finally`, so that results are printed even if the picture cannot be written.
        say(results_text(results))
    if failed:
        raise RunError(_failed_text(asked, failed))
    return 0


class _Table:
    """The rows so far, in memory and, if there is a file, appended to it one by one."""

    def __init__(self, path: str | None, asked: Sweep) -> None:
        self._path, self._sweep = path, asked
        self.measured: list[SweepRow] = []
        whole = 0
        if path is not None:
            self.measured, whole = read_table(Path(path), asked)
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


class _Sweeping:
    """Makes the remaining runs, one after the other in one engine process."""

    def __init__(self, asked: Sweep, rows: _Table, host: str) -> None:
        self._sweep, self._rows = asked, rows
        self._client = EngineClient(host)
        self._took: list[tuple[int, float]] = []
        self._failed: dict[int, str] = {}
        self._shown: set[str] = set()

    def run(self) -> dict[int, str]:
        """Run, and return the errors of failed settings by position.

        Raises PlanError before the first run if this machine cannot run a setting, and
        KeyboardInterrupt after the current run if it is interrupted.
        """
        with noting_interrupts() as interrupts, closing(self._client) as client:
            hardware = ready_hardware(client, interrupts)
            # Check all settings first, so that a sweep does not fail after hours for a reason that
            # was known at the start.
            for setting in self._sweep.settings:
                check_setting(setting, hardware)
            points = remaining(self._sweep, self._rows.measured)
            for number, point in enumerate(points):
                # A setting that has failed once, for example for lack of memory, would fail again.
                if point.setting not in self._failed:
                    self._make(point, points[number:], interrupts)
        return self._failed

    def _make(self, point: Point, left: Sequence[Point], interrupts: list[int]) -> None:
        """Make one run, add its row and print its line."""
        title = setting_text(self._sweep, self._sweep.settings[point.setting])
        count = len(self._sweep.points)
        number = count - len(left) + 1
        place = f"run {number} of {count}{_left_text(left, self._took)}: {title}"
        began = time.monotonic()
        progress = ProgressPrinter(False, f"{plain(place)}, ", self._shown)
        try:
            setting = self._sweep.settings[point.setting]
            trace, ended = execute_with(self._client, setting, None, progress, interrupts)
            if interrupts:
                raise KeyboardInterrupt
            row = sweep_row(point, trace, ended.outcome, str(ended.text))
        except (UnmeasuredError, PlanError) as error:
            self._failed[point.setting] = str(error)
            say(f"{place}: {plain(str(error))}", sys.stderr)
            return
        self._rows.add(row)
        self._took.append((point.setting, time.monotonic() - began))
        say(f"{place}: {row.step_ms:.2f} ms", sys.stderr)


def check_setting(setting: Specification, hardware: Hardware) -> None:
    """Raise PlanError, naming the setting's strategy, if this machine cannot run it."""
    try:
        if setting.own_model:  # only torch can describe it
            run_lanes(setting, hardware)
        else:
            plan_run(setting, hardware)
    except PlanError as error:
        raise PlanError(f"{setting.strategy}: {error}") from error


def setting_text(asked: Sweep, setting: Specification) -> str:
    """Return the options that distinguish a setting, in the form of the command line."""
    return " ".join(_word(option, value) for option, value in asked.differing(setting))


def results_text(results: Results) -> str:
    """Return the table of means, and the sentence about the fastest setting."""
    if not results.by_setting:
        return "nothing was measured"
    rows = [_row(results, result) for result in results.by_setting.values()]
    head = ("setting", "lanes", "runs", "mean ms", "deviation", "ideal ms", "")
    notes = [f"times: {timing}" for timing in results.timings]
    return "\n".join([table(head, rows), fastest_text(results), *notes])


def fastest_text(results: Results) -> str:
    """Return a sentence with the fastest setting and all that do not differ significantly."""
    best = results.fastest
    assert best is not None
    text = f"fastest: {setting_text(results.sweep, best.setting)}, {best.mean_ms:.2f} ms"
    if best.deviation_ms is None:
        return f"{text} (a single run: use --repeat 3 or more to measure the deviation)"
    alike = [setting_text(results.sweep, other.setting) for other in results.as_fast]
    if len(alike) > MOST_NAMED:
        return f"{text}; no certain difference from {len(alike)} others"
    return f"{text}; no certain difference from {listed(alike)}" if alike else text


def _row(results: Results, result: Result) -> list[str]:
    deviation, ideal = result.deviation_ms, result.ideal_ms
    return [
        setting_text(results.sweep, result.setting),
        f"{result.lanes}",
        f"{len(result.rows)}",
        f"{result.mean_ms:.2f}",
        "-" if deviation is None else f"{deviation:.2f}",
        "-" if ideal is None else f"{ideal:.2f}",
        "fastest" if result is results.fastest else "",
    ]


def _word(option: Option[Any], value: OptionValue) -> str:
    if option.name == "strategy":
        return f"{value}"
    return f"{flag_of(option.name)} {value_text(value) or 'default'}"


def _references(text: str) -> tuple[str, ...]:
    """Return the reference strategies. Raises PlanError for an unknown one."""
    names = tuple(name.strip() for name in text.split(COMMA))
    if names == (NONE,):
        return ()
    for name in names:
        if name not in STRATEGIES:
            raise PlanError(f"--beside {name!r}: use {listed([*STRATEGIES, NONE])}")
    return names


def _left_text(left: Sequence[Point], took: Sequence[tuple[int, float]]) -> str:
    seconds = seconds_left(left, took)
    return "" if seconds is None else f", {duration(max(1.0, seconds))} left"


def duration(seconds: float) -> str:
    """Return an approximate duration: `about 40 s`, `about 3 min`."""
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min"


def _interrupted(asked: Sweep, rows: _Table) -> str:
    again = "; the same command continues" if rows.place else ", but --csv FILE was not given"
    done = len(asked.points) - len(remaining(asked, rows.measured))
    return f"bubblescope: interrupted after {done} of {len(asked.points)} runs{rows.place}{again}"


def _failed_text(asked: Sweep, failed: dict[int, str]) -> str:
    place, why = next(iter(failed.items()))
    text = f"{setting_text(asked, asked.settings[place])} failed: {why}"
    return text if len(failed) == 1 else f"{text}; so did {len(failed) - 1} more"

"""The `sweep` command: many runs in one engine process, and their table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bubblescope.api.interrupts import INTERRUPTED
from bubblescope.api.running import RunError
from bubblescope.api.sweep_text import failed_text, fastest_text, setting_text
from bubblescope.api.sweeping import SweepPlace, SweepTable, run_sweep
from bubblescope.cli.drawing import loading_qt
from bubblescope.cli.hosts import host_of
from bubblescope.cli.progress import ProgressPrinter
from bubblescope.cli.report import table
from core.errors import PlanError
from core.files import check_outputs
from core.option import listed
from core.plain import plain, say
from core.plan.strategies import STRATEGIES
from core.sweep.results import Result, Results, remaining
from core.sweep.sweep import Sweep, sweep_of
from core.sweep.table import SweepRow
from core.sweep.values import COMMA

NONE = "none"


def sweep(arguments: argparse.Namespace) -> int:
    """Make the runs that the table lacks, and print all results. Return the exit status."""
    given = vars(arguments)
    asked = sweep_of(given, _references(arguments.beside), arguments.repeat, arguments.shuffle)
    check_outputs(given, asked.own_files)
    host = host_of(arguments)
    rows = SweepTable(arguments.csv, asked, host)
    try:
        failed = run_sweep(asked, rows, _Printer(asked), host)
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
        raise RunError(failed_text(asked, failed))
    return 0


class _Printer:
    """Prints a line for each run of a sweep, and its steps on a terminal."""

    def __init__(self, asked: Sweep) -> None:
        self._sweep = asked
        self._shown: set[str] = set()
        self._place = ""

    def begins(self, place: SweepPlace) -> ProgressPrinter:
        """Return a printer of the run's steps."""
        left = _left_text(place.seconds_left)
        title = setting_text(self._sweep, place.setting)
        self._place = f"run {place.number} of {place.count}{left}: {title}"
        return ProgressPrinter(False, f"{plain(self._place)}, ", self._shown)

    def has_measured(self, row: SweepRow) -> None:
        """Print the result of a run."""
        say(f"{self._place}: {row.step_ms:.2f} ms", sys.stderr)

    def has_failed(self, text: str) -> None:
        """Print why a run has no result."""
        say(f"{self._place}: {plain(text)}", sys.stderr)


def results_text(results: Results) -> str:
    """Return the table of means, and the sentence about the fastest setting."""
    if not results.by_setting:
        return "nothing was measured"
    rows = [_row(results, result) for result in results.by_setting.values()]
    head = ("setting", "lanes", "runs", "mean ms", "deviation", "ideal ms", "")
    notes = [f"times: {timing}" for timing in results.timings]
    return "\n".join([table(head, rows), fastest_text(results, "--repeat 3"), *notes])


def _row(results: Results, result: Result) -> list[str]:
    deviation = result.deviation_ms
    ideal = result.ideal_ms
    return [
        setting_text(results.sweep, result.setting),
        f"{result.lanes}",
        f"{len(result.rows)}",
        f"{result.mean_ms:.2f}",
        "-" if deviation is None else f"{deviation:.2f}",
        "-" if ideal is None else f"{ideal:.2f}",
        "fastest" if result is results.fastest else "",
    ]


def _references(text: str) -> tuple[str, ...]:
    """Return the reference strategies. Raises PlanError for an unknown one."""
    names = tuple(name.strip() for name in text.split(COMMA))
    if names == (NONE,):
        return ()
    for name in names:
        if name not in STRATEGIES:
            raise PlanError(f"--beside {name!r}: use {listed([*STRATEGIES, NONE])}")
    return names


def _left_text(seconds: float | None) -> str:
    return "" if seconds is None else f", {duration(max(1.0, seconds))} left"


def duration(seconds: float) -> str:
    """Return an approximate duration: `about 40 s`, `about 3 min`."""
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min"


def _interrupted(asked: Sweep, rows: SweepTable) -> str:
    again = "; the same command continues" if rows.place else ", but --csv FILE was not given"
    done = len(asked.points) - len(remaining(asked, rows.measured))
    return f"bubblescope: interrupted after {done} of {len(asked.points)} runs{rows.place}{again}"

"""The CSV table of a sweep, with a row for each run; a stopped sweep can continue from it."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.engine.messages import Outcome
from core.errors import PlanError
from core.message import Message, Text, counted, message
from core.option import listed
from core.plain import cell
from core.plan.specification import Specification
from core.reading import one_line, read_regular
from core.sweep.sweep import Point, Sweep, values_by_name
from core.sweep.values import SWEPT, value_text
from core.trace.complete import completed_steps, run_faults
from core.trace.median_step import median_step
from core.trace.trace import Trace
from core.trace.verified import verified

RESULT_COLUMNS = ("repeat", "lanes", "step_ms", "timing", "machine")
"""Columns that are not options."""
COLUMNS = (*(option.name for option in SWEPT), *RESULT_COLUMNS)


class UnmeasuredError(ValueError):
    """Raised for a run without a valid step time; the message gives the reason in one line."""


@dataclass(frozen=True, slots=True)
class SweepRow:
    """The result of one run: its number of compute lanes, and its median step's makespan in ms.

    `timing` is a note on the times, about shared hardware or a virtual clock. `machine` is the host
    on which the run was made, "" for this machine.
    """

    point: Point
    lanes: int
    step_ms: float
    timing: str = ""
    machine: str = ""


def sweep_row(point: Point, trace: Trace, outcome: Outcome, reason: Text) -> SweepRow:
    """Return the row of a run that has ended; if it failed, `reason` says why, or is "".

    Raises UnmeasuredError if the run did not finish, lacks spans, or computed wrong gradients.
    """
    if outcome is not Outcome.FINISHED:
        # The outcome's name is translated too: the list of runs shows the same names.
        outcome_text = message("the run was {outcome}", outcome=message(outcome.value))
        raise UnmeasuredError(reason or outcome_text)
    faults = run_faults(trace)
    if faults:
        raise UnmeasuredError(message("the recording is incomplete: {fault}", fault=faults[0].text))
    comparison = verified(trace)
    if comparison is not None and not comparison.agrees:
        error = f"{comparison.gradient:.1e}"
        raise UnmeasuredError(message("gradients are off by {error}", error=error))
    steps = completed_steps(trace)
    if not steps:
        raise UnmeasuredError(message("no step was measured"))
    median = median_step(trace, steps)
    start, end = trace.step_bounds(median)
    step_ms = (end - start) / 1e6
    lanes = len(trace.header.compute_lanes)
    timing = str(trace.header.timing_note)
    machine = str(trace.header.hardware.get("host", ""))
    return SweepRow(
        point=point,
        lanes=lanes,
        step_ms=step_ms,
        timing=timing,
        machine=machine,
    )


def header_text() -> str:
    """Return the table's first line."""
    return _line(COLUMNS)


def row_text(sweep: Sweep, row: SweepRow) -> str:
    """Return the line of one run."""
    # The sixth decimal of a millisecond is a nanosecond.
    step_ms = f"{row.step_ms:.6f}"
    results = (str(row.point.repeat), str(row.lanes), step_ms, row.timing, row.machine)
    setting = sweep.settings[row.point.setting]
    return _line((*_texts(setting), *results))


def table_text(sweep: Sweep, rows: Sequence[SweepRow]) -> str:
    """Return the whole table."""
    return header_text() + "".join(row_text(sweep, row) for row in rows)


def read_table(path: Path, sweep: Sweep, machine: str = "") -> tuple[list[SweepRow], int]:
    """Return the rows of a sweep's table, and the number of bytes in its complete lines.

    If there is no file, there are no rows. An incomplete last line is ignored. Raises PlanError, in
    one line, if the file is not such a table, or has a run twice, a run that is not part of the
    sweep, or a run of another machine than `machine`.
    """
    if not path.exists():
        return [], 0
    if not path.is_file():
        raise PlanError(
            message("--csv {path}: that is not a regular file; name a table to continue", path=path)
        )
    unreadable = message("{path} cannot be read as a sweep's table", path=path)
    with one_line(unreadable, PlanError, csv.Error):
        data = read_regular(path)
        # Each row is written at once and ends in a newline. Text after the last newline is part of
        # a row, left by a crash.
        complete = data[: data.rfind(b"\n") + 1]
        # The csv module requires newline="", because quoted texts may contain line ends.
        text = io.StringIO(complete.decode(), newline="")
        lines = list(csv.reader(text, strict=True))
    if not lines:
        # A crash may also leave a part of the first line.
        if header_text().encode().startswith(data):
            return [], 0
        raise _not_a_table(path)
    if tuple(lines[0]) != COLUMNS:
        raise _not_a_table(path)
    # Settings are compared as texts, exactly as they were written, and not as parsed numbers.
    places = {_texts(setting): place for place, setting in enumerate(sweep.settings)}
    rows: list[SweepRow] = []
    seen: set[Point] = set()
    for number, line in enumerate(lines[1:], 2):
        row = _row(path, number, line, places)
        if row.machine != machine:
            raise PlanError(
                message(
                    "{path}: line {number} was measured on {machine}; name another file",
                    path=path,
                    number=number,
                    machine=row.machine or message("this machine"),
                )
            )
        if row.point in seen:
            raise PlanError(
                message(
                    "{path}: line {number} repeats a run; delete one of its lines",
                    path=path,
                    number=number,
                )
            )
        seen.add(row.point)
        rows.append(row)
    return rows, len(complete)


def _row(
    path: Path, number: int, line: Sequence[str], places: Mapping[tuple[str, ...], int]
) -> SweepRow:
    """Parse a line of the table; `places` are the sweep's settings, as texts. Raises PlanError."""
    if len(line) != len(COLUMNS):
        raise PlanError(
            counted(
                "{path}: line {number} has {n} cell instead of {columns}",
                "{path}: line {number} has {n} cells instead of {columns}",
                len(line),
                path=path,
                number=number,
                columns=len(COLUMNS),
            )
        )
    options = len(COLUMNS) - len(RESULT_COLUMNS)
    texts = tuple(line[:options])
    results = dict(zip(RESULT_COLUMNS, line[options:], strict=True))
    if texts not in places:
        difference = _difference(texts, list(places))
        raise PlanError(
            message(
                "{path} is from another sweep: line {number} {difference}; name another file, or "
                "delete this one",
                path=path,
                number=number,
                difference=difference,
            )
        )
    invalid = message("{path}: line {number} is not a valid row", path=path, number=number)
    with one_line(invalid, PlanError):
        repeat = int(results["repeat"])
        lanes = int(results["lanes"])
        step_ms = float(results["step_ms"])
        is_time = math.isfinite(step_ms) and step_ms > 0
        if repeat < 1 or lanes < 1 or not is_time:
            raise ValueError(message("a number is out of range"))
    point = Point(places[texts], repeat)
    return SweepRow(
        point=point,
        lanes=lanes,
        step_ms=step_ms,
        timing=results["timing"],
        machine=results["machine"],
    )


def _difference(texts: tuple[str, ...], known: Sequence[tuple[str, ...]]) -> Message:
    """Describe how a row's values differ from those of a sweep: `has batch 6, not 12`."""
    for place, option in enumerate(SWEPT):
        values = dict.fromkeys(setting[place] for setting in known)
        if texts[place] not in values:
            wanted = listed([value or "none" for value in values])
            given = texts[place] or "none"
            return message(
                "has {name} {given}, not {wanted}", name=option.name, given=given, wanted=wanted
            )
    return message("has a combination of values that is not in this sweep")


def _texts(setting: Specification) -> tuple[str, ...]:
    """Return the cells of a setting, one for each option of SWEPT."""
    values = values_by_name(setting)
    texts = [value_text(values[option.name]) for option in SWEPT]
    return tuple(map(cell, texts))


def _line(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _not_a_table(path: Path) -> PlanError:
    return PlanError(
        message("{path} is not the table of a sweep of this version; name another file", path=path)
    )

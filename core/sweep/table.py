"""The table of a sweep: a row for each run, as CSV, from which it goes on after it was ended."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.engine.messages import Outcome
from core.errors import PlanError
from core.plain import cell
from core.plan.specification import Specification
from core.reading import one_line, read_regular
from core.sweep.sweep import Point, Sweep, values_by_name
from core.sweep.values import SWEPT, value_text
from core.trace.complete import completed_steps, run_faults
from core.trace.median_step import median_step
from core.trace.trace import Trace
from core.trace.verified import verified

OWN = ("repeat", "lanes", "step_ms", "timing")
COLUMNS = (*(option.name for option in SWEPT), *OWN)


class UnmeasuredError(ValueError):
    """A run gave no step's time; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of one run: its compute `lanes`, and the makespan of its median step in ms.

    `timing` is what has to be said of its times, of shared hardware or a virtual clock.
    """

    point: Point
    lanes: int
    step_ms: float
    timing: str = ""


def measured(point: Point, trace: Trace, outcome: Outcome, text: str) -> Measured:
    """What a run that is over has measured.

    Raises UnmeasuredError if it did not finish, lacks spans, or computed something else.
    """
    faults, found = run_faults(trace), verified(trace)
    if outcome is not Outcome.FINISHED:
        raise UnmeasuredError(text or f"the run was {outcome}")
    if faults:
        raise UnmeasuredError(f"the recording is incomplete: {faults[0].text}")
    if found is not None and not found.agrees:
        raise UnmeasuredError(f"gradients are off by {found.gradient:.1e}")
    steps = completed_steps(trace)
    if not steps:
        raise UnmeasuredError("no step was measured")
    start, end = trace.step_bounds(median_step(trace, steps))
    step_ms = (end - start) / 1e6
    lanes = len(trace.header.compute_lanes)
    return Measured(point, lanes, step_ms, trace.header.timing_note)


def header_text() -> str:
    """The table's first line."""
    return _line(COLUMNS)


def row_text(sweep: Sweep, row: Measured) -> str:
    """The line of one run."""
    # Six digits of a ms are whole ns.
    own = (f"{row.point.repeat}", f"{row.lanes}", f"{row.step_ms:.6f}", row.timing)
    return _line((*_texts(sweep.settings[row.point.setting]), *own))


def table_text(sweep: Sweep, rows: Sequence[Measured]) -> str:
    """The whole table."""
    return header_text() + "".join(row_text(sweep, row) for row in rows)


def read_table(path: Path, sweep: Sweep) -> tuple[list[Measured], int]:
    """The rows of a sweep's table, and how many bytes of it are whole lines; none of no file.

    A last line that was cut is left out. Raises PlanError, in one line, if the file is no such
    table or has a run that the sweep has not.
    """
    if not path.exists():
        return [], 0
    if not path.is_file():
        raise PlanError(f"--csv {path}: that is no ordinary file; name one to go on from")
    with one_line(f"{path} cannot be read as a sweep's table", PlanError, csv.Error):
        whole = read_regular(path)
        # A row is one write that ends in a newline: what stands behind the last newline was cut by
        # a crash.
        whole = whole[: whole.rfind(b"\n") + 1]
        # As csv asks: a quoted text may have line ends of its own.
        lines = list(csv.reader(io.StringIO(whole.decode(), newline=""), strict=True))
    if not lines:
        # Cut within the very first line: nothing is lost, begin anew.
        if header_text().encode().startswith(read_regular(path)):
            return [], 0
        raise _not_a_table(path)
    if tuple(lines[0]) != COLUMNS:
        raise _not_a_table(path)
    # Settings are found again by their texts, exactly as they were written: no number is parsed and
    # compared.
    places = {_texts(setting): place for place, setting in enumerate(sweep.settings)}
    rows = [_row(path, number, line, places) for number, line in enumerate(lines[1:], 2)]
    seen: set[Point] = set()
    for number, row in enumerate(rows, 2):
        if row.point in seen:
            raise PlanError(f"{path}: line {number} repeats a run; delete one of its lines")
        seen.add(row.point)
    return rows, len(whole)


def _row(
    path: Path, number: int, line: Sequence[str], places: Mapping[tuple[str, ...], int]
) -> Measured:
    """A line of the table. Raises PlanError, naming what is wrong with it."""
    if len(line) != len(COLUMNS):
        raise PlanError(f"{path}: line {number} has {len(line)} cells instead of {len(COLUMNS)}")
    texts, own = tuple(line[: -len(OWN)]), dict(zip(OWN, line[-len(OWN) :], strict=True))
    if texts not in places:
        raise PlanError(
            f"{path} is of other settings: line {number} {_difference(texts, list(places))}; "
            "name another file, or delete this one"
        )
    with one_line(f"{path}: line {number} is no measured run", PlanError):
        repeat, lanes, step_ms = int(own["repeat"]), int(own["lanes"]), float(own["step_ms"])
        if repeat < 1 or lanes < 1 or not (step_ms > 0 and math.isfinite(step_ms)):
            raise ValueError("its numbers make no sense")
    return Measured(Point(places[texts], repeat), lanes, step_ms, own["timing"])


def _difference(texts: tuple[str, ...], known: Sequence[tuple[str, ...]]) -> str:
    """Which value of a row this sweep has not: `has batch 6, not 12`."""
    for place, option in enumerate(SWEPT):
        here = dict.fromkeys(other[place] for other in known)
        if texts[place] not in here:
            wanted = " or ".join(text or "none" for text in here)
            return f"has {option.name} {texts[place] or 'none'}, not {wanted}"
    return "combines values that are not run together"


def _texts(setting: Specification) -> tuple[str, ...]:
    values = values_by_name(setting)
    return tuple(cell(value_text(values[option.name])) for option in SWEPT)


def _line(cells: Sequence[str]) -> str:
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerow(cells)
    return made.getvalue()


def _not_a_table(path: Path) -> PlanError:
    return PlanError(f"{path} is no table of a sweep of this version; name another file")

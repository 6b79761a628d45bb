"""The command `slowdown`: how much shorter a job would be if a part of it were like its peers."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Mapping, Sequence

import numpy as np

from bubblescope.cli.opening import open_with_warnings
from bubblescope.cli.parts import advice_without_steps, part_of
from bubblescope.cli.report import table
from core.counts import steps_text
from core.errors import PlanError
from core.files import check_outputs, write_whole
from core.plain import cell, duration_text, say
from core.report.even_split import EvenSplit, even_split
from core.report.mesh import Axis
from core.report.slowdown import Saving, Slowdown, slowdown
from core.trace.median_step import whole_steps

MOST_LISTED = 8
"""Largest number of rows of each table below the matrix."""
LEAST_SHARE = 0.0005
"""Smaller shares are printed as 0, and workers with smaller ones are not listed."""


def print_slowdown(arguments: argparse.Namespace) -> None:
    """Print the slowdown matrix of a recording or a folder of ranks, and write it as CSV.

    Raises PlanError or another ValueError, whose message is one line.
    """
    axes = parse_axes(arguments.axes)
    part = part_of(arguments)
    check_outputs(vars(arguments))
    name = arguments.recording
    trace = part.of(open_with_warnings(name), name)
    steps = whole_steps(trace)
    if not steps:
        advice = advice_without_steps(trace)
        raise PlanError(f"{name} has no whole step; {advice}")
    try:
        found = slowdown(trace, steps, axes)
    except PlanError as error:
        raise PlanError(f"{name}: {error}") from None
    write_whole(arguments.csv, slowdown_csv(found))
    split = even_split(trace, steps)
    say(slowdown_text(found, split))


def parse_axes(text: str | None) -> tuple[Axis, Axis] | None:
    """Return the two axes that a text such as `DP,PP` names, in this order. Raises PlanError."""
    if text is None:
        return None
    names = [name.strip().upper() for name in text.split(",")]
    axes = [axis for axis in Axis if axis in names]
    if len(names) != 2 or len(axes) != 2:
        known = ", ".join(Axis)
        raise PlanError(f"--axes {text}: use two of {known}, such as DP,PP")
    rows, columns = names
    return Axis(rows), Axis(columns)


def slowdown_text(found: Slowdown, split: EvenSplit | None) -> str:
    """Return the text that `slowdown` prints: the matrix, and a table of workers and of kinds.

    Each part is listed with the percentage of a step that the job would save.
    """
    step = duration_text(found.step_ns)
    first = f"step {step}, mean of {steps_text(found.steps)}"
    if found.replayed < found.steps:
        first += f", {found.replayed} of them replayed"
    lines = [first]
    if split is not None and split.text is not None:
        lines.append(str(split.text))
    heading = "per cent of a step that the job would save if a part were like its peers:"
    lines += ["", heading, "", _matrix_text(found)]
    slow = [one for one in found.of_workers if one.share >= LEAST_SHARE]
    if slow:
        of_workers = _savings_text("worker", slow)
        lines += ["", of_workers]
    of_kinds = _savings_text("kind", found.of_kinds)
    lines += ["", of_kinds]
    return "\n".join(lines)


def _savings_text(head: str, savings: Sequence[Saving]) -> str:
    """Return a table of the largest savings."""
    largest = sorted(savings, key=lambda one: one.share, reverse=True)
    rows = []
    for one in largest[:MOST_LISTED]:
        percent = _percent(one.share)
        saved_ms = one.saved_ns / 1e6
        rows.append((one.name, percent, f"{saved_ms:.3f}"))
    return table((head, "saves %", "saves ms"), rows)


def _matrix_text(found: Slowdown) -> str:
    """Return the matrix of workers, with the savings of whole rows and columns at its margins."""
    shares = found.matrix().tolist()
    names = [one.name for one in found.of_columns]
    header = ["", *names, f"all of {found.rows}"]
    rows: list[Sequence[str]] = []
    for one, of_row in zip(found.of_rows, shares, strict=True):
        cells = [_percent(share) for share in of_row]
        rows.append([one.name, *cells, _percent(one.share)])
    margins = [_percent(one.share) for one in found.of_columns]
    rows.append([f"all of {found.columns}", *margins, ""])
    return table(header, rows)


def _percent(share: float) -> str:
    if np.isnan(share):
        return "-"
    if abs(share) < LEAST_SHARE:
        return "0"
    return f"{100 * share:.1f}"


def slowdown_csv(found: Slowdown) -> str:
    """Return CSV with a line for each worker, row, column and kind; savings in ns and fractions."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    axes = [axis.lower() for axis in Axis]
    writer.writerow(["part", "name", *axes, "saved_ns", "share"])
    for worker, saving in zip(found.workers, found.of_workers, strict=True):
        writer.writerow(_csv_row(saving, worker.place))
    for saving in (*found.of_rows, *found.of_columns, *found.of_kinds):
        writer.writerow(_csv_row(saving, {}))
    return out.getvalue()


def _csv_row(saving: Saving, place: Mapping[Axis, int]) -> list[object]:
    coordinates = [place.get(axis, "") for axis in Axis]
    name = cell(saving.name)
    saved = round(saving.saved_ns)
    return [saving.part, name, *coordinates, saved, saving.share]

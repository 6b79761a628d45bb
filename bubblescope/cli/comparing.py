"""The command `compare`: compares two recordings."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bubblescope.cli.drawing import loading_qt
from bubblescope.cli.opening import open_with_warnings
from bubblescope.cli.parts import TracePart, advice_without_steps, part_of
from bubblescope.cli.report import table
from core.compare.alignment import Alignment, at_moments
from core.compare.differences import Difference, RowGroup
from core.compare.runs import TwoRuns, compare_runs
from core.errors import PlanError
from core.explain.causes import Cause
from core.files import check_outputs, write_whole
from core.plain import duration_text, plain, say
from core.plan.task import PASSES
from core.trace.median_step import whole_steps
from core.trace.step import StepColumns
from core.trace.trace import Trace

ALL = "all"
START = "start"
FIT = "fit"
_NAMES = {
    RowGroup.CAUSE: "idle: {}",
    RowGroup.OVERLAP: "tasks that overlap",
    RowGroup.LANE_WORK: "{} works",
    RowGroup.LANE_IDLE: "{} is idle",
    RowGroup.OTHER_LANES: "{} on other lanes",
}
"""Text of a row by its group; `{}` is the row's name. Other groups show the name alone."""
MOST_DIGITS = 10
"""Limit on the digits of a step's number; Python refuses to parse thousands of digits."""


def compare_recordings(arguments: argparse.Namespace) -> None:
    """Compare two recordings, print the tables and write the outputs.

    Raises PlanError or another ValueError in one line.
    """
    # Check the outputs first, so that a mistyped --image is not reported only after minutes of
    # work.
    check_outputs(vars(arguments))
    names = (arguments.a, arguments.b)
    parts = _parts(arguments)
    trace_a = _opened(names[0], parts[0])
    trace_b = _opened(names[1], parts[1])
    traces = (trace_a, trace_b)
    steps_a = _steps("--step-a", arguments.step_a, names[0], trace_a)
    steps_b = _steps("--step-b", arguments.step_b, names[1], trace_b)
    two = compare_runs(trace_a, trace_b, steps_a, steps_b)
    fit = arguments.scale == FIT
    alignment = _alignment(two, traces, names, arguments.align, fit)
    summary = {"a": names[0], "b": names[1], **two.to_dict()}
    document = json.dumps(summary, indent=1)
    write_whole(arguments.summary, document + "\n")
    if arguments.image is not None:
        with loading_qt():
            from gui.features.compare.picture import Both, export_both

        both = Both(two, traces, alignment)
        export_both(both, Path(arguments.image), arguments.theme)
    if arguments.report is not None:
        with loading_qt():
            from gui.features.compare.picture import Both
            from gui.features.compare.report import write_both_report

        both = Both(two, traces, alignment)
        write_both_report(both, Path(arguments.report))
    titles = [part.title for part in parts]
    say(compared_text(two, traces, names, titles))


def compared_text(
    two: TwoRuns, traces: Sequence[Trace], names: Sequence[str], titles: Sequence[str]
) -> str:
    """Return the text that `compare` prints.

    `titles` name the parts of the traces that were taken as their steps; "" for none.
    """
    lines = []
    for place, side in enumerate((two.a, two.b)):
        step = titles[place] or _steps_text(traces[place], side.steps)
        makespan = duration_text(side.mean_makespan)
        letter = "AB"[place]
        name = plain(names[place])
        lines.append(f"{letter}: {name}, {step}, {makespan}")
    lines.append(str(two.sentence()))
    by_reason = _rows_text("reason", two.reasons, two.difference)
    by_lane = _rows_text("lane", two.lanes, two.difference)
    lines += ["", by_reason, "", by_lane]
    if two.other_lanes:
        by_other_lane = _rows_text("copy and communication lanes", two.other_lanes, None)
        lines += ["", by_other_lane]
    lines += ["", matches_text(two)]
    return "\n".join(lines)


def matches_text(two: TwoRuns) -> str:
    """Return the numbers of matched and unmatched tasks: `112 tasks matched; only A: 4 copy`."""
    parts = [f"{len(two.matches)} tasks matched"]
    unmatched = two.matches.unmatched()
    for letter, counts in zip("AB", unmatched, strict=True):
        if counts:
            kinds = [f"{count} {kind}" for kind, count in counts.items()]
            listed = ", ".join(kinds)
            parts.append(f"only {letter}: {listed}")
    return "; ".join(parts)


def _rows_text(head: str, rows: Sequence[Difference], total: int | None) -> str:
    names = [head]
    of_a = ["A ms"]
    of_b = ["B ms"]
    differences = ["difference"]
    contributions = ["contributes"]
    for row in rows:
        names.append(_row_name(row))
        of_a.append(_ms(row.a))
        of_b.append(_ms(row.b))
        differences.append(_signed_ms(row.difference))
        contributions.append(_signed_ms(row.contribution))
    columns = [of_a, of_b, differences]
    if total is not None:
        # The contributions add up to the difference of the makespans, which is the last row.
        names.append("makespan")
        for column in columns:
            column.append("")
        contributions.append(_signed_ms(total))
        columns.append(contributions)
    aligned = [_right_aligned(column) for column in columns]
    # The first line of the columns is the header.
    header, *lines = zip(names, *aligned, strict=True)
    return table(header, lines)


def _row_name(row: Difference) -> str:
    name = row.name
    if row.group is RowGroup.CAUSE:
        name = Cause(name).label
    form = _NAMES.get(row.group, "{}")
    return form.format(name)


def _right_aligned(column: Sequence[str]) -> list[str]:
    """Pad texts on the left to equal width."""
    width = max(map(len, column))
    return [text.rjust(width) for text in column]


def _ms(ns: int | None) -> str:
    if ns is None:
        return "-"
    return f"{ns / 1e6:.3f}"


def _signed_ms(ns: int) -> str:
    return f"{ns / 1e6:+.3f}"


def _steps_text(trace: Trace, steps: Sequence[int]) -> str:
    if len(steps) > 1:
        return f"mean of {len(steps)} steps"
    step = steps[0]
    warmup = trace.header.specification.warmup
    if step < warmup:
        return f"warm-up step {step + 1}"
    return f"step {step - warmup + 1}"


def _parts(arguments: argparse.Namespace) -> tuple[TracePart, TracePart]:
    """Return the parts to compare of A and of B. Raises ValueError in one line."""
    part = part_of(arguments)
    if arguments.range_b is None:
        return part, part
    other = TracePart(arguments.whole, arguments.range_b, "--range-b")
    other.check()
    return part, other


def _opened(name: str, part: TracePart) -> Trace:
    """Open a recording and select a part of it. Raises ValueError in one line."""
    trace = part.of(open_with_warnings(name), name)
    if not whole_steps(trace):
        advice = advice_without_steps(trace)
        raise PlanError(f"{name} has no whole step to compare; {advice}")
    return trace


def _steps(option: str, given: str | None, name: str, trace: Trace) -> list[int] | None:
    """Return the steps given by an option: None, `all`, or the number of a measured step."""
    if given is None:
        return None
    whole = whole_steps(trace)
    if given == ALL:
        return whole
    # Measured steps are numbered from 1.
    offset = trace.header.specification.warmup - 1
    is_number = given.isascii() and given.isdigit() and len(given) <= MOST_DIGITS
    if is_number:
        step = int(given) + offset
        if step in whole:
            return [step]
    first = whole[0] - offset
    last = whole[-1] - offset
    has = f"{name} has the steps {first} to {last}"
    raise PlanError(f"{option} {given}: {has}; use one of them, or {ALL}")


def _alignment(
    two: TwoRuns, traces: Sequence[Trace], names: Sequence[str], align: str, fit: bool
) -> Alignment:
    """Align both steps at their starts, or at the task that `align` names."""
    trace_a, trace_b = traces
    bounds_a = trace_a.step_bounds(two.step_a)
    bounds_b = trace_b.step_bounds(two.step_b)
    if align == START:
        moment_a = bounds_a[0]
        moment_b = bounds_b[0]
    else:
        moment_a = _start_of(trace_a, two.step_a, names[0], align)
        moment_b = _start_of(trace_b, two.step_b, names[1], align)
    return at_moments(moment_a, moment_b, bounds_a, bounds_b, fit)


def _start_of(trace: Trace, step: int, name: str, action: str) -> int:
    """Return the start, in ns, of the first task of a step with the name `action`."""
    columns = StepColumns.of_trace(trace, step)
    texts = [str(columns[task]) for task in range(len(columns))]
    if action not in texts:
        # The message's example is a pass of this run, because its first task may have any name.
        passes = np.flatnonzero(PASSES[columns.kind]).tolist()
        example = passes[0] if passes else 0
        known = f"{START}, or {texts[example]}"
        raise PlanError(f"--align {action}: {name} has no such task; use {known}")
    task = texts.index(action)
    return int(columns.start[task])

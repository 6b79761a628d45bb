"""The command that compares two recordings."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bubblescope.cli.commands import open_aloud
from bubblescope.cli.drawing import loading_qt
from bubblescope.cli.parts import TAKE_PART, Part, part_of
from bubblescope.cli.report import table
from core.compare.alignment import Alignment, at_moments
from core.compare.differences import Difference, Group
from core.compare.runs import TwoRuns, compare_runs
from core.errors import PlanError
from core.explain.causes import Cause
from core.files import check_outputs, write_whole
from core.plain import duration_text, plain, say
from core.plan.task import PASSES
from core.trace.median_step import whole_steps
from core.trace.step import StepColumns
from core.trace.trace import Trace

ALL, START, FIT = "all", "start", "fit"
_NAMES = {Group.CAUSE: "idle: {}", Group.OVERLAP: "tasks that overlap",
          Group.LANE_WORK: "{} works", Group.LANE_IDLE: "{} is idle",
          Group.BESIDE: "{} beside"}  # fmt: skip


def compare(arguments: argparse.Namespace) -> None:
    """Compare two recordings, print the table, write what was asked for.

    Raises PlanError or another ValueError in one line.
    """
    # Before anything is read: who mistyped --image should know now, not after minutes of comparing.
    check_outputs(vars(arguments))
    names = (arguments.a, arguments.b)
    parts = _parts(arguments)
    traces = (_opened(names[0], parts[0]), _opened(names[1], parts[1]))
    steps_a = _steps("--step-a", arguments.step_a, names[0], traces[0])
    steps_b = _steps("--step-b", arguments.step_b, names[1], traces[1])
    two = compare_runs(*traces, steps_a, steps_b)
    alignment = _alignment(two, traces, names, arguments.align, arguments.scale == FIT)
    values = json.dumps({"a": names[0], "b": names[1], **two.to_dict()}, indent=1)
    write_whole(arguments.summary, f"{values}\n")
    if arguments.image is not None:
        with loading_qt():
            from gui.compare.picture import Both, export_both

        export_both(Both(two, traces, alignment), Path(arguments.image), arguments.theme)
    if arguments.report is not None:
        with loading_qt():
            from gui.compare.picture import Both
            from gui.compare.report import write_both_report

        write_both_report(Both(two, traces, alignment), Path(arguments.report))
    say(compared_text(two, traces, names, [part.title for part in parts]))


def compared_text(
    two: TwoRuns, traces: Sequence[Trace], names: Sequence[str], titles: Sequence[str]
) -> str:
    """Return both runs, the sentence, the tables, and the tasks without a match.

    `titles` name the part that was taken of each trace as its step, or are empty.
    """
    lines = []
    for place, side in enumerate((two.a, two.b)):
        step = titles[place] or _steps_text(traces[place], side.steps)
        makespan = duration_text(side.mean_makespan)
        lines.append(f"{'AB'[place]}: {plain(names[place])}, {step}, {makespan}")
    lines += [two.sentence(), "", _rows_text("what", two.reasons, two.difference)]
    lines += ["", _rows_text("lane", two.lanes, two.difference)]
    if two.beside:
        lines += ["", _rows_text("copy and communication lanes", two.beside, None)]
    return "\n".join([*lines, "", matches_text(two)])


def matches_text(two: TwoRuns) -> str:
    """How many tasks are matched, and which are not: `112 tasks matched; only A: 4 copy`."""
    parts = [f"{len(two.matches)} tasks matched"]
    for letter, counts in zip("AB", two.matches.unmatched(), strict=True):
        if counts:
            listed = ", ".join(f"{count} {kind}" for kind, count in counts.items())
            parts.append(f"only {letter}: {listed}")
    return "; ".join(parts)


def _rows_text(head: str, rows: Sequence[Difference], total: int | None) -> str:
    names = [_NAMES.get(row.group, "{}").format(_name(row)) for row in rows]
    columns = [
        ["A ms", *(_ms(row.a) for row in rows)],
        ["B ms", *(_ms(row.b) for row in rows)],
        ["difference", *(f"{row.difference / 1e6:+.3f}" for row in rows)],
    ]
    if total is not None:
        # Contributions add up to the difference of the makespans, which stands below them as their
        # sum.
        names.append("makespan")
        columns = [[*column, ""] for column in columns]
        parts = [*(row.contribution for row in rows), total]
        columns.append(["contributes", *(f"{part / 1e6:+.3f}" for part in parts)])
    even = [_even(column) for column in columns]
    return table(
        (head, *(c[0] for c in even)), list(zip(names, *(c[1:] for c in even), strict=True))
    )


def _name(row: Difference) -> str:
    return Cause(row.name).label if row.group is Group.CAUSE else row.name


def _even(column: Sequence[str]) -> list[str]:
    """The same texts, to the right of one width."""
    width = max(map(len, column))
    return [text.rjust(width) for text in column]


def _ms(ns: int | None) -> str:
    return "-" if ns is None else f"{ns / 1e6:.3f}"


def _steps_text(trace: Trace, steps: Sequence[int]) -> str:
    if len(steps) > 1:
        return f"mean of {len(steps)} steps"
    number = steps[0] - trace.header.specification.warmup + 1
    return f"step {number}" if number > 0 else f"warm-up step {steps[0] + 1}"


def _parts(arguments: argparse.Namespace) -> tuple[Part, Part]:
    """The parts that are taken of A and of B. Raises ValueError in one line."""
    part = part_of(arguments)
    if arguments.range_b is None:
        return part, part
    other = Part(arguments.whole, arguments.range_b, "--range-b")
    other.check()
    return part, other


def _opened(name: str, part: Part) -> Trace:
    """Open a recording, and take a part of it. Raises ValueError in one line."""
    trace = part.of(open_aloud(name), name)
    if not whole_steps(trace):
        use = "use one that has run some" if trace.header.source.has_plan else TAKE_PART
        raise PlanError(f"{name} has no whole step to compare; {use}")
    return trace


def _steps(option: str, given: str | None, name: str, trace: Trace) -> list[int] | None:
    """The steps that an option asks for: None, `all`, or the n-th measured one."""
    whole, first = whole_steps(trace), trace.header.specification.warmup - 1
    if given is None:
        return None
    if given == ALL:
        return whole
    if given.isascii() and given.isdigit() and int(given) + first in whole:
        return [int(given) + first]
    numbers = f"{whole[0] - first} to {whole[-1] - first}"
    raise PlanError(f"{option} {given}: {name} has the steps {numbers}; use one of them, or {ALL}")


def _alignment(
    two: TwoRuns, traces: Sequence[Trace], names: Sequence[str], align: str, fit: bool
) -> Alignment:
    places = list(zip(traces, (two.step_a, two.step_b), names, strict=True))
    bounds: list[tuple[int, int]] = [trace.step_bounds(step) for trace, step, _ in places]
    moments = [bound[0] for bound in bounds]
    if align != START:
        moments = [_start_of(trace, step, name, align) for trace, step, name in places]
    return at_moments(moments[0], moments[1], bounds[0], bounds[1], fit)


def _start_of(trace: Trace, step: int, name: str, action: str) -> int:
    """When the first task of a step that is called `action` begins, in ns."""
    columns = StepColumns.of_trace(trace, step)
    texts = [str(columns[position]) for position in range(len(columns))]
    if action not in texts:
        # The example in the message is a pass of this very run: what its first task is called may
        # be anything.
        passes = np.flatnonzero(PASSES[columns.kind])
        known = texts[int(passes[0])] if len(passes) else texts[0]
        raise PlanError(f"--align {action}: {name} has no such task; use {START}, or {known}")
    return int(columns.start[texts.index(action)])

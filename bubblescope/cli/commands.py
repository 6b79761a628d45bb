"""The commands `devices`, `plan`, `run`, `export` and `summary`.

They raise PlanError and RecordingError, in one line, for bad input.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bubblescope.api.interrupts import INTERRUPTED
from bubblescope.api.running import RunError, ask_engine, describe_model, execute
from bubblescope.cli.animating import animation_options, write_animation
from bubblescope.cli.drawing import draw, loading_qt
from bubblescope.cli.exporting import FORMATS, MORE, check_formats, write_formats
from bubblescope.cli.figures import figure_options
from bubblescope.cli.hosts import host_of
from bubblescope.cli.job import listener_address
from bubblescope.cli.opening import open_with_warnings
from bubblescope.cli.parts import TAKE_PART, part_of
from bubblescope.cli.plan_report import plan_text
from bubblescope.cli.progress import ProgressPrinter
from bubblescope.cli.report import comparison_text, devices_text, incomplete_text, summary_text
from bubblescope.cli.spans_table import table_query, write_table
from core.counts import lanes_text, rows_text
from core.engine.messages import Ended, Outcome
from core.engine.torchrun.launch import launch
from core.errors import PlanError
from core.files import check_folder, check_outputs, write_whole
from core.machine import host_hardware
from core.plain import plain, say
from core.plan.devices import KINDS, Hardware
from core.plan.launching import Hosts, check_launch, check_plans
from core.plan.pipeline.options import SCHEDULE
from core.plan.pipeline.orders import lane_orders
from core.plan.planning import PlannedRun, check, check_unmeasured, plan_run
from core.plan.schedules.compute_csv import csv_text
from core.plan.specification import (
    TORCHRUN,
    Specification,
    specification_of,
)
from core.predict.compare import Comparison, predict_steps
from core.recorder.wire import is_address
from core.report.run_table import run_rows, write_run_table
from core.report.summary import Summary, summarise
from core.trace.complete import completed_steps
from core.trace.trace import Trace
from core.trace.verified import verified
from gui.app.titles import run_names


def print_devices(arguments: argparse.Namespace) -> None:
    """Print the devices of this machine, or of another one."""
    host = host_of(arguments)
    say(devices_text(ask_engine(Hardware, host=host)))


def print_plan(arguments: argparse.Namespace) -> None:
    """Print a plan for each number of rows that a step of the run has.

    With `--csv`, save the first one as a schedule.
    """
    specification = specification_of(vars(arguments))
    check_unmeasured(specification)
    check(specification)
    check_outputs(vars(arguments))
    planned = _planned(specification)
    specification = planned.specification
    model = planned.model
    plans = planned.plans
    name = specification[SCHEDULE]
    schedule = f" {name}" if name else ""
    if arguments.csv is not None:
        first_plan = next(iter(plans.values()))
        # Copy lanes have no passes, and would be empty ranks in the file.
        orders = [order for order in lane_orders(first_plan) if order]
        write_whole(arguments.csv, csv_text(orders))
    for rows, step_plan in plans.items():
        title = (
            f"{specification.strategy}{schedule} of {model.name}, {rows_text(rows)} on "
            f"{lanes_text(len(planned.lanes))}"
        )
        say(plan_text(step_plan, model, title, arguments.tasks))


def _planned(specification: Specification) -> PlannedRun:
    """Plan a run, even if this machine lacks its devices. Raises PlanError."""
    # Only torch can describe a kind of device that is not in KINDS.
    is_known = any(kind in specification.devices for kind in KINDS)
    hardware = host_hardware() if is_known else ask_engine(Hardware)
    return plan_run(specification, hardware, describe_model, present=False)


def run_strategy(arguments: argparse.Namespace) -> int:
    """Run a strategy, print the summary and write the outputs. Return the exit status."""
    specification = specification_of(vars(arguments))
    check(specification)
    given = vars(arguments)
    is_launched = specification.launcher == TORCHRUN
    host = host_of(arguments)
    if is_launched and host:
        raise PlanError(f"--on {host}: torchrun runs on this machine; run the command there")
    if is_launched:  # then --record is a folder or the address of a listener
        given = {**given, "record": None}
    check_outputs(given)
    figure_options(arguments)
    if not is_launched:
        progress = ProgressPrinter(arguments.verbose)
        trace, ended = execute(specification, progress, arguments.record, host)
    else:
        launched, ended = _launch(specification, arguments)
        if launched is None:
            return _end_of(ended)
        trace = launched
    if ended.outcome is Outcome.REFUSED:
        raise PlanError(ended.text)
    summary = summarise(trace)
    comparison, unpredicted = _compared(trace)
    try:
        _write_outputs(arguments, trace, summary, comparison)
    finally:  # print the results even if a file cannot be written
        say(summary_text(summary))
        if comparison is not None:
            say(comparison_text(comparison))
        elif unpredicted:
            say(f"no prediction: {unpredicted}")
    status = _end_of(ended)
    # Checked last, so that a run with wrong gradients is still printed and recorded.
    found = verified(trace)
    if summary.faults:
        text = f"the recording is incomplete: {incomplete_text(summary.faults)}"
        if ended.outcome is not Outcome.STOPPED:
            raise RunError(text)
        say(f"warning: {text}", sys.stderr)
    if found is not None and not found.agrees:
        raise RunError(found.text)
    if found is not None:
        say(found.text)
    return status


def _end_of(ended: Ended) -> int:
    """Return the exit status. Raises RunError for a failed run."""
    if ended.outcome is Outcome.FAILED:
        raise RunError(ended.text)
    return 0 if ended.outcome is Outcome.FINISHED else INTERRUPTED


def _launch(
    specification: Specification, arguments: argparse.Namespace
) -> tuple[Trace | None, Ended]:
    """Run under torchrun. Raises PlanError for anything that can be refused before the start."""
    planned = _planned(specification)
    out = arguments.record or ""
    specification = planned.specification
    lanes = list(planned.lanes)
    hosts = Hosts(arguments.nnodes, arguments.node_rank, arguments.rdzv_endpoint)
    check_launch(specification, lanes, hosts, out)
    if is_address(out):
        listener_address("--record", out)
        for option in ("summary", "image"):
            file = getattr(arguments, option)
            if file is not None:
                raise PlanError(f"--{option} {file}: not available if a listener records the run")
    elif out:
        # Otherwise recordings of an earlier job would be mistaken for this job's.
        check_folder("--record", out)
    check_plans(specification, planned.plans.values())
    return launch(specification, lanes, hosts, out, arguments.verbose)


def _write_outputs(
    arguments: argparse.Namespace,
    trace: Trace,
    summary: Summary,
    comparison: Comparison | None,
) -> None:
    if arguments.summary is not None:
        write_whole(arguments.summary, _summary_json(summary, comparison))
    if arguments.image is not None:
        draw([trace], Path(arguments.image), figure_options(arguments))


def export(arguments: argparse.Namespace) -> None:
    """Write the files that the options request. Raises ValueError in one line for bad input."""
    check_outputs(vars(arguments))
    # Check all options before reading the recordings, which may be large.
    query = table_query(arguments)
    options = figure_options(arguments)
    animation = animation_options(arguments, options)
    reported = part_of(arguments)
    single = ("animation", "report", "table", *FORMATS)
    if not any(getattr(arguments, option) for option in ("image", "runs", *single)):
        needed = "--image FILE, --animation FILE, --report FILE, --runs FILE, --table FILE"
        raise PlanError(f"export needs {needed}{MORE}")
    for option in single:
        file = getattr(arguments, option)
        if file is not None and len(arguments.recordings) > 1:
            raise PlanError(f"--{option} {file} is for one recording")
    others = [] if arguments.other is None else [arguments.other]
    names = [*arguments.recordings, *others]
    opened = [open_with_warnings(name) for name in names]
    for name, trace in zip(names, opened, strict=True):
        if trace.is_empty:
            raise PlanError(f"{name} has no spans: there is nothing to export")
    traces = opened[: len(arguments.recordings)]
    check_formats(traces[0], arguments)
    # Select the part before any file is written, because it may be refused.
    if arguments.report is not None:
        part = reported.of(traces[0], arguments.recordings[0])
    if arguments.image is not None:
        draw(traces, Path(arguments.image), options)
    if arguments.animation is not None:
        write_animation(opened, Path(arguments.animation), animation)
    if arguments.runs is not None:
        write_run_table(run_rows(traces, run_names(traces)), Path(arguments.runs))
    if arguments.report is not None:
        with loading_qt():
            from gui.report.run import write_run_report

        write_run_report(part, Path(arguments.report))
    if arguments.table is not None:
        write_table(traces[0], arguments, query)
    write_formats(traces[0], arguments)


def summarise_files(arguments: argparse.Namespace) -> None:
    """Print the summary of each recording or folder, one JSON value each, as `run --summary`.

    `--whole` and `--range` select a part of each trace. Raises ValueError in one line.
    """
    part = part_of(arguments)
    for name in arguments.recordings:
        trace = part.of(open_with_warnings(name), name)
        if not trace.header.source.has_plan and not trace.steps:
            say(plain(f"note: {name} has no steps: {TAKE_PART}"), sys.stderr)
        comparison, unpredicted = _compared(trace)
        print(_summary_json(summarise(trace), comparison), end="", flush=True)
        # Most recordings without costs were not meant to measure them.
        if unpredicted and trace.costs is not None:
            say(f"note: {name} has no prediction: {unpredicted}", sys.stderr)


def _compared(trace: Trace) -> tuple[Comparison | None, str]:
    """Compare a run's steps with their prediction; if there is none, return the reason."""
    try:
        comparison = predict_steps(trace)
    except PlanError as error:
        return None, str(error)
    is_missed = comparison is None and completed_steps(trace)
    return comparison, "the costs of its tasks were not measured" if is_missed else ""


def _summary_json(summary: Summary, comparison: Comparison | None) -> str:
    values = json.loads(summary.to_json())
    values["prediction"] = None if comparison is None else comparison.to_dict()
    return json.dumps(values, indent=1) + "\n"

"""What each command does. Raises PlanError and RecordingError for bad input, in one line."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from bubblescope.cli.drawing import draw, loading_qt
from bubblescope.cli.exporting import FORMATS, MORE, check_formats, write_formats
from bubblescope.cli.figures import figure_options
from bubblescope.cli.interrupts import INTERRUPTED, holding_interrupts, noting_interrupts
from bubblescope.cli.job import listener_address
from bubblescope.cli.parts import TAKE_PART, part_of
from bubblescope.cli.progress import Progress
from bubblescope.cli.report import (
    comparison_text,
    devices_text,
    faults_text,
    plan_text,
    summary_text,
    verified_text,
)
from bubblescope.cli.spans_table import table_query, write_table
from core.engine.client import EngineClient
from core.engine.messages import Ended, Outcome
from core.engine.torchrun.launch import launch
from core.errors import PlanError
from core.files import check_folder, check_outputs, write_whole
from core.machine import host
from core.models.description import ModelDescription
from core.plain import counted, plain, say
from core.plan.devices import KINDS, Hardware
from core.plan.launching import Hosts, check_launch, check_parts
from core.plan.pipeline.options import SCHEDULE
from core.plan.pipeline.orders import lane_orders
from core.plan.planning import PlannedRun, check, check_unmeasured, plan_run
from core.plan.schedules.compute_csv import csv_text
from core.plan.specification import (
    TORCHRUN,
    Specification,
    describe,
    specification_of,
    with_defaults,
)
from core.predict.compare import Comparison, predict_steps
from core.recorder.wire import is_address
from core.recording.decode import append_batch, combined
from core.recording.recording import RecordingFile, open_recording
from core.report.summary import Summary, summarise
from core.trace.complete import completed_steps, run_faults
from core.trace.header import Header
from core.trace.trace import Trace
from core.trace.verified import verified

POLL_SECONDS = 0.05  # where every core has a lane, each look takes time from one


class RunError(RuntimeError):
    """A run failed; the message says why in one line."""


def devices(_: argparse.Namespace) -> None:
    """Print what this machine has."""
    say(devices_text(_ask(Hardware)))


def plan(arguments: argparse.Namespace) -> None:
    """Print the plan of a step, and of every other number of rows in the epoch.

    With `--csv`, save the first as a schedule.
    """
    specification = specification_of(vars(arguments))
    check_unmeasured(specification)
    check(specification)
    check_outputs(vars(arguments))
    planned = _planned(specification)
    specification, model, plans = planned.specification, planned.model, planned.plans
    schedule = f" {name}" if (name := specification[SCHEDULE]) else ""
    if arguments.csv is not None:
        # Copy lanes have no passes: as empty lines they would be ranks without any.
        text = csv_text([order for order in lane_orders(next(iter(plans.values()))) if order])
        write_whole(arguments.csv, text)
    for rows, step_plan in plans.items():
        title = (
            f"{specification.strategy}{schedule} of {model.name}, {counted(rows, 'row')} on "
            f"{counted(len(planned.lanes), 'lane')}"
        )
        say(plan_text(step_plan, model, title, arguments.tasks))


def _planned(specification: Specification) -> PlannedRun:
    """Plan a run, whether its devices are here or not. Raises PlanError."""
    is_known = any(kind in specification.devices for kind in KINDS)  # else torch has to be asked
    hardware = host() if is_known else _ask(Hardware)
    return plan_run(specification, hardware, describe_model, present=False)


def run(arguments: argparse.Namespace) -> int:
    """Run, print the summary, write what was asked for. Returns the exit status."""
    specification = specification_of(vars(arguments))
    check(specification)
    given = vars(arguments)
    is_launched = specification.launcher == TORCHRUN
    if is_launched:  # then what is recorded is a folder, or goes to a listener
        given = {**given, "record": None}
    check_outputs(given)
    figure_options(arguments)
    if not is_launched:
        trace, ended = execute(specification, arguments.record, arguments.verbose)
    else:
        launched, ended = _launch(specification, arguments)
        if launched is None:
            return _end_of(ended)
        trace = launched
    if ended.outcome is Outcome.REFUSED:
        raise PlanError(ended.text)
    summary, (comparison, unpredicted) = summarise(trace), _compared(trace)
    try:
        _write_outputs(arguments, trace, summary, comparison)
    finally:  # what was measured is told even if a file cannot be written, and the other way round
        say(summary_text(summary))
        if comparison is not None:
            say(comparison_text(comparison))
        elif unpredicted:
            say(f"no prediction: {unpredicted}")
    status = _end_of(ended)
    # Judged last, so that a run whose gradients are wrong still shows and keeps what it did.
    found = verified(trace)
    if summary.faults:
        text = f"the recording is incomplete: {faults_text(summary.faults)}"
        if ended.outcome is not Outcome.STOPPED:
            raise RunError(text)
        say(f"warning: {text}", sys.stderr)
    if found is not None and not found.agrees:
        raise RunError(verified_text(found))
    if found is not None:
        say(verified_text(found))
    return status


def _end_of(ended: Ended) -> int:
    """The exit status. Raises RunError for a run that failed."""
    if ended.outcome is Outcome.FAILED:
        raise RunError(ended.text)
    return 0 if ended.outcome is Outcome.FINISHED else INTERRUPTED


def _launch(
    specification: Specification, arguments: argparse.Namespace
) -> tuple[Trace | None, Ended]:
    """Run under torchrun. Raises PlanError for what is refused before anything is started."""
    planned, out = _planned(specification), arguments.record or ""
    specification, lanes = planned.specification, list(planned.lanes)
    hosts = Hosts(arguments.nnodes, arguments.node_rank, arguments.rdzv_endpoint)
    check_launch(specification, lanes, hosts, out)
    if is_address(out):
        listener_address("--record", out)
    for option in ("summary", "image") if is_address(out) else ():
        if (file := getattr(arguments, option)) is not None:
            raise PlanError(f"--{option} {file}: what a listener takes is recorded there, not here")
    if out and not is_address(out):
        check_folder("--record", out)  # what an earlier job recorded would pass for this one's
    check_parts(specification, planned.plans.values())
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
    """Draw recordings, report on one, list its spans. Bad input raises a ValueError in one line."""
    check_outputs(vars(arguments))
    # All options are read before the recordings, which may be large.
    query = table_query(arguments)
    options = figure_options(arguments)
    reported = part_of(arguments)
    single = ("report", "table", *FORMATS)
    if not any(getattr(arguments, option) for option in ("image", *single)):
        raise PlanError(f"export needs --image FILE, --report FILE, --table FILE{MORE}")
    for option in single:
        file = getattr(arguments, option)
        if file is not None and len(arguments.recordings) > 1:
            raise PlanError(f"--{option} {file} is for one recording")
    traces = [open_aloud(name) for name in arguments.recordings]
    for name, trace in zip(arguments.recordings, traces, strict=True):
        if trace.is_empty:
            raise PlanError(f"{name} has recorded no spans: there is nothing to export")
    check_formats(traces[0], arguments)
    if arguments.report is not None:  # before any file is written
        part = reported.of(traces[0], arguments.recordings[0])
    if arguments.image is not None:
        draw(traces, Path(arguments.image), options)
    if arguments.report is not None:
        with loading_qt():
            from gui.report.run import write_run_report

        write_run_report(part, Path(arguments.report))
    if arguments.table is not None:
        write_table(traces[0], arguments, query)
    write_formats(traces[0], arguments)


def summarise_files(arguments: argparse.Namespace) -> None:
    """Print what `run --summary` writes, of each recording or folder, one JSON value each.

    With `--whole` or `--range`, of a part of each trace. Raises ValueError in one line.
    """
    part = part_of(arguments)
    for name in arguments.recordings:
        trace = part.of(open_aloud(name), name)
        if not trace.header.source.has_plan and not trace.steps:
            say(plain(f"note: {name} has no steps: {TAKE_PART}"), sys.stderr)
        comparison, unpredicted = _compared(trace)
        print(_summary_json(summarise(trace), comparison), end="", flush=True)
        if unpredicted and trace.costs is not None:  # most that have none never measured any
            say(f"note: {name} has no prediction: {unpredicted}", sys.stderr)


def _compared(trace: Trace) -> tuple[Comparison | None, str]:
    """The prediction of a run's measured steps; where there is none, why, if it has whole steps."""
    try:
        comparison = predict_steps(trace)
    except PlanError as error:
        return None, str(error)
    is_missed = comparison is None and completed_steps(trace)
    return comparison, "what its tasks cost was not measured" if is_missed else ""


def _summary_json(summary: Summary, comparison: Comparison | None) -> str:
    values = json.loads(summary.to_json())
    values["prediction"] = None if comparison is None else comparison.to_dict()
    return json.dumps(values, indent=1) + "\n"


def open_aloud(name: str) -> Trace:
    """Read a recording, and warn on standard error of what it lacks. Raises RecordingError."""
    opened = open_recording(name)
    faults = faults_text([fault.text for fault in run_faults(opened.trace)])
    for warning in filter(None, (opened.warning, faults and f"{name} is incomplete: {faults}")):
        say(plain(f"warning: {warning}"), sys.stderr)
    return opened.trace


def execute(
    specification: Specification, record: str | None = None, verbose: bool = False
) -> tuple[Trace, Ended]:
    """Run in an engine process of its own; Ctrl+C stops it and keeps what was recorded.

    Raises PlanError if the specification is refused before there is a trace.
    """
    with noting_interrupts() as interrupts, closing(EngineClient()) as client:
        return execute_with(client, specification, record, Progress(verbose), interrupts)


def execute_with(
    client: EngineClient,
    specification: Specification,
    record: str | None,
    progress: Progress,
    interrupts: list[int],
) -> tuple[Trace, Ended]:
    """Run in an engine that is there for further runs; stops it once something is in `interrupts`.

    Raises PlanError if it is refused before there is a trace, KeyboardInterrupt if it is stopped.
    """
    collector = _Collector(record, progress)
    client.run(specification)
    try:
        while collector.ended is None:
            if interrupts:
                client.stop()
            collector.take(client)
            time.sleep(POLL_SECONDS)
    finally:
        collector.close()
    if collector.trace is None:
        if collector.ended.outcome is Outcome.STOPPED:
            raise KeyboardInterrupt
        raise PlanError(collector.ended.text)
    return collector.trace, collector.ended


def ready_hardware(client: EngineClient, interrupts: list[int]) -> Hardware:
    """The machine, once the engine knows it. Raises RunError, KeyboardInterrupt if stopped."""
    client.start()
    return _awaited(client, Hardware, interrupts)


class _Collector:
    """Builds the trace from messages, and the recording if there is to be one."""

    def __init__(self, record: str | None, progress: Progress) -> None:
        self._record, self._progress = record, progress
        self._file: RecordingFile | None = None
        self.trace: Trace | None = None
        self.ended: Ended | None = None

    def take(self, client: EngineClient) -> None:
        batches: list[pa.RecordBatch] = []
        for message in client.poll():
            if isinstance(message, Header):
                self.trace = Trace(message)
                if self._record is not None:
                    self._file = RecordingFile(self._record, message)
            elif isinstance(message, pa.RecordBatch) and self.trace is not None:
                if self._file is not None:
                    self._file.write(message)
                # To the file as they come; into the trace as one, since that has a price for each
                # batch.
                batches.append(message)
            elif isinstance(message, Ended):
                self.ended = message
        if batches and self.trace is not None:
            append_batch(self.trace, combined(batches))
            self._progress.show(self.trace)

    def close(self) -> None:
        self._progress.close()
        if self._file is not None:
            self._file.close()


Answer = TypeVar("Answer", Hardware, ModelDescription)


def _ask(kind: type[Answer], about: Specification | None = None) -> Answer:
    """What an engine process of its own says, of a model if one is named.

    Raises PlanError if it refuses, RunError if it ends.
    """
    with closing(EngineClient()) as client:
        with holding_interrupts():  # an engine that was half started could not be closed
            client.start()
            if about is not None:
                client.describe(about)
        return _awaited(client, kind)


def _awaited(client: EngineClient, kind: type[Answer], interrupts: Sequence[int] = ()) -> Answer:
    """The next message of a kind. Raises as `_ask` does, and KeyboardInterrupt if stopped."""
    # Polled, since a message may come from the engine or an interrupt from the user, and only one
    # can be waited for.
    while not interrupts:
        for message in client.poll():
            if isinstance(message, kind):
                return message
            if isinstance(message, Ended):
                refused = message.outcome is Outcome.REFUSED
                raise (PlanError if refused else RunError)(message.text)
        time.sleep(POLL_SECONDS)
    raise KeyboardInterrupt


def describe_model(specification: Specification) -> ModelDescription:
    """The description of any model; the user's own is asked for in a process that has torch.

    Raises PlanError.
    """
    if not specification.own_model:
        return describe(with_defaults(specification))
    try:
        return _ask(ModelDescription, specification)
    except RunError as error:
        raise PlanError(f"--model {specification.model.name!r}: {error}") from error

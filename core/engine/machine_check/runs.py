"""Runs strategies and schedules for a check, and judges the order of their spans."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from core.check.measured import GradientError, Measured, NotMeasured, SpanOrder
from core.engine.failures import RunStopped, error_line
from core.engine.prepare import prepare
from core.engine.server import runner_of
from core.message import message
from core.models.catalogue import ModelSettings
from core.plan.devices import HOST, Hardware
from core.plan.pipeline.options import SCHEDULE
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.recording.recording import read_stream
from core.recording.schema import TraceWriter
from core.trace.event_rows import clock_uncertainty
from core.trace.median_step import whole_steps
from core.trace.trace import Trace
from core.trace.verified import verified

RUN_SECONDS = 60.0
"""A run that takes longer is stopped. Most take a few seconds; ranks start slowly."""
MODEL = ModelSettings("mlp", width=512, depth=8)
BATCH = 256
STEPS = 3
WARMUP = 1
SINGLE = "single"
PIPELINE = "pipeline"
GRID = "dp-pp"


@contextmanager
def stop_after(seconds: float) -> Iterator[threading.Event]:
    """Context with an event that is set after some time.

    Raises RuntimeError in place of RunStopped, with the time.
    """
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield stop
    except RunStopped:
        text = message("it took more than {seconds} s", seconds=round(seconds))
        raise RuntimeError(text) from None
    finally:
        timer.cancel()


def run_stream(specification: Specification, hardware: Hardware) -> bytes:
    """Run a specification in this process and return its recording.

    Raises PlanError if it is refused, or the exception of a task.
    """
    prepared = prepare(specification, hardware)
    sink = io.BytesIO()
    writer = TraceWriter(sink, prepared.header)
    try:
        with stop_after(RUN_SECONDS) as stop:
            runner_of(prepared)(prepared, writer, stop)
    finally:
        writer.close()
    return sink.getvalue()


def checked_runs(hardware: Hardware) -> list[Specification]:
    """Return a run of every strategy and every schedule, on one device and on two."""
    places = placements(hardware)
    first = places[0][:1]
    found = [verified_run(SINGLE, first)]
    for devices in places:
        for strategy in STRATEGIES:
            if strategy == GRID:  # two replicas of two stages each
                found.append(verified_run(GRID, devices * 2))
            elif strategy not in (SINGLE, PIPELINE):
                found.append(verified_run(strategy, devices))
        for schedule in SCHEDULES:
            found.append(verified_run(PIPELINE, devices, schedule))
    return found


def placements(hardware: Hardware) -> list[tuple[str, ...]]:
    """Return the devices of two lanes: of one device, and of two if there are two accelerators."""
    first, *others = hardware.devices[1:] or (HOST.name,)
    found: list[tuple[str, ...]] = [(first, first)]
    if others:
        found.append((first, others[0]))
    return found


def verified_run(
    strategy: str, devices: Sequence[str], schedule: str | None = None
) -> Specification:
    """Return a short run whose gradients are compared with a plain step's."""
    run = run_on(strategy, devices, schedule)
    return replace(run, steps=STEPS, warmup=WARMUP, verify=True)


def run_on(strategy: str, devices: Sequence[str], schedule: str | None = None) -> Specification:
    """Return a run of MODEL with a lane on each of `devices`."""
    text = ",".join(devices)
    if len(set(devices)) == 1:
        text = f"{len(devices)}x{devices[0]}"
    run = Specification(strategy, MODEL, text, batch=BATCH, calibrate=False)
    return replace(run, schedule=schedule) if schedule else run  # type: ignore[call-arg]


def run_name(specification: Specification) -> str:
    """Return the name of a run in the table: its strategy, schedule and devices."""
    schedule = specification[SCHEDULE]
    what = f"{specification.strategy} {schedule}" if schedule else specification.strategy
    return f"{what}, {specification.devices}"


def file_stem(name: str) -> str:
    """Return the name of a run as the name of a file, without its ending."""
    return re.sub(r"[^\w.]+", "-", name)


def run_findings(
    specification: Specification, hardware: Hardware, folder: str
) -> Iterator[Measured]:
    """Run a specification; yield its gradients and the order of its spans.

    Saves the recording in `folder`, unless it is "". A run that fails is a NotMeasured.
    """
    name = run_name(specification)
    try:
        stream = run_stream(specification, hardware)
    except Exception as error:  # of any type: the other runs are still worth making
        yield NotMeasured(GradientError.__name__, name, error_line(error))
        return
    if folder:
        Path(folder, f"{file_stem(name)}.arrow").write_bytes(stream)
    trace = read_stream(stream)
    yield gradients_of_run(trace, name)
    yield span_order(trace, name)


def gradients_of_run(trace: Trace, name: str) -> Measured:
    """Return the largest error of a run's gradients and losses."""
    found = verified(trace)
    if found is None:
        reason = message("the run compared no gradients")
        return NotMeasured(GradientError.__name__, name, reason)
    return GradientError(name, max(found.gradient, found.loss), found.allowed)


def span_order(trace: Trace, name: str) -> SpanOrder:
    """Return how early spans start, before the end of the spans that they have to wait for.

    Those are the span before it on its lane and the tasks that it comes after in the plan. Ranks
    of torch time themselves and are only compared lane by lane.
    """
    early = 0
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        overlaps = spans.end[:-1] - spans.start[1:]
        early = max(early, int(overlaps.max(initial=0)))
    if not STRATEGIES[trace.header.specification.strategy].on_ranks:
        ends = {(span.step, span.task): span.end for span in trace}
        for span in trace:
            for task in span.after:
                end = ends.get((span.step, task))
                if end is not None:
                    early = max(early, end - span.start)
    uncertain = int(clock_uncertainty(trace.clocks) or 0)
    return SpanOrder(name, trace.span_count, early, uncertain)


def step_lengths(trace: Trace) -> list[float]:
    """Return the ns from the first start to the last end of each whole step's spans.

    A recorded job's own steps also contain the time before their first span.
    """
    bounds: dict[int, tuple[int, int]] = {}
    for span in trace:
        assert span.end is not None
        first, last = bounds.get(span.step, (span.start, span.end))
        bounds[span.step] = (min(first, span.start), max(last, span.end))
    lengths = []
    for step in whole_steps(trace):
        first, last = bounds[step]
        lengths.append(float(last - first))
    return lengths

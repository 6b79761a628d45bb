"""Runs strategies and schedules for a check; measures their gradients and the order of spans."""

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
"""Limit of a run's time. Most runs take a few seconds; those in ranks take longer to start."""
MODEL = ModelSettings("mlp", width=512, depth=8)
BATCH = 256
STEPS = 3
WARMUP = 1
SINGLE = "single"
PIPELINE = "pipeline"
GRID = "dp-pp"


@contextmanager
def stop_after(seconds: float) -> Iterator[threading.Event]:
    """Context with an event that is set after `seconds`, for a run that stops when it is set.

    Raises RuntimeError, naming the time, in place of the run's RunStopped.
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

    Raises PlanError if it is refused, RuntimeError if it takes more than RUN_SECONDS, or the
    exception of a task.
    """
    prepared = prepare(specification, hardware)
    sink = io.BytesIO()
    writer = TraceWriter(sink, prepared.header)
    try:
        with stop_after(RUN_SECONDS) as stop:
            run = runner_of(prepared)
            run(prepared, writer, stop)
    finally:
        writer.close()
    return sink.getvalue()


def checked_runs(hardware: Hardware) -> list[Specification]:
    """Return a run of every strategy and every schedule for each of the `device_pairs`."""
    pairs = device_pairs(hardware)
    single_device = pairs[0][:1]
    found = [verified_run(SINGLE, single_device)]
    for devices in pairs:
        for strategy in STRATEGIES:
            if strategy == GRID:  # two replicas of two stages each
                found.append(verified_run(GRID, devices * 2))
            elif strategy not in (SINGLE, PIPELINE):
                found.append(verified_run(strategy, devices))
        for schedule in SCHEDULES:
            found.append(verified_run(PIPELINE, devices, schedule))
    return found


def device_pairs(hardware: Hardware) -> list[tuple[str, ...]]:
    """Return the devices of two lanes: one device twice, and two accelerators if there are two."""
    accelerators = hardware.devices[1:]
    first = accelerators[0] if accelerators else HOST.name
    pairs: list[tuple[str, ...]] = [(first, first)]
    if len(accelerators) > 1:
        pairs.append((first, accelerators[1]))
    return pairs


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
    if schedule is None:
        return run
    return run.having(schedule=schedule)


def run_name(specification: Specification) -> str:
    """Return the name of a run in the table: its strategy, schedule and devices."""
    name = specification.strategy
    schedule = specification[SCHEDULE]
    if schedule:
        name = f"{name} {schedule}"
    return f"{name}, {specification.devices}"


def file_stem(name: str) -> str:
    """Return the name of a file for a run's name, without a suffix."""
    return re.sub(r"[^\w.]+", "-", name)


def run_measurements(
    specification: Specification, hardware: Hardware, folder: str
) -> Iterator[Measured]:
    """Run a specification; yield the error of its gradients and the order of its spans.

    Saves the recording in `folder`, unless it is "". Yields one NotMeasured if the run fails.
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
    """Return the largest error of a run's gradients and losses; NotMeasured if it compared none."""
    found = verified(trace)
    if found is None:
        reason = message("the run compared no gradients")
        return NotMeasured(GradientError.__name__, name, reason)
    error = max(found.gradient, found.loss)
    return GradientError(name, error, found.allowed)


def span_order(trace: Trace, name: str) -> SpanOrder:
    """Return the most ns by which a span starts before the end of a span that it has to wait for.

    A span waits for the span before it on its lane and for its task's dependencies in the plan.
    If torch runs the strategy in ranks, each rank times itself, and only lanes are checked.
    """
    early = 0
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        overlaps = spans.end[:-1] - spans.start[1:]
        early = max(early, int(overlaps.max(initial=0)))
    if not STRATEGIES[trace.header.specification.strategy].on_ranks:
        ends: dict[tuple[int, int], int | None] = {}
        for span in trace:
            ends[span.step, span.task] = span.end
        for span in trace:
            for task in span.after:
                end = ends.get((span.step, task))
                if end is not None:
                    early = max(early, end - span.start)
    uncertain = int(clock_uncertainty(trace.clocks) or 0)
    return SpanOrder(
        run=name,
        spans=trace.span_count,
        early=early,
        uncertain=uncertain,
    )


def step_lengths(trace: Trace) -> list[float]:
    """Return the ns from the first start to the last end of the spans of each whole step.

    The bounds of a step in the trace are not used: in a recorded job they also contain the time
    before the first span.
    """
    bounds: dict[int, tuple[int, int]] = {}
    for span in trace:
        assert span.end is not None
        first, last = bounds.get(span.step, (span.start, span.end))
        first = min(first, span.start)
        last = max(last, span.end)
        bounds[span.step] = (first, last)
    lengths: list[float] = []
    for step in whole_steps(trace):
        first, last = bounds[step]
        lengths.append(float(last - first))
    return lengths

"""All measurements of a check, in the order of the table. Takes less than two minutes."""

from __future__ import annotations

import io
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from core.check.measured import (
    ClockWidth,
    Contention,
    GradientError,
    Measured,
    NotMeasured,
    Overlap,
    ProfilerDifference,
    RecordingCost,
    StampCost,
)
from core.engine.failures import error_line
from core.engine.hardware import compute_exactly, find_hardware
from core.engine.machine_check.lanes import clock_width, overlap, stamp_cost
from core.engine.machine_check.profiler import profiler_difference
from core.engine.machine_check.recording import recording_cost
from core.engine.machine_check.settings import Counts, fixed_settings
from core.engine.prepare import prepare
from core.engine.server import runner_of
from core.errors import PlanError
from core.message import error_message, message
from core.models.catalogue import ModelSettings
from core.plan.devices import HOST, Hardware
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.recording.recording import read_stream
from core.recording.schema import TraceWriter
from core.trace.verified import verified

LIMIT_SECONDS = 80.0
"""Strategies that are not tried by then are left out; one takes up to ten seconds."""
SPIN_SECONDS = 0.1
BUSY_SHARE = 0.3
"""If other programs take this share of a core, lanes of the CPU cannot be compared."""


def measure_all(folder: str = "") -> Iterator[Measured]:
    """Yield every measurement; one that is impossible here is a NotMeasured with the reason.

    Saves the recordings of the strategies' runs in `folder`, unless it is "".
    """
    deadline = time.monotonic() + LIMIT_SECONDS
    compute_exactly()
    hardware = find_hardware()
    counts = Counts()
    yield from fixed_settings()
    lost = list(contention())
    yield from lost
    is_busy = any(one.lost > BUSY_SHARE for one in lost)
    for device in hardware.devices:
        yield _tried(StampCost, device, partial(stamp_cost, device))
        yield _tried(ClockWidth, device, partial(clock_width, device))
    for lanes in lane_pairs(hardware):
        name = " + ".join(lanes)
        if is_busy and lanes[0] == HOST.name:
            # Two threads then get more of the cores than one, as if they overlapped.
            reason = message("other programs use the cores")
            yield NotMeasured(Overlap.__name__, name, reason)
            continue
        yield _tried(Overlap, name, partial(overlap, *lanes))
    for device in hardware.devices:
        yield _tried(ProfilerDifference, device, partial(profiler_difference, device))
    for device in (hardware.devices[0], *hardware.devices[1:2]):
        yield _tried(RecordingCost, device, partial(recording_cost, device))
    # Strategies in ranks last: their processes take seconds to start.
    for strategy in sorted(STRATEGIES, key=lambda name: STRATEGIES[name].on_ranks):
        if time.monotonic() > deadline:
            yield NotMeasured(GradientError.__name__, strategy, message("there was no time left"))
            continue
        yield _tried(
            GradientError,
            strategy,
            partial(gradient_error, strategy, hardware, folder),
        )
    yield from counts.settings()


def _tried(kind: type[Measured], subject: str, measure: Callable[[], Measured]) -> Measured:
    """Return a measurement, or the reason why it failed."""
    try:
        return measure()
    except Exception as error:  # of any type: the other checks are still worth making
        return NotMeasured(kind.__name__, subject, error_line(error))


def lane_pairs(hardware: Hardware) -> list[tuple[str, str]]:
    """Return the devices of pairs of lanes: two of each kind's first device, and two devices."""
    pairs = [(HOST.name, HOST.name)]
    found = hardware.devices[1:]
    if found:
        pairs.append((found[0], found[0]))
    if len(found) > 1:
        pairs.append((found[0], found[1]))
    return pairs


def contention() -> Iterator[Contention]:
    """Yield the share of each usable core that other programs take while a thread computes."""
    try:
        usable = os.sched_getaffinity(0)
    except AttributeError:  # macOS lacks it
        return
    for core in sorted(usable):
        with suppress(OSError):
            os.sched_setaffinity(0, {core})
            try:
                yield Contention(core, lost_share())
            finally:
                os.sched_setaffinity(0, usable)


def lost_share() -> float:
    """Return the share of SPIN_SECONDS for which the calling thread did not have its core."""
    computed, begun = time.thread_time(), time.perf_counter()
    while time.perf_counter() - begun < SPIN_SECONDS:
        pass
    computed, passed = time.thread_time() - computed, time.perf_counter() - begun
    return max(0.0, 1 - computed / passed)


def gradient_error(strategy: str, hardware: Hardware, folder: str) -> Measured:
    """Run two steps of a strategy and compare its gradients with a plain step's."""
    devices = "auto" if hardware.accelerators else f"2x{HOST.name}"
    model = ModelSettings("mlp", width=128, depth=4)
    specification = Specification(
        strategy, model, devices, batch=32, steps=1, warmup=1, verify=True, calibrate=False
    )
    try:
        prepared = prepare(specification, hardware)
    except PlanError as error:
        return NotMeasured(GradientError.__name__, strategy, error_message(error))
    sink = io.BytesIO()
    writer = TraceWriter(sink, prepared.header)
    try:
        runner_of(prepared)(prepared, writer, threading.Event())
    finally:
        writer.close()
    stream = sink.getvalue()
    if folder:
        Path(folder, f"{strategy}.arrow").write_bytes(stream)
    found = verified(read_stream(stream))
    if found is None:
        reason = message("the run compared no gradients")
        return NotMeasured(GradientError.__name__, strategy, reason)
    return GradientError(strategy, max(found.gradient, found.loss), found.allowed)

"""All measurements of a check, in the order of the table.

They take less than two minutes; a full check takes up to ten.
"""

from __future__ import annotations

import os
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
    PeerStep,
    ProfilerDifference,
    RecordingCost,
    StampCost,
)
from core.engine.failures import error_line
from core.engine.hardware import compute_exactly, find_hardware
from core.engine.machine_check.lanes import clock_width, overlap, stamp_cost
from core.engine.machine_check.peers import peer_measurements
from core.engine.machine_check.profiler import profiler_difference
from core.engine.machine_check.recording import recording_cost
from core.engine.machine_check.runs import (
    checked_runs,
    gradients_of_run,
    run_measurements,
    run_name,
    run_stream,
)
from core.engine.machine_check.settings import SystemCounts, fixed_settings
from core.message import message
from core.models.catalogue import ModelSettings
from core.plan.devices import HOST, Hardware
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.recording.recording import read_stream

LIMIT_SECONDS = 80.0
"""Time after which no further strategy is tried; one takes up to ten seconds."""
FULL_LIMIT_SECONDS = 480.0
"""The same limit for the runs of a full check, each of which is stopped after a minute."""
SPIN_SECONDS = 0.1
BUSY_SHARE = 0.3
"""If other programs take this share of a core, lanes of the CPU cannot be compared."""


def measure_all(folder: str = "", full: bool = False) -> Iterator[Measured]:
    """Yield every measurement; an impossible measurement is a NotMeasured with the reason.

    A full check also runs every schedule, on one device and on two, checks the order of all spans,
    and compares steps with steps of torch's own engines. Saves the recordings of the runs in
    `folder`, unless it is "".
    """
    deadline = time.monotonic() + (FULL_LIMIT_SECONDS if full else LIMIT_SECONDS)
    compute_exactly()
    hardware = find_hardware()
    counts = SystemCounts()
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
        kept = folder if full else ""
        yield _tried(ProfilerDifference, device, partial(profiler_difference, device, kept))
    for device in (hardware.devices[0], *hardware.devices[1:2]):
        yield _tried(RecordingCost, device, partial(recording_cost, device))
    if full:
        yield from _all_runs(hardware, folder, deadline)
    else:
        yield from _all_strategies(hardware, folder, deadline)
    yield from counts.settings()


def _all_strategies(hardware: Hardware, folder: str, deadline: float) -> Iterator[Measured]:
    """Yield the error of each strategy's gradients, until `deadline` by the monotonic clock."""
    # Strategies in ranks last: their processes take seconds to start.
    for strategy in sorted(STRATEGIES, key=lambda name: STRATEGIES[name].on_ranks):
        if time.monotonic() > deadline:
            yield _too_late(GradientError, strategy)
            continue
        yield _tried(
            GradientError,
            strategy,
            partial(gradient_error, strategy, hardware, folder),
        )


def _all_runs(hardware: Hardware, folder: str, deadline: float) -> Iterator[Measured]:
    """Yield the comparisons with torch's engines, then the measurements of every run.

    They stop at `deadline` by the monotonic clock. The comparisons are first, since they are few.
    """
    for name, compare in peer_measurements(hardware, folder):
        if time.monotonic() > deadline:
            yield _too_late(PeerStep, name)
        else:
            yield _tried(PeerStep, name, compare)
    for specification in checked_runs(hardware):
        if time.monotonic() > deadline:
            yield _too_late(GradientError, run_name(specification))
        else:
            yield from run_measurements(specification, hardware, folder)


def _too_late(kind: type[Measured], subject: str) -> NotMeasured:
    return NotMeasured(kind.__name__, subject, message("there was no time left"))


def _tried(kind: type[Measured], subject: str, measure: Callable[[], Measured]) -> Measured:
    """Return a measurement, or the reason why it failed."""
    try:
        return measure()
    except Exception as error:  # of any type: the other checks are still worth making
        return NotMeasured(kind.__name__, subject, error_line(error))


def lane_pairs(hardware: Hardware) -> list[tuple[str, str]]:
    """Return pairs of devices for two lanes: twice the host, twice an accelerator, and two."""
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
    computed = time.thread_time()
    begun = time.perf_counter()
    while time.perf_counter() - begun < SPIN_SECONDS:
        pass
    computed = time.thread_time() - computed
    passed = time.perf_counter() - begun
    return max(0.0, 1 - computed / passed)


def gradient_error(strategy: str, hardware: Hardware, folder: str) -> Measured:
    """Run two steps of a strategy and compare its gradients with a plain step's."""
    devices = "auto" if hardware.accelerators else f"2x{HOST.name}"
    model = ModelSettings("mlp", width=128, depth=4)
    specification = Specification(
        strategy,
        model,
        devices,
        batch=32,
        steps=1,
        warmup=1,
        verify=True,
        calibrate=False,
    )
    stream = run_stream(specification, hardware)
    if folder:
        Path(folder, f"{strategy}.arrow").write_bytes(stream)
    return gradients_of_run(read_stream(stream), strategy)
